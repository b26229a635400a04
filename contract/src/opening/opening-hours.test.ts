// What opening hours may hold (docs/rules/opening-hours.md#schema).
import { expect, test } from "vitest";
import { dateOfDay } from "../counts/count-range.ts";
import { maxExceptions, maxRangesPerDay, openingHoursInput, openingHoursSchema } from "./opening-hours.ts";

const on = (...texts: string[]) =>
  texts.map((text) => ({ from: text.split("-")[0] as string, to: text.split("-")[1] as string }));
/** Path of the first issue, or null if the hours are accepted. */
function wrongAt(hours: unknown): string | null {
  const parsed = openingHoursInput.safeParse(hours);
  return parsed.success ? null : (parsed.error.issues[0]?.path.join(".") ?? "");
}
const monday = (...texts: string[]) => ({ week: { mo: on(...texts) } });

test.each([
  ["one range", ["09:00-20:00"], null],
  ["several ranges in any order", ["14:00-18:00", "09:00-12:00"], null],
  ["touching ranges", ["09:00-12:00", "12:00-18:00"], null],
  ["the whole day", ["00:00-24:00"], null],
  ["the whole day in two ranges", ["00:00-12:00", "12:00-24:00"], null],
  ["a range until midnight, written as 00:00", ["20:00-00:00"], null],
  ["a range over midnight beside one in the morning", ["22:00-02:00", "01:00-03:00"], null],
  ["almost a day over midnight", ["12:00-11:59"], null],
  ["the last minute", ["23:59-24:00"], null],
  ["overlapping by a minute", ["09:00-12:00", "11:59-18:00"], "week.mo.1"],
  ["the same range twice", ["09:00-12:00", "09:00-12:00"], "week.mo.1"],
  ["a range within another", ["10:00-11:00", "09:00-12:00"], "week.mo.1"],
  ["overlapping before midnight", ["22:00-02:00", "23:00-24:00"], "week.mo.1"],
  ["equal times", ["09:00-09:00"], "week.mo.0.to"],
  ["equal times at midnight", ["00:00-00:00"], "week.mo.0.to"],
  ["a start at 24:00", ["24:00-02:00"], "week.mo.0.from"],
  ["an end after 24:00", ["20:00-24:01"], "week.mo.0.to"],
  ["minute 60", ["09:60-10:00"], "week.mo.0.from"],
  ["a time without leading zero", ["9:00-10:00"], "week.mo.0.from"],
  ["a time with seconds", ["09:00:00-10:00"], "week.mo.0.from"],
  ["other digits", ["٠٩:٠٠-10:00"], "week.mo.0.from"],
  ["a line break after the time", ["09:00\n-10:00"], "week.mo.0.from"],
])("a day with %s", (_, ranges, wrong) => expect(wrongAt(monday(...ranges))).toBe(wrong));

test.each([
  ["touches the next day's first", { mo: on("20:00-02:00"), tu: on("02:00-04:00") }, null],
  ["overlaps the next day's", { mo: on("20:00-02:00"), tu: on("09:00-12:00", "01:59-04:00") }, "week.tu.1"],
  ["overlaps Monday's from Sunday", { su: on("20:00-02:00"), mo: on("00:00-04:00") }, "week.mo.0"],
  ["touches Monday's from Sunday", { su: on("20:00-02:00"), mo: on("02:00-04:00") }, null],
  ["ends at midnight before a full day", { mo: on("20:00-24:00"), tu: on("00:00-24:00") }, null],
  ["runs around the clock every day", { sa: on("06:00-05:59"), su: on("06:00-05:59"), mo: on("06:00-05:59") }, null],
])("a range over midnight that %s", (_, week, wrong) => expect(wrongAt({ week })).toBe(wrong));

test("a day has at most 10 ranges", () => {
  const ranges = (count: number) =>
    Array.from({ length: count }, (_, n) => `0${n}:00-0${n}:30`.replaceAll("010", "10"));
  expect(wrongAt(monday(...ranges(maxRangesPerDay)))).toBeNull();
  expect(wrongAt(monday(...ranges(maxRangesPerDay + 1)))).toBe("week.mo");
});

test("there are at most 200 exceptions, each with a date of its own", () => {
  const exceptions = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ date: dateOfDay(20_000 + n), hours: null }));
  expect(wrongAt({ week: {}, exceptions: exceptions(maxExceptions) })).toBeNull();
  expect(wrongAt({ week: {}, exceptions: exceptions(maxExceptions + 1) })).toBe("exceptions");
  expect(wrongAt({ week: {}, exceptions: [...exceptions(2), ...exceptions(1)] })).toBe("exceptions.2.date");
});

test.each([
  ["2000-01-01", true],
  ["2099-12-31", true],
  ["2024-02-29", true],
  ["1999-12-31", false],
  ["2100-01-01", false],
  ["2023-02-29", false],
  ["2024-2-29", false],
  ["+002024-02-29", false],
  ["2024-02-29T00:00", false],
])("an exception on %s is accepted: %s", (date, isAccepted) =>
  expect(wrongAt({ week: {}, exceptions: [{ date, hours: [] }] }) === null).toBe(isAccepted),
);

test.each([
  [{ country: "DE", closed: true }, null],
  [{ country: "DE", region: null, closed: false }, null],
  [{ country: "DE", region: "BY-A", closed: true }, null],
  [{ country: "de", closed: true }, "holidays.country"],
  [{ country: "DEU", closed: true }, "holidays.country"],
  [{ country: "DE", region: "", closed: true }, "holidays.region"],
  [{ country: "DE", region: "B E", closed: true }, "holidays.region"],
  [{ country: "DE", region: "B".repeat(41), closed: true }, "holidays.region"],
  [{ country: "DE" }, "holidays.closed"],
  [{ country: "DE", closed: "yes" }, "holidays.closed"],
  [[], "holidays"],
])("holidays %j", (holidays, wrong) => expect(wrongAt({ week: {}, holidays })).toBe(wrong));

test.each([
  [null],
  [[]],
  ["24/7"],
  [{}],
  [{ week: [] }],
  [{ week: { monday: [] } }],
  [{ week: { mo: "09:00-10:00" } }],
  [{ week: { mo: [["09:00", "10:00"]] } }],
  [{ week: { mo: [{ from: 9, to: 10 }] } }],
  [{ week: {}, exceptions: {} }],
  [{ week: {}, exceptions: [null] }],
  [{ week: {}, exceptions: [{ date: "2024-12-24" }] }],
  [{ week: {}, exceptions: [{ date: "2024-12-24", hours: null, name: "<script>" }] }],
  [{ week: {}, exceptions: [{ date: "2024-12-24", hours: null, name: "x".repeat(101) }] }],
  [{ week: {}, open: true }],
  [JSON.parse('{"week":{"__proto__":[]}}')],
])("other shapes are refused: %j", (hours) => expect(openingHoursInput.safeParse(hours).success).toBe(false));

test("hours are stored complete, with exceptions by date and closed days as empty lists", () => {
  const stored = openingHoursInput.parse({
    week: { mo: on("09:00-12:00"), tu: null },
    exceptions: [
      { date: "2024-12-26", hours: null, name: " Boxing Day " },
      { date: "2024-12-24", hours: on("09:00-12:00"), name: "" },
    ],
  });
  expect(stored).toEqual({
    week: { mo: on("09:00-12:00"), tu: [], we: [], th: [], fr: [], sa: [], su: [] },
    exceptions: [
      { date: "2024-12-24", hours: on("09:00-12:00"), name: null },
      { date: "2024-12-26", hours: [], name: "Boxing Day" },
    ],
    holidays: null,
  });
  expect(openingHoursSchema.parse(stored)).toEqual(stored);
  expect(openingHoursInput.parse(stored)).toEqual(stored);
});
