// Tests that axis ticks are at round local times, and label each day once, for any range and zone.
import { expect, test } from "vitest";
import { timeTicks } from "./time-ticks.ts";

const wordsOf = (from: string, to: string, zone: string | null) =>
  timeTicks(Date.parse(from), Date.parse(to), zone).map(({ time, day }) => [time, day].filter(Boolean).join(" "));

test.each<[string, string, string, string | null, string[]]>([
  [
    "a day from noon to noon",
    "2026-11-20T12:00:00Z",
    "2026-11-21T12:00:00Z",
    "Europe/Berlin",
    ["18:00 20 Nov", "00:00 21 Nov", "06:00", "12:00"],
  ],
  ["an hour", "2026-11-20T12:05:00Z", "2026-11-20T13:10:00Z", "UTC", ["12:15 20 Nov", "12:30", "12:45", "13:00"]],
  [
    "two days",
    "2026-11-20T12:00:00Z",
    "2026-11-22T12:00:00Z",
    null,
    ["12:00 20 Nov", "00:00 21 Nov", "12:00", "00:00 22 Nov", "12:00"],
  ],
  ["three days", "2026-11-20T12:00:00Z", "2026-11-23T12:00:00Z", "UTC", ["21 Nov", "22 Nov", "23 Nov"]],
  ["two weeks", "2026-11-01T12:00:00Z", "2026-11-15T12:00:00Z", "UTC", ["3 Nov", "6 Nov", "9 Nov", "12 Nov", "15 Nov"]],
  [
    "two years",
    "2024-11-20T12:00:00Z",
    "2026-11-20T12:00:00Z",
    "UTC",
    ["Mar 2025", "Jul 2025", "Dec 2025", "May 2026", "Oct 2026"],
  ],
  [
    "the night in which midnight comes twice",
    "2026-10-31T20:00:00Z",
    "2026-11-01T14:00:00Z",
    "America/Havana",
    ["18:00 31 Oct", "00:00 1 Nov", "05:00"],
  ],
  [
    "a zone that no browser knows",
    "2026-11-20T01:00:00Z",
    "2026-11-20T05:00:00Z",
    "Mars/One",
    ["01:00 20 Nov", "02:00", "03:00", "04:00", "05:00"],
  ],
])("MO-04 the axis of %s names each day once", (_, from, to, zone, expected) => {
  expect(wordsOf(from, to, zone)).toEqual(expected);
});

test("MO-04 no axis names a day twice or has more than six ticks", () => {
  const start = Date.parse("2026-10-24T07:20:00Z");
  for (const zone of ["Europe/Berlin", "Asia/Kolkata", "Africa/Cairo", "Pacific/Apia"])
    for (let hours = 1; hours < 24 * 1500; hours = Math.ceil(hours * 1.3)) {
      const ticks = timeTicks(start, start + hours * 3_600_000, zone);
      const days = ticks.flatMap(({ day }) => day ?? []);
      const about = `${zone}, ${hours} h`;
      expect(new Set(days).size, about).toBe(days.length);
      expect(ticks.length, about).toBeGreaterThan(0);
      expect(ticks.length, about).toBeLessThanOrEqual(6);
    }
});
