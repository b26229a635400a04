// Summarizes a week of all visible locations for the weekly report.
import { type CountSum, maxComparedLocations } from "@psp/contract/counts/counts.api.ts";
import { percentChange, minCompleteness, type DayRange } from "@psp/contract/counts/count-range.ts";
import type { Context } from "../context.ts";
import type { Caller } from "../kit/caller.ts";
import { findLocationsAfter, type NamedLocation } from "../location/location.service.ts";
import { createExpectedTimeCalculator, createZeroSums } from "./aggregate.store.ts";
import { toExpectedSpan } from "./stay.store.ts";
import { filterVisibleSensors } from "./blind.store.ts";
import { addExpected, createNothing, isComparable, toCountSum } from "./counts.service.ts";
import { computeEarlierPeriod, rangeOfDays } from "./period.rules.ts";
import {
  addExpectedTime,
  addScaledExpectedTime,
  findLocationStays,
  type LocationRange,
  sumLocations,
} from "./place-sums.store.ts";

type Ranked = { name: string; in: number; change: number | null };
export type BlindSensor = { id: string; location: string; completeness: number };
export type WeekSummary = {
  locations: number;
  total: CountSum;
  change: { in: number | null; out: number | null };
  /** Null if fewer than two locations can be compared, or if all of them are equal. */
  best: Ranked | null;
  worst: Ranked | null;
  blind: BlindSensor[];
};

type Located = LocationRange & { location: NamedLocation; earlier: LocationRange };

/** Compares a week with the week before, each location in its own time zone. */
export async function summarizeWeek(ctx: Context, caller: Caller, days: DayRange): Promise<WeekSummary> {
  const nowMs = ctx.clock.now();
  const [total, before] = [createNothing(), createNothing()];
  const ranking = createRanking();
  const blind: BlindSensor[] = [];
  let locations = 0;
  // Reads the locations in parts, to bound memory.
  for (let after: string | null = null; ;) {
    const part: NamedLocation[] = await findLocationsAfter(ctx, caller, after, maxComparedLocations);
    const located = await locate(ctx, part, days, nowMs);
    const [sums, earlier] = [
      await sumLocations(ctx.db, located),
      await sumLocations(
        ctx.db,
        located.map((one) => one.earlier),
      ),
    ];
    for (const [index, one] of located.entries()) {
      const now = addExpectedTime(one, sums[index] ?? createZeroSums(), nowMs);
      const then = addScaledExpectedTime(one.earlier, earlier[index] ?? createZeroSums(), nowMs);
      addExpected(total, now);
      addExpected(before, then);
      ranking.take(one.location.name, toCountSum(now, false), toCountSum(then, false));
    }
    blind.push(...(await blindAmong(ctx, caller, located, nowMs)));
    locations += part.length;
    after = part.at(-1)?.id ?? null;
    if (part.length < maxComparedLocations) break;
  }
  const [sum, earlierSum] = [toCountSum(total, false), toCountSum(before, false)];
  return { locations, total: sum, change: changes(sum, earlierSum), ...ranking.ends(), blind: blind.toSorted(byGap) };
}

/** Null if the week has gaps, because a gap could look like a decrease. */
function changes(now: CountSum, before: CountSum): WeekSummary["change"] {
  if (!isComparable(now)) return { in: null, out: null };
  return { in: percentChange(now, before, "in"), out: percentChange(now, before, "out") };
}

const byGap = (a: BlindSensor, b: BlindSensor) => a.completeness - b.completeness || (a.id < b.id ? -1 : 1);

async function locate(ctx: Context, locations: readonly NamedLocation[], days: DayRange, nowMs: number) {
  const places = await findLocationStays(ctx.db, locations);
  return places.flatMap((place, index): Located[] => {
    const location = locations[index];
    const earlier = { place, range: computeEarlierPeriod(place.zone, days, "previous", nowMs).part };
    return location ? [{ location, place, range: rangeOfDays(place.zone, days), earlier }] : [];
  });
}

/** Finds the best and worst location by In. Skips incomplete locations. Of equal locations, the alphabetically first one wins. */
function createRanking() {
  let compared = 0;
  let best: Ranked | null = null;
  let worst: Ranked | null = null;
  return {
    take(name: string, now: CountSum, before: CountSum): void {
      if (!isComparable(now) || now.in === null) return;
      compared += 1;
      const one = { name, in: now.in, change: percentChange(now, before, "in") };
      const isFirst = (other: Ranked) => one.in === other.in && name < other.name;
      if (best === null || one.in > best.in || isFirst(best)) best = one;
      if (worst === null || one.in < worst.in || isFirst(worst)) worst = one;
    },
    ends: (): Pick<WeekSummary, "best" | "worst"> =>
      compared < 2 || best?.in === worst?.in ? { best: null, worst: null } : { best, worst },
  };
}

/** Finds visible sensors that were expected to count, but are not complete enough for a comparison. */
async function blindAmong(ctx: Context, caller: Caller, located: readonly Located[], nowMs: number) {
  const known = new Map<string, { location: string; knownMs: number; expectedMs: number }>();
  for (const round of roundsOf(located, nowMs)) {
    const sums = await sumLocations(ctx.db, round);
    for (const [index, { sensorId, location, expectedMs }] of round.entries()) {
      const one = known.get(sensorId) ?? { location, knownMs: 0, expectedMs: 0 };
      one.knownMs += sums[index]?.openKnownMs ?? 0;
      one.expectedMs += expectedMs;
      known.set(sensorId, one);
    }
  }
  const blind = [...known].flatMap(([id, { location, knownMs, expectedMs }]): BlindSensor[] => {
    const completeness = Math.min(1, knownMs / expectedMs);
    return completeness < minCompleteness ? [{ id, location, completeness }] : [];
  });
  const seen = await filterVisibleSensors(
    ctx.db,
    caller,
    blind.map(({ id }) => id),
  );
  return blind.filter(({ id }) => seen.has(id));
}

type SensorRange = LocationRange & { sensorId: string; location: string; expectedMs: number };

/** Groups the sensors of all locations into rounds with one sensor per location, because `sumLocations` sums by location. */
function roundsOf(located: readonly Located[], nowMs: number): SensorRange[][] {
  const rounds: SensorRange[][] = [];
  for (const { location, place, range } of located) {
    let round = 0;
    for (const [sensorId, stays] of Map.groupBy(place.stays, (stay) => stay.sensorId)) {
      const spans = stays.flatMap(toExpectedSpan).map((span) => ({ ...span, hours: place.hours }));
      const expectedMs = createExpectedTimeCalculator(spans)(range.from, Math.min(range.to, nowMs));
      if (expectedMs <= 0) continue;
      (rounds[round] ??= []).push({
        place: { ...place, stays },
        range,
        sensorId,
        location: location.name,
        expectedMs,
      });
      round += 1;
    }
  }
  return rounds;
}
