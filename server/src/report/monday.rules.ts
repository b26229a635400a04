// When a weekly report is due: Mondays at 7:00 in a zone, about the Monday to Sunday before (docs/rules/counts.md#weekly-report).
import type { DayRange } from "@psp/contract/counts/count-range.ts";
import { dayMs, hourMs, type Zone } from "@psp/contract/kit/zone.ts";

/** Clocks nowhere are further ahead of UTC. */
const furthestAheadMs = 15 * hourMs;

/** The Monday of a local day's week; day 0 was a Thursday. */
export function mondayOf(day: number): number {
  return day - ((((day + 3) % 7) + 7) % 7);
}

/** Monday, 7:00, in whatever time the zone has on that day. */
export function dueMs(zone: Zone, monday: number): number {
  return zone.instantOf(monday * dayMs + 7 * hourMs);
}

/** No zone's Monday 7:00 is earlier. */
export function earliestMs(monday: number): number {
  return monday * dayMs + 7 * hourMs - furthestAheadMs;
}

/** The next Monday whose 7:00 is yet to come. */
export function nextMonday(zone: Zone, nowMs: number): number {
  const monday = mondayOf(zone.dayAt(nowMs));
  return dueMs(zone, monday) > nowMs ? monday : monday + 7;
}

/** The days that a report of this Monday is about. */
export function weekBefore(monday: number): DayRange {
  return { first: monday - 7, last: monday - 1 };
}
