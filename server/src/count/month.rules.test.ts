// Tests the UTC months by which counts are packed.
import { expect, test } from "vitest";
import { utcMonth, utcMonthStart } from "./month.rules.ts";

const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString();

test.each([
  ["2026-02-28T23:59:59.999Z", 673, "2026-02-01T00:00:00.000Z"],
  ["2026-03-01T00:00:00.000Z", 674, "2026-03-01T00:00:00.000Z"],
  ["2025-12-31T23:59:59.999Z", 671, "2025-12-01T00:00:00.000Z"],
  ["2026-01-01T00:00:00.000Z", 672, "2026-01-01T00:00:00.000Z"],
  ["1970-01-01T00:00:00.000Z", 0, "1970-01-01T00:00:00.000Z"],
])("DS-01 counts of %s are packed in month %d", (instant, month, start) => {
  expect([utcMonth(at(instant)), iso(utcMonthStart(month))]).toEqual([month, start]);
});
