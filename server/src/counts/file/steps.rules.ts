// The buckets of a zone as typed arrays, and how hours and days find theirs. Locations of a zone share them.
import type { BucketSize } from "@psp/contract/counts/count-range.ts";
import { hourMs, type Zone } from "@psp/contract/kit/zone.ts";
import type { Sums } from "../aggregate.store.ts";
import { generateBuckets, type Range } from "../bucket.rules.ts";

/** Local hour `firstHour` (since 1970, at this offset) is the bucket `base`. */
export type HourSpan = Range & { offsetMs: number; firstHour: number; base: number };

const hoursPerDay = 24;

export type Steps = {
  zone: Zone;
  range: Range;
  /** Start of each bucket, and the end of the last one. */
  edges: Float64Array;
  count: number;
  /** Periods without a clock change, only if the buckets are hours. */
  hours: HourSpan[] | null;
  /** Bucket of a local day, or -1. */
  ofDay(day: number): number;
};

export function createSteps(zone: Zone, by: BucketSize, range: Range): Steps {
  const starts: number[] = [];
  for (const { from } of generateBuckets(zone, by, range)) starts.push(from);
  const count = starts.length;
  const edges = Float64Array.from([...starts, Math.max(range.from, range.to)]);
  const hours = by === "hour" ? hourSpans(zone, range) : null;
  let last = 0;
  return {
    zone,
    range,
    edges,
    count,
    hours,
    ofDay(day) {
      const ms = Math.max(zone.dayStart(day), range.from);
      if (count === 0 || ms >= at(edges, count)) return -1;
      // Days usually come in order.
      if (ms < at(edges, last)) last = 0;
      while (ms >= at(edges, last + 1)) last += 1;
      return ms < at(edges, last) ? -1 : last;
    },
  };
}

/**
 * The hours 0 to 23 of a local day as its clock shows them: both occurrences of a repeated hour are one, and a skipped one stays empty.
 * `range` is the part of the day to read.
 */
export function createHoursOfDay(zone: Zone, day: number, range: Range): Steps {
  const midnight = day * hoursPerDay;
  const hours = hourSpans(zone, range).flatMap((span): HourSpan[] => {
    const { from, to, offsetMs, firstHour } = span;
    if (firstHour >= midnight) return [{ ...span, base: firstHour - midnight }];
    // The clock went back across midnight. The hour that has the old date belongs to the day nevertheless.
    const until = Math.min(to, midnight * hourMs - offsetMs);
    const before = { from, to: until, offsetMs, firstHour, base: 0 };
    return until < to ? [before, { from: until, to, offsetMs, firstHour: midnight, base: 0 }] : [before];
  });
  return { zone, range, edges: new Float64Array(0), count: hoursPerDay, hours, ofDay: () => -1 };
}

export function at(column: Float64Array, index: number): number {
  return column[index] ?? 0;
}

export const bucketOf = ({ edges }: Steps, index: number): Range => ({
  from: at(edges, index),
  to: at(edges, index + 1),
});

function hourSpans(zone: Zone, range: Range): HourSpan[] {
  const spans: HourSpan[] = [];
  let base = 0;
  for (let from = range.from; from < range.to;) {
    const span = zone.spanAt(from);
    const to = Math.min(span.to, range.to);
    const firstHour = Math.floor((from + span.offsetMs) / hourMs);
    spans.push({ from, to, offsetMs: span.offsetMs, firstHour, base });
    base += Math.ceil((to + span.offsetMs) / hourMs) - firstHour;
    from = to;
  }
  return spans;
}

/** Sums by bucket. Without opening hours, the columns of the open part are those of the whole. */
export type Series = Record<keyof Sums, Float64Array>;

export function createSeries(count: number, hasHours: boolean): Series {
  const whole = { in: new Float64Array(count), out: new Float64Array(count), knownMs: new Float64Array(count) };
  const open = hasHours ? createSeries(count, false) : whole;
  return { ...whole, openIn: open.in, openOut: open.out, openKnownMs: open.knownMs };
}

const whole = ["in", "out", "knownMs"] as const;
const open = ["openIn", "openOut", "openKnownMs"] as const;

export function addAt(series: Series, index: number, sums: Pick<Sums, (typeof whole)[number]> & Partial<Sums>): void {
  if (index < 0 || index >= series.in.length) return;
  for (const name of whole) series[name][index] = at(series[name], index) + sums[name];
  if (series.openIn === series.in) return;
  for (const name of open) series[name][index] = at(series[name], index) + (sums[name] ?? 0);
}

export const sumsAt = (series: Series, index: number): Sums => ({
  in: at(series.in, index),
  out: at(series.out, index),
  knownMs: at(series.knownMs, index),
  openIn: at(series.openIn, index),
  openOut: at(series.openOut, index),
  openKnownMs: at(series.openKnownMs, index),
});
