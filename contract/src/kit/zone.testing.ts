// Checks a time zone against Intl.DateTimeFormat, which shares no code with zone.ts.
import { expect } from "vitest";
import { dayMs, hourMs, type Zone } from "./zone.ts";

/** Zones with clock changes of half an hour, one hour, two hours or a whole day, across midnight, or without any. */
export const zonesWithChanges = [
  "Europe/Berlin",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "America/Sao_Paulo",
  "America/Havana",
  "America/Asuncion",
  "America/New_York",
  "Asia/Beirut",
  "Asia/Kathmandu",
  "Africa/Cairo",
  "Africa/Casablanca",
  "Antarctica/Troll",
  "Pacific/Apia",
  "UTC",
];

const minuteMs = 60_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Local time at an instant according to Intl, in ms since 1970 as if it were UTC. */
function shownAt(timeZone: string, ms: number): number {
  const two = "2-digit";
  const parts = {
    year: "numeric",
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
    hourCycle: "h23",
  } as const;
  const format = formats.getOrInsertComputed(timeZone, () => new Intl.DateTimeFormat("en", { ...parts, timeZone }));
  const found = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = found;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((ms % 1000) + 1000) % 1000);
}

/** Whether `isIt` is false for the local time of every minute in the three hours before an instant. */
function isFirst(timeZone: string, ms: number, isIt: (shown: number) => boolean): boolean {
  return Array.from({ length: 180 }, (_, n) => shownAt(timeZone, ms - (n + 1) * minuteMs)).every((one) => !isIt(one));
}

export function checkZone(zone: Zone, ms: number): void {
  const { name } = zone;
  const where = `${name} ${new Date(ms).toISOString()}`;
  const shown = shownAt(name, ms);
  expect(zone.localMs(ms), where).toBe(shown);

  const day = zone.dayAt(ms);
  const [start, end] = [zone.dayStart(day), zone.dayStart(day + 1)];
  expect(start <= ms && ms < end, where).toBe(true);
  expect(shownAt(name, start), where).toBeGreaterThanOrEqual(day * dayMs);
  expect(
    isFirst(name, start, (one) => one >= day * dayMs),
    where,
  ).toBe(true);

  const instant = zone.instantOf(shown);
  expect(shownAt(name, instant), where).toBe(shown);
  expect(instant <= ms && isFirst(name, instant, (one) => one === shown), where).toBe(true);

  // The local time one hour later may be skipped by a clock change.
  const wanted = shown + hourMs;
  const found = zone.instantOf(wanted);
  const late = shownAt(name, found) - wanted;
  const gap = shownAt(name, found) - found - (shownAt(name, found - 25 * hourMs) - (found - 25 * hourMs));
  if (late !== 0) expect(late, where).toBe(gap);
}
