// Tests when mails may be sent: at the midnights around active days and over both clock changes (MO-03).
import { weekDays } from "@psp/contract/monitoring/limits.ts";
import { expect, test } from "vitest";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { computeMailTime } from "./when.rules.ts";

const daysOf = (active: string) =>
  Object.fromEntries(weekDays.map((day) => [day, active.includes(day)])) as Record<(typeof weekDays)[number], boolean>;
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
  const when = computeMailTime(daysOf(active), zoneOf("Europe/Berlin"), at(now));
  expect(when && new Date(when.dueMs).toISOString()).toBe(due);
  expect(when?.isDeferred).toBe(due === null ? undefined : due !== now);
});

test.each([
  ["is skipped", "Asia/Beirut", "2027-03-27T12:00:00Z", "2027-03-27T22:00:00.000Z"],
  ["comes after two hours from 23:00 on", "Asia/Beirut", "2027-10-30T21:30:00Z", "2027-10-30T22:00:00.000Z"],
  ["is skipped", "America/Havana", "2027-03-13T12:00:00Z", "2027-03-14T05:00:00.000Z"],
  ["comes twice", "America/Havana", "2027-11-06T12:00:00Z", "2027-11-07T04:00:00.000Z"],
  ["becomes 23:00 again", "America/Asuncion", "2024-03-24T03:30:00Z", "2024-03-24T04:00:00.000Z"],
])("MO-03 a mail waits for a Sunday whose midnight %s: %s", (_, zone, now, due) => {
  const when = computeMailTime(daysOf("su"), zoneOf(zone), at(now));
  expect([when && new Date(when.dueMs).toISOString(), when?.isDeferred]).toEqual([due, true]);
});
