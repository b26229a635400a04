// Due times against an oracle that looks at the wall clock every five minutes, in twelve zones with both clock changes.
import { expect, test } from "vitest";
import { zoneOf } from "../kit/zone.ts";
import { findLastDue, findNextDue, type Schedule, scheduleSchema } from "./schedule.ts";

const zones = [
  "Europe/Berlin",
  "Europe/London",
  "America/New_York",
  "America/St_Johns",
  "America/Santiago",
  "America/Los_Angeles",
  "Africa/Cairo",
  "Asia/Kathmandu",
  "Asia/Tokyo",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "UTC",
];
/** Both contain clock changes of the northern and the southern half of the world, and the ends of two months. */
const periods = [
  ["2027-02-20T00:00Z", "2027-05-02T00:00Z"],
  ["2027-08-25T00:00Z", "2027-11-12T00:00Z"],
] as const;
const stepMs = 300_000;

const schedules: Omit<Schedule, "zone">[] = [
  { every: "day", at: "00:00" },
  { every: "day", at: "02:15" },
  { every: "day", at: "02:30" },
  { every: "day", at: "07:00" },
  { every: "week", on: "su", at: "01:30" },
  { every: "week", on: "mo", at: "07:00" },
  { every: "month", on: 31, at: "23:55" },
  { every: "month", on: 28, at: "02:30" },
];

const weekdays = ["mo", "tu", "we", "th", "fr", "sa", "su"];

type LocalDate = Pick<Temporal.ZonedDateTime, "dayOfWeek" | "day" | "daysInMonth">;
function isWanted(schedule: Omit<Schedule, "zone">, at: LocalDate): boolean {
  if (schedule.every === "day") return true;
  if (schedule.every === "week") return weekdays[at.dayOfWeek - 1] === schedule.on;
  return at.day === Math.min(Number(schedule.on), at.daysInMonth);
}

/** The first moment of each wanted date at which the wall clock shows the time or a later one. */
function lookAtTheClock(name: string, from: number, to: number) {
  const seen: { ms: number; at: LocalDate; time: number; date: number }[] = [];
  // Clocks change at full quarters of an hour only.
  for (let quarter = from; quarter < to; quarter += 3 * stepMs) {
    const local = Temporal.Instant.fromEpochMilliseconds(quarter).toZonedDateTimeISO(name);
    const { hour, minute, month, day, dayOfWeek, daysInMonth } = local;
    for (let n = 0; n < 3; n += 1) {
      const time = hour * 60 + minute + n * 5;
      seen.push({ ms: quarter + n * stepMs, at: { dayOfWeek, day, daysInMonth }, time, date: month * 100 + day });
    }
  }
  return (schedule: Omit<Schedule, "zone">): number[] => {
    const [hour = 0, minute = 0] = schedule.at.split(":").map(Number);
    const due = new Map<number, number>();
    for (const { ms, at, time, date } of seen)
      if (time >= hour * 60 + minute && !due.has(date) && isWanted(schedule, at)) due.set(date, ms);
    // The first date may have begun before the period.
    const [first] = seen;
    return [...due.values()].filter((ms) => ms > (first?.ms ?? 0)).toSorted((a, b) => a - b);
  };
}

test.each(zones)("due times in %s are those of the wall clock, once in a repeated hour", (name) => {
  for (const [from, to] of periods) {
    const [begin, end] = [Temporal.Instant.from(from).epochMilliseconds, Temporal.Instant.from(to).epochMilliseconds];
    const dueTimes = lookAtTheClock(name, begin, end);
    for (const fields of schedules) {
      const schedule = { ...fields, zone: name } as Schedule;
      const expected = dueTimes(fields);
      const found: number[] = [];
      for (let at = findNextDue(schedule, zoneOf(name), begin); at < end; at = findNextDue(schedule, zoneOf(name), at))
        found.push(at);
      expect(found.map((ms) => new Date(ms).toISOString())).toEqual(expected.map((ms) => new Date(ms).toISOString()));
      for (const [index, ms] of found.entries()) {
        expect(findLastDue(schedule, zoneOf(name), ms)).toBe(ms);
        if (index > 0) expect(findLastDue(schedule, zoneOf(name), ms - 1)).toBe(found[index - 1]);
      }
    }
  }
});

test.each([
  ["2027-03-27T12:00:00Z", "02:30", "2027-03-28T01:00:00.000Z"],
  ["2027-10-30T12:00:00Z", "02:30", "2027-10-31T00:30:00.000Z"],
  ["2027-10-31T00:30:00Z", "02:30", "2027-11-01T01:30:00.000Z"],
])("after %s, %s in Berlin is %s", (after, at, due) => {
  const schedule: Schedule = { every: "day", at, zone: "Europe/Berlin" };
  expect(new Date(findNextDue(schedule, zoneOf("Europe/Berlin"), Date.parse(after))).toISOString()).toBe(due);
});

test.each<[object, boolean]>([
  [{ every: "day", at: "07:00", zone: "Europe/Berlin" }, true],
  [{ every: "day", on: null, at: "23:59", zone: null }, true],
  [{ every: "week", on: "mo", at: "00:00", zone: "utc" }, true],
  [{ every: "month", on: 31, at: "07:00", zone: "Asia/Kolkata" }, true],
  [{ every: "day", on: "mo", at: "07:00", zone: null }, false],
  [{ every: "week", at: "07:00", zone: null }, false],
  [{ every: "week", on: "monday", at: "07:00", zone: null }, false],
  [{ every: "month", on: 0, at: "07:00", zone: null }, false],
  [{ every: "month", on: 32, at: "07:00", zone: null }, false],
  [{ every: "month", on: 1.5, at: "07:00", zone: null }, false],
  [{ every: "day", at: "24:00", zone: null }, false],
  [{ every: "day", at: "7:00", zone: null }, false],
  [{ every: "day", at: "07:00", zone: "+01:00" }, false],
  [{ every: "day", at: "07:00", zone: "Moon/Crater" }, false],
  [{ every: "day", at: "07:00" }, false],
  [{ every: "year", at: "07:00", zone: null }, false],
  [{ every: "day", at: "07:00", zone: null, more: 1 }, false],
])("schedule %j is accepted: %s", (given, accepted) => {
  expect(scheduleSchema.safeParse(given).success).toBe(accepted);
});

test("a zone is kept in its usual spelling", () => {
  expect(scheduleSchema.parse({ every: "day", at: "07:00", zone: "europe/BERLIN" }).zone).toBe("Europe/Berlin");
});
