// Finishes batches that a killed process left behind, also when the call is not repeated, and forgets old ones (ADR 0015).
import type { Context } from "../../context.ts";
import type { Job } from "../../kit/job.ts";
import { finishLeftBatches } from "./batch.service.ts";
import { deleteOldBatches } from "./batch.store.ts";

const minuteMs = 60_000;
/** As long as an idempotency key is honored. */
const keptMs = 24 * 60 * minuteMs;

export function sensorBatchJob(ctx: Context): Job {
  return {
    name: "sensor batches",
    everyMs: minuteMs,
    async run(stopping) {
      // A part takes seconds at most: a worker that has been silent for a minute is gone.
      await finishLeftBatches(ctx, minuteMs, stopping);
      await deleteOldBatches(ctx.db, new Date(ctx.clock.now() - keptMs));
    },
  };
}
