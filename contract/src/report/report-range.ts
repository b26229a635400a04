// The days that a report covers, relative to the day on which it is made (docs/rules/reports.md#range).
import type { DayRange } from "../counts/count-range.ts";
import { dateOf, dayNumberOf } from "../kit/zone.ts";

export const reportRanges = ["yesterday", "lastWeek", "lastMonth", "monthToDate"] as const;
export type ReportRange = (typeof reportRanges)[number];

/** Weeks begin on Monday. Day 0 (1 Jan 1970) was a Thursday. */
const mondayOf = (day: number) => day - ((((day + 3) % 7) + 7) % 7);
const firstOfMonth = (day: number) => dayNumberOf(dateOf(day).with({ day: 1 }));

/** Whole days before `today`, because today is not complete yet. */
export function reportDays(range: ReportRange, today: number): DayRange {
  const yesterday = today - 1;
  switch (range) {
    case "yesterday":
      return { first: yesterday, last: yesterday };
    case "lastWeek":
      return { first: mondayOf(today) - 7, last: mondayOf(today) - 1 };
    case "lastMonth": {
      const last = firstOfMonth(today) - 1;
      return { first: firstOfMonth(last), last };
    }
    // On the first of a month, this is all of the month before.
    case "monthToDate":
      return { first: firstOfMonth(yesterday), last: yesterday };
  }
}
