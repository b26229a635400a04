// Sums per bucket with completeness: whole local days from the stored daily sums, hours and cut days from the counts.
import type { Accumulation } from "@psp/contract/datapoint/datapoint.api.ts";
import { sql } from "kysely";
import type { Reader } from "../db/database.ts";
import { bucketsOf, type Range } from "./bucket.rules.ts";
import { sumOf } from "../count/count.rules.ts";
import { numbers } from "../db/arrays.ts";
import { findCounters, readCounts } from "../count/count.store.ts";
import { cutSlices, type Slice } from "./stay.store.ts";
import type { Subject } from "./subject.store.ts";
import { utcMonth, utcMonthStart } from "../count/month.rules.ts";

/** How many sensors' months are in memory at once. */
export const sensorsAtOnce = 20;
export type Sums = { in: number; out: number; knownMs: number };
/** `expectedMs`: sensor time of the bucket until now. */
export type Bucket = Range & Sums & { expectedMs: number };

/** Hours that are summed in one go, a year: the packs at both ends are read twice. */
const hoursAtOnce = 8784;

/** What is asked of one subject: buckets of which length, over which time; what comes after now is not expected yet. */
export type Asked = { acc: Accumulation; range: Range; nowMs: number };

/** Every bucket of the range in order, with its sums. Flat in memory however long the range. */
export async function* aggregate(reader: Reader, subject: Subject, { acc, range, nowMs }: Asked) {
  const expectedMs = expectation(subject.expected);
  const finish = (bucket: Range, sums: Sums): Bucket => {
    return { ...bucket, ...sums, expectedMs: expectedMs(bucket.from, Math.min(bucket.to, nowMs)) };
  };
  const buckets = bucketsOf(subject.zone, acc, range);
  if (acc === "hour") {
    const firstMs = await firstCountMs(
      reader,
      subject.slices.map((slice) => slice.sensorNum),
    );
    for (const some of inGroups(buckets, hoursAtOnce)) {
      const sums = await sumBuckets(reader, subject, some, firstMs);
      for (const [index, bucket] of some.entries()) yield finish(bucket, sums[index] ?? zero());
      // Years without a count ask the database nothing, and would leave no one else a turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return;
  }
  const days = await sumDays(reader, subject, range);
  const sorted = [...days].toSorted(([a], [b]) => a - b);
  let next = 0;
  for (const bucket of buckets) {
    const sums = zero();
    for (let entry = sorted[next]; entry && entry[0] < bucket.to; entry = sorted[++next]) add(sums, entry[1]);
    yield finish(bucket, sums);
  }
}

/** The completeness of a bucket of which hardly anything is known; 0 would say that nothing is. */
export const leastCompleteness = 0.000_001;

/** Share of the expected time that is known, to six digits: 1 only where nothing is missing, 0 only where nothing is known; null where none is expected. */
export function completenessOf({ knownMs, expectedMs }: Pick<Bucket, "knownMs" | "expectedMs">): number | null {
  if (expectedMs <= 0) return null;
  if (knownMs <= 0) return 0;
  if (knownMs >= expectedMs) return 1;
  return Math.min(1 - leastCompleteness, Math.max(leastCompleteness, Math.round((knownMs / expectedMs) * 1e6) / 1e6));
}

/** Whether the sums say anything: people are known also where the time is not, e.g. counted by a covered sensor. */
export function isKnown({ in: ins, out, knownMs }: Sums): boolean {
  return knownMs > 0 || ins + out > 0;
}

export function zero(): Sums {
  return { in: 0, out: 0, knownMs: 0 };
}
export function add(sums: Sums, more: Sums): void {
  sums.in += more.in;
  sums.out += more.out;
  sums.knownMs += more.knownMs;
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

/** Sums of neighboring buckets straight from the counts. */
async function sumBuckets(reader: Reader, subject: Subject, buckets: readonly Range[], firstMs: number) {
  const sums = buckets.map(zero);
  const range = { from: buckets[0]?.from ?? 0, to: buckets.at(-1)?.to ?? 0 };
  if (range.to <= firstMs) return sums;
  let index = 0;
  await forEachStart(reader, cutSlices(subject.slices, range.from, range.to), (startMs, sum) => {
    // Starts rise within a sensor and fall back at the next one.
    if (startMs < (buckets[index]?.from ?? 0)) index = 0;
    while (startMs >= (buckets[index]?.to ?? Infinity)) index += 1;
    const into = sums[index];
    if (into) add(into, sum);
  });
  return sums;
}

/** Sums per local day, keyed by the first instant of the day within the range. */
async function sumDays(reader: Reader, subject: Subject, range: Range): Promise<Map<number, Sums>> {
  const days = new Map<number, Sums>();
  const { zone } = subject;
  const into = (day: number, sum: Sums) => {
    const key = Math.max(zone.dayStart(day), range.from);
    const sums = days.get(key) ?? zero();
    add(sums, sum);
    days.set(key, sums);
  };
  const { whole, cut } = splitDays(subject, range);
  for (const { nums, fromDay, toDay } of whole) {
    const there = subject.kind === "location" ? sql`location_id = ${subject.id}` : sql`true`;
    const { rows } = await sql<Sums & { day: number }>`
      select day, sum(n_in)::bigint as "in", sum(n_out)::bigint as "out", sum(known_ms)::bigint as "knownMs" from count_day
      where sensor_num = any(${numbers(nums)}::int[]) and day >= ${fromDay} and day < ${toDay} and ${there}
      group by day`.execute(reader);
    for (const { day, ...sum } of rows) into(day, sum);
  }
  await forEachStart(reader, cut, (startMs, sum) => into(zone.dayAt(startMs), sum));
  return days;
}

type Dated = Pick<Subject, "kind" | "zone" | "slices" | "sumsFrom" | "sumsFit">;
type WholeDays = { nums: Set<number>; fromDay: number; toDay: number };

/** What of a range the stored daily sums know, by sensors with the same days, and the starts at its cut ends. */
export function splitDays({ kind, zone, slices, sumsFrom, sumsFit }: Dated, range: Range) {
  const cut: Slice[] = [];
  const whole = new Map<string, WholeDays>();
  for (const slice of cutSlices(slices, range.from, range.to)) {
    if (!sumsFit) {
      cut.push(slice);
      continue;
    }
    // Sums of a day at this location are those of the sensor there, however often it came and went: the range cuts a day,
    // and where its owner's time begins. Those of a sensor are of all its places: each end of what is seen cuts a day.
    const since = sumsFrom.get(slice.sensorNum) ?? -Infinity;
    const from = kind === "location" ? Math.max(range.from, since) : slice.fromMs;
    const to = kind === "location" ? range.to : slice.toMs;
    const fromDay = zone.dayAt(from) + (zone.dayStart(zone.dayAt(from)) < from ? 1 : 0);
    const toDay = Math.max(fromDay, zone.dayAt(to));
    cut.push(...cutSlices([slice], from, Math.min(zone.dayStart(fromDay), to)));
    cut.push(...cutSlices([slice], Math.max(zone.dayStart(toDay), from), to));
    const group = whole.get(`${fromDay}/${toDay}`) ?? { nums: new Set(), fromDay, toDay };
    group.nums.add(slice.sensorNum);
    whole.set(`${fromDay}/${toDay}`, group);
  }
  return { whole: [...whole.values()].filter(({ fromDay, toDay }) => fromDay < toDay), cut };
}

type Visit<S> = (startMs: number, sum: Sums, slice: S) => void;

/** Calls back with the sum of every stored start of the slices, month by month and a few sensors at a time. */
export async function forEachStart<S extends Slice>(reader: Reader, slices: readonly S[], visit: Visit<S>) {
  const counters = await findCounters(
    reader,
    slices.map((slice) => slice.sensorNum),
  );
  const counted = slices
    .flatMap((slice) => cutSlices([slice], counters.get(slice.sensorNum)?.firstMs ?? Infinity, Infinity))
    .toSorted((a, b) => a.fromMs - b.fromMs);
  for (let i = 0; i < counted.length; i += sensorsAtOnce) {
    const some = counted.slice(i, i + sensorsAtOnce);
    const last = utcMonth(Math.max(...some.map((slice) => slice.toMs)) - 1);
    for (let month = utcMonth(some[0]?.fromMs ?? 0); month <= last; month += 1) {
      const now = cutSlices(some, utcMonthStart(month), utcMonthStart(month + 1));
      if (now.length === 0) continue;
      const from = Math.min(...now.map((slice) => slice.fromMs));
      const to = Math.max(...now.map((slice) => slice.toMs));
      const counts = await readCounts(reader, [...new Set(now.map((slice) => slice.sensorNum))], from, to);
      for (const slice of now) visitStarts(counts.get(slice.sensorNum) ?? [], slice, visit);
    }
  }
}

type CountList = Parameters<typeof sumOf>[0] extends Iterable<infer C> ? readonly C[] : never;

function visitStarts<S extends Slice>(counts: CountList, slice: S, visit: Visit<S>): void {
  for (let i = 0; i < counts.length;) {
    const startMs = counts[i]?.startMs ?? 0;
    let next = i + 1;
    while (counts[next]?.startMs === startMs) next += 1;
    if (startMs >= slice.fromMs && startMs < slice.toMs) visit(startMs, sumOf(counts.slice(i, next)), slice);
    i = next;
  }
}

/** Sensor time that could be known between two instants: the integral of how many sensors there were. */
export function expectation(spans: readonly { fromMs: number; toMs: number }[]): (from: number, to: number) => number {
  const steps = spans
    .flatMap(({ fromMs, toMs }) => [
      { ms: fromMs, change: 1 },
      { ms: toMs, change: -1 },
    ])
    .toSorted((a, b) => a.ms - b.ms);
  // Buckets come in order: what lies before the current one is never looked at again.
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
      total += now * (step.ms - at);
      at = step.ms;
      now += step.change;
    }
    return total + now * (to - at);
  };
}

/** First start of any count of these sensors, or Infinity: nothing needs to be read before it. */
export async function firstCountMs(reader: Reader, sensorNums: readonly number[]): Promise<number> {
  const counters = await findCounters(reader, sensorNums);
  return Math.min(...[...counters.values()].map((counter) => counter.firstMs ?? Infinity));
}
