// Tests day ranges of counts: parsing, formatting, adjacent ranges and comparisons.
import { expect, test } from "vitest";
import {
  percentChange,
  comparisonShiftDays,
  completenessPercent,
  dateOfDay,
  endsToday,
  parseDay,
  defaultBucketSize,
  dayCount,
  adjacentRange,
  parseRange,
  presetDays,
  formatDayRange,
  presets,
} from "./count-range.ts";

const day = (date: string) => parseDay(date) ?? Number.NaN;
/** A Monday. */
const today = day("2026-11-23");
const newYearsDay = day("2026-01-01");
/** Days around the turn of a year and the leap day, and an ordinary Monday. */
const todays = ["2026-11-23", "2026-01-01", "2026-01-02", "2025-12-31", "2024-02-29", "2024-03-01"].map(day);
const lengths = [1, 2, 6, 7, 8, 28, 30, 31, 90, 364, 365, 366, 1000, 7306];
/** Ranges of many lengths that end between long ago and today. */
const ranges = (now: number) =>
  lengths.flatMap((length) =>
    [0, 1, 5, 6, 7, 29, 365, 5000].map((back) => ({ first: now - back - length + 1, last: now - back })),
  );
const written = ({ first, last }: { first: number; last: number }) => `${dateOfDay(first)},${dateOfDay(last)}`;

test.each([
  ["today", "2026-11-23", "2026-11-23"],
  ["yesterday", "2026-11-22", "2026-11-22"],
  ["last7days", "2026-11-17", "2026-11-23"],
  ["last30days", "2026-10-25", "2026-11-23"],
  ["thisYear", "2026-01-01", "2026-11-23"],
  ["lastWeek", "2026-11-16", "2026-11-22"],
  ["lastMonth", "2026-10-01", "2026-10-31"],
  ["monthToDate", "2026-11-01", "2026-11-23"],
  ["2026-10-01,2026-10-31", "2026-10-01", "2026-10-31"],
  ["2026-11-23,2026-11-23", "2026-11-23", "2026-11-23"],
])("the range %s is %s to %s", (text, first, last) => {
  expect(parseRange(text, today)).toEqual({ text, first: day(first), last: day(last) });
});

test.each([
  ["2026-01-01", "lastMonth", "2025-12-01", "2025-12-31"],
  ["2026-01-01", "lastWeek", "2025-12-22", "2025-12-28"],
  ["2026-01-01", "monthToDate", "2026-01-01", "2026-01-01"],
  ["2026-01-04", "lastWeek", "2025-12-22", "2025-12-28"],
  ["2026-01-05", "lastWeek", "2025-12-29", "2026-01-04"],
  ["2025-12-31", "lastMonth", "2025-11-01", "2025-11-30"],
  ["2025-12-31", "monthToDate", "2025-12-01", "2025-12-31"],
  ["2024-02-29", "lastMonth", "2024-01-01", "2024-01-31"],
  ["2024-02-29", "monthToDate", "2024-02-01", "2024-02-29"],
  ["2024-03-01", "lastMonth", "2024-02-01", "2024-02-29"],
  ["2024-03-31", "lastMonth", "2024-02-01", "2024-02-29"],
  ["2025-03-31", "lastMonth", "2025-02-01", "2025-02-28"],
  ["2024-03-01", "lastWeek", "2024-02-19", "2024-02-25"],
] as const)("on %s, %s is %s to %s", (now, preset, first, last) => {
  expect(presetDays(preset, day(now))).toEqual({ first: day(first), last: day(last) });
});

test.each([
  ["today", true],
  ["yesterday", false],
  ["last7days", true],
  ["last30days", true],
  ["thisYear", true],
  ["lastWeek", false],
  ["lastMonth", false],
  ["monthToDate", true],
  ["2026-11-01,2026-11-23", false],
])("whether %s ends on the current day is %s", (text, ends) => {
  expect(endsToday(text)).toBe(ends);
});

test.each([
  null,
  undefined,
  "",
  "tomorrow",
  "Today",
  "2026-11-23",
  "2026-11-23,",
  ",2026-11-23",
  "2026-11-24,2026-11-23",
  "2026-02-30,2026-03-01",
  "2026-2-3,2026-02-04",
  "2026-11-01,2026-11-02,2026-11-03",
  "2026-11-01 2026-11-02",
  "0000-00-00,2026-11-02",
  "1999-01-01,2026-11-23",
  "toString",
])("%j can't be read, and is today", (text) => {
  expect(parseRange(text, today)).toEqual({ text: "today", first: today, last: today });
});

test("20 years with their leap days can be looked at, a day more can't", () => {
  const last = day("2026-11-23");
  expect(parseRange(written({ first: last - 7305, last }), today).first).toBe(day("2006-11-23"));
  expect(parseRange(written({ first: last - 7306, last }), today).text).toBe("today");
});

test("what is written of days is read as the same days, a preset where one fits", () => {
  for (const now of todays) {
    for (const days of ranges(now)) {
      const text = formatDayRange(days, now);
      expect(parseRange(text, now)).toEqual({ text, ...days });
    }
    for (const preset of presets)
      expect(presetDays(formatDayRange(presetDays(preset, now), now) as "today", now)).toEqual(presetDays(preset, now));
  }
});

test.each([
  ["today", -1, "yesterday"],
  ["today", 1, null],
  ["yesterday", -1, "2026-11-21,2026-11-21"],
  ["yesterday", 1, "today"],
  ["2026-11-21,2026-11-21", 1, "yesterday"],
  ["last7days", -1, "2026-11-10,2026-11-16"],
  ["2026-11-10,2026-11-16", 1, "last7days"],
  ["last7days", 1, null],
  ["2026-11-15,2026-11-21", 1, "last7days"],
  ["2026-10-01,2026-10-31", -1, "2026-08-31,2026-09-30"],
  ["thisYear", -1, "2025-01-01,2025-12-31"],
  ["thisYear", 1, null],
  ["2025-01-01,2025-12-31", 1, "thisYear"],
  ["2025-01-01,2025-12-31", -1, "2024-01-01,2024-12-31"],
  ["2024-01-01,2024-12-31", 1, "2025-01-01,2025-12-31"],
  ["2026-11-20,2026-11-26", 1, null],
] as const)("from %s a step of %d leads to %s", (text, direction, next) => {
  expect(adjacentRange(parseRange(text, today), direction, today)).toBe(next);
});

test.each([
  ["today", -1, "yesterday"],
  ["2026-01-01,2026-01-01", -1, "yesterday"],
  ["thisYear", -1, "2025-01-01,2025-12-31"],
  ["2025-01-01,2025-12-31", 1, "thisYear"],
  ["yesterday", 1, "today"],
] as const)("on New Year's Day %s and a step of %d lead to %s", (text, direction, next) => {
  expect(adjacentRange(parseRange(text, newYearsDay), direction, newYearsDay)).toBe(next);
});

test("a step never leads beyond today or nowhere; back and on again is where one was", () => {
  for (const now of todays) {
    for (const days of ranges(now)) {
      const range = parseRange(formatDayRange(days, now), now);
      const before = parseRange(adjacentRange(range, -1, now), now);
      expect(before.last).toBeLessThan(range.first);
      const next = adjacentRange(range, 1, now);
      expect(next === null).toBe(range.last >= now);
      if (next !== null) {
        const after = parseRange(next, now);
        expect(after.last).toBeLessThanOrEqual(now);
        expect(after.last).toBeGreaterThan(range.last);
      }
      // Whole years are tested separately, because they step by calendar year.
      if (/^(\d{4})-01-01,\1-12-31$/.test(before.text)) continue;
      expect(parseRange(adjacentRange(before, 1, now), now)).toMatchObject({ first: days.first, last: days.last });
    }
  }
});

test("comparisons keep weekdays and lie wholly before the range, as near as they can", () => {
  for (const days of ranges(today)) {
    const shift = comparisonShiftDays(days, "previous");
    expect(shift % 7).toBe(0);
    expect(shift).toBeGreaterThanOrEqual(dayCount(days));
    expect(shift - 7).toBeLessThan(dayCount(days));
    expect(comparisonShiftDays(days, "year")).toBe(364);
  }
});

test.each([
  [1, "hour"],
  [2, "hour"],
  [3, "day"],
  [90, "day"],
  [91, "month"],
  [7306, "month"],
])("%d days are shown by %s", (length, step) => {
  expect(defaultBucketSize({ first: today - length + 1, last: today })).toBe(step);
});

test.each<[now: number | null, before: number | null, completeness: number | null, change: number | null]>([
  [108, 100, 1, 8],
  [100, 100, 1, 0],
  [999, 1000, 1, 0],
  [50, 100, 0.8, -50],
  [0, 100, 1, -100],
  [7, 3, 1, 133],
  [50, 100, 0.799, null],
  [50, 100, null, null],
  [null, 100, 1, null],
  [50, null, 1, null],
  [50, 0, 1, null],
  [0, 0, 1, null],
])("%s people after %s at %s known are a change of %s", (now, before, completeness, change) => {
  const sum = (people: number | null, known: number | null) => ({ in: people, out: people, completeness: known });
  for (const side of ["in", "out"] as const)
    expect(percentChange(sum(now, 1), sum(before, completeness), side)).toBe(change);
});

test("100 % is said only where nothing is missing", () => {
  expect([1, 0.999_99, 0.995, 0.96, 0.004, 0].map(completenessPercent)).toEqual([100, 99, 99, 96, 0, 0]);
});
