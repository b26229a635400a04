// Tests the limits of free-form JSON, and that validation stops as soon as one is exceeded.
import { expect, test } from "vitest";
import { isBoundedJson } from "./bounded-json.ts";

const nested = (depth: number): unknown => (depth === 0 ? 1 : { in: nested(depth - 1) });
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));

test.each([
  ["depth", nested(8), nested(9)],
  ["fields, with what holds them", fields(3999), fields(4000)],
  ["items, with what holds them", Array(3999).fill(0), Array(4000).fill(0)],
  ["parts in all", [fields(1998), fields(1999)], [fields(1999), fields(1999)]],
  ["a text", "a".repeat(4096), "a".repeat(4097)],
  ["a key", { ["k".repeat(64)]: 0 }, { ["k".repeat(65)]: 0 }],
])("ER-03 T-26 free JSON is bounded by %s", (_what, most, tooMuch) => {
  expect(isBoundedJson(most)).toBe(true);
  expect(isBoundedJson(tooMuch)).toBe(false);
});

test("ER-03 T-26 what follows the first part too many is not looked at", () => {
  let looks = 0;
  const wide = {};
  for (let n = 0; n < 10_000; n += 1)
    Object.defineProperty(wide, `k${n}`, { enumerable: true, get: () => (looks += 1) });
  expect(isBoundedJson(wide)).toBe(false);
  expect(looks).toBe(4000);
});
