// Evaluates opening hours for local days: an exception takes precedence over a holiday, a holiday over the week
// (docs/rules/opening-hours.md#precedence).
import { parseDay } from "../counts/count-range.ts";
import { minutesPerDay, type OpeningHours, type OpenRange, rangeMinutes, weekdays } from "./opening-hours.ts";

/** Half-open, in minutes since local midnight. */
export type MinuteRange = { from: number; to: number };

export type OpeningDay = {
  /** Why the day has these hours. */
  source: "week" | "exception" | "holiday";
  /** Name of the exception or holiday; also set on holidays on which the location is open as usual. */
  name: string | null;
  /** Ranges that start on this day. */
  ranges: readonly OpenRange[];
};

/** Returns the name of the public holiday on a day (days since 1970), or null. */
export type HolidayName = (day: number) => string | null;

/** The weekday of a day since 1970; 0 is Monday. Day 0 was a Thursday. */
export const weekdayIndex = (day: number) => (((day + 3) % 7) + 7) % 7;

/** Returns the hours that start on a day. */
export function createOpeningDays(hours: OpeningHours, holidayName: HolidayName): (day: number) => OpeningDay {
  const exceptions = new Map(hours.exceptions.map((one) => [parseDay(one.date), one]));
  return (day) => {
    const holiday = hours.holidays === null ? null : holidayName(day);
    const exception = exceptions.get(day);
    if (exception) return { source: "exception", name: exception.name ?? holiday, ranges: exception.hours };
    if (holiday !== null && hours.holidays?.closed) return { source: "holiday", name: holiday, ranges: [] };
    return { source: "week", name: holiday, ranges: hours.week[weekdays[weekdayIndex(day)] ?? "mo"] };
  };
}

/**
 * Returns when it is open on a calendar day, including the end of ranges that started the day before; sorted and merged. Empty if
 * closed.
 */
export function openMinutes(today: OpeningDay, yesterday: OpeningDay): MinuteRange[] {
  const starting = today.ranges.map(rangeMinutes);
  const spilling = yesterday.ranges.map(rangeMinutes).map(({ to }) => ({ from: 0, to: to - minutesPerDay }));
  const sorted = [...spilling, ...starting]
    .map(({ from, to }) => ({ from, to: Math.min(to, minutesPerDay) }))
    .filter(({ from, to }) => to > from)
    .toSorted((a, b) => a.from - b.from);
  const merged: MinuteRange[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else merged.push({ ...range });
  }
  return merged;
}
