// Summarizes a range of days of many locations for reports: totals, ranking, chart and gaps.
import { type CountSum, type LocationCounts, maxComparedLocations } from "@psp/contract/counts/counts.api.ts";
import {
  type BucketSize,
  type Comparison,
  type DayRange,
  hasSimilarCompleteness,
  minCompleteness,
  percentChange,
} from "@psp/contract/counts/count-range.ts";
import type { Grouping } from "@psp/contract/counts/grouping.ts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../kit/caller.ts";
import { findLocationsAfter, type LocationFilter, type NamedLocation } from "../../location/location.service.ts";
import { createExpectedTimeCalculator, createZeroSums } from "../aggregate.store.ts";
import { toExpectedSpan } from "../stay.store.ts";
import { filterVisibleSensors } from "./blind.store.ts";
import { rankAll } from "../group/ranking.rules.ts";
import { sumSkippedDays } from "../compare/skipped-days.service.ts";
import { addExpected, createNothing, type Expected, isComparable, subtract, toCountSum } from "../count-sum.rules.ts";
import {
  type ConversionFigures,
  createComparedSum,
  findComparedSales,
  sumComparedSales,
} from "../conversion/compared-sales.service.ts";
import { computeEarlierPeriod, rangeOfDays } from "../period.rules.ts";
import { findPendingSensors, type PendingSensor } from "./pending.store.ts";
import {
  addExpectedTime,
  findLocationStays,
  type LocationRange,
  scaleToRange,
  sumLocations,
} from "../place-sums.store.ts";
import { createGroups, type GroupedLocation, type RankedGroup } from "./groups.service.ts";
import { createSteps, type Step } from "./steps.service.ts";

type Ranked = { name: string; in: number; change: number | null };
export type BlindSensor = { id: string; location: string; completeness: number };
export type RankedLocation = {
  id: string;
  name: string;
  ownerName: string;
  sum: CountSum;
  change: LocationCounts["change"];
  /** Null for a location that is too incomplete. */
  rank: number | null;
} & ConversionFigures;

export type SummaryQuery = {
  filter: LocationFilter;
  days: DayRange;
  compare: Comparison | null;
  /** Null: no chart. */
  by: BucketSize | null;
  isOpenOnly: boolean;
  groupBy: Grouping | "none";
  withSales: boolean;
};

export type Summary = {
  locations: number;
  total: CountSum;
  change: { in: number | null; out: number | null };
  /** Null if fewer than two locations can be compared, or if all of them are equal. */
  best: Ranked | null;
  worst: Ranked | null;
  blind: BlindSensor[];
  /** Sorted by rank, locations without one last. */
  ranking: RankedLocation[];
  /** Of all locations; null if they are not asked for. */
  sales: ConversionFigures | null;
  /** In the same order; empty without a grouping. */
  groups: RankedGroup[];
  steps: Step[];
  /** Sensors that are connected, but have not sent all counts of the range yet. */
  pending: PendingSensor[];
};

type Located = LocationRange & { location: NamedLocation; days: DayRange; earlier: LocationRange | null };
type Summed = ConversionFigures & { location: NamedLocation; sum: CountSum; change: LocationCounts["change"] };

/** Compares a range with the one before, each location in its own time zone. Reads the locations in parts, to bound memory. */
export async function summarize(ctx: Context, caller: Caller, query: SummaryQuery): Promise<Summary> {
  const { groupBy, isOpenOnly, compare } = query;
  const nowMs = ctx.clock.now();
  const [total, like, before] = [createNothing(), createNothing(), createNothing()];
  const ends = createEnds();
  const all: Summed[] = [];
  const sold = createComparedSum();
  const blind: BlindSensor[] = [];
  const pending: PendingSensor[] = [];
  const steps = createSteps(query);
  const groups = groupBy === "none" ? null : createGroups(groupBy, isOpenOnly);
  for (let after: string | null = null; ;) {
    const part: NamedLocation[] = await findLocationsAfter(ctx, caller, after, maxComparedLocations, query.filter);
    const located = await locate(ctx, part, query, nowMs);
    const sums = await sumLocations(ctx.db, located);
    const compared = await compareParts(ctx, caller, located, query, nowMs);
    const asked = located.map((one, index) => ({ ...one, skipped: compared[index]?.days ?? [] }));
    const allSales = query.withSales
      ? await findComparedSales(ctx, caller, asked, compare, { nowMs, isOpenOnly, tooMany: "read" })
      : [];
    for (const one of allSales) sold.take(one);
    const grouped: GroupedLocation[] = [];
    for (const [index, one] of located.entries()) {
      const now = addExpectedTime(one, sums[index] ?? createZeroSums(), nowMs);
      const { skipped, earlier } = compared[index] ?? { skipped: createNothing(), earlier: createNothing() };
      const likeNow = subtract(now, skipped);
      addExpected(total, now);
      addExpected(like, likeNow);
      addExpected(before, earlier);
      const sum = toCountSum(now, isOpenOnly);
      const [present, past] = [toCountSum(likeNow, isOpenOnly), toCountSum(earlier, isOpenOnly)];
      ends.take(one.location.name, sum, percentChange(present, past, "in"));
      const sales = allSales[index];
      all.push({
        location: one.location,
        sum,
        change: changeOf(sum, present, past),
        ...sumComparedSales(sales ? [sales] : []),
      });
      grouped.push({ id: one.location.id, sums: now, present, past, sales });
    }
    await steps.add(ctx, located);
    await groups?.add(ctx, grouped);
    blind.push(...(await blindAmong(ctx, caller, located, nowMs)));
    pending.push(...(await findPendingSensors(ctx.db, caller, located, nowMs)));
    after = part.at(-1)?.id ?? null;
    if (part.length < maxComparedLocations) break;
  }
  return {
    locations: all.length,
    total: toCountSum(total, isOpenOnly),
    change: changes(toCountSum(like, isOpenOnly), toCountSum(before, isOpenOnly)),
    ...ends.result(),
    blind: blind.toSorted(byGap),
    ranking: inOrder(all),
    sales: query.withSales ? sold.result() : null,
    groups: groups?.result() ?? [],
    steps: steps.result(),
    pending,
  };
}

/** The earlier sums, and the current sums of skipped days: those on which either side is closed or excluded by an event. */
async function compareParts(
  ctx: Context,
  caller: Caller,
  located: readonly Located[],
  { compare, isOpenOnly }: SummaryQuery,
  nowMs: number,
): Promise<{ days: readonly number[]; skipped: Expected; earlier: Expected }[]> {
  if (compare === null) return located.map(() => ({ days: [], skipped: createNothing(), earlier: createNothing() }));
  const asked = located.flatMap((one) => one.earlier ?? []);
  const [sums, skips] = [
    await sumLocations(ctx.db, asked),
    await sumSkippedDays(ctx, caller, located, compare, { nowMs, isOpenOnly }),
  ];
  return asked.map((one, index) => {
    const skip = skips[index] ?? { days: [], now: createNothing(), earlier: createNothing(), earlierDays: [] };
    const rest = subtract(addExpectedTime(one, sums[index] ?? createZeroSums(), nowMs), skip.earlier);
    return { days: skip.days, skipped: skip.now, earlier: scaleToRange(one, rest, nowMs, skip.earlierDays) };
  });
}

/** A gap could look like a decrease, so both periods must be about equally complete. */
function changeOf(sum: CountSum, now: CountSum, before: CountSum): LocationCounts["change"] {
  if (!isComparable(sum) || !hasSimilarCompleteness(now, before)) return { in: null, out: null };
  return { in: percentChange(now, before, "in"), out: percentChange(now, before, "out") };
}

const alphabet = new Intl.Collator("en", { numeric: true });

function inOrder(all: readonly Summed[]): RankedLocation[] {
  const last = ({ rank, sum }: RankedLocation) => (rank !== null ? 0 : sum.in !== null ? 1 : 2);
  return rankAll(all)
    .map(({ location: { id, name, ownerName }, ...figures }) => ({ id, name, ownerName, ...figures }))
    .toSorted((a, b) => last(a) - last(b) || (b.sum.in ?? 0) - (a.sum.in ?? 0) || alphabet.compare(a.name, b.name));
}

/** Null if the range has gaps, because a gap could look like a decrease. */
function changes(now: CountSum, before: CountSum): Summary["change"] {
  if (!isComparable(now)) return { in: null, out: null };
  return { in: percentChange(now, before, "in"), out: percentChange(now, before, "out") };
}

const byGap = (a: BlindSensor, b: BlindSensor) => a.completeness - b.completeness || (a.id < b.id ? -1 : 1);

async function locate(
  ctx: Context,
  locations: readonly NamedLocation[],
  { days, compare }: SummaryQuery,
  nowMs: number,
) {
  const places = await findLocationStays(ctx.db, locations);
  return places.flatMap((place, index): Located[] => {
    const location = locations[index];
    const earlier = compare && { place, range: computeEarlierPeriod(place.zone, days, compare, nowMs).part };
    return location ? [{ location, place, days, range: rangeOfDays(place.zone, days), earlier }] : [];
  });
}

/** Finds the best and worst location by In. Skips incomplete locations. Of equal locations, the alphabetically first one wins. */
function createEnds() {
  let compared = 0;
  let best: Ranked | null = null;
  let worst: Ranked | null = null;
  return {
    take(name: string, now: CountSum, change: number | null): void {
      if (!isComparable(now) || now.in === null) return;
      compared += 1;
      const one = { name, in: now.in, change };
      const isFirst = (other: Ranked) => one.in === other.in && name < other.name;
      if (best === null || one.in > best.in || isFirst(best)) best = one;
      if (worst === null || one.in < worst.in || isFirst(worst)) worst = one;
    },
    result: (): Pick<Summary, "best" | "worst"> =>
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
