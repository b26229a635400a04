// Tests every check at and beyond its thresholds, on days with clock changes, and at the limits of its windows (MO-02).
import { expect, test } from "vitest";
import { checkEvents, rebootWords } from "./events.rules.ts";
import { checkConnection, checkObstruction } from "./lasting.rules.ts";
import { checkPlausibility } from "./plausibility.rules.ts";
import { checkUptime } from "./uptime.rules.ts";

const at = (text: string) => Date.parse(text);
const dayMs = 86_400_000;

// A warning after one day out of contact, an error after two.
test.each([
  ["just now", "2026-11-24T12:00:00.000Z", "2026-11-24T12:00:00.000Z", "Ok"],
  ["for nearly a day", "2026-11-23T12:00:00.001Z", "2026-11-24T12:00:00.000Z", "Ok"],
  ["for a day", "2026-11-23T12:00:00.000Z", "2026-11-24T12:00:00.000Z", "Warning"],
  ["for nearly two days", "2026-11-22T12:00:00.001Z", "2026-11-24T12:00:00.000Z", "Warning"],
  ["for two days", "2026-11-22T12:00:00.000Z", "2026-11-24T12:00:00.000Z", "Error"],
  // In Berlin, noon to noon is 23 hours over the spring change and 25 hours over the autumn change.
  ["over the spring change, at the same local time", "2026-03-28T11:00:00.000Z", "2026-03-29T10:00:00.000Z", "Ok"],
  ["over the spring change, for 24 hours", "2026-03-28T11:00:00.000Z", "2026-03-29T11:00:00.000Z", "Warning"],
  ["over the autumn change, for nearly 24 hours", "2026-10-24T10:00:00.001Z", "2026-10-25T10:00:00.000Z", "Ok"],
  ["over the autumn change, for 24 hours", "2026-10-24T10:00:00.000Z", "2026-10-25T10:00:00.000Z", "Warning"],
])("MO-02 connection: out of contact %s", (_, since, now, status) => {
  const thresholds = { warningThreshold: 1, errorThreshold: 2 };
  expect(checkConnection(thresholds, at(since), at(now)).status).toBe(status);
});

test.each<[string, lastedMs: number, status: string, nextMs: number]>([
  ["at once", 0, "Warning", 3 * dayMs],
  ["for nearly three days", 3 * dayMs - 1, "Warning", 1],
  ["for three days", 3 * dayMs, "Error", Infinity],
])("MO-02 osd, a warning at once and an error after three days: covered %s", (_, lastedMs, status, nextMs) => {
  const now = at("2026-11-24T12:00:00Z");
  const thresholds = { warningThreshold: 0, errorThreshold: 3 };
  const verdict = checkObstruction(thresholds, { sinceMs: now - lastedMs, code: 1 }, now);
  expect([verdict.status, verdict.againAt - now]).toEqual([status, nextMs]);
});

test("MO-02 connection and osd: states that do not hold are Ok", () => {
  const thresholds = { warningThreshold: 1, errorThreshold: 2 };
  expect(checkConnection(thresholds, null, 0).status).toBe("Ok");
  expect(checkObstruction({ ...thresholds, warningThreshold: 0 }, null, 0).status).toBe("Ok");
});

type Slice = readonly [agoMs: number, count: number];
test.each<[string, warning: number, error: number, Slice[], status: string]>([
  ["none", 3, 5, [], "Ok"],
  ["one less than a warning takes", 3, 5, [[1000, 2]], "Ok"],
  [
    "as many as a warning takes",
    3,
    5,
    [
      [1000, 1],
      [2000, 2],
    ],
    "Warning",
  ],
  ["one less than an error takes", 3, 5, [[1000, 4]], "Warning"],
  [
    "as many as an error takes",
    3,
    5,
    [
      [1000, 2],
      [2000, 3],
    ],
    "Error",
  ],
  [
    "three, the oldest 24 hours ago",
    3,
    5,
    [
      [1000, 2],
      [dayMs, 1],
    ],
    "Warning",
  ],
  [
    "three, the oldest a millisecond before that",
    3,
    5,
    [
      [1000, 2],
      [dayMs + 1, 1],
    ],
    "Ok",
  ],
  [
    "three, the newest just now",
    3,
    5,
    [
      [0, 1],
      [1000, 2],
    ],
    "Warning",
  ],
  [
    "three, the newest in the future",
    3,
    5,
    [
      [-1, 1],
      [1000, 2],
    ],
    "Ok",
  ],
  ["none, with a threshold of 0", 0, 2, [[1000, 0]], "Ok"],
  ["one, with a threshold of 0", 0, 2, [[1000, 1]], "Warning"],
])("MO-02 reboots of the last 24 hours: %s", (_, warningThreshold, errorThreshold, slices, status) => {
  const now = at("2026-03-29T12:00:00Z");
  const found = slices.map(([agoMs, count]) => ({ startMs: now - agoMs, count }));
  expect(checkEvents({ warningThreshold, errorThreshold }, found, now, rebootWords).status).toBe(status);
});

const yesterday = 20_000;
/** Totals of the same weekday in earlier weeks, latest first; null if unknown. */
const before = (day: number, totals: readonly (number | null)[]) =>
  totals.flatMap((total, n) => (total === null ? [] : [[day - 7 * (n + 1), total] as const]));
const none = (n: number) => Array.from({ length: n }, () => null);
const check = (days: readonly (readonly [day: number, total: number])[], isClosed = (_day: number) => false) =>
  checkPlausibility(
    { warningThreshold: 1, errorThreshold: 2, filterWindowInWeeks: 12 },
    { totals: new Map(days), isClosed },
    yesterday,
    0,
  ).status;

// Quartiles 120 and 140: 120 - 3 · 20 to 140 + 3 · 20 is plausible.
const spread = [110, 120, 130, 140, 150];
test.each<[string, weeks: (number | null)[], total: number, status: string]>([
  ["at the lowest plausible number", spread, 60, "Ok"],
  ["one below it", spread, 59, "Warning"],
  ["at the highest plausible number", spread, 200, "Ok"],
  ["one above it", spread, 201, "Warning"],
  // Quartiles 17.5 and 32.5, interpolated: up to 77.5 is plausible.
  ["below a limit between two numbers", [10, 20, 30, 40], 77, "Ok"],
  ["above a limit between two numbers", [10, 20, 30, 40], 78, "Warning"],
  // Without spread, the plausible margin in either direction is a tenth of the median, but at least ten people.
  ["at the only number that there was", [1000, 1000, 1000, 1000], 1000, "Ok"],
  ["a tenth above it", [1000, 1000, 1000, 1000], 1100, "Ok"],
  ["more than a tenth above it", [1000, 1000, 1000, 1000], 1101, "Warning"],
  ["a tenth below it", [1000, 1000, 1000, 1000], 900, "Ok"],
  ["more than a tenth below it", [1000, 1000, 1000, 1000], 899, "Warning"],
  ["one above the same small number", [40, 40, 40, 40], 41, "Ok"],
  ["ten above it", [40, 40, 40, 40], 50, "Ok"],
  ["eleven above it", [40, 40, 40, 40], 51, "Warning"],
  ["ten below it", [40, 40, 40, 40], 30, "Ok"],
  ["eleven below it", [40, 40, 40, 40], 29, "Warning"],
  // Quartiles 99 and 102: three times the spread is nine, so the minimum of ten applies, from 89 to 112.
  ["at the end of a narrow spread", [98, 99, 100, 102, 103], 112, "Ok"],
  ["one beyond the end of a narrow spread", [98, 99, 100, 102, 103], 113, "Warning"],
  ["with a cleaner, where the others were closed", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 2, "Ok"],
  ["with ten people, where the others were closed", [0, 0, 0, 0], 10, "Ok"],
  ["with eleven people, where the others were closed", [0, 0, 0, 0], 11, "Warning"],
  ["zero, where the median is five", [0, 0, 5, 400, 400], 0, "Warning"],
  ["one, at the same median", [0, 0, 5, 400, 400], 1, "Ok"],
  ["zero, where the median is below five", [0, 0, 4, 400, 400], 0, "Ok"],
  ["zero, where a cleaner is usual", [2, 2, 2, 2], 0, "Ok"],
  ["zero, where the median is zero", [0, 0, 0, 400, 400], 0, "Ok"],
  ["zero, with three known days", [100, 100, 100], 0, "Ok"],
  ["zero, with four known days", [100, 100, 100, 100], 0, "Warning"],
  ["zero, with four known days at the end of the window", [...none(8), 100, 100, 100, 100], 0, "Warning"],
  ["zero, with one of the four beyond the window", [...none(9), 100, 100, 100, 100], 0, "Ok"],
])("MO-02 plausibility: a day %s", (_, weeks, total, status) => {
  expect(check([[yesterday, total], ...before(yesterday, weeks)])).toBe(status);
});

test.each<[string, weeks: number[], total: number, expected: string]>([
  ["more people than ever", [40, 40, 40, 40], 51, "51 people on 4 Oct 2024; 30–50 expected"],
  ["no people, at a median above the margin", [40, 40, 40, 40], 0, "0 people on 4 Oct 2024; 30–50 expected"],
  ["no people, within the margin", [5, 5, 5, 5], 0, "0 people on 4 Oct 2024; 1–15 expected"],
  ["one person, among thousands", [4000, 4000, 4000, 4000], 1, "1 person on 4 Oct 2024; 3,600–4,400 expected"],
])("MO-02 plausibility: a day with %s says what was expected", (_, weeks, total, expected) => {
  const thresholds = { warningThreshold: 1, errorThreshold: 2, filterWindowInWeeks: 12 };
  const days = new Map([[yesterday, total], ...before(yesterday, weeks)]);
  expect(checkPlausibility(thresholds, { totals: days, isClosed: () => false }, yesterday, 0).message).toBe(expected);
});

const usual = [100, 100, 100, 100];
test.each<[string, totals: (number | null)[], status: string]>([
  ["a plausible day after an implausible one", [100, 0], "Ok"],
  ["one day in a row", [0, 100], "Warning"],
  ["two days in a row", [0, 0], "Error"],
  ["three days in a row", [0, 0, 0], "Error"],
  ["two with an unknown day between them", [0, null, 0], "Warning"],
  ["an unknown day after two", [null, 0, 0], "Ok"],
])("MO-02 plausibility: %s", (_, totals, status) => {
  const days = totals.flatMap((total, n) => {
    const day = yesterday - n;
    return [...(total === null ? [] : [[day, total] as const]), ...before(day, usual)];
  });
  expect(check(days)).toBe(status);
});

test.each<[string, closed: number[], totals: (number | null)[], status: string]>([
  ["a closed yesterday: the day before is judged", [0], [null, 0], "Warning"],
  ["a closed day between two implausible ones", [1], [0, null, 0], "Error"],
  ["a closed day on which somebody was counted", [0], [0, 100], "Ok"],
  ["a closure of a month", Array.from({ length: 32 }, (_, n) => n), [...none(32), 0], "Ok"],
])("MO-02 plausibility skips closed days: %s", (_, closed, totals, status) => {
  const days = totals.flatMap((total, n) => {
    const day = yesterday - n;
    return [...(total === null ? [] : [[day, total] as const]), ...before(day, usual)];
  });
  expect(check(days, (day) => closed.includes(yesterday - day))).toBe(status);
});

const hours = 3600;
test.each<[string, seconds: number[], status: string]>([
  ["just as many hours as wanted", [5 * hours, 5 * hours, 5 * hours, 5 * hours, 5 * hours], "Ok"],
  ["a second less", [5 * hours, 5 * hours, 5 * hours, 5 * hours, 5 * hours - 1], "Warning"],
  ["days that make up for others", [0, 0, 24 * hours, 1 * hours, 0], "Ok"],
  ["one known day too few", [0, 0, 0, 0], "Ok"],
  ["none at all", [0, 0, 0, 0, 0], "Warning"],
  ["just as many hours as keep it from an error", Array.from({ length: 6 }, () => 3 * hours), "Warning"],
  ["a second less than those", [...Array.from({ length: 5 }, () => 3 * hours), 3 * hours - 1], "Error"],
  ["a bad day before those that count for a warning", [0, ...Array.from({ length: 5 }, () => 5 * hours)], "Ok"],
])("MO-02 uptime: %s", (_, seconds, status) => {
  const thresholds = { warningAverageTime: 5, warningRepeatingTime: 5, errorAverageTime: 3, errorRepeatingTime: 6 };
  const known = { first: yesterday - seconds.length + 1, last: yesterday };
  const byDay = new Map(seconds.map((value, n) => [known.first + n, value]));
  expect(checkUptime(thresholds, { known, seconds: byDay }, 0).status).toBe(status);
});

test("MO-02 uptime: a day without a slice is zero; without known days there is no verdict", () => {
  const thresholds = { warningAverageTime: 5, warningRepeatingTime: 2, errorAverageTime: 3, errorRepeatingTime: 3 };
  const seconds = new Map([[yesterday, 10 * hours - 1]]);
  const known = { first: yesterday - 1, last: yesterday };
  expect(checkUptime(thresholds, { known, seconds }, 0).status).toBe("Warning");
  expect(checkUptime(thresholds, { known, seconds: new Map([[yesterday, 10 * hours]]) }, 0).status).toBe("Ok");
  expect(checkUptime(thresholds, { known: null, seconds }, 0).status).toBe("Ok");
});
