// Computes the period of a counts page and the earlier period that it is compared with (docs/rules/counts.md#comparison).
import {
  type Comparison,
  comparisonShiftDays,
  type DayRange,
  type BucketSize,
} from "@psp/contract/counts/count-range.ts";
import { dayMs, hourMs, type Zone } from "@psp/contract/kit/zone.ts";
import type { Range } from "./bucket.rules.ts";

export function rangeOfDays(zone: Zone, { first, last }: DayRange): Range {
  return { from: zone.dayStart(first), to: zone.dayStart(last + 1) };
}

/** Returns the earlier days to compare with. `part` is the whole range, or ends at the current local time if `days` include today. */
export function computeEarlierPeriod(zone: Zone, days: DayRange, comparison: Comparison, nowMs: number) {
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
 * Maps an earlier hour or day to the index of the shown bucket `shift` days later, at the same local time. Returns -1 if there is
 * none. Months are compared by days, not by calendar month. In nights of clock changes, hours are compared by local time; an hour
 * that exists only in the earlier night has no partner.
 */
export function matchBuckets(
  zone: Zone,
  by: BucketSize,
  shown: readonly Range[],
  shift: number,
): (earlierMs: number) => number {
  const timeOf = (ms: number) => (by === "hour" ? Math.floor(zone.localMs(ms) / hourMs) : zone.dayAt(ms));
  const distance = by === "hour" ? shift * 24 : shift;
  const places = new Map<number, number>();
  for (const [index, { from, to }] of shown.entries()) {
    const last = by === "hour" ? timeOf(from) : timeOf(to - 1);
    // If the clock shows an hour twice, the first one is the partner.
    for (let time = timeOf(from); time <= last; time += 1) if (!places.has(time)) places.set(time, index);
  }
  return (earlierMs) => places.get(timeOf(earlierMs) + distance) ?? -1;
}
