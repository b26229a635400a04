// When a mail may go out, at the midnights between active and other days and over both clock changes (MO-03).
import { weekDays } from "@psp/contract/monitoring/limits.ts";
import { expect, test } from "vitest";
import { zoneOf } from "../../count/zone.rules.ts";
import { whenToMail } from "./when.rules.ts";

const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds;

test.each<[string, active: string, now: string, due: string | null]>([
  ["in the last millisecond of Friday", "mo tu we th fr", "2027-03-05T22:59:59.999Z", "2027-03-05T22:59:59.999Z"],
  ["at the start of Saturday", "mo tu we th fr", "2027-03-05T23:00:00.000Z", "2027-03-07T23:00:00.000Z"],
  ["in the last millisecond of Sunday", "mo tu we th fr", "2027-03-07T22:59:59.999Z", "2027-03-07T23:00:00.000Z"],
  ["at the start of Monday", "mo tu we th fr", "2027-03-07T23:00:00.000Z", "2027-03-07T23:00:00.000Z"],
  [
    "on the Saturday before the spring change",
    "mo tu we th fr",
    "2027-03-27T12:00:00.000Z",
    "2027-03-28T22:00:00.000Z",
  ],
  [
    "on the Saturday before the autumn change",
    "mo tu we th fr",
    "2027-10-30T12:00:00.000Z",
    "2027-10-31T23:00:00.000Z",
  ],
  ["on Monday, when Monday alone is active", "mo", "2027-03-01T12:00:00.000Z", "2027-03-01T12:00:00.000Z"],
  ["on Monday, when Sunday alone is active", "su", "2027-03-01T12:00:00.000Z", "2027-03-06T23:00:00.000Z"],
  ["on Monday, when Tuesday alone is active", "tu", "2027-03-01T12:00:00.000Z", "2027-03-01T23:00:00.000Z"],
  ["when no day is active", "", "2027-03-01T12:00:00.000Z", null],
])("MO-03 a mail %s", (_, active, now, due) => {
  const days = Object.fromEntries(weekDays.map((day) => [day, active.includes(day)])) as Record<
    (typeof weekDays)[number],
    boolean
  >;
  const when = whenToMail(days, zoneOf("Europe/Berlin"), at(now));
  expect(when && new Date(when.dueMs).toISOString()).toBe(due);
  expect(when?.isDeferred).toBe(due === null ? undefined : due !== now);
});
