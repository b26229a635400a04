// Keeps the totals per account up to date (docs/rules/customers.md#totals).
import type { Context } from "../context.ts";
import type { Job } from "../kit/job.ts";
import { updateCompleteness } from "./completeness.service.ts";
import { updateOutdated, updateTotals } from "./totals.service.ts";
import * as store from "./totals.store.ts";

const sensorsAtOnce = 10_000;
const locationsAtOnce = 500;
/** How often totals that became empty, and versions that no sensor has any more, are deleted. */
const cleanEveryMs = 3_600_000;

export function customerTotalsJob(ctx: Context): Job {
  let cleanAt = 0;
  return {
    name: "customer totals",
    everyMs: 1000,
    async run(stopping) {
      if (ctx.clock.now() >= cleanAt) {
        await ctx.db.transaction().execute(async (tx) => {
          await store.lockTotals(tx);
          await store.deleteEmptyTotals(tx);
          await store.rankVersions(tx);
        });
        cleanAt = ctx.clock.now() + cleanEveryMs;
      }
      // In turns, so that neither waits for all of the other.
      for (let isBehind = true; isBehind && !stopping?.aborted;) {
        const sensors = await updateTotals(ctx, sensorsAtOnce);
        const locations = await updateCompleteness(ctx, locationsAtOnce);
        await updateOutdated(ctx);
        isBehind = sensors >= sensorsAtOnce || locations >= locationsAtOnce;
      }
    },
  };
}
