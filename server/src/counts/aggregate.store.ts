// Sums counts per bucket, with completeness. Whole local days come from stored daily sums, hours and partial days from counts.
import type { AggregationPeriod } from "@psp/contract/datapoint/datapoint.api.ts";
import { sql } from "kysely";
import type { Reader } from "../db/database.ts";
import { generateBuckets, type Range } from "./bucket.rules.ts";
import { openPart, sumCounts } from "../count/count.rules.ts";
import { toPgArray } from "../db/arrays.ts";
import { findCounters, readCounts } from "../count/count.store.ts";
import { type LocationHours, openMsBetween } from "../opening/opening.store.ts";
import { clipSlices, type ExpectedSpan, type SensorSlice } from "./stay.store.ts";
import type { Subject } from "./subject.store.ts";
import { utcMonth, utcMonthStart } from "../count/month.rules.ts";

export const maxSensorsInMemory = 20;
/** `open…` is the part within opening hours; equal to the whole if there are none. */
export type Sums = {
  in: number;
  out: number;
  knownMs: number;
  openIn: number;
  openOut: number;
  openKnownMs: number;
};
/** `expectedMs`: sensor time within opening hours that is expected in the bucket until now. */
export type Bucket = Range & Sums & { expectedMs: number };

/** Hours per group of queries: a year. Shorter groups would be slower, because packs at both ends of a group are read twice. */
const hoursAtOnce = 8784;

export type AggregateRequest = { acc: AggregationPeriod; range: Range; nowMs: number };

/** Streams every bucket of the range in order, in constant memory. */
export async function* aggregate(reader: Reader, subject: Subject, { acc, range, nowMs }: AggregateRequest) {
  const expectedMs = createExpectedTimeCalculator(subject.expected);
  const finish = (bucket: Range, sums: Sums): Bucket => {
    return { ...bucket, ...sums, expectedMs: expectedMs(bucket.from, Math.min(bucket.to, nowMs)) };
  };
  const buckets = generateBuckets(subject.zone, acc, range);
  if (acc === "hour") {
    const firstMs = await findFirstCountMs(
      reader,
      subject.slices.map((slice) => slice.sensorNum),
    );
    for (const some of inGroups(buckets, hoursAtOnce)) {
      const sums = await sumBuckets(reader, subject, some, firstMs);
      for (const [index, bucket] of some.entries()) yield finish(bucket, sums[index] ?? createZeroSums());
      // Groups without counts await no query, so years of such groups would block the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return;
  }
  const days = await sumDays(reader, subject, range);
  const sorted = [...days].toSorted(([a], [b]) => a - b);
  let next = 0;
  for (const bucket of buckets) {
    const sums = createZeroSums();
    for (let entry = sorted[next]; entry && entry[0] < bucket.to; entry = sorted[++next]) addSums(sums, entry[1]);
    yield finish(bucket, sums);
  }
}

/** Lowest completeness of a partly known bucket, because 0 would mean that nothing is known. */
export const minPartialCompleteness = 0.000_001;

/**
 * Known share of the expected time within opening hours, to six digits. 1 only if complete, 0 only if nothing is known, null if
 * nothing is expected.
 */
export function computeCompleteness({
  openKnownMs: knownMs,
  expectedMs,
}: Pick<Bucket, "openKnownMs" | "expectedMs">): number | null {
  if (expectedMs <= 0) return null;
  if (knownMs <= 0) return 0;
  if (knownMs >= expectedMs) return 1;
  return Math.min(
    1 - minPartialCompleteness,
    Math.max(minPartialCompleteness, Math.round((knownMs / expectedMs) * 1e6) / 1e6),
  );
}

/** A covered sensor has no known time, but may still count people. */
export function hasKnownData({ in: ins, out, knownMs }: Pick<Sums, "in" | "out" | "knownMs">): boolean {
  return knownMs > 0 || ins + out > 0;
}

export function createZeroSums(): Sums {
  return { in: 0, out: 0, knownMs: 0, openIn: 0, openOut: 0, openKnownMs: 0 };
}
export function addSums(sums: Sums, more: Sums, sign: 1 | -1 = 1): void {
  sums.in += sign * more.in;
  sums.out += sign * more.out;
  sums.knownMs += sign * more.knownMs;
  sums.openIn += sign * more.openIn;
  sums.openOut += sign * more.openOut;
  sums.openKnownMs += sign * more.openKnownMs;
}

/** Columns of a group of `count_day`. Rows of locations without opening hours need `toSums`. */
export const daySumColumns = sql`sum(n_in)::bigint as "in", sum(n_out)::bigint as "out", sum(known_ms)::bigint as "knownMs",
  coalesce(sum(open_in), 0)::bigint as "openIn", coalesce(sum(open_out), 0)::bigint as "openOut",
  coalesce(sum(open_known_ms), 0)::bigint as "openKnownMs"`;

/** Without opening hours, everything is within them. */
export function toSums(sum: Pick<Sums, "in" | "out" | "knownMs"> & Partial<Sums>, hours: LocationHours | null): Sums {
  const { in: people, out, knownMs, openIn = 0, openOut = 0, openKnownMs = 0 } = sum;
  return hours
    ? { in: people, out, knownMs, openIn, openOut, openKnownMs }
    : { in: people, out, knownMs, openIn: people, openOut: out, openKnownMs: knownMs };
}

function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

async function sumBuckets(reader: Reader, subject: Subject, buckets: readonly Range[], firstMs: number) {
  const sums = buckets.map(createZeroSums);
  const range = { from: buckets[0]?.from ?? 0, to: buckets.at(-1)?.to ?? 0 };
  if (range.to <= firstMs) return sums;
  let index = 0;
  await forEachStart(reader, clipSlices(subject.slices, range.from, range.to), (startMs, sum) => {
    if (startMs < (buckets[index]?.from ?? 0)) index = 0;
    while (startMs >= (buckets[index]?.to ?? Infinity)) index += 1;
    const into = sums[index];
    if (into) addSums(into, sum);
  });
  return sums;
}

/** Sums counts per local day. The key is the first instant of the day within the range. */
async function sumDays(reader: Reader, subject: Subject, range: Range): Promise<Map<number, Sums>> {
  const days = new Map<number, Sums>();
  const { zone } = subject;
  const into = (day: number, sum: Sums) => {
    const key = Math.max(zone.dayStart(day), range.from);
    const sums = days.get(key) ?? createZeroSums();
    addSums(sums, sum);
    days.set(key, sums);
  };
  const { whole, cut } = splitDays(subject, range);
  for (const { nums, fromDay, toDay, hours } of whole) {
    const there = subject.kind === "location" ? sql`location_id = ${subject.id}` : sql`true`;
    const { rows } = await sql<Sums & { day: number }>`
      select day, ${daySumColumns} from count_day
      where sensor_num = any(${toPgArray(nums)}::int[]) and day >= ${fromDay} and day < ${toDay} and ${there}
      group by day`.execute(reader);
    for (const { day, ...sum } of rows) into(day, toSums(sum, hours));
  }
  await forEachStart(reader, cut, (startMs, sum) => into(zone.dayAt(startMs), sum));
  return days;
}

type Dated = Pick<Subject, "kind" | "zone" | "slices" | "sumsFrom" | "sumsFit">;
type WholeDays = { nums: Set<number>; fromDay: number; toDay: number; hours: LocationHours | null };

/**
 * Splits a range into whole days with stored sums, grouped by sensors, and the rest (`cut`): partial days, and days whose stored sums
 * don't follow the present opening hours.
 */
export function splitDays({ kind, zone, slices, sumsFrom, sumsFit }: Dated, range: Range) {
  const cut: SensorSlice[] = [];
  const whole = new Map<string, WholeDays>();
  for (const slice of clipSlices(slices, range.from, range.to)) {
    if (!sumsFit || slice.hours?.isFresh === false) {
      cut.push(slice);
      continue;
    }
    // A location's stored sums include only the sensor's time there, so only days at the ends of the range and at the start of the
    // owner's time are partial. A sensor's sums include all its locations, so days at each end of a visible period are partial.
    const since = sumsFrom.get(slice.sensorNum) ?? -Infinity;
    const from = kind === "location" ? Math.max(range.from, since) : slice.fromMs;
    const to = kind === "location" ? range.to : slice.toMs;
    const fromDay = zone.dayAt(from) + (zone.dayStart(zone.dayAt(from)) < from ? 1 : 0);
    const toDay = Math.max(fromDay, zone.dayAt(to));
    cut.push(...clipSlices([slice], from, Math.min(zone.dayStart(fromDay), to)));
    cut.push(...clipSlices([slice], Math.max(zone.dayStart(toDay), from), to));
    const { hours } = slice;
    const key = `${fromDay}/${toDay}/${hours === null}`;
    whole.getOrInsertComputed(key, () => ({ nums: new Set(), fromDay, toDay, hours })).nums.add(slice.sensorNum);
  }
  return { whole: [...whole.values()].filter(({ fromDay, toDay }) => fromDay < toDay), cut };
}

type Visit<S> = (startMs: number, sum: Sums, slice: S) => void;

/** Calls `visit` for every stored start with the sum of all lines. Reads a few sensors and one month at a time, to bound memory. */
export async function forEachStart<S extends SensorSlice>(reader: Reader, slices: readonly S[], visit: Visit<S>) {
  const counters = await findCounters(
    reader,
    slices.map((slice) => slice.sensorNum),
  );
  const counted = slices
    .flatMap((slice) => clipSlices([slice], counters.get(slice.sensorNum)?.firstMs ?? Infinity, Infinity))
    .toSorted((a, b) => a.fromMs - b.fromMs);
  for (let i = 0; i < counted.length; i += maxSensorsInMemory) {
    const some = counted.slice(i, i + maxSensorsInMemory);
    const last = utcMonth(Math.max(...some.map((slice) => slice.toMs)) - 1);
    for (let month = utcMonth(some[0]?.fromMs ?? 0); month <= last; month += 1) {
      const now = clipSlices(some, utcMonthStart(month), utcMonthStart(month + 1));
      if (now.length === 0) continue;
      const from = Math.min(...now.map((slice) => slice.fromMs));
      const to = Math.max(...now.map((slice) => slice.toMs));
      const counts = await readCounts(reader, [...new Set(now.map((slice) => slice.sensorNum))], from, to);
      for (const slice of now) visitStarts(counts.get(slice.sensorNum) ?? [], slice, visit);
    }
  }
}

type CountList = Parameters<typeof sumCounts>[0] extends Iterable<infer C> ? readonly C[] : never;

function visitStarts<S extends SensorSlice>(counts: CountList, slice: S, visit: Visit<S>): void {
  for (let i = 0; i < counts.length;) {
    const startMs = counts[i]?.startMs ?? 0;
    let next = i + 1;
    while (counts[next]?.startMs === startMs) next += 1;
    if (startMs >= slice.fromMs && startMs < slice.toMs)
      visit(startMs, withOpenPart(startMs, sumCounts(counts.slice(i, next)), slice.hours), slice);
    i = next;
  }
}

function withOpenPart(startMs: number, sum: ReturnType<typeof sumCounts>, hours: LocationHours | null): Sums {
  if (hours === null) return toSums(sum, null);
  const { in: openIn, out: openOut, knownMs: openKnownMs } = openPart(hours.time, startMs, sum);
  return { in: sum.in, out: sum.out, knownMs: sum.knownMs, openIn, openOut, openKnownMs };
}

type ExpectedTime = (from: number, to: number) => number;

/**
 * Returns a function that integrates the number of spans over the open time of an interval, in milliseconds. Calls must be in order
 * of time.
 */
export function createExpectedTimeCalculator(spans: readonly ExpectedSpan[]): ExpectedTime {
  const parts = [...Map.groupBy(spans, ({ hours }) => hours?.time)].map(([, some]) => createIntegral(some));
  const [only] = parts;
  return parts.length === 1 && only ? only : (from, to) => parts.reduce((sum, part) => sum + part(from, to), 0);
}

/** All spans have the same opening hours. */
function createIntegral(spans: readonly ExpectedSpan[]): ExpectedTime {
  const hours = spans[0]?.hours ?? null;
  const steps = spans
    .flatMap(({ fromMs, toMs }) => [
      { ms: fromMs, change: 1 },
      { ms: toMs, change: -1 },
    ])
    .toSorted((a, b) => a.ms - b.ms);
  // Earlier spans are skipped, because calls come in order of time.
  let passed = 0;
  let level = 0;
  return (from, to) => {
    for (let step = steps[passed]; step && step.ms <= from; step = steps[++passed]) level += step.change;
    if (to <= from) return 0;
    let total = 0;
    let at = from;
    let now = level;
    for (let i = passed; i < steps.length && at < to; i += 1) {
      const step = steps[i];
      if (!step || step.ms >= to) break;
      total += now * openMsBetween(hours, at, step.ms);
      at = step.ms;
      now += step.change;
    }
    return now === 0 ? total : total + now * openMsBetween(hours, at, to);
  };
}

export async function findFirstCountMs(reader: Reader, sensorNums: readonly number[]): Promise<number> {
  const counters = await findCounters(reader, sensorNums);
  return Math.min(...[...counters.values()].map((counter) => counter.firstMs ?? Infinity));
}
