// Tests which Monday's report is next, at 7:00 and just before, in the weeks of both clock changes.
import { dateOfDay } from "@psp/contract/counts/count-range.ts";
import { expect, test } from "vitest";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { dueMs, nextMonday, weekBefore } from "./monday.rules.ts";

const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds;

test.each([
  ["just before 7:00 on a Monday", "2027-03-08T05:59:59.999Z", "2027-03-08T06:00:00.000Z", "2027-03-01", "2027-03-07"],
  ["at 7:00 on a Monday", "2027-03-08T06:00:00.000Z", "2027-03-15T06:00:00.000Z", "2027-03-08", "2027-03-14"],
  ["at the end of a Sunday", "2027-03-07T22:59:59.999Z", "2027-03-08T06:00:00.000Z", "2027-03-01", "2027-03-07"],
  ["at the start of a Monday", "2027-03-07T23:00:00.000Z", "2027-03-08T06:00:00.000Z", "2027-03-01", "2027-03-07"],
  [
    "a week before the spring change",
    "2027-03-22T06:00:00.000Z",
    "2027-03-29T05:00:00.000Z",
    "2027-03-22",
    "2027-03-28",
  ],
  [
    "just before 7:00 after the spring change",
    "2027-03-29T04:59:59.999Z",
    "2027-03-29T05:00:00.000Z",
    "2027-03-22",
    "2027-03-28",
  ],
  [
    "at 7:00 after the spring change",
    "2027-03-29T05:00:00.000Z",
    "2027-04-05T05:00:00.000Z",
    "2027-03-29",
    "2027-04-04",
  ],
  [
    "just before 7:00 after the autumn change",
    "2027-11-01T05:59:59.999Z",
    "2027-11-01T06:00:00.000Z",
    "2027-10-25",
    "2027-10-31",
  ],
  [
    "at 7:00 after the autumn change",
    "2027-11-01T06:00:00.000Z",
    "2027-11-08T06:00:00.000Z",
    "2027-11-01",
    "2027-11-07",
  ],
])("switched on %s, the weekly report comes next", (_, now, due, first, last) => {
  const zone = zoneOf("Europe/Berlin");
  const monday = nextMonday(zone, at(now));
  expect(new Date(dueMs(zone, monday)).toISOString()).toBe(due);
  const week = weekBefore(monday);
  expect([dateOfDay(week.first), dateOfDay(week.last)]).toEqual([first, last]);
});
