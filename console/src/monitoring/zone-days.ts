// Converts the day filter of a log to instants in the location's time zone (docs/rules/monitoring.md#log-page).
import { parseDay, type DayRange } from "@psp/contract/counts/count-range.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";

/** 20 years including leap days. */
const mostDays = 7306;

/** Parses `YYYY-MM-DD,YYYY-MM-DD` (inclusive); null if invalid. */
export function parseDayRange(text: string): DayRange | null {
  const [from = "", to = "", ...rest] = text.split(",");
  const [first, last] = [parseDay(from), parseDay(to)];
  if (rest.length > 0 || first === null || last === null || first > last || last - first >= mostDays) return null;
  return { first, last };
}

export function toInstantRange({ first, last }: DayRange, timeZone: string | null): { from: string; to: string } {
  const { dayStart } = zoneOf(timeZone);
  return { from: new Date(dayStart(first)).toISOString(), to: new Date(dayStart(last + 1)).toISOString() };
}
