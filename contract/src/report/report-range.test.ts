// The days that a report covers, seen from the day on which it is made (docs/rules/reports.md#range).
import { expect, test } from "vitest";
import { dateOfDay, parseDay } from "../counts/count-range.ts";
import { type ReportRange, reportDays } from "./report-range.ts";

test.each<[ReportRange, string, string, string]>([
  ["yesterday", "2027-01-01", "2026-12-31", "2026-12-31"],
  ["lastWeek", "2026-11-23", "2026-11-16", "2026-11-22"],
  ["lastWeek", "2026-11-22", "2026-11-09", "2026-11-15"],
  ["lastWeek", "2026-11-29", "2026-11-16", "2026-11-22"],
  ["lastMonth", "2027-03-01", "2027-02-01", "2027-02-28"],
  ["lastMonth", "2028-03-31", "2028-02-01", "2028-02-29"],
  ["lastMonth", "2027-01-15", "2026-12-01", "2026-12-31"],
  ["monthToDate", "2026-11-23", "2026-11-01", "2026-11-22"],
  ["monthToDate", "2026-11-02", "2026-11-01", "2026-11-01"],
  ["monthToDate", "2026-11-01", "2026-10-01", "2026-10-31"],
])("%s on %s is %s to %s", (range, today, first, last) => {
  const days = reportDays(range, parseDay(today) ?? 0);
  expect([dateOfDay(days.first), dateOfDay(days.last)]).toEqual([first, last]);
});
