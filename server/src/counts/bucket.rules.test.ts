// Tests buckets at clock changes, midnight, and ends of weeks, months and years. `countBuckets` must agree with them.
import { type AggregationPeriod, aggregationPeriods } from "@psp/contract/datapoint/datapoint.api.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { generateBuckets, countBuckets } from "./bucket.rules.ts";
import { hourMs, zoneOf } from "@psp/contract/kit/zone.ts";

test("DS-01 countBuckets agrees with the buckets, across clock changes and cut periods", () => {
  // Zones with half-hour offsets, clock changes at midnight, and a changed standard offset.
  const zones = ["UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Asia/Kathmandu", "Asia/Pyongyang"];
  const at = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2040, 0, 1) });
  const span = fc.oneof(fc.integer({ min: 0, max: 50 * hourMs }), fc.integer({ min: 0, max: 900 * 24 * hourMs }));
  const asked = fc.tuple(fc.constantFrom(...zones), fc.constantFrom(...aggregationPeriods), at, span);
  for (const [name, acc, from, length] of fc.sample(asked, { seed: 7, numRuns: 1500 })) {
    const range = { from, to: from + length };
    const made = [...generateBuckets(zoneOf(name), acc, range)].length;
    expect([name, acc, from, length, countBuckets(zoneOf(name), acc, range)]).toEqual([name, acc, from, length, made]);
  }
});

const ms = (text: string) => Temporal.Instant.from(text).epochMilliseconds;

test.each<[string, AggregationPeriod, zone: string, from: string, to: string, starts: string[]]>([
  [
    "the spring change",
    "hour",
    "Europe/Berlin",
    "2026-03-29T00:00Z",
    "2026-03-29T02:00Z",
    ["2026-03-29T00:00", "2026-03-29T01:00"],
  ],
  [
    "the autumn change",
    "hour",
    "Europe/Berlin",
    "2026-10-25T00:00Z",
    "2026-10-25T03:00Z",
    ["2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00"],
  ],
  [
    "a change forward by half an hour",
    "hour",
    "Australia/Lord_Howe",
    "2026-10-03T14:30Z",
    "2026-10-03T16:30Z",
    ["2026-10-03T14:30", "2026-10-03T15:30", "2026-10-03T16:00"],
  ],
  [
    "a change back by half an hour",
    "hour",
    "Australia/Lord_Howe",
    "2026-04-04T14:00Z",
    "2026-04-04T16:30Z",
    ["2026-04-04T14:00", "2026-04-04T15:00", "2026-04-04T15:30"],
  ],
  [
    "the end of an hour",
    "hour",
    "UTC",
    "2026-05-04T11:59:59.999Z",
    "2026-05-04T12:00:00.001Z",
    ["2026-05-04T11:59:59.999", "2026-05-04T12:00"],
  ],
  ["a whole hour", "hour", "UTC", "2026-05-04T11:00Z", "2026-05-04T12:00Z", ["2026-05-04T11:00"]],
  [
    "a day of 23 hours",
    "day",
    "Europe/Berlin",
    "2026-03-28T23:00Z",
    "2026-03-30T22:00Z",
    ["2026-03-28T23:00", "2026-03-29T22:00"],
  ],
  [
    "a day of 25 hours",
    "day",
    "Europe/Berlin",
    "2026-10-24T22:00Z",
    "2026-10-26T23:00Z",
    ["2026-10-24T22:00", "2026-10-25T23:00"],
  ],
  [
    "a midnight that is skipped",
    "day",
    "America/Sao_Paulo",
    "2018-11-04T02:59:59.999Z",
    "2018-11-04T03:00:00.001Z",
    ["2018-11-04T02:59:59.999", "2018-11-04T03:00"],
  ],
  [
    "a midnight",
    "day",
    "Europe/Berlin",
    "2026-11-23T22:59:59.999Z",
    "2026-11-23T23:00:00.001Z",
    ["2026-11-23T22:59:59.999", "2026-11-23T23:00"],
  ],
  [
    "the last millisecond of a day",
    "day",
    "Europe/Berlin",
    "2026-11-23T22:59:59.999Z",
    "2026-11-23T23:00Z",
    ["2026-11-23T22:59:59.999"],
  ],
  [
    "a Sunday's end",
    "week",
    "Europe/Berlin",
    "2026-11-22T22:59:59.999Z",
    "2026-11-22T23:00:00.001Z",
    ["2026-11-22T22:59:59.999", "2026-11-22T23:00"],
  ],
  [
    "a Monday's end",
    "week",
    "Europe/Berlin",
    "2026-11-23T22:59:59.999Z",
    "2026-11-23T23:00:00.001Z",
    ["2026-11-23T22:59:59.999"],
  ],
  [
    "the first week of a year that begins in the old one",
    "week",
    "UTC",
    "2024-12-29T00:00Z",
    "2025-01-06T00:00Z",
    ["2024-12-29T00:00", "2024-12-30T00:00"],
  ],
  [
    "the week of the spring change",
    "week",
    "Europe/Berlin",
    "2026-03-22T23:00Z",
    "2026-03-29T22:00:00.001Z",
    ["2026-03-22T23:00", "2026-03-29T22:00"],
  ],
  [
    "a February of a leap year",
    "month",
    "Europe/Berlin",
    "2024-01-31T23:00Z",
    "2024-02-29T23:00:00.001Z",
    ["2024-01-31T23:00", "2024-02-29T23:00"],
  ],
  [
    "a month's end",
    "month",
    "Europe/Berlin",
    "2026-10-31T22:59:59.999Z",
    "2026-10-31T23:00:00.001Z",
    ["2026-10-31T22:59:59.999", "2026-10-31T23:00"],
  ],
  [
    "a year's end",
    "year",
    "Europe/Berlin",
    "2025-12-31T22:59:59.999Z",
    "2025-12-31T23:00:00.001Z",
    ["2025-12-31T22:59:59.999", "2025-12-31T23:00"],
  ],
  [
    "a year's last millisecond",
    "year",
    "Europe/Berlin",
    "2025-12-31T22:59:59.999Z",
    "2025-12-31T23:00Z",
    ["2025-12-31T22:59:59.999"],
  ],
  [
    "all in one",
    "total",
    "Europe/Berlin",
    "2025-12-31T22:59:59.999Z",
    "2026-03-30T00:00Z",
    ["2025-12-31T22:59:59.999"],
  ],
  ["nothing", "hour", "Europe/Berlin", "2026-11-23T23:00Z", "2026-11-23T23:00Z", []],
  ["nothing in one", "total", "Europe/Berlin", "2026-11-23T23:00Z", "2026-11-23T23:00Z", []],
])("DS-01 %s: buckets by %s in %s", (_, acc, zone, from, to, starts) => {
  const range = { from: ms(from), to: ms(to) };
  const made = [...generateBuckets(zoneOf(zone), acc, range)];
  const wanted = starts.map((start) => ms(`${start}Z`));
  expect(made).toEqual(wanted.map((start, n) => ({ from: start, to: wanted[n + 1] ?? range.to })));
  expect(countBuckets(zoneOf(zone), acc, range)).toBe(starts.length);
});

test("DS-01 a date that the zone skipped has no bucket", () => {
  const range = { from: ms("2011-12-29T10:00Z"), to: ms("2011-12-31T10:00Z") };
  expect([...generateBuckets(zoneOf("Pacific/Apia"), "day", range)]).toEqual([
    { from: ms("2011-12-29T10:00Z"), to: ms("2011-12-30T10:00Z") },
    { from: ms("2011-12-30T10:00Z"), to: ms("2011-12-31T10:00Z") },
  ]);
});
