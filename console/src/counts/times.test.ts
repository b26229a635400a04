// Tests that chart axes label each day and hour once, also at clock changes.
import { expect, test } from "vitest";
import { toSlots } from "./times.ts";

const hoursOf = (starts: readonly string[]) =>
  starts.map((start) => ({
    start,
    end: start,
    startUTC: new Date(start).toISOString(),
    endUTC: new Date(start).toISOString(),
    in: 1,
    out: 1,
    completeness: 1,
    closed: false,
  }));
const local = (day: string, hours: readonly number[], offset: string) =>
  hours.map((hour) => `${day}T${String(hour).padStart(2, "0")}:00:00.000${offset}`);
const upTo = (last: number, first = 0) => Array.from({ length: last - first }, (_, index) => first + index);
const ticksOf = (first: string, last: string, starts: readonly string[]) =>
  toSlots({ by: "hour", now: "2027-01-01T00:00:00.000Z", first, last, rows: hoursOf(starts) }, null).flatMap(
    ({ tick }) => tick ?? [],
  );

test.each<[string, string, string, string[], string[]]>([
  [
    "a day whose midnight comes twice",
    "2026-11-01",
    "2026-11-02",
    [
      ...local("2026-11-01", [0], "-04:00"),
      ...local("2026-11-01", upTo(24), "-05:00"),
      ...local("2026-11-02", upTo(24), "-05:00"),
    ],
    [
      "1 Nov",
      "03:00",
      "06:00",
      "09:00",
      "12:00",
      "15:00",
      "18:00",
      "21:00",
      "2 Nov",
      "03:00",
      "06:00",
      "09:00",
      "12:00",
      "15:00",
      "18:00",
      "21:00",
    ],
  ],
  [
    "a week with such a day",
    "2026-10-31",
    "2026-11-02",
    [
      ...local("2026-10-31", upTo(24), "-04:00"),
      ...local("2026-11-01", [0], "-04:00"),
      ...local("2026-11-01", upTo(24), "-05:00"),
      ...local("2026-11-02", upTo(24), "-05:00"),
    ],
    ["31 Oct", "1 Nov", "2 Nov"],
  ],
  [
    "a day that begins at one",
    "2026-04-23",
    "2026-04-25",
    [
      ...local("2026-04-23", upTo(24), "+02:00"),
      ...local("2026-04-24", upTo(24, 1), "+03:00"),
      ...local("2026-04-25", upTo(24), "+03:00"),
    ],
    ["23 Apr", "24 Apr", "25 Apr"],
  ],
  [
    "a night with three o'clock twice",
    "2026-10-25",
    "2026-10-25",
    [...local("2026-10-25", upTo(4), "+03:00"), ...local("2026-10-25", upTo(24, 3), "+02:00")],
    ["00:00", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00"],
  ],
])("the axis of %s names each day and hour once", (_, first, last, starts, expected) => {
  expect(ticksOf(first, last, starts)).toEqual(expected);
});
