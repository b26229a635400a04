// Announces firmware tasks again that no device knows of: the process that began them may have ended before it announced them.
import type { Context } from "../context.ts";
import type { Job } from "../jobs/scheduler.ts";
import { findUnnotified } from "./rollout.store.ts";

const everyMs = 60_000;
/** Long enough for the way to a gateway that is there. */
const remindAfterMs = 2 * 60_000;

export function reminderJob(ctx: Context): Job {
  return {
    name: "rollout reminder",
    everyMs,
    async run() {
      const sensorIds = await findUnnotified(ctx.db, new Date(ctx.clock.now() - remindAfterMs));
      if (sensorIds.length > 0) ctx.bus.emit({ name: "desiredChanged", event: { sensorIds } });
    },
  };
}
