// Packs old months at night; safe to run at any time.
import type { Context } from "../context.ts";
import type { Job } from "../kit/job.ts";
import { packOldMonths } from "./pack.store.ts";

export function packingJob(ctx: Context): Job {
  return {
    name: "packing",
    everyMs: 6 * 3_600_000,
    async run(stopping) {
      const counts = await packOldMonths(ctx.db, ctx.clock.now(), stopping);
      if (counts > 0) ctx.log.info({ counts }, "counts of old months were packed");
    },
  };
}
