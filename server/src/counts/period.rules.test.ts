// Tests which part of an earlier period is compared with the current one, at the limits of a day and around both clock changes (DS-01).
import { parseDay } from "@psp/contract/counts/count-range.ts";
import { expect, test } from "vitest";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { computeEarlierPeriod } from "./period.rules.ts";

const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);
const day = (text: string) => parseDay(text) ?? Number.NaN;

test.each<[string, date: string, now: string, from: string, to: string]>([
  ["at noon of an ordinary day", "2026-11-24", "2026-11-24T11:00Z", "2026-11-16T23:00", "2026-11-17T11:00"],
  ["at its first instant", "2026-11-24", "2026-11-23T23:00Z", "2026-11-16T23:00", "2026-11-16T23:00"],
  ["just before it", "2026-11-24", "2026-11-23T22:59:59.999Z", "2026-11-16T23:00", "2026-11-17T23:00"],
  ["a minute before its end", "2026-11-24", "2026-11-24T22:59Z", "2026-11-16T23:00", "2026-11-17T22:59"],
  ["at its end", "2026-11-24", "2026-11-24T23:00Z", "2026-11-16T23:00", "2026-11-17T23:00"],
  ["at noon of the spring change", "2026-03-29", "2026-03-29T10:00Z", "2026-03-21T23:00", "2026-03-22T11:00"],
  ["at noon a week after the spring change", "2026-04-05", "2026-04-05T10:00Z", "2026-03-28T23:00", "2026-03-29T10:00"],
  ["at noon of the autumn change", "2026-10-25", "2026-10-25T11:00Z", "2026-10-17T22:00", "2026-10-18T10:00"],
  ["at noon a week after the autumn change", "2026-11-01", "2026-11-01T11:00Z", "2026-10-24T22:00", "2026-10-25T11:00"],
  [
    "at its end, a week after the autumn change",
    "2026-11-01",
    "2026-11-01T23:00Z",
    "2026-10-24T22:00",
    "2026-10-25T23:00",
  ],
])("DS-01 a day %s is compared with the same part of the week before", (_, date, now, from, to) => {
  const days = { first: day(date), last: day(date) };
  const { days: earlier, shift, part } = computeEarlierPeriod(zoneOf("Europe/Berlin"), days, "previous", at(now));
  expect([shift, earlier]).toEqual([7, { first: days.first - 7, last: days.last - 7 }]);
  expect([iso(part.from), iso(part.to)]).toEqual([from, to]);
});
