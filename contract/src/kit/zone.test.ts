// Tests local time at fixed instants: around clock changes and midnight, and in skipped or repeated hours and days (DS-01).
import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds, seedOf } from "./rounds.testing.ts";
import { dayNumberOf, dateOf, hourMs, isZone, localIso, zoneOf } from "./zone.ts";
import { checkZone, zonesWithChanges } from "./zone.testing.ts";

const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
const iso = (ms: number) => new Date(ms).toISOString();

test.each([
  ["Europe/Berlin", "2026-03-29T00:59:59.999Z", "2026-03-29T01:59:59.999+01:00"],
  ["Europe/Berlin", "2026-03-29T01:00:00.000Z", "2026-03-29T03:00:00.000+02:00"],
  ["Europe/Berlin", "2026-10-25T00:59:59.999Z", "2026-10-25T02:59:59.999+02:00"],
  ["Europe/Berlin", "2026-10-25T01:00:00.000Z", "2026-10-25T02:00:00.000+01:00"],
  // The first lookup of this zone is exactly at a clock change.
  ["Europe/Vienna", "2026-10-25T01:00:00.000Z", "2026-10-25T02:00:00.000+01:00"],
  ["Europe/Vienna", "2026-10-25T00:59:59.999Z", "2026-10-25T02:59:59.999+02:00"],
  ["Australia/Lord_Howe", "2026-10-03T15:29:59.999Z", "2026-10-04T01:59:59.999+10:30"],
  ["Australia/Lord_Howe", "2026-10-03T15:30:00.000Z", "2026-10-04T02:30:00.000+11:00"],
  ["Australia/Lord_Howe", "2026-04-04T14:59:59.999Z", "2026-04-05T01:59:59.999+11:00"],
  ["Australia/Lord_Howe", "2026-04-04T15:00:00.000Z", "2026-04-05T01:30:00.000+10:30"],
  ["America/St_Johns", "2026-01-01T03:29:59.999Z", "2025-12-31T23:59:59.999-03:30"],
  ["America/St_Johns", "2026-01-01T03:30:00.000Z", "2026-01-01T00:00:00.000-03:30"],
  ["UTC", "2000-01-01T00:00:00.000Z", "2000-01-01T00:00:00.000+00:00"],
  ["Not/AZone", "2026-03-29T01:00:00.000Z", "2026-03-29T01:00:00.000+00:00"],
  [null, "2026-03-29T01:00:00.000Z", "2026-03-29T01:00:00.000+00:00"],
])("DS-01 in zone %s %s is %s", (zone, instant, local) => {
  expect(localIso(zoneOf(zone), at(instant))).toBe(local);
});

test("DS-01 an offset holds from one change of the clocks to the next", () => {
  expect(zoneOf("Europe/Berlin").spanAt(at("2026-03-29T01:00:00Z"))).toEqual({
    from: at("2026-03-29T01:00:00Z"),
    to: at("2026-10-25T01:00:00Z"),
    offsetMs: 7_200_000,
  });
  expect(zoneOf("Europe/Berlin").spanAt(at("2026-10-25T01:00:00Z"))).toEqual({
    from: at("2026-10-25T01:00:00Z"),
    to: at("2027-03-28T01:00:00Z"),
    offsetMs: 3_600_000,
  });
});

test.each([
  ["just before midnight", "Europe/Berlin", "2026-11-23T22:59:59.999Z", "2026-11-23"],
  ["at midnight", "Europe/Berlin", "2026-11-23T23:00:00.000Z", "2026-11-24"],
  ["at the start of a day of 23 hours", "Europe/Berlin", "2026-03-28T23:00:00.000Z", "2026-03-29"],
  ["at the end of a day of 23 hours", "Europe/Berlin", "2026-03-29T21:59:59.999Z", "2026-03-29"],
  ["after a day of 23 hours", "Europe/Berlin", "2026-03-29T22:00:00.000Z", "2026-03-30"],
  ["at the start of a day of 25 hours", "Europe/Berlin", "2026-10-24T22:00:00.000Z", "2026-10-25"],
  ["at the end of a day of 25 hours", "Europe/Berlin", "2026-10-25T22:59:59.999Z", "2026-10-25"],
  ["after a day of 25 hours", "Europe/Berlin", "2026-10-25T23:00:00.000Z", "2026-10-26"],
  ["just before a midnight that is skipped", "America/Sao_Paulo", "2018-11-04T02:59:59.999Z", "2018-11-03"],
  ["at one o'clock after it", "America/Sao_Paulo", "2018-11-04T03:00:00.000Z", "2018-11-04"],
  ["in the first hour before midnight of two", "America/Sao_Paulo", "2018-02-18T01:59:59.999Z", "2018-02-17"],
  ["in the second hour before midnight of two", "America/Sao_Paulo", "2018-02-18T02:00:00.000Z", "2018-02-17"],
  ["at the midnight after both", "America/Sao_Paulo", "2018-02-18T03:00:00.000Z", "2018-02-18"],
  // Clocks went back from 0:01 to 23:01, after the new day had begun, so the repeated hour belongs to the new day.
  ["just before a midnight that comes twice", "America/St_Johns", "2010-11-07T02:29:59.999Z", "2010-11-06"],
  ["at the first of both", "America/St_Johns", "2010-11-07T02:30:00.000Z", "2010-11-07"],
  ["at 23:01 between both", "America/St_Johns", "2010-11-07T02:31:00.000Z", "2010-11-07"],
  ["just before the second", "America/St_Johns", "2010-11-07T03:29:59.999Z", "2010-11-07"],
  ["at the second of both", "America/St_Johns", "2010-11-07T03:30:00.000Z", "2010-11-07"],
  ["just before a midnight that is skipped in spring", "Asia/Beirut", "2027-03-27T21:59:59.999Z", "2027-03-27"],
  ["at one o'clock after it in spring", "Asia/Beirut", "2027-03-27T22:00:00.000Z", "2027-03-28"],
  ["in the second hour before midnight of two in autumn", "Asia/Beirut", "2027-10-30T21:00:00.000Z", "2027-10-30"],
  ["at the midnight after both in autumn", "Asia/Beirut", "2027-10-30T22:00:00.000Z", "2027-10-31"],
  ["in the first hour after midnight of two", "America/Havana", "2027-11-07T04:00:00.000Z", "2027-11-07"],
  ["in the second hour after midnight of two", "America/Havana", "2027-11-07T05:00:00.000Z", "2027-11-07"],
  ["just before a midnight that is skipped in October", "America/Asuncion", "2023-10-01T03:59:59.999Z", "2023-09-30"],
  ["at one o'clock after it in October", "America/Asuncion", "2023-10-01T04:00:00.000Z", "2023-10-01"],
  ["when midnight becomes 23:00 again", "America/Asuncion", "2024-03-24T03:00:00.000Z", "2024-03-23"],
  ["just before a date that is skipped", "Pacific/Apia", "2011-12-30T09:59:59.999Z", "2011-12-29"],
  ["just after it", "Pacific/Apia", "2011-12-30T10:00:00.000Z", "2011-12-31"],
])("DS-01 the local day %s", (_, zone, instant, date) => {
  expect(dateOf(zoneOf(zone).dayAt(at(instant))).toString()).toBe(date);
});

test.each([
  ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z"],
  ["2026-03-30", "Europe/Berlin", "2026-03-29T22:00:00.000Z"],
  ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00.000Z"],
  ["2026-10-26", "Europe/Berlin", "2026-10-25T23:00:00.000Z"],
  ["2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00.000Z"],
  ["2010-11-07", "America/St_Johns", "2010-11-07T02:30:00.000Z"],
  ["2027-03-28", "Asia/Beirut", "2027-03-27T22:00:00.000Z"],
  ["2027-10-31", "Asia/Beirut", "2027-10-30T22:00:00.000Z"],
  ["2027-03-14", "America/Havana", "2027-03-14T05:00:00.000Z"],
  ["2027-11-07", "America/Havana", "2027-11-07T04:00:00.000Z"],
  ["2023-10-01", "America/Asuncion", "2023-10-01T04:00:00.000Z"],
  ["2024-03-24", "America/Asuncion", "2024-03-24T04:00:00.000Z"],
  ["2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00.000Z"],
  ["2011-12-31", "Pacific/Apia", "2011-12-30T10:00:00.000Z"],
])("DS-01 the day %s in %s starts at %s", (date, zone, instant) => {
  expect(iso(zoneOf(zone).dayStart(dayNumberOf(Temporal.PlainDate.from(date))))).toBe(instant);
});

test.each([
  ["a plain time", "Europe/Berlin", "2026-11-23T12:00", "2026-11-23T11:00:00.000Z"],
  ["a skipped time, an hour later", "Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:30:00.000Z"],
  ["the first skipped time", "Europe/Berlin", "2026-03-29T02:00", "2026-03-29T01:00:00.000Z"],
  ["a repeated time, the first one", "Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30:00.000Z"],
  ["the last repeated time", "Europe/Berlin", "2026-10-25T02:59", "2026-10-25T00:59:00.000Z"],
  ["the time after both", "Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00:00.000Z"],
  ["a time on a skipped date, a day later", "Pacific/Apia", "2011-12-30T07:00", "2011-12-30T17:00:00.000Z"],
])("DS-01 the instant of %s in %s: %s", (_, zone, local, instant) => {
  expect(iso(zoneOf(zone).instantOf(at(`${local}Z`)))).toBe(instant);
});

test("DS-01 null and unknown zones are UTC", () => {
  expect([zoneOf(null).name, zoneOf("Mars/Base").name, zoneOf("Europe/Berlin").name]).toEqual([
    "UTC",
    "UTC",
    "Europe/Berlin",
  ]);
  expect([isZone("Europe/Berlin"), isZone("Mars/Base"), isZone("")]).toEqual([true, false, false]);
});

test("DS-01 local times, days and their instants are those of Intl, around clock changes and anywhere else", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zonesWithChanges).map(zoneOf),
      fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2035, 0, 1) }),
      fc.integer({ min: -2 * hourMs, max: 2 * hourMs }),
      (zone, ms, distance) => {
        const { from: change } = zone.spanAt(ms);
        const near = Number.isFinite(change) ? [change - 1, change, change + distance] : [];
        for (const one of [ms, ...near]) checkZone(zone, one);
      },
    ),
    { seed: seedOf(1127), numRuns: rounds(40, 2000) },
  );
});
