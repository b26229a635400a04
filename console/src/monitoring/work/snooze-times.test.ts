// Tests the ends of snoozes across clock changes and at their limits.
import { expect, test } from "vitest";
import { toSnoozeEnd } from "./snooze-times.ts";

const local = (year: number, month: number, day: number, hour: number) => new Date(year, month - 1, day, hour);

test("a snooze ends at eight in the morning, also after a clock change", () => {
  for (const now of [local(2026, 11, 28, 22), local(2027, 3, 27, 23), local(2026, 10, 24, 1), local(2026, 12, 31, 7)]) {
    const tomorrow = new Date(toSnoozeEnd("tomorrow", "", now) ?? 0);
    expect([tomorrow.getHours(), tomorrow.getMinutes()]).toEqual([8, 0]);
    expect(tomorrow.getDate()).toBe(new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getDate());
    expect(new Date(toSnoozeEnd("week", "", now) ?? 0).getHours()).toBe(8);
  }
});

test("a date must be in the future and at most a year ahead", () => {
  const now = local(2026, 11, 28, 9);
  expect(toSnoozeEnd("date", "2026-11-29", now)).toBe(local(2026, 11, 29, 8).toISOString());
  expect(toSnoozeEnd("date", "2027-11-28", now)).toBe(local(2027, 11, 28, 8).toISOString());
  for (const bad of ["", "2026-11-28", "2026-11-27", "2027-11-29", "0000-00-00"])
    expect(toSnoozeEnd("date", bad, now), bad).toBeUndefined();
  expect(toSnoozeEnd("end", "", now)).toBeNull();
});
