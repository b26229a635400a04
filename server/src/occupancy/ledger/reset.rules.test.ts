// Compares daily resets, in zones with clock changes, with the local times of Intl.DateTimeFormat (OC-02).
import { expect, test } from "vitest";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";
import { findResetsAround } from "./reset.rules.ts";

const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Cairo"];

const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
const iso = (ms: number) => new Date(ms).toISOString();
const stepMs = 5 * 60_000;
const dayMs = 86_400_000;

test.each([
  [
    "an ordinary day",
    "Europe/Berlin",
    6,
    0,
    "2026-11-24T12:00:00Z",
    "2026-11-24T05:00:00.000Z",
    "2026-11-25T05:00:00.000Z",
  ],
  [
    "just before it",
    "Europe/Berlin",
    6,
    0,
    "2026-11-24T04:59:59.999Z",
    "2026-11-23T05:00:00.000Z",
    "2026-11-24T05:00:00.000Z",
  ],
  ["at it", "Europe/Berlin", 6, 0, "2026-11-24T05:00:00Z", "2026-11-24T05:00:00.000Z", "2026-11-25T05:00:00.000Z"],
  [
    "a time that does not exist",
    "Europe/Berlin",
    2,
    30,
    "2026-03-29T12:00:00Z",
    "2026-03-29T01:30:00.000Z",
    "2026-03-30T00:30:00.000Z",
  ],
  [
    "a time that exists twice: the first",
    "Europe/Berlin",
    2,
    30,
    "2026-10-25T12:00:00Z",
    "2026-10-25T00:30:00.000Z",
    "2026-10-26T01:30:00.000Z",
  ],
  [
    "between both",
    "Europe/Berlin",
    2,
    30,
    "2026-10-25T01:00:00Z",
    "2026-10-25T00:30:00.000Z",
    "2026-10-26T01:30:00.000Z",
  ],
  [
    "the day without that time, just before it",
    "Europe/Berlin",
    2,
    30,
    "2026-03-29T01:29:59.999Z",
    "2026-03-28T01:30:00.000Z",
    "2026-03-29T01:30:00.000Z",
  ],
  [
    "the day without that time, at it",
    "Europe/Berlin",
    2,
    30,
    "2026-03-29T01:30:00Z",
    "2026-03-29T01:30:00.000Z",
    "2026-03-30T00:30:00.000Z",
  ],
  [
    "just before the first of both",
    "Europe/Berlin",
    2,
    30,
    "2026-10-25T00:29:59.999Z",
    "2026-10-24T00:30:00.000Z",
    "2026-10-25T00:30:00.000Z",
  ],
  [
    "at the first of both",
    "Europe/Berlin",
    2,
    30,
    "2026-10-25T00:30:00Z",
    "2026-10-25T00:30:00.000Z",
    "2026-10-26T01:30:00.000Z",
  ],
  [
    "at the second of both",
    "Europe/Berlin",
    2,
    30,
    "2026-10-25T01:30:00Z",
    "2026-10-25T00:30:00.000Z",
    "2026-10-26T01:30:00.000Z",
  ],
  [
    "midnight, the first time that can be set",
    "Europe/Berlin",
    0,
    0,
    "2026-11-23T23:00:00Z",
    "2026-11-23T23:00:00.000Z",
    "2026-11-24T23:00:00.000Z",
  ],
  [
    "23:55, the last time that can be set, just before it",
    "Europe/Berlin",
    23,
    55,
    "2026-11-24T22:54:59.999Z",
    "2026-11-23T22:55:00.000Z",
    "2026-11-24T22:55:00.000Z",
  ],
  [
    "clocks that change at midnight",
    "America/Sao_Paulo",
    0,
    0,
    "2018-11-04T12:00:00Z",
    "2018-11-04T03:00:00.000Z",
    "2018-11-05T02:00:00.000Z",
  ],
  [
    "a midnight that is skipped",
    "Asia/Beirut",
    0,
    0,
    "2027-03-27T21:59:59.999Z",
    "2027-03-26T22:00:00.000Z",
    "2027-03-27T22:00:00.000Z",
  ],
  [
    "the day after it",
    "Asia/Beirut",
    0,
    0,
    "2027-03-27T22:00:00Z",
    "2027-03-27T22:00:00.000Z",
    "2027-03-28T21:00:00.000Z",
  ],
  [
    "the last hour before midnight of two",
    "Asia/Beirut",
    23,
    30,
    "2027-10-30T21:45:00Z",
    "2027-10-30T20:30:00.000Z",
    "2027-10-31T21:30:00.000Z",
  ],
  [
    "the first hour after midnight of two",
    "America/Havana",
    0,
    30,
    "2027-11-07T05:45:00Z",
    "2027-11-07T04:30:00.000Z",
    "2027-11-08T05:30:00.000Z",
  ],
  [
    "a midnight that becomes 23:00 again",
    "America/Asuncion",
    0,
    0,
    "2024-03-24T03:30:00Z",
    "2024-03-23T03:00:00.000Z",
    "2024-03-24T04:00:00.000Z",
  ],
  [
    "clocks that change by half an hour",
    "Australia/Lord_Howe",
    2,
    15,
    "2026-10-04T03:00:00Z",
    "2026-10-03T15:45:00.000Z",
    "2026-10-04T15:15:00.000Z",
  ],
  [
    "a date that was skipped",
    "Pacific/Apia",
    0,
    0,
    "2011-12-30T20:00:00Z",
    "2011-12-30T10:00:00.000Z",
    "2011-12-31T10:00:00.000Z",
  ],
])("OC-02 the reset on %s", (_, zone, hour, minute, now, last, next) => {
  const found = findResetsAround(zone, { hour, minute }, at(now));
  expect([iso(found.lastMs), iso(found.nextMs)]).toEqual([last, next]);
});

test("OC-02 each local date has one reset, at the first instant with that local time if any", () => {
  for (const zone of everyNth(4, zones)) {
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
    const first = new Map<string, number>();
    const from = Date.UTC(2026, 2, 1);
    for (let ms = from; ms < from + 240 * dayMs; ms += stepMs) {
      const local = format.format(ms);
      if (!first.has(local)) first.set(local, ms);
    }
    for (const time of ["00:00", "01:30", "02:00", "02:15", "02:30", "03:00", "12:00", "23:55"]) {
      const [hour = 0, minute = 0] = time.split(":").map(Number);
      let ms = from + 2 * dayMs;
      for (let day = 0; day < 230; day += 1) {
        const { lastMs, nextMs } = findResetsAround(zone, { hour, minute }, ms);
        const date = format.format(nextMs).slice(0, 10);
        const wanted = first.get(`${date} ${time}`);
        // If clocks skip the local time on that date, the reset comes 24 hours after the last one.
        expect(iso(nextMs), `${zone} ${date} ${time}`).toBe(iso(wanted ?? lastMs + dayMs));
        expect(findResetsAround(zone, { hour, minute }, nextMs).lastMs).toBe(nextMs);
        expect(findResetsAround(zone, { hour, minute }, nextMs - 1)).toEqual({ lastMs, nextMs });
        ms = nextMs;
      }
    }
  }
});
