// Tests the conversion of local days to instants, including clock changes (MO-04).
import { parseDay } from "@psp/contract/counts/count-range.ts";
import { expect, test } from "vitest";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { parseDayRange, toInstantRange } from "./zone-days.ts";

const startOf = (date: string, zone: string | null) =>
  new Date(zoneOf(zone).dayStart(parseDay(date) ?? 0)).toISOString();

test.each([
  ["2026-11-20", null, "2026-11-20T00:00:00.000Z"],
  ["2026-11-20", "Europe/Berlin", "2026-11-19T23:00:00.000Z"],
  ["2026-07-01", "Europe/Berlin", "2026-06-30T22:00:00.000Z"],
  ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z"],
  ["2026-03-30", "Europe/Berlin", "2026-03-29T22:00:00.000Z"],
  ["2026-10-26", "Europe/Berlin", "2026-10-25T23:00:00.000Z"],
  ["2026-11-20", "Asia/Kathmandu", "2026-11-19T18:15:00.000Z"],
  ["2026-11-20", "Pacific/Auckland", "2026-11-19T11:00:00.000Z"],
  // Clocks go forward at midnight, so the day begins at 1:00.
  ["2026-04-24", "Africa/Cairo", "2026-04-23T22:00:00.000Z"],
  ["2027-03-28", "Asia/Beirut", "2027-03-27T22:00:00.000Z"],
  ["2027-03-14", "America/Havana", "2027-03-14T05:00:00.000Z"],
  ["2023-10-01", "America/Asuncion", "2023-10-01T04:00:00.000Z"],
  // Clocks go back to 23:00, so midnight occurs twice.
  ["2027-10-31", "Asia/Beirut", "2027-10-30T22:00:00.000Z"],
  ["2027-11-07", "America/Havana", "2027-11-07T04:00:00.000Z"],
  ["2024-03-24", "America/Asuncion", "2024-03-24T04:00:00.000Z"],
  ["2026-11-20", "Nowhere/Never", "2026-11-20T00:00:00.000Z"],
])("MO-04 %s in %s begins at %s", (date, zone, at) => {
  expect(startOf(date, zone)).toBe(at);
});

test("MO-04 a range holds both of its days to their ends", () => {
  const days = parseDayRange("2026-03-28,2026-03-29");
  expect(days && toInstantRange(days, "Europe/Berlin")).toEqual({
    from: "2026-03-27T23:00:00.000Z",
    to: "2026-03-29T22:00:00.000Z",
  });
  for (const text of [
    "",
    "2026-03-28",
    "2026-03-29,2026-03-28",
    "2026-02-30,2026-03-01",
    "a,b",
    "1990-01-01,2026-01-01",
  ])
    expect(parseDayRange(text), text).toBeNull();
});
