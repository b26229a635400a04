// Rows of files: what is known of a location or group in a bucket, and how it changed (docs/rules/counts.md#files-over-many-locations).
import type { CountSum } from "@psp/contract/counts/counts.api.ts";
import { type BucketSize, type Comparison, type DayRange, percentChange } from "@psp/contract/counts/count-range.ts";
import type { SalesFigures } from "@psp/contract/counts/sales-figures.ts";
import type { Zone } from "@psp/contract/kit/zone.ts";
import { type LocationHours, openMsBetween } from "../../opening/opening.store.ts";
import { createExpectedTimeCalculator } from "../aggregate.store.ts";
import { clipToCurrentBucket } from "../bucket.rules.ts";
import { createSalesSum, type SalesPart, sumSalesDays } from "../conversion/sales-figures.rules.ts";
import { addExpected, createNothing, type Expected, toCountSum } from "../count-sum.rules.ts";
import { isLikeForLike } from "../group/group.rules.ts";
import { computeEarlierPeriod, matchBuckets, rangeOfDays } from "../period.rules.ts";
import type { LocationStays } from "../place-sums.store.ts";
import { findSkippedDays, type SkipRules } from "../skipped-days.rules.ts";
import { type ExpectedSpan, toExpectedSpans } from "../stay.store.ts";
import { addAt, at, bucketOf, createSeries, createSteps, type Series, type Steps, sumsAt } from "./steps.rules.ts";

/** The only place that knows which figures a row has; `file.wire.ts` names their columns. */
export type FileRow = CountSum & {
  /** Whether the location was closed, null if it has no opening hours. */
  closed: boolean | null;
  /** People in, in the compared period. */
  earlier: number | null;
  /** Change of In in whole percent. */
  change: number | null;
  sales: SalesFigures | null;
};

/**
 * `isSkipped`: a day on either side is left out of the comparison. `closed` is null if there are no opening hours.
 */
export type Facts = {
  sums: Expected;
  earlier: Expected | null;
  isSkipped: boolean;
  closed: boolean | null;
  sales: readonly SalesPart[];
};

/** Shared by all locations of a zone: the buckets, and the earlier hours or days that they are compared with. */
export type ZonePlan = {
  zone: Zone;
  days: DayRange;
  steps: Steps;
  earlier: { steps: Steps; partners: Int32Array; shift: number } | null;
};

export type PlanRequest = { by: BucketSize; compare: Comparison | undefined; nowMs: number };

export function planZone(zone: Zone, days: DayRange, { by, compare, nowMs }: PlanRequest): ZonePlan {
  const range = clipToCurrentBucket(zone, by, rangeOfDays(zone, days), nowMs);
  const steps = createSteps(zone, by, range);
  if (compare === undefined) return { zone, days, steps, earlier: null };
  const { part, shift } = computeEarlierPeriod(zone, days, compare, nowMs);
  const fine = by === "hour" ? "hour" : "day";
  const earlier = createSteps(zone, fine, part);
  const shown = Array.from({ length: steps.count }, (_, index) => bucketOf(steps, index));
  const partnerOf = matchBuckets(zone, fine === "hour" ? by : "day", shown, shift);
  const partners = new Int32Array(earlier.count);
  for (let piece = 0; piece < earlier.count; piece += 1) partners[piece] = partnerOf(at(earlier.edges, piece));
  return { zone, days, steps, earlier: { steps: earlier, partners, shift } };
}

/** `isExcluded`: whether an event on a day is left out of comparisons. */
export type Read = {
  place: LocationStays;
  now: Series;
  before: Series | null;
  isExcluded: (day: number) => boolean;
  /** Null if the file has no sales. */
  salesOf: ((bucket: number, sums: Expected) => readonly SalesPart[]) | null;
};

export type CountMode = { nowMs: number; isOpenOnly: boolean };

/** Yields what is known of a location in each bucket of its zone, in order. */
export function* factsOf(plan: ZonePlan, read: Read, mode: CountMode): Generator<Facts> {
  const { place, now, before, isExcluded, salesOf } = read;
  const spans = toExpectedSpans(place.stays, place.hours);
  const expectedMs = createExpectedTimeCalculator(spans);
  const earlier = plan.earlier && before ? sumEarlier(plan, plan.earlier, before, spans, place.hours) : null;
  const { hours } = place;
  const isClosed = (day: number) => mode.isOpenOnly && hours?.time.isClosedDay(day) === true;
  const skipped = plan.earlier && findSkipped(plan, plan.earlier.shift, mode.nowMs, { isClosed, isExcluded });
  for (let index = 0; index < plan.steps.count; index += 1) {
    const { from, to } = bucketOf(plan.steps, index);
    const sums = { ...sumsAt(now, index), expectedMs: expectedMs(from, Math.min(to, mode.nowMs)) };
    yield {
      sums,
      sales: salesOf?.(index, sums) ?? [],
      earlier: earlier?.[index] ?? null,
      isSkipped: skipped?.has(index) ?? false,
      closed: place.hours && place.hours.time.msBetween(from, to) === 0,
    };
  }
}

/** Buckets with a day that is left out on either side of the comparison. */
function findSkipped({ zone, days, steps }: ZonePlan, shift: number, nowMs: number, rules: SkipRules): Set<number> {
  const skipped = new Set<number>();
  for (const day of findSkippedDays(days, shift, zone.dayAt(nowMs), rules)) {
    const end = zone.dayStart(day + 1);
    for (let index = steps.ofDay(day); index >= 0 && index < steps.count; index += 1) {
      if (at(steps.edges, index) >= end) break;
      skipped.add(index);
    }
  }
  return skipped;
}

/** Adds up the earlier hours or days of each bucket. Time before the first sensor counts as unknown, as in comparisons. */
function sumEarlier(
  { steps }: ZonePlan,
  { steps: pieces, partners }: NonNullable<ZonePlan["earlier"]>,
  before: Series,
  spans: readonly ExpectedSpan[],
  hours: LocationHours | null,
): Expected[] {
  const sums = Array.from({ length: steps.count }, () => ({ ...createNothing(), allMs: 0, sinceMs: 0 }));
  const firstMs = Math.min(...spans.map(({ fromMs }) => fromMs));
  const expectedMs = createExpectedTimeCalculator(spans);
  for (let piece = 0; piece < pieces.count; piece += 1) {
    const { from, to } = bucketOf(pieces, piece);
    const expected = expectedMs(from, to);
    const into = sums[partners[piece] ?? -1];
    if (into === undefined) continue;
    addExpected(into, { ...sumsAt(before, piece), expectedMs: expected });
    into.allMs += openMsBetween(hours, from, to);
    into.sinceMs += to > firstMs ? openMsBetween(hours, Math.max(from, firstMs), to) : 0;
  }
  return sums.map(({ allMs, sinceMs, ...sum }) => ({
    ...sum,
    expectedMs: sinceMs > 0 ? (sum.expectedMs * allMs) / sinceMs : sum.expectedMs,
  }));
}

/** The change of one location, under the rules of comparing locations. */
export function toLocationRow(facts: Facts, isOpenOnly: boolean): FileRow {
  const { sums, earlier, isSkipped, closed } = facts;
  const now = { ...toCountSum(sums, isOpenOnly), sales: sumSalesDays(facts.sales) };
  if (earlier === null) return { ...now, closed, earlier: null, change: null };
  const before = toCountSum(earlier, isOpenOnly);
  const isChange = !isSkipped && isLikeForLike(now, before);
  return { ...now, closed, earlier: before.in, change: isChange ? percentChange(now, before, "in") : null };
}

/** Adds up the buckets of a group's locations by their position in the calendar, in constant memory. */
export function createGroupSums(count: number, isOpenOnly: boolean) {
  const column = () => new Float64Array(count);
  const [now, before] = [createSeries(count, true), createSeries(count, true)];
  const [expected, expectedBefore, comparableNow, comparableBefore] = [column(), column(), column(), column()];
  const [isThere, isCompared] = [new Uint8Array(count), new Uint8Array(count)];
  const sold = new Map<number, ReturnType<typeof createSalesSum>>();
  const add = (to: Float64Array, index: number, more: number) => (to[index] = at(to, index) + more);
  return {
    take(index: number, { sums, earlier, isSkipped, sales }: Facts): void {
      if (index < 0 || index >= count) return;
      isThere[index] = 1;
      addAt(now, index, sums);
      add(expected, index, sums.expectedMs);
      for (const part of sales) sold.getOrInsertComputed(index, createSalesSum).take(part);
      if (earlier === null) return;
      isCompared[index] = 1;
      addAt(before, index, earlier);
      add(expectedBefore, index, earlier.expectedMs);
      const [one, then] = [toCountSum(sums, isOpenOnly), toCountSum(earlier, isOpenOnly)];
      if (isSkipped || !isLikeForLike(one, then)) return;
      add(comparableNow, index, one.in ?? 0);
      add(comparableBefore, index, then.in ?? 0);
    },
    /** Yields the buckets that at least one location has. */
    *rows(): Generator<[index: number, row: FileRow]> {
      const sum = (of: Series, expectedMs: Float64Array, index: number) =>
        toCountSum({ ...sumsAt(of, index), expectedMs: at(expectedMs, index) }, isOpenOnly);
      const complete = (people: number) => ({ in: people, out: people, completeness: 1 });
      for (let index = 0; index < count; index += 1) {
        if (isThere[index] !== 1) continue;
        const earlier = isCompared[index] === 1 ? sum(before, expectedBefore, index).in : null;
        const change = percentChange(complete(at(comparableNow, index)), complete(at(comparableBefore, index)), "in");
        const sales = sold.get(index)?.result() ?? null;
        yield [index, { ...sum(now, expected, index), closed: null, earlier, change, sales }];
      }
    },
  };
}
