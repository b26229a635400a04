// Tests the numbers in sentences.
import { expect, test } from "vitest";
import { formatCount } from "./numbers.ts";

test("thousands are grouped, and only 1 is singular", () => {
  const sensors = [0, 1, 2, 1234].map((n) => formatCount(n, "sensor"));
  expect(sensors).toEqual(["0 sensors", "1 sensor", "2 sensors", "1,234 sensors"]);
  expect([1, 2].map((n) => formatCount(n, "entry", "entries"))).toEqual(["1 entry", "2 entries"]);
});
