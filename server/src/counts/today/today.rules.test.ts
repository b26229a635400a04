// Tests which hours of a day have passed, and which locations changed most.
import { dayNumberOf, zoneOf } from "@psp/contract/kit/zone.ts";
import { expect, test } from "vitest";
import { createHoursOfDay } from "../file/steps.rules.ts";
import { countFullHours, createDayParts, findEnds, findSharedDay } from "./today.rules.ts";

const dayOf = (date: string) => dayNumberOf(Temporal.PlainDate.from(date));

test.each([
  ["Europe/Berlin", "2026-06-10", "2026-06-09T22:04:59Z", 0],
  ["Europe/Berlin", "2026-06-10", "2026-06-09T23:04:59Z", 0],
  ["Europe/Berlin", "2026-06-10", "2026-06-09T23:05:00Z", 1],
  ["Europe/Berlin", "2026-06-10", "2026-06-10T22:05:00Z", 24],
  ["Asia/Kathmandu", "2026-06-10", "2026-06-10T03:20:00Z", 9],
  // The hour from 2:00 is skipped.
  ["Europe/Berlin", "2026-03-29", "2026-03-29T01:04:00Z", 1],
  ["Europe/Berlin", "2026-03-29", "2026-03-29T01:05:00Z", 3],
  // The hour from 2:00 occurs twice.
  ["Europe/Berlin", "2026-10-25", "2026-10-25T00:30:00Z", 2],
  ["Europe/Berlin", "2026-10-25", "2026-10-25T01:30:00Z", 2],
  ["Europe/Berlin", "2026-10-25", "2026-10-25T02:05:00Z", 3],
])("in %s on %s, at %s %d full hours have passed", (zone, date, at, hours) => {
  expect(countFullHours(zoneOf(zone), dayOf(date), Date.parse(at))).toBe(hours);
});

const [berlin, dublin, tokyo, angeles] = ["Europe/Berlin", "Europe/Dublin", "Asia/Tokyo", "America/Los_Angeles"];

test.each<[string[], string, string, number[], string]>([
  [[berlin], "2026-06-10T09:30:00Z", "2026-06-10", [11], "2026-06-10T10:05:00.000Z"],
  [[berlin, berlin, dublin], "2026-06-10T09:30:00Z", "2026-06-10", [11, 11, 10], "2026-06-10T10:05:00.000Z"],
  [[berlin, dublin, dublin], "2026-06-10T09:30:00Z", "2026-06-10", [10, 10, 10], "2026-06-10T10:05:00.000Z"],
  // Exactly half of the locations have reached the hour.
  [[berlin, dublin], "2026-06-10T09:30:00Z", "2026-06-10", [11, 10], "2026-06-10T10:05:00.000Z"],
  // In Los Angeles it is still the day before, in Tokyo already the day after.
  [[berlin, tokyo, berlin, angeles], "2026-06-10T05:30:00Z", "2026-06-10", [7, 7, 7, 0], "2026-06-10T06:05:00.000Z"],
  [
    [berlin, tokyo, berlin, angeles],
    "2026-06-10T19:30:00Z",
    "2026-06-10",
    [21, 21, 21, 12],
    "2026-06-10T20:05:00.000Z",
  ],
  // The zone that is behind changes first.
  [
    [berlin, "Asia/Kolkata", "Asia/Kathmandu", tokyo, tokyo, tokyo],
    "2026-06-10T09:25:00Z",
    "2026-06-10",
    [11, 14, 15, 18, 18, 18],
    "2026-06-10T09:35:00.000Z",
  ],
  // A day ends, and the next one starts.
  [[berlin], "2026-06-10T21:30:00Z", "2026-06-10", [23], "2026-06-10T22:00:00.000Z"],
  [[berlin], "2026-06-10T22:00:00Z", "2026-06-11", [0], "2026-06-10T23:05:00.000Z"],
])("for %j at %s, the day %s is compared for %j hours, until %s", (names, at, date, hours, next) => {
  const zones = names.map(zoneOf);
  const shared = findSharedDay(zones, Date.parse(at));
  expect(shared?.day).toBe(dayOf(date));
  expect(zones.map((zone) => shared?.hoursIn(zone))).toEqual(hours);
  expect(shared?.hours).toBe(Math.max(...hours));
  expect(new Date(shared?.nextMs ?? 0).toISOString()).toBe(next);
});

test("without locations, no day is compared", () => {
  expect(findSharedDay([], 0)).toBeNull();
});

test.each([
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["America/St_Johns", "2026-03-08"],
  ["Australia/Lord_Howe", "2026-04-05"],
  // Clocks went back at midnight.
  ["America/Sao_Paulo", "2018-02-18"],
])("in %s on %s, each minute of the day belongs to one hour", (name, date) => {
  const zone = zoneOf(name);
  const day = dayOf(date);
  const range = createDayParts()(zone, day, 24);
  expect(range).toEqual({ from: zone.dayStart(day), to: zone.dayStart(day + 1) });
  const { hours, count } = createHoursOfDay(zone, day, range);
  expect(count).toBe(24);
  for (let ms = range.from; ms < range.to; ms += 60_000) {
    const spans = (hours ?? []).filter(({ from, to }) => ms >= from && ms < to);
    expect(spans).toHaveLength(1);
    const [{ base, firstHour, offsetMs } = { base: -1, firstHour: 0, offsetMs: 0 }] = spans;
    const hour = base + Math.floor((ms + offsetMs) / 3_600_000) - firstHour;
    const clock = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(name);
    expect(hour).toBe(clock.toPlainDate().toString() === date ? clock.hour : 0);
  }
});

const locations = (...changes: number[]) =>
  changes.map((change, n) => ({ _id: `${n}`, name: `Shop ${n + 1}`, change }));
const namesOf = (some: readonly { name: string }[]) => some.map(({ name }) => name);

test.each([
  [[], [], []],
  [[5], [], []],
  [[5, 9], ["Shop 2"], ["Shop 1"]],
  [[5, 9, -3], ["Shop 2"], ["Shop 3"]],
  [
    [1, 2, 3, 4, 5, 6, 7],
    ["Shop 7", "Shop 6", "Shop 5"],
    ["Shop 1", "Shop 2", "Shop 3"],
  ],
  [
    [0, 0, 0, 0],
    ["Shop 1", "Shop 2"],
    ["Shop 3", "Shop 4"],
  ],
])("of the changes %j the best are %j and the worst %j", (changes, best, worst) => {
  const ends = findEnds(locations(...changes));
  expect([namesOf(ends.best), namesOf(ends.worst)]).toEqual([best, worst]);
});
