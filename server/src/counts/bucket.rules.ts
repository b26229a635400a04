// Divides a range into local hours, days, weeks, months or years (docs/rules/counts.md#buckets).
import type { AggregationPeriod } from "@psp/contract/datapoint/datapoint.api.ts";
import { dayMs, hourMs, type Zone } from "@psp/contract/kit/zone.ts";

/** Half-open, in milliseconds. */
export type Range = { from: number; to: number };

/**
 * Yields all buckets that the range touches, in order. A change of the UTC offset splits an hour, so a repeated hour yields two
 * buckets. Each bucket starts at its first real instant. The first and last are cut to the range.
 */
export function* generateBuckets(zone: Zone, acc: AggregationPeriod, range: Range): Generator<Range> {
  if (range.from >= range.to) return;
  if (acc === "total") {
    yield range;
    return;
  }
  let at = range.from;
  while (at < range.to) {
    const end = Math.min(bucketEnd(zone, acc, at), range.to);
    yield { from: at, to: end };
    at = end;
  }
}

/** Drops buckets that begin after `nowMs`. The current one keeps its end. */
export function clipToCurrentBucket(zone: Zone, acc: AggregationPeriod, range: Range, nowMs: number): Range {
  if (range.from > nowMs) return { from: range.from, to: range.from };
  if (acc === "total" || range.to <= nowMs) return range;
  return { from: range.from, to: Math.min(range.to, bucketEnd(zone, acc, nowMs)) };
}

/** Returns the start of the bucket that contains an instant. A total starts with the day. */
export function findBucketStart(zone: Zone, acc: AggregationPeriod, ms: number): number {
  if (acc !== "hour") return zone.dayStart(periodStart(acc, zone.dayAt(ms)));
  const { offsetMs, from } = zone.spanAt(ms);
  return Math.max(Math.floor((ms + offsetMs) / hourMs) * hourMs - offsetMs, from);
}

function bucketEnd(zone: Zone, acc: Period | "hour", ms: number): number {
  return acc === "hour" ? hourEnd(zone, ms) : periodEnd(zone, acc, ms);
}

function hourEnd(zone: Zone, ms: number): number {
  const { offsetMs, to } = zone.spanAt(ms);
  return Math.min((Math.floor((ms + offsetMs) / hourMs) + 1) * hourMs - offsetMs, to);
}

function periodEnd(zone: Zone, acc: Period, ms: number): number {
  let day = zone.dayAt(ms);
  let end = ms;
  // Continues if the zone skips a whole day, because the bucket would be empty.
  while (end <= ms) {
    day = nextPeriod(acc, day);
    end = zone.dayStart(day);
  }
  return end;
}

type Period = Exclude<AggregationPeriod, "hour" | "total">;

function nextPeriod(acc: Period, day: number): number {
  const start = periodStart(acc, day);
  const date = new Date(start * dayMs);
  switch (acc) {
    case "day":
      return start + 1;
    case "week":
      return start + 7;
    case "month":
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / dayMs;
    case "year":
      return Date.UTC(date.getUTCFullYear() + 1, 0, 1) / dayMs;
  }
}

function periodStart(acc: Period | "total", day: number): number {
  const date = new Date(day * dayMs);
  switch (acc) {
    case "day":
    case "total":
      return day;
    case "week":
      // Day 0 was a Thursday.
      return day - ((((day + 3) % 7) + 7) % 7);
    case "month":
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / dayMs;
    case "year":
      return Date.UTC(date.getUTCFullYear(), 0, 1) / dayMs;
  }
}

/** Counts the buckets of `generateBuckets` without generating them. Includes days that the zone skipped. */
export function countBuckets(zone: Zone, acc: AggregationPeriod, range: Range): number {
  if (range.from >= range.to) return 0;
  if (acc === "total") return 1;
  const [first, last] = [zone.dayAt(range.from), zone.dayAt(range.to - 1)];
  if (acc === "day") return last - first + 1;
  let count = 0;
  if (acc === "hour") {
    for (let at = range.from; at < range.to;) {
      const { offsetMs, to } = zone.spanAt(at);
      const end = Math.min(to, range.to);
      count += Math.ceil((end + offsetMs) / hourMs) - Math.floor((at + offsetMs) / hourMs);
      at = end;
    }
    return count;
  }
  for (let day = first; day <= last; day = nextPeriod(acc, day)) count += 1;
  return count;
}
