// The period that a page of counts shows and the earlier one that it is compared with, in a zone (docs/rules/counts.md#comparison).
import { type Comparison, comparisonShiftDays, type DayRange, type Step } from "@psp/contract/counts/count-range.ts";
import { dayMs, hourMs, type Zone } from "@psp/contract/kit/zone.ts";
import type { Range } from "./bucket.rules.ts";

/** The instants of some local days. */
export function rangeOfDays(zone: Zone, { first, last }: DayRange): Range {
  return { from: zone.dayStart(first), to: zone.dayStart(last + 1) };
}

/**
 * The days that these are compared with, and the part of them that corresponds to what has passed of these: of a running
 * period the same part, up to the same local time.
 */
export function earlierPeriod(zone: Zone, days: DayRange, comparison: Comparison, nowMs: number) {
  const shift = comparisonShiftDays(days, comparison);
  const earlier = { first: days.first - shift, last: days.last - shift };
  const range = rangeOfDays(zone, earlier);
  const { from, to } = rangeOfDays(zone, days);
  if (nowMs < from || nowMs >= to) return { days: earlier, shift, range, part: range };
  const then = zone.instantOf(zone.localMs(nowMs) - shift * dayMs);
  return {
    days: earlier,
    shift,
    range,
    part: { from: range.from, to: Math.min(Math.max(then, range.from), range.to) },
  };
}

/**
 * For each hour or day of an earlier period the index of the shown bucket that it is compared with: the one that holds the same
 * local time so many days later. A month stands beside the days that lie as far back as its own, not beside a month of theirs, and in
 * the nights in which clocks change each hour beside the one of its name; an hour that only the earlier night has is in none.
 */
export function partnersOf(
  zone: Zone,
  by: Step,
  shown: readonly Range[],
  shift: number,
): (earlierMs: number) => number {
  const timeOf = (ms: number) => (by === "hour" ? Math.floor(zone.localMs(ms) / hourMs) : zone.dayAt(ms));
  const distance = by === "hour" ? shift * 24 : shift;
  const places = new Map<number, number>();
  for (const [index, { from, to }] of shown.entries()) {
    const last = by === "hour" ? timeOf(from) : timeOf(to - 1);
    // Of two hours of one name the first.
    for (let time = timeOf(from); time <= last; time += 1) if (!places.has(time)) places.set(time, index);
  }
  return (earlierMs) => places.get(timeOf(earlierMs) + distance) ?? -1;
}
