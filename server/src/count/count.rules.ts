// Rules for count records that need no database: valid values, identity, correction, overlap.
import { datapointQualities } from "@psp/contract/datapoint/datapoint.ts";
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { ClassCounts } from "./count.tables.ts";
import type { Count } from "./pack.rules.ts";
import type { OpenTime } from "../opening/open-time.rules.ts";
import { isStorableText } from "../db/storable.ts";

export const maxDurationMs = 3_600_000;
/** Tolerated clock difference. A record that ends further in the future is ahead. */
export const maxAheadMs = 10 * 60_000;
const lateMs = 24 * 3_600_000;
const yearMs = 365 * 24 * 3_600_000;
/** How long a sensor may have counted before its enrollment. The largest buffer (50,000 records of an hour) covers six years. */
const earlierMs = 10 * yearMs;
const lifeMs = 30 * yearMs;
const gpsRolloverMs = 1024 * 7 * 24 * 3_600_000;
const earliestMs = Date.UTC(2000, 0, 1);
const latestMs = Date.UTC(2100, 0, 1);

export type RecordTime = { s: number; e: number; ck: "ok" | "est" | "bad" };
/**
 * `knownSinceMs`: registration of the sensor; undefined accepts any age. `filledAtMs`: arrival of the record, set for back-fill
 * only.
 */
export type RecordContext = { knownSinceMs: number | undefined; filledAtMs: number | undefined };

export const toRecordContext = (
  from: { sensor: { knownSinceMs?: number }; via: "live" | "fill" },
  nowMs: number,
): RecordContext => ({
  knownSinceMs: from.sensor.knownSinceMs,
  filledAtMs: from.via === "fill" ? nowMs : undefined,
});

/**
 * Returns why a record's time is not plausible, or null. A plausible time lies between ten years before the enrollment and the end
 * of the sensor's life. This excludes clocks that jumped by 1,024 weeks or start in 2000 after each boot. Back-fill may come from
 * an older device, so it may start up to 30 years before the enrollment, except at times that such clocks show.
 */
export function findTimeError(
  record: RecordTime,
  { knownSinceMs = Number.NaN, filledAtMs }: Partial<RecordContext> = {},
): string | null {
  if (record.ck === "bad") return "The sensor's clock was not set";
  const isArchived = filledAtMs !== undefined && record.s >= knownSinceMs - lifeMs && !isFallback(record.s, filledAtMs);
  if (record.s < earliestMs || (record.s < knownSinceMs - earlierMs && !isArchived))
    return "The time is too far in the past";
  if (record.e >= latestMs || record.e > knownSinceMs + lifeMs) return "The time is too far in the future";
  if (record.e < record.s) return "The end is before the start";
  return null;
}

/** Times of broken clocks: 1,024 weeks ago (GPS rollover), and the first year of clocks that start in 2000. */
function isFallback(ms: number, nowMs: number): boolean {
  const rolledMs = nowMs - gpsRolloverMs;
  return (ms > rolledMs - yearMs && ms < rolledMs + yearMs) || ms < earliestMs + yearMs;
}

/** Whether the record ends too far in the future. Such a record is stored, but not counted until the clock reaches its time. */
export function isFutureRecord(record: RecordTime, nowMs: number): boolean {
  return record.e > nowMs + maxAheadMs;
}

/** Returns why a count can't be stored, or null. Ignores other stored counts. */
export function findCountError(record: CountRecord, life: Partial<RecordContext> = {}): string | null {
  const time = findTimeError(record, life);
  if (time) return time;
  if (record.e === record.s) return "The interval is empty";
  if (record.e - record.s > maxDurationMs) return "The interval is longer than an hour";
  const { lines } = record;
  if (lines.length > 1 && new Set(lines.map((line) => line.id)).size < lines.length) return "A line appears twice";
  if (!lines.every(({ id, name }) => isStorableText(id) && isStorableText(name ?? "")))
    return "A line's name has characters that can't be stored";
  return null;
}

function qualityOf(record: CountRecord, via: "live" | "fill", nowMs: number): (typeof datapointQualities)[number] {
  if (record.osd !== 0) return "blind";
  if (record.ck === "est") return "estimated";
  if (nowMs - record.e > lateMs) return "late";
  return via === "fill" ? "buffered" : "measured";
}

/**
 * OSD value of a covered view. The sensor then counts no one, so its time is unknown and its zeros mean nothing. The values "too
 * dark" and "too bright" are less certain, because every sensor reports them at night with the lights off.
 */
const coveredOsd = 1;

export function toCounts(record: CountRecord, via: "live" | "fill", nowMs: number, lineNo: (id: string) => number) {
  const durationMs = record.e - record.s;
  const quality = datapointQualities.indexOf(qualityOf(record, via, nowMs));
  return record.lines.map((line) => ({
    lineNo: lineNo(line.id),
    startMs: record.s,
    durationMs,
    knownMs: record.osd === coveredOsd ? 0 : Math.min(durationMs, (record.upS ?? Infinity) * 1000),
    in: line.in,
    out: line.out,
    osd: record.osd,
    quality,
    ahead: isFutureRecord(record, nowMs),
    classes: classesOf(line.cls),
  }));
}

function classesOf(cls: CountRecord["lines"][number]["cls"]): ClassCounts | null {
  return cls && Object.keys(cls).length > 0 ? cls : null;
}

/** Ignores the quality, because a record that arrives again as back-fill is no correction. */
export function hasSameValues(a: Count, b: Count): boolean {
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
function sameClasses(a: ClassCounts | null, b: ClassCounts | null): boolean {
  if (a === null || b === null) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => a[key]?.[0] === b[key]?.[0] && a[key]?.[1] === b[key]?.[1])
  );
}

/** Sums the counts of one start. People of all lines add up, but the known time counts only once. */
export function sumCounts(counts: Iterable<Count>): CountsOfStart {
  const sum = { in: 0, out: 0, knownMs: 0, durationMs: 0 };
  for (const count of counts) {
    if (count.ahead) continue;
    sum.in += count.in;
    sum.out += count.out;
    sum.knownMs = Math.max(sum.knownMs, count.knownMs);
    sum.durationMs = Math.max(sum.durationMs, count.durationMs);
  }
  return sum;
}

type CountsOfStart = { in: number; out: number; knownMs: number; durationMs: number };

/**
 * Returns the part within opening hours. People belong to the start of the interval; known time is divided in proportion
 * (docs/rules/opening-hours.md#effects).
 */
export function openPart(time: OpenTime, startMs: number, { in: people, out, knownMs, durationMs }: CountsOfStart) {
  const isOpen = time.isOpen(startMs);
  const share = knownMs === 0 ? 0 : time.msBetween(startMs, startMs + durationMs) / durationMs;
  return { in: isOpen ? people : 0, out: isOpen ? out : 0, knownMs: Math.round(knownMs * share) };
}

/** Stored counts of one sensor near incoming records, found by start or by overlap. */
export type Timeline<C extends Count> = {
  at(startMs: number): ReadonlyMap<number, C>;
  /** Returns the start of another stored count that overlaps the interval, or null. */
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
        // Counts dated in the future by a wrong clock must not block others.
        if (!count.ahead && start + count.durationMs > startMs) return start;
      }
    }
    return null;
  }
  return { at: (startMs) => slots.get(startMs) ?? none, overlapping, put };
}
