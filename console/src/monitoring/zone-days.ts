// Which days a log is filtered by, as instants in the location's zone (docs/rules/monitoring.md#log-page).
import { dayOf, type Days } from "@psp/contract/counts/count-range.ts";
import { zoneOf } from "../ui/time/zone.ts";

/** 20 years with their leap days. */
const mostDays = 7306;

/** `YYYY-MM-DD,YYYY-MM-DD`, both days included; null for what is no range. */
export function daysIn(text: string): Days | null {
  const [from = "", to = "", ...rest] = text.split(",");
  const [first, last] = [dayOf(from), dayOf(to)];
  if (rest.length > 0 || first === null || last === null || first > last || last - first >= mostDays) return null;
  return { first, last };
}

/** The query for these days: from the beginning of the first to the end of the last. */
export function instantsOf({ first, last }: Days, timeZone: string | null): { from: string; to: string } {
  const { dayStart } = zoneOf(timeZone);
  return { from: new Date(dayStart(first)).toISOString(), to: new Date(dayStart(last + 1)).toISOString() };
}
