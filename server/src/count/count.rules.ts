// What a count record may be and what it changes, without a database: identity, correction, overlap.
import { qualities } from "@psp/contract/datapoint/datapoint.ts";
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { Classes } from "./count.tables.ts";
import type { Count } from "./pack.rules.ts";
import { isStorableText } from "../db/storable.ts";

/** No count is longer than an hour. */
export const maxDurationMs = 3_600_000;
/** Clocks may differ by this much before a record counts as ahead of its time. */
export const aheadMs = 10 * 60_000;
const lateMs = 24 * 3_600_000;
const yearMs = 365 * 24 * 3_600_000;
/** So long a sensor may have counted before it was enrolled; the largest buffer, 50,000 records of an hour, holds six years. */
const earlierMs = 10 * yearMs;
/** No sensor lives longer than this. */
const lifeMs = 30 * yearMs;
const gpsRolloverMs = 1024 * 7 * 24 * 3_600_000;
/** What can be stored at all, whatever is known of the sensor. */
const earliestMs = Date.UTC(2000, 0, 1);
const latestMs = Date.UTC(2100, 0, 1);

export type Timed = { s: number; e: number; ck: "ok" | "est" | "bad" };
/**
 * Since when a sensor is known to the platform, in ms; undefined where records of any age are believed. `filledAtMs`: when the
 * record came, if it came as back-fill.
 */
export type Life = { knownSinceMs: number | undefined; filledAtMs: number | undefined };

/** What is known of the life of the sensor that a record of an arriving batch is from. */
export const lifeOf = (from: { sensor: { knownSinceMs?: number }; via: "live" | "fill" }, nowMs: number): Life => ({
  knownSinceMs: from.sensor.knownSinceMs,
  filledAtMs: from.via === "fill" ? nowMs : undefined,
});

/**
 * Why a record's time can't be believed, or null. A sensor counts from ten years before its enrollment until the end of its life: a
 * clock that jumped by 1,024 weeks, or starts in 2000 after each boot, is outside. Back-fill may be an archive of an older device:
 * it reaches back for a whole life, but for the times that such clocks show.
 */
export function badTime(record: Timed, { knownSinceMs = Number.NaN, filledAtMs }: Partial<Life> = {}): string | null {
  if (record.ck === "bad") return "The clock of the sensor was not set";
  const isArchived = filledAtMs !== undefined && record.s >= knownSinceMs - lifeMs && !isFallback(record.s, filledAtMs);
  if (record.s < earliestMs || (record.s < knownSinceMs - earlierMs && !isArchived))
    return "The time is before the sensor was made";
  if (record.e >= latestMs || record.e > knownSinceMs + lifeMs) return "The time is after the life of the sensor";
  if (record.e < record.s) return "The end is before the start";
  return null;
}

/** Times that clocks fall back to: 1,024 weeks ago, when GPS rolls over, and the first year of clocks that start in 2000. */
function isFallback(ms: number, nowMs: number): boolean {
  const rolledMs = nowMs - gpsRolloverMs;
  return (ms > rolledMs - yearMs && ms < rolledMs + yearMs) || ms < earliestMs + yearMs;
}

/** Ends more than ten minutes after an instant: kept, but in no sum until then. */
export function isAhead(record: Timed, nowMs: number): boolean {
  return record.e > nowMs + aheadMs;
}

/** Why a count can't be stored whatever else is stored, or null. */
export function badCount(record: CountRecord, life: Partial<Life> = {}): string | null {
  const time = badTime(record, life);
  if (time) return time;
  if (record.e === record.s) return "The interval is empty";
  if (record.e - record.s > maxDurationMs) return "The interval is longer than an hour";
  const { lines } = record;
  if (lines.length > 1 && new Set(lines.map((line) => line.id)).size < lines.length) return "A line comes twice";
  if (!lines.every(({ id, name }) => isStorableText(id) && isStorableText(name ?? "")))
    return "The name of a line holds characters that can't be stored";
  return null;
}

function qualityOf(record: CountRecord, via: "live" | "fill", nowMs: number): (typeof qualities)[number] {
  if (record.osd !== 0) return "blind";
  if (record.ck === "est") return "estimated";
  if (nowMs - record.e > lateMs) return "late";
  return via === "fill" ? "buffered" : "measured";
}

/**
 * The view is covered: those who passed were not seen, so the time is not known, and its zeros are no zeros. Too dark or too
 * bright says less: at night, with the lights off, every sensor reports it.
 */
const coveredOsd = 1;

/** The counts that a record represents, one per line; `lineNo` gives the number of a line. */
export function toCounts(record: CountRecord, via: "live" | "fill", nowMs: number, lineNo: (id: string) => number) {
  const durationMs = record.e - record.s;
  const quality = qualities.indexOf(qualityOf(record, via, nowMs));
  return record.lines.map((line) => ({
    lineNo: lineNo(line.id),
    startMs: record.s,
    durationMs,
    knownMs: record.osd === coveredOsd ? 0 : Math.min(durationMs, (record.upS ?? Infinity) * 1000),
    in: line.in,
    out: line.out,
    osd: record.osd,
    quality,
    ahead: isAhead(record, nowMs),
    classes: classesOf(line.cls),
  }));
}

function classesOf(cls: CountRecord["lines"][number]["cls"]): Classes | null {
  return cls && Object.keys(cls).length > 0 ? cls : null;
}

/** Same numbers: how a record traveled does not matter, so a resent one is no correction. */
export function isSame(a: Count, b: Count): boolean {
  return (
    a.in === b.in &&
    a.out === b.out &&
    a.durationMs === b.durationMs &&
    a.knownMs === b.knownMs &&
    a.osd === b.osd &&
    a.ahead === b.ahead &&
    sameClasses(a.classes, b.classes)
  );
}
function sameClasses(a: Classes | null, b: Classes | null): boolean {
  if (a === null || b === null) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => a[key]?.[0] === b[key]?.[0] && a[key]?.[1] === b[key]?.[1])
  );
}

/** What a start adds to the sums of its day: all lines together, and its time once however many lines there are. */
export function sumOf(counts: Iterable<Count>): { in: number; out: number; knownMs: number } {
  const sum = { in: 0, out: 0, knownMs: 0 };
  for (const count of counts) {
    if (count.ahead) continue;
    sum.in += count.in;
    sum.out += count.out;
    sum.knownMs = Math.max(sum.knownMs, count.knownMs);
  }
  return sum;
}

/** The stored counts of one sensor that touch the incoming records: found by start, and by what they overlap. */
export type Timeline<C extends Count> = {
  /** Counts of a start by line. */
  at(startMs: number): ReadonlyMap<number, C>;
  /** Start of a stored count, other than this start, that shares time with the interval; null when there is none. */
  overlapping(startMs: number, endMs: number): number | null;
  put(count: C): void;
};

export function createTimeline<C extends Count>(stored: Iterable<C>): Timeline<C> {
  const slots = new Map<number, Map<number, C>>();
  const starts: number[] = [];
  const none: ReadonlyMap<number, C> = new Map();
  let sorted = true;
  for (const count of stored) put(count);
  function put(count: C): void {
    const slot = slots.get(count.startMs);
    if (slot) {
      slot.set(count.lineNo, count);
      return;
    }
    slots.set(count.startMs, new Map([[count.lineNo, count]]));
    sorted &&= count.startMs > (starts.at(-1) ?? -Infinity);
    starts.push(count.startMs);
  }
  /** Index of the first start that is not before an instant. */
  function indexFrom(ms: number): number {
    if (!sorted) starts.sort((a, b) => a - b);
    sorted = true;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? Infinity) < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  function overlapping(startMs: number, endMs: number): number | null {
    for (let i = indexFrom(startMs - maxDurationMs); i < starts.length; i += 1) {
      const start = starts[i] ?? Infinity;
      if (start >= endMs) return null;
      if (start === startMs) continue;
      for (const count of slots.get(start)?.values() ?? []) {
        // What a broken clock put into the future blocks nothing.
        if (!count.ahead && start + count.durationMs > startMs) return start;
      }
    }
    return null;
  }
  return { at: (startMs) => slots.get(startMs) ?? none, overlapping, put };
}
