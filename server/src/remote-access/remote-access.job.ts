// Ends expired sessions on device pages.
import type { Context } from "../context.ts";
import type { Job } from "../kit/job.ts";
import { endOverdueSessions } from "./remote-access.service.ts";

const everyMs = 10_000;

export const remoteAccessJob = (ctx: Context): Job => ({
  name: "remote sessions",
  everyMs,
  run: () => endOverdueSessions(ctx),
});
