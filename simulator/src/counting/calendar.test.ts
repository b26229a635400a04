// Tests the dates of public holidays, and the seasons of a shop, a station and a library.
import { describe, expect, test } from "vitest";
import { dayAt, easterOf } from "./calendar.ts";

const number = (date: string): number => Date.parse(date) / 86_400_000;
const shopOn = (country: string, date: string) => dayAt("shop", country, number(date));

test.each([
  "2000-04-23",
  "2008-03-23",
  "2019-04-21",
  "2024-03-31",
  "2025-04-20",
  "2026-04-05",
  "2038-04-25",
  "2049-04-18",
])("Easter Sunday is %s", (date) => expect(easterOf(Number(date.slice(0, 4)))).toBe(number(date)));

test.each([
  ["Germany", ["2025-10-03", "2025-04-18", "2025-06-09", "2026-05-14", "2026-12-26"], ["2025-10-31", "2025-04-20"]],
  ["United States", ["2025-11-27", "2026-01-19", "2026-05-25", "2026-09-07"], ["2025-11-26", "2025-12-26"]],
  ["Ireland", ["2025-10-27", "2026-05-04"], ["2025-10-20"]],
  ["Japan", ["2026-01-12", "2026-10-12"], ["2026-01-05", "2026-12-25"]],
  ["Portugal", ["2026-06-04"], ["2026-06-05"]],
])("%s keeps its holidays and no others", (country, kept, others) => {
  for (const date of kept) expect(shopOn(country, date), date).toEqual({ isHoliday: true, factor: 0 });
  for (const date of others) expect(shopOn(country, date).isHoliday, date).toBe(false);
});

describe("the year", () => {
  test("shops fill up to Christmas, and are quieter in summer, whenever that is", () => {
    const factor = (country: string, date: string) => shopOn(country, date).factor;
    const advent = ["2025-11-26", "2025-12-02", "2025-12-12", "2025-12-23"].map((date) => factor("Germany", date));
    expect(advent).toEqual(advent.toSorted((a, b) => a - b));
    expect(advent.at(-1)).toBeGreaterThan(1.5);
    expect(factor("Germany", "2026-08-01")).toBeLessThan(0.9);
    expect(factor("Australia", "2026-08-01")).toBe(1);
    expect(factor("Australia", "2026-01-20")).toBeLessThan(0.9);
  });

  test("on a holiday a station keeps its Sunday hours, and a library is closed", () => {
    expect(dayAt("station", "Germany", number("2025-10-03"))).toEqual({ isHoliday: true, factor: 1 });
    expect(dayAt("library", "Germany", number("2025-10-03")).factor).toBe(0);
  });

  test("without a known country every day is an ordinary one", () => {
    for (const country of [undefined, "Atlantis"])
      expect(dayAt("shop", country, number("2025-12-25"))).toEqual({ isHoliday: false, factor: 1 });
  });
});
