// Sends the weekly reports that are due. However many logins are due at one instant, they are looked at part by part, each in
// a transaction of its own.
import type { Context } from "../context.ts";
import type { Job } from "../kit/job.ts";
import { handleDue, RightsChanged } from "./report.service.ts";
import { findDue, moveOn, type Subscription } from "./report.store.ts";

/** There is an index for the question, and 7:00 is 7:00. */
const everyMs = 1000;
const atOnce = 100;
/** When one that failed is tried again; the others go on. */
const retryMs = 15 * 60_000;

export function weeklyReportJob(ctx: Context): Job {
  return {
    name: "weekly report",
    everyMs,
    async run(stopping) {
      for (;;) {
        const due = await findDue(ctx.db, ctx.clock.date(), atOnce);
        for (const one of due) {
          if (stopping?.aborted) return;
          await handleOne(ctx, one);
        }
        if (due.length < atOnce) return;
      }
    },
  };
}

async function handleOne(ctx: Context, one: Subscription): Promise<void> {
  try {
    await handleDue(ctx, one);
  } catch (error) {
    // Still due: the next round sees the rights as they are then.
    if (error instanceof RightsChanged) return;
    ctx.log.error({ err: error, credential: one.credential_id }, "a weekly report was not made");
    const check_at = new Date(ctx.clock.now() + retryMs);
    await moveOn(ctx.db, one, { monday: one.monday, check_at });
  }
}
