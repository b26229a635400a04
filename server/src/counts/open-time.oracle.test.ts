// Compares the evaluation of opening hours with an oracle that looks at every minute (docs/rules/counts.md#completeness).
import { parseDay } from "@psp/contract/counts/count-range.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { dayNumberOf, zoneOf } from "@psp/contract/kit/zone.ts";
import { createOpeningDays, openMinutes } from "@psp/contract/opening/opening-calendar.ts";
import { type OpeningHours, openingHoursInput, weekdays } from "@psp/contract/opening/opening-hours.ts";
import { expect, test } from "vitest";
import { createHolidayNames } from "../opening/holidays.adapter.ts";
import { createOpenTime } from "../opening/open-time.rules.ts";
import { type Chance, createChance, pick } from "../testing/chance.ts";
import { createOracle, dayStart, plainDate } from "./open.oracle.testing.ts";
import { randomHours, zones } from "./open.shops.testing.ts";

const minute = 60_000;

const holidaysOf = ({ holidays }: OpeningHours) =>
  holidays ? createHolidayNames(holidays.country, holidays.region) : () => null;
const toOpeningDays = (hours: OpeningHours) => createOpeningDays(hours, holidaysOf(hours));

function oracleOf(zone: string, hours: OpeningHours) {
  const name = holidaysOf(hours);
  const isHoliday = (date: string) => name(parseDay(date) ?? 0) !== null;
  return createOracle({ zone, hours, isHoliday, stays: [], records: [], now: Infinity });
}

/** Days around a date, as local dates and instants. */
function daysAround(date: string, zone: string, days: number) {
  const first = plainDate(date).subtract({ days: Math.floor(days / 2) });
  return Array.from({ length: days }, (_, n) => first.add({ days: n })).map((one) => ({
    date: one,
    number: dayNumberOf(one),
    from: dayStart(one, zone),
    to: dayStart(one.add({ days: 1 }), zone),
  }));
}

/** Returns the instants at which the two disagree. */
function findDifferences(zone: string, date: string, hours: OpeningHours, chance: Chance): string[] {
  const oracle = oracleOf(zone, hours);
  const time = createOpenTime(zoneOf(zone), toOpeningDays(hours), () => {});
  const differences: string[] = [];
  const compare = (what: string, got: unknown, right: unknown) => {
    if (got !== right) differences.push(`${zone} ${what}: got ${String(got)}, right ${String(right)}`);
  };
  const days = daysAround(date, zone, 6);
  const [from, to] = [days[0]?.from ?? 0, days.at(-1)?.to ?? 0];
  let openMs = 0;
  for (let at = from; at < to; at += minute) {
    const isOpen = oracle.isOpen(at);
    const text = new Date(at).toISOString();
    compare(text, time.isOpen(at), isOpen);
    compare(`${text} + 59.999 s`, time.isOpen(at + minute - 1), isOpen);
    if (isOpen) openMs += minute;
  }
  compare("sum", time.msBetween(from, to), openMs);
  for (const day of days)
    compare(`${day.date.toString()} is closed`, time.isClosedDay(day.number), oracle.isClosed(day));
  for (let n = 0; n < 40; n += 1) {
    const start = from + chance.below(to - from);
    const part = { from: start, to: start + chance.below(pick([1, 1000, 3_600_000, 100_000_000], chance)) };
    compare(`open ms ${JSON.stringify(part)}`, time.msBetween(part.from, part.to), oracle.openMs(part));
  }
  return differences;
}

test("DS-01 opening hours agree with a look at every minute, in all zones", { timeout: 600_000 }, () => {
  const chance = createChance(seedOf(21));
  const differences: string[] = [];
  for (let round = 0; round < rounds(1, 100); round += 1)
    for (const { zone, dates } of zones) {
      const date = pick(dates, chance);
      const first = plainDate(date).subtract({ days: 3 }).toString();
      const last = plainDate(date).add({ days: 3 }).toString();
      differences.push(...findDifferences(zone, date, randomHours(chance, { first, last }), chance));
    }
  expect(differences.slice(0, 10)).toEqual([]);
});

test("DS-01 minutes of a calendar day agree with a look at every minute", () => {
  const chance = createChance(seedOf(22));
  for (let round = 0; round < rounds(10, 1000); round += 1) {
    const hours = randomHours(chance, { first: "2026-12-20", last: "2027-01-05" });
    const openingDay = toOpeningDays(hours);
    // In UTC, each day has all its minutes.
    const oracle = oracleOf("UTC", hours);
    for (const day of daysAround("2026-12-28", "UTC", 16)) {
      const ranges = openMinutes(openingDay(day.number), openingDay(day.number - 1));
      const got = Array.from({ length: 1440 }, (_, at) => ranges.some((range) => at >= range.from && at < range.to));
      const right = Array.from({ length: 1440 }, (_, at) => oracle.isOpen(day.from + at * minute));
      const wrong = got.findIndex((isOpen, at) => isOpen !== right[at]);
      expect(wrong, `${day.date.toString()} ${JSON.stringify(hours)}`).toBe(-1);
      // Sorted and merged, so that no minute is counted twice.
      expect(ranges.every((range, n) => range.from < range.to && range.from > (ranges[n - 1]?.to ?? -1))).toBe(true);
    }
  }
});

const daily = (...ranges: [string, string][]) =>
  openingHoursInput.parse({
    week: Object.fromEntries(weekdays.map((name) => [name, ranges.map(([from, to]) => ({ from, to }))])),
  });

const hour = 3_600_000;
test.for([
  ["a skipped hour does not exist", "Europe/Berlin", "2026-03-29", daily(["02:00", "03:00"]), 0],
  ["a range across a skipped hour is shorter", "Europe/Berlin", "2026-03-29", daily(["01:00", "05:00"]), 3 * hour],
  ["a repeated hour is open both times", "Europe/Berlin", "2026-10-25", daily(["02:00", "03:00"]), 2 * hour],
  ["a repeated half hour is open both times", "Australia/Lord_Howe", "2026-04-05", daily(["01:30", "02:00"]), hour],
  ["half of a skipped half hour is missing", "Australia/Lord_Howe", "2026-10-04", daily(["02:15", "02:45"]), hour / 4],
  ["a skipped midnight shortens the day", "Asia/Beirut", "2026-03-29", daily(["00:00", "24:00"]), 23 * hour],
  ["an hour repeated before midnight", "Asia/Beirut", "2026-10-24", daily(["23:00", "24:00"]), 2 * hour],
  ["an hour repeated after midnight", "America/Havana", "2026-11-01", daily(["00:00", "01:00"]), 2 * hour],
  ["the end of a night, after a repeated hour", "America/Havana", "2026-11-01", daily(["22:00", "01:00"]), 4 * hour],
  ["a day of 24 hours", "Asia/Kathmandu", "2026-02-01", daily(["00:00", "24:00"]), 24 * hour],
  ["two hours are skipped", "Antarctica/Troll", "2026-03-29", daily(["00:30", "03:30"]), hour],
  ["a day that the zone skips", "Pacific/Apia", "2011-12-30", daily(["00:00", "24:00"]), 0],
] as const)("DS-01 %s (%s)", ([, zone, date, hours, openMs]) => {
  const [day] = daysAround(date, zone, 1);
  const time = createOpenTime(zoneOf(zone), toOpeningDays(hours), () => {});
  expect(time.msBetween(day?.from ?? 0, day?.to ?? 0)).toBe(openMs);
  expect(oracleOf(zone, hours).openMs(day ?? { from: 0, to: 0 })).toBe(openMs);
});

test("DS-01 clocks that go back across midnight show ranges of both dates (America/St_Johns)", () => {
  // At 00:01 of November 7, clocks went back to 23:01 of November 6.
  const hours = daily(["00:00", "00:01"], ["23:30", "24:00"]);
  const time = createOpenTime(zoneOf("America/St_Johns"), toOpeningDays(hours), () => {});
  const oracle = oracleOf("America/St_Johns", hours);
  const change = Date.parse("2010-11-07T02:31:00Z");
  const at = (minutes: number) => change + minutes * minute;
  for (const [ms, isOpen] of [
    [at(-31), true],
    [at(-31) - 1, false],
    [at(-1), true],
    [at(0) - 1, true],
    [at(0), false],
    [at(29) - 1, false],
    [at(29), true],
    [at(59), true],
    [at(60) - 1, true],
    [at(60), false],
  ] as const) {
    expect(oracle.isOpen(ms), new Date(ms).toISOString()).toBe(isOpen);
    expect(time.isOpen(ms), new Date(ms).toISOString()).toBe(isOpen);
  }
});

test("DS-01 the local clock of the oracle agrees with Temporal", () => {
  const chance = createChance(seedOf(23));
  for (const { zone, dates } of zones)
    for (let n = 0; n < rounds(50, 2000); n += 1) {
      const ms = dayStart(plainDate(pick(dates, chance)), zone) + (chance.below(4000) - 2000) * minute;
      const {
        year,
        month,
        day,
        hour: hours,
        minute: minutes,
      } = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
      expect(oracleOf(zone, daily()).clock(ms)).toBe(Date.UTC(year, month - 1, day, hours, minutes) / minute);
    }
});
