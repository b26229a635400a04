// Tests local minutes in zones with odd offsets and on days with clock changes.
import { expect, test } from "vitest";
import { toInstant, toLocalMinute } from "./local-time.ts";

test.each([
  ["2026-11-20", "14:35", "Europe/Berlin", "2026-11-20T13:35:00.000Z"],
  ["2026-07-01", "00:00", "Europe/Berlin", "2026-06-30T22:00:00.000Z"],
  ["2026-03-29", "03:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
  ["2026-01-01", "05:45", "Asia/Kathmandu", "2026-01-01T00:00:00.000Z"],
  ["2026-01-01", "00:00", "Pacific/Auckland", "2025-12-31T11:00:00.000Z"],
  ["2026-11-01", "12:00", "America/St_Johns", "2026-11-01T15:30:00.000Z"],
])("%s %s in %s", (date, time, zone, expected) => {
  const ms = toInstant(date, time, zone);
  expect(new Date(ms).toISOString()).toBe(expected);
  expect(toLocalMinute(ms, zone)).toEqual({ date, time });
});

test("a text that is no minute has no instant", () => {
  expect(toInstant("", "14:35", "UTC")).toBeNaN();
  expect(toInstant("2026-11-20", "", "UTC")).toBeNaN();
  expect(toInstant("2026-13-40", "14:35", "UTC")).toBeNaN();
});
