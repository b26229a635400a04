// Finishes batches of crashed processes and deletes old ones (ADR 0015).
import type { Context } from "../../context.ts";
import type { Job } from "../../kit/job.ts";
import { finishAbandonedBatches } from "./batch.service.ts";
import { deleteOldBatches } from "./batch.store.ts";

const minuteMs = 60_000;
/** Equals the lifetime of an idempotency key. */
const keptMs = 24 * 60 * minuteMs;

export function sensorBatchJob(ctx: Context): Job {
  return {
    name: "sensor batches",
    everyMs: minuteMs,
    async run(stopping) {
      // A part takes seconds, so a worker silent for a minute is gone.
      await finishAbandonedBatches(ctx, minuteMs, stopping);
      await deleteOldBatches(ctx.db, new Date(ctx.clock.now() - keptMs));
    },
  };
}
