// Evaluates opening hours by days, also against a minute-by-minute oracle (docs/rules/opening-hours.md#precedence).
import fc from "fast-check";
import { expect, test } from "vitest";
import { dateOfDay, parseDay } from "../counts/count-range.ts";
import { rounds, seedOf } from "../kit/rounds.testing.ts";
import { createOpeningDays, openMinutes, weekdayIndex } from "./opening-calendar.ts";
import { type OpeningHours, openingHoursInput, type OpenRange, type Weekday, weekdays } from "./opening-hours.ts";

const on = (...texts: string[]): OpenRange[] =>
  texts.map((text) => ({ from: text.split("-")[0] as string, to: text.split("-")[1] as string }));
const day = (date: string) => parseDay(date) ?? Number.NaN;
const christmas = (at: number) => (dateOfDay(at).endsWith("-12-25") ? "Christmas Day" : null);

test.each([
  ["1969-12-31", "we"],
  ["1970-01-01", "th"],
  ["2000-01-01", "sa"],
  ["2024-02-29", "th"],
  ["2026-11-30", "mo"],
  ["2099-12-31", "th"],
])("%s is the weekday %s", (date, weekday) => expect(weekdays[weekdayIndex(day(date))]).toBe(weekday));

test("an exception takes precedence over a holiday, and a holiday over the week", () => {
  const hours = openingHoursInput.parse({
    week: Object.fromEntries(weekdays.map((one) => [one, on("09:00-20:00")])),
    exceptions: [
      { date: "2024-12-25", hours: on("10:00-12:00") },
      { date: "2025-12-25", hours: null, name: "Moving" },
      { date: "2024-12-24", hours: [] },
    ],
    holidays: { country: "DE", closed: true },
  });
  const of = createOpeningDays(hours, christmas);
  expect(of(day("2024-12-23"))).toEqual({ source: "week", name: null, ranges: on("09:00-20:00") });
  expect(of(day("2024-12-24"))).toEqual({ source: "exception", name: null, ranges: [] });
  expect(of(day("2024-12-25"))).toEqual({ source: "exception", name: "Christmas Day", ranges: on("10:00-12:00") });
  expect(of(day("2025-12-25"))).toEqual({ source: "exception", name: "Moving", ranges: [] });
  expect(of(day("2026-12-25"))).toEqual({ source: "holiday", name: "Christmas Day", ranges: [] });
  const named = createOpeningDays({ ...hours, holidays: { country: "DE", region: null, closed: false } }, christmas);
  expect(named(day("2026-12-25"))).toEqual({ source: "week", name: "Christmas Day", ranges: on("09:00-20:00") });
  const without = createOpeningDays({ ...hours, holidays: null }, christmas);
  expect(without(day("2026-12-25")).name).toBeNull();
});

const opened = (...texts: string[]) => ({ source: "week" as const, name: null, ranges: on(...texts) });
test.each([
  ["closed", opened(), opened(), []],
  ["all day", opened("00:00-24:00"), opened(), [[0, 1440]]],
  ["the end of yesterday's range", opened(), opened("20:00-02:00"), [[0, 120]]],
  ["a range until midnight leaves nothing", opened(), opened("20:00-00:00", "10:00-24:00"), []],
  ["today's range over midnight ends with the day", opened("20:00-02:00"), opened(), [[1200, 1440]]],
  ["touching ranges are one", opened("12:00-18:00", "09:00-12:00"), opened(), [[540, 1080]]],
  ["yesterday's end touches", opened("02:00-04:00"), opened("20:00-02:00"), [[0, 240]]],
  ["yesterday's end overlaps an exception", opened("01:00-03:00"), opened("20:00-02:00"), [[0, 180]]],
  ["yesterday's end covers an exception", opened("01:00-02:00"), opened("20:00-03:00"), [[0, 180]]],
])("open minutes: %s", (_, today, yesterday, expected) =>
  expect(openMinutes(today, yesterday).map(({ from, to }) => [from, to])).toEqual(expected),
);

/** Compares texts of times instead of numbers, and dates instead of days. */
function oracleOf(hours: OpeningHours, holidays: ReadonlySet<string>, date: string): (time: string) => boolean {
  const before = new Date(`${date}T12:00:00Z`);
  before.setUTCDate(before.getUTCDate() - 1);
  const isOvernight = ({ from, to }: OpenRange) => to < from;
  const starting = rangesOn(hours, holidays, date);
  const spilling = rangesOn(hours, holidays, before.toISOString().slice(0, 10)).filter(isOvernight);
  return (time) =>
    starting.some((one) => time >= one.from && (isOvernight(one) || time < one.to)) ||
    spilling.some((one) => time < one.to);
}
function rangesOn({ week, exceptions, holidays: calendar }: OpeningHours, holidays: ReadonlySet<string>, date: string) {
  const exception = exceptions.find((one) => one.date === date);
  if (exception) return exception.hours;
  if (calendar?.closed && holidays.has(date)) return [];
  const weekday = ["su", "mo", "tu", "we", "th", "fr", "sa"][new Date(`${date}T12:00:00Z`).getUTCDay()] as Weekday;
  return week[weekday];
}

const start = day("2024-12-16");
const length = 21;
const two = (n: number) => String(n).padStart(2, "0");
const time = (minutes: number) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
const clock = Array.from({ length: 1440 }, (_, minute) => time(minute));
const boundary = fc.constantFrom(0, 1, 60, 719, 720, 1439);
const startTime = fc.oneof(boundary, fc.integer({ min: 0, max: 1439 })).map(time);
const endTime = fc.oneof(boundary, fc.constant(1440), fc.integer({ min: 0, max: 1440 })).map(time);
const ranges = fc.array(fc.record({ from: startTime, to: endTime }), { maxLength: 3 });
/** Ranges between sorted times never overlap each other; the last one may end after midnight. */
const separateRanges = fc
  .tuple(fc.uniqueArray(startTime, { maxLength: 6 }), fc.boolean())
  .map(([times, isOvernight]) => {
    const sorted = times.toSorted();
    const list = sorted.flatMap((from, n) =>
      n % 2 === 0 && sorted[n + 1] ? [{ from, to: sorted[n + 1] as string }] : [],
    );
    const from = sorted.length % 2 === 1 ? sorted.at(-1) : undefined;
    return from === undefined ? list : [...list, { from, to: isOvernight && from > "00:30" ? "00:30" : "24:00" }];
  });
const randomHours = fc.record({
  week: fc.record(Object.fromEntries(weekdays.map((one) => [one, fc.oneof(fc.constant([]), separateRanges)]))),
  exceptions: fc.uniqueArray(
    fc.record({ date: fc.integer({ min: start - 1, max: start + length }).map(dateOfDay), hours: separateRanges }),
    { selector: ({ date }) => date, maxLength: 6 },
  ),
  holidays: fc.option(fc.record({ country: fc.constant("DE"), closed: fc.boolean() })),
});
const randomHolidays = fc.array(fc.integer({ min: start - 1, max: start + length }).map(dateOfDay), { maxLength: 6 });

function compare(hours: OpeningHours, holidays: ReadonlySet<string>): void {
  const dayOf = createOpeningDays(hours, (at) => (holidays.has(dateOfDay(at)) ? "Holiday" : null));
  for (let at = start; at < start + length; at += 1) {
    const open = openMinutes(dayOf(at), dayOf(at - 1));
    const minutes = Array.from({ length: 1440 }, () => false);
    for (const { from, to } of open) minutes.fill(true, from, to);
    const isOpenAt = oracleOf(hours, holidays, dateOfDay(at));
    const wrong = clock.filter((text, minute) => minutes[minute] !== isOpenAt(text));
    expect(wrong, dateOfDay(at)).toEqual([]);
    // Sorted, separate and not empty.
    expect(open.every(({ from, to }, n) => from < to && from > (open[n - 1]?.to ?? -1))).toBe(true);
  }
}

test("open minutes equal an oracle that decides each minute from the texts of times", () => {
  let accepted = 0;
  fc.assert(
    fc.property(randomHours, randomHolidays, (input, holidays) => {
      const parsed = openingHoursInput.safeParse(input);
      if (!parsed.success) return;
      accepted += 1;
      compare(parsed.data, new Set(holidays));
    }),
    { numRuns: rounds(100, 5000), seed: seedOf(17) },
  );
  expect(accepted).toBeGreaterThan(50);
});

test("weeks that are refused for an overlap have a minute that two ranges open", () => {
  const week = (days: Partial<Record<Weekday, OpenRange[]>>) => openingHoursInput.safeParse({ week: days }).success;
  fc.assert(
    fc.property(ranges, ranges, (first, second) => {
      const days = { su: first, mo: second };
      if ([...first, ...second].some(({ from, to }) => from === to)) return;
      const uses = new Map<number, number>();
      const at = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
      for (const [offset, list] of [first, second].entries())
        for (const { from, to } of list)
          for (let m = at(from); m < (to > from ? at(to) : at(to) + 1440); m += 1)
            uses.set(offset * 1440 + m, (uses.get(offset * 1440 + m) ?? 0) + 1);
      expect(week(days)).toBe([...uses.values()].every((count) => count === 1));
    }),
    { numRuns: rounds(100, 5000), seed: seedOf(18) },
  );
});
