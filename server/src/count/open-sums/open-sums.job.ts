// Recomputes stored sums soon after opening hours have changed. Until then, reads use the counts themselves.
import type { Context } from "../../context.ts";
import type { Job } from "../../kit/job.ts";
import { checkHolidayData, findOutdatedLocations, rebuildOpenSums } from "./open-sums.store.ts";

const locationsAtOnce = 1000;

export function openSumsJob(ctx: Context): Job {
  let isHolidayDataChecked = false;
  return {
    name: "open-sums",
    everyMs: 5000,
    async run(stopping) {
      if (!isHolidayDataChecked) await ctx.db.transaction().execute(checkHolidayData);
      isHolidayDataChecked = true;
      const failures: unknown[] = [];
      for (const id of await findOutdatedLocations(ctx.db, locationsAtOnce)) {
        if (stopping?.aborted) return;
        try {
          await ctx.db.transaction().execute((tx) => rebuildOpenSums(tx, id));
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0)
        throw new AggregateError(failures, "Open sums of some locations could not be recomputed");
    },
  };
}
