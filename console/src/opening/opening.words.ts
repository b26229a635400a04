// Opening hours in words: "Mon–Sat 09:00–20:00, Sun closed; closed on public holidays in Germany, Berlin".
import { countryNameOf } from "@psp/contract/location/country.ts";
import type { OpeningHours, OpenRange, Weekday } from "@psp/contract/opening/opening-hours.ts";
import { weekdays } from "@psp/contract/opening/opening-hours.ts";
import { openingText as text } from "./opening.text.ts";

export const isAllDay = (ranges: readonly OpenRange[]) =>
  ranges.length === 1 && ranges[0]?.from === "00:00" && ranges[0].to === "24:00";

export function describeRanges(ranges: readonly OpenRange[]): string {
  if (ranges.length === 0) return text.closed;
  if (isAllDay(ranges)) return text.allDay;
  return ranges
    .toSorted((a, b) => a.from.localeCompare(b.from))
    .map(({ from, to }) => `${from}–${to}`)
    .join(text.and);
}

/** Neighboring days with the same hours are one group. */
export function describeWeek(week: OpeningHours["week"]): string {
  const groups: { first: Weekday; last: Weekday; words: string }[] = [];
  for (const day of weekdays) {
    const words = describeRanges(week[day]);
    const group = groups.at(-1);
    if (group?.words === words) group.last = day;
    else groups.push({ first: day, last: day, words });
  }
  const [only] = groups;
  if (groups.length === 1 && only?.words === text.closed) return text.alwaysClosed;
  if (groups.length === 1 && only?.words === text.allDay) return text.alwaysOpen;
  return groups.map(({ first, last, words }) => `${describeDays(first, last)} ${words}`).join(", ");
}

function describeDays(first: Weekday, last: Weekday): string {
  return first === last ? text.short(first) : `${text.short(first)}–${text.short(last)}`;
}

/** `regionName` is the name of the region if it is known; otherwise its code is shown. */
export function describeHolidays(holidays: OpeningHours["holidays"], regionName?: string): string | null {
  if (holidays === null) return null;
  const region = regionName ?? holidays.region;
  const where = countryNameOf(holidays.country) + (region === null ? "" : `, ${region}`);
  return holidays.closed ? text.closedOnHolidays(where) : text.openOnHolidays(where);
}

export function describeExceptions(exceptions: OpeningHours["exceptions"]): string | null {
  if (exceptions.length === 0) return null;
  return exceptions
    .map(({ date, hours, name }) => `${date} ${describeRanges(hours)}${name === null ? "" : ` (${name})`}`)
    .join(", ");
}

export function describeHours(hours: OpeningHours, regionName?: string): string {
  const count = hours.exceptions.length;
  const parts = [
    describeWeek(hours.week),
    describeHolidays(hours.holidays, regionName),
    count === 0 ? null : text.exceptions(count),
  ];
  return parts.filter((part) => part !== null).join("; ");
}
