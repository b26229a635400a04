// Use cases of opening hours that need no location or account: checks input, lists calendars, and evaluates days.
import { dateOfDay } from "@psp/contract/counts/count-range.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { createOpeningDays } from "@psp/contract/opening/opening-calendar.ts";
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { AppError } from "../kit/app-error.ts";
import { createHolidayNames, findUnknownCalendar, listHolidays } from "./holidays.adapter.ts";
import { openingReasons } from "./opening.reasons.ts";

export { findLocationHours, openMsBetween } from "./opening.store.ts";

/** Throws 102 if the hours name a country or region without a calendar. */
export function requireKnownCalendar(hours: OpeningHours | null | undefined): void {
  if (hours?.holidays) requireCalendar(hours.holidays.country, hours.holidays.region, "openingHours.holidays.");
}

export function listHolidaysOfYear(country: string, region: string | null, year: number) {
  requireCalendar(country, region, "");
  return listHolidays(country, region, year);
}

function requireCalendar(country: string, region: string | null, path: string): void {
  const unknown = findUnknownCalendar(country, region);
  if (unknown !== null)
    throw new AppError(errorCode.invalidArgument, { field: `${path}${unknown}`, ...openingReasons.unknown[unknown] });
}

/** Without hours it is open all day. */
export function listOpeningDays(hours: OpeningHours | null, first: number, count: number) {
  const { country, region } = hours?.holidays ?? { country: null, region: null };
  const holidayName = country === null ? () => null : createHolidayNames(country, region);
  const dayOf = hours === null ? () => alwaysOpen : createOpeningDays(hours, holidayName);
  return Array.from({ length: count }, (_, index) => {
    const { source, name, ranges } = dayOf(first + index);
    return { date: dateOfDay(first + index), source, name, hours: [...ranges] };
  });
}
const alwaysOpen = { source: "week" as const, name: null, ranges: [{ from: "00:00", to: "24:00" }] };
