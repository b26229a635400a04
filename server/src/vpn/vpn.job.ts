// Ends expired VPN requests.
import type { Context } from "../context.ts";
import type { Job } from "../kit/job.ts";
import { withdrawExpiredVpnRequests } from "./vpn.service.ts";

const everyMs = 10_000;

export function vpnExpiryJob(ctx: Context): Job {
  return { name: "vpn requests", everyMs, run: (stopping) => withdrawExpiredVpnRequests(ctx, stopping) };
}
