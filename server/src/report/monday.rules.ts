// Computes when a weekly report is due: Mondays at 7:00 in a time zone, for the week before (docs/rules/counts.md#weekly-report).
import type { DayRange } from "@psp/contract/counts/count-range.ts";
import { dayMs, hourMs, type Zone } from "@psp/contract/kit/zone.ts";

/** An upper bound for UTC offsets. */
const furthestAheadMs = 15 * hourMs;

/** The Monday of the week that contains a local day. Day 0 (1 Jan 1970) was a Thursday. */
export function mondayOf(day: number): number {
  return day - ((((day + 3) % 7) + 7) % 7);
}

/** The instant of 7:00 local time on a Monday. */
export function dueMs(zone: Zone, monday: number): number {
  return zone.instantOf(monday * dayMs + 7 * hourMs);
}

/** The earliest instant at which any zone can reach 7:00 on that Monday. */
export function earliestDueMs(monday: number): number {
  return monday * dayMs + 7 * hourMs - furthestAheadMs;
}

/** The next Monday whose 7:00 is in the future. */
export function nextMonday(zone: Zone, nowMs: number): number {
  const monday = mondayOf(zone.dayAt(nowMs));
  return dueMs(zone, monday) > nowMs ? monday : monday + 7;
}

export function weekBefore(monday: number): DayRange {
  return { first: monday - 7, last: monday - 1 };
}
