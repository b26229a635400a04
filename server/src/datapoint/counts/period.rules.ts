// The period that a page of counts shows and the earlier one that it is compared with, in a zone (decisions 15, Counts).
import { type Comparison, comparisonShift, type Days } from "@psp/contract/datapoint/count-range.ts";
import type { Zone } from "../../count/zone.rules.ts";
import type { Range } from "../bucket.rules.ts";

/** The instants of some local days. */
export function rangeOfDays(zone: Zone, { first, last }: Days): Range {
  return { from: zone.dayStart(first), to: zone.dayStart(last + 1) };
}

/**
 * The days that these are compared with, and the part of them that corresponds to what has passed of these: of a running
 * period the same part, up to the same local time.
 */
export function earlierPeriod(zone: Zone, days: Days, comparison: Comparison, nowMs: number) {
  const shift = comparisonShift(days, comparison);
  const earlier = { first: days.first - shift, last: days.last - shift };
  const range = rangeOfDays(zone, earlier);
  const { from, to } = rangeOfDays(zone, days);
  if (nowMs < from || nowMs >= to) return { days: earlier, range, part: range };
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone.name).toPlainDateTime();
  const then = now.subtract({ days: shift }).toZonedDateTime(zone.name).epochMilliseconds;
  return { days: earlier, range, part: { from: range.from, to: Math.min(Math.max(then, range.from), range.to) } };
}
