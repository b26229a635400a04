// Sends due weekly reports in batches, each login in its own transaction.
import type { Context } from "../context.ts";
import type { Job } from "../kit/job.ts";
import { processSubscription, RightsChangedError } from "./report.service.ts";
import { findDueSubscriptions, scheduleNext, type Subscription } from "./report.store.ts";

/** Cheap, because the query uses an index. */
const everyMs = 1000;
const atOnce = 100;
/** Delay before a failed report is retried; the others continue. */
const retryMs = 15 * 60_000;

export function weeklyReportJob(ctx: Context): Job {
  return {
    name: "weekly report",
    everyMs,
    async run(stopping) {
      for (;;) {
        const due = await findDueSubscriptions(ctx.db, ctx.clock.date(), atOnce);
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
    await processSubscription(ctx, one);
  } catch (error) {
    // The subscription stays due, and the next run uses the new rights.
    if (error instanceof RightsChangedError) return;
    ctx.log.error({ err: error, credential: one.credential_id }, "a weekly report was not made");
    const check_at = new Date(ctx.clock.now() + retryMs);
    await scheduleNext(ctx.db, one, { monday: one.monday, check_at });
  }
}
