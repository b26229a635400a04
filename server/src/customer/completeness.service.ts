// Computes yesterday's completeness of locations, a few at a time (docs/rules/customers.md#completeness).
import { zoneOf } from "@psp/contract/kit/zone.ts";
import type { Context } from "../context.ts";
import { sumNamedLocations } from "../counts/compare/compare.service.ts";
import { getDemoProgress } from "../demo/history.service.ts";
import * as store from "./completeness.store.ts";
import { lockTotals } from "./totals.store.ts";

/** Counts that arrive late are included after this time. */
const recheckMs = 600_000;

/** Updates locations that are due. Returns how many were examined. */
export async function updateCompleteness(ctx: Context, limit: number): Promise<number> {
  // Until the demo's past is made, nothing is known about yesterday.
  if ((await getDemoProgress(ctx)).progress < 1) return 0;
  const nowMs = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const isDue = await store.hasDueLocations(tx, new Date(nowMs));
    if (!isDue) return 0;
    await lockTotals(tx);
    const { ids, marks } = await store.findDueLocations(tx, new Date(nowMs), limit);
    // Read after the marks, so that every marked change is included.
    const located = await store.findLocations(tx, ids);
    const summed = await sumNamedLocations({ ...ctx, db: tx }, located, "yesterday", { nowMs, isOpenOnly: true });
    const counted = summed.map(({ location, sums }, index) => {
      const zone = zoneOf(location.timezone);
      return {
        id: location.id,
        ownerPath: located[index]?.ownerPath ?? "",
        knownMs: Math.round(sums.openKnownMs),
        expectedMs: Math.round(sums.expectedMs),
        checkAt: Math.min(zone.dayStart(zone.dayAt(nowMs) + 1), nowMs + recheckMs),
      };
    });
    await store.saveCompleteness(tx, ids, counted);
    await store.deleteMarks(tx, marks);
    return ids.length;
  });
}
