// Finishes batches that a killed process left behind, also when nobody repeats the call, and forgets old ones (ADR 0023).
import type { Context } from "../../context.ts";
import type { Job } from "../../jobs/scheduler.ts";
import { finishLeftBatches, forgetBatches } from "./batch.service.ts";

const minuteMs = 60_000;
/** As long as an idempotency key is honoured (decisions 3). */
const keptMs = 24 * 60 * minuteMs;

export function sensorBatchJob(ctx: Context): Job {
  return {
    name: "sensor batches",
    everyMs: minuteMs,
    async run(stopping) {
      // A part takes seconds at most: whoever has not been heard of for a minute is gone.
      await finishLeftBatches(ctx, minuteMs, stopping);
      await forgetBatches(ctx, keptMs);
    },
  };
}
