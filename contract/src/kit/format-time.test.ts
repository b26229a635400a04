// Tests the formatting of times: in local zones, around clock changes, and in zones without a place name.
import { expect, test } from "vitest";
import { formatUtcDate, formatLocalTime } from "./format-time.ts";

test.each([
  ["2027-03-01T11:00:00Z", "Europe/Berlin", "1 Mar 2027, 12:00 (Berlin time)"],
  ["2027-03-28T00:59:00Z", "Europe/Berlin", "28 Mar 2027, 01:59 (Berlin time)"],
  ["2027-03-28T01:00:00Z", "Europe/Berlin", "28 Mar 2027, 03:00 (Berlin time)"],
  ["2027-03-01T23:30:00Z", "Asia/Kathmandu", "2 Mar 2027, 05:15 (Kathmandu time)"],
  ["2027-03-01T03:00:00Z", "America/Argentina/Buenos_Aires", "1 Mar 2027, 00:00 (Buenos Aires time)"],
  ["2027-03-01T11:00:00Z", "UTC", "1 Mar 2027, 11:00 (UTC)"],
  ["2027-03-01T11:00:00Z", "Etc/UTC", "1 Mar 2027, 11:00 (UTC)"],
  ["2027-03-01T11:00:00Z", "Etc/GMT-3", "1 Mar 2027, 14:00 (UTC+3)"],
  ["2027-03-01T11:00:00Z", "Etc/GMT+10", "1 Mar 2027, 01:00 (UTC-10)"],
])("%s in %s is %s", (instant, zone, words) => {
  expect(formatLocalTime(Date.parse(instant), zone)).toBe(words);
});

test("a date has no leading zero", () => {
  expect(formatUtcDate(Date.UTC(2026, 10, 5))).toBe("5 Nov 2026");
});
