// Rows of files: what is known of a location or group in a bucket, and how it changed (docs/rules/counts.md#files-over-many-locations).
import type { CountSum } from "@psp/contract/counts/counts.api.ts";
import { type BucketSize, type Comparison, type DayRange, percentChange } from "@psp/contract/counts/count-range.ts";
import type { Zone } from "@psp/contract/kit/zone.ts";
import { createExpectedTimeCalculator, hasKnownData, type Sums } from "../aggregate.store.ts";
import { clipToCurrentBucket } from "../bucket.rules.ts";
import { toCountSum } from "../counts.service.ts";
import { isLikeForLike } from "../group/group.rules.ts";
import { computeEarlierPeriod, matchBuckets, rangeOfDays } from "../period.rules.ts";
import { type Stay, toExpectedSpans } from "../stay.store.ts";
import { addAt, at, bucketOf, createSeries, createSteps, type Series, type Steps } from "./steps.rules.ts";

/** The only place that knows which figures a row has; `file.wire.ts` names their columns. */
export type FileRow = CountSum & {
  /** Whether the location was closed, null if it has no opening hours. */
  closed: boolean | null;
  /** People in, in the compared time. */
  earlier: number | null;
  /** Change of In in whole percent. */
  change: number | null;
};

export type Expected = Sums & { expectedMs: number };
export type Facts = Expected & { earlier: Expected | null };

/** All locations of a zone share their buckets, and the earlier hours or days that these are compared with. */
export type ZonePlan = {
  zone: Zone;
  days: DayRange;
  steps: Steps;
  earlier: { steps: Steps; partners: Int32Array } | null;
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
  return { zone, days, steps, earlier: { steps: earlier, partners } };
}

export type Read = { stays: readonly Stay[]; now: Series; before: Series | null };

/** Yields what is known of a location in each bucket of its zone, in order. */
export function* factsOf(plan: ZonePlan, { stays, now, before }: Read, nowMs: number): Generator<Facts> {
  const spans = toExpectedSpans(stays);
  const expectedMs = createExpectedTimeCalculator(spans);
  const earlier = plan.earlier && before ? sumEarlier(plan, plan.earlier, before, spans) : null;
  for (let index = 0; index < plan.steps.count; index += 1) {
    const { from, to } = bucketOf(plan.steps, index);
    yield {
      in: at(now.in, index),
      out: at(now.out, index),
      knownMs: at(now.knownMs, index),
      expectedMs: expectedMs(from, Math.min(to, nowMs)),
      earlier: earlier?.[index] ?? null,
    };
  }
}

/** Adds up the earlier hours or days of each bucket. Time before the first sensor counts as unknown, as in comparisons. */
function sumEarlier(
  { steps }: ZonePlan,
  { steps: pieces, partners }: NonNullable<ZonePlan["earlier"]>,
  before: Series,
  spans: readonly { fromMs: number; toMs: number }[],
): Expected[] {
  const sums = Array.from({ length: steps.count }, () => ({
    in: 0,
    out: 0,
    knownMs: 0,
    expectedMs: 0,
    allMs: 0,
    sinceMs: 0,
  }));
  const firstMs = Math.min(...spans.map(({ fromMs }) => fromMs));
  const expectedMs = createExpectedTimeCalculator(spans);
  for (let piece = 0; piece < pieces.count; piece += 1) {
    const { from, to } = bucketOf(pieces, piece);
    const expected = expectedMs(from, to);
    const into = sums[partners[piece] ?? -1];
    if (into === undefined) continue;
    into.in += at(before.in, piece);
    into.out += at(before.out, piece);
    into.knownMs += at(before.knownMs, piece);
    into.expectedMs += expected;
    into.allMs += to - from;
    into.sinceMs += Math.max(0, to - Math.max(from, firstMs));
  }
  return sums.map(({ allMs, sinceMs, ...sum }) => ({
    ...sum,
    expectedMs: sinceMs > 0 ? (sum.expectedMs * allMs) / sinceMs : sum.expectedMs,
  }));
}

/** The change of one location, under the rules of comparing locations. */
export function toLocationRow(facts: Facts): FileRow {
  const { earlier } = facts;
  if (earlier === null) return toRow(facts, null, null);
  const [now, before] = [toCountSum(facts), toCountSum(earlier)];
  return toRow(facts, earlier, isLikeForLike(now, before) ? percentChange(now, before, "in") : null);
}

function toRow(sums: Expected, earlier: Expected | null, change: number | null): FileRow {
  return {
    ...toCountSum(sums),
    closed: null,
    earlier: earlier !== null && hasKnownData(earlier) ? earlier.in : null,
    change,
  };
}

/** Adds up the buckets of a group's locations by their place in the calendar. Takes constant memory, whatever their number. */
export function createGroupSums(count: number) {
  const column = () => new Float64Array(count);
  const [now, before] = [createSeries(count), createSeries(count)];
  const [expected, expectedBefore, comparableNow, comparableBefore] = [column(), column(), column(), column()];
  const [isThere, isCompared] = [new Uint8Array(count), new Uint8Array(count)];
  const add = (to: Float64Array, index: number, more: number) => (to[index] = at(to, index) + more);
  return {
    take(index: number, facts: Facts): void {
      if (index < 0 || index >= count) return;
      isThere[index] = 1;
      addAt(now, index, facts);
      add(expected, index, facts.expectedMs);
      const { earlier } = facts;
      if (earlier === null) return;
      isCompared[index] = 1;
      addAt(before, index, earlier);
      add(expectedBefore, index, earlier.expectedMs);
      if (!isLikeForLike(toCountSum(facts), toCountSum(earlier))) return;
      add(comparableNow, index, facts.in);
      add(comparableBefore, index, earlier.in);
    },
    /** Yields the buckets that at least one location has. */
    *rows(): Generator<[index: number, row: FileRow]> {
      const sums = (of: Series, expectedMs: Float64Array, index: number): Expected => ({
        in: at(of.in, index),
        out: at(of.out, index),
        knownMs: at(of.knownMs, index),
        expectedMs: at(expectedMs, index),
      });
      const complete = (people: number) => ({ in: people, out: people, completeness: 1 });
      for (let index = 0; index < count; index += 1) {
        if (isThere[index] !== 1) continue;
        const earlier = isCompared[index] === 1 ? sums(before, expectedBefore, index) : null;
        const [people, peopleBefore] = [at(comparableNow, index), at(comparableBefore, index)];
        const change = percentChange(complete(people), complete(peopleBefore), "in");
        yield [index, toRow(sums(now, expected, index), earlier, change)];
      }
    },
  };
}
