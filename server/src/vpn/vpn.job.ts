// Lets sensors leave their VPN once no one needs them there any more.
import type { Context } from "../context.ts";
import type { Job } from "../kit/job.ts";
import { endExpired } from "./vpn.service.ts";

const everyMs = 10_000;

export function vpnExpiryJob(ctx: Context): Job {
  return { name: "vpn requests", everyMs, run: (stopping) => endExpired(ctx, stopping) };
}
