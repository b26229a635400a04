// Computes totals of all visible locations.
import { maxComparedLocations, type totalCounts } from "@psp/contract/counts/counts.api.ts";
import { minCompleteness, parseRange } from "@psp/contract/counts/count-range.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../kit/caller.ts";
import { createSingleFlight } from "../../kit/limits/single-flight.ts";
import { findLocationsAfter, type NamedLocation } from "../../location/location.service.ts";
import { addExpected, createNothing, toCountSum } from "../count-sum.rules.ts";
import { rangeOfDays } from "../period.rules.ts";
import { addExpectedTime, findLocationStays, sumLocations } from "../place-sums.store.ts";
import { requireFewDays } from "./compare.service.ts";

/** Runs a read within the account's concurrency limit. Aborts it when all its callers have disconnected. */
export type Run = <T>(key: string, signal: AbortSignal, read: (ctx: Context) => Promise<T>) => Promise<T>;

/**
 * Computes totals of all visible locations. Deduplicates concurrent requests with the same view, because every open dashboard
 * requests the totals after an event.
 */
export function createTotalCountsReader(run: Run) {
  const same = createSingleFlight<Awaited<ReturnType<typeof countTotal>>>();
  return (caller: Caller, { range, open }: HandlerInput<typeof totalCounts>["query"], left: AbortSignal) => {
    const view = JSON.stringify([caller.id, caller.path, resolveViewScope(caller, "measurement"), range, open]);
    return same(view, (signal) => run(caller.id, signal, (ctx) => countTotal(ctx, caller, range, open)), left);
  };
}

async function countTotal(ctx: Context, caller: Caller, range: string | undefined, isOpenOnly = false) {
  const nowMs = ctx.clock.now();
  const total = createNothing();
  let [locations, incomplete] = [0, 0];
  // Reads the locations in parts, to bound memory.
  for (let after: string | null = null; ;) {
    const part: NamedLocation[] = await findLocationsAfter(ctx, caller, after, maxComparedLocations);
    locations += part.length;
    requireFewDays(locations, range, nowMs);
    const asked = (await findLocationStays(ctx.db, part)).map((place) => {
      const { zone } = place;
      return { place, range: rangeOfDays(zone, parseRange(range, zone.dayAt(nowMs))) };
    });
    for (const [index, sums] of (await sumLocations(ctx.db, asked)).entries()) {
      const one = asked[index];
      if (!one) continue;
      const expected = addExpectedTime(one, sums, nowMs);
      addExpected(total, expected);
      const { completeness } = toCountSum(expected, isOpenOnly);
      if (completeness !== null && completeness < minCompleteness) incomplete += 1;
    }
    after = part.at(-1)?.id ?? null;
    if (part.length < maxComparedLocations) return { ...toCountSum(total, isOpenOnly), locations, incomplete };
  }
}
