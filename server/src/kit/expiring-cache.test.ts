// Tests that cached values expire and that their number is bounded.
import { expect, test } from "vitest";
import { createExpiringCache } from "./expiring-cache.ts";

test("a value expires after its time, and when the clock is set back", () => {
  const cache = createExpiringCache<number>({ max: 9, ttlMs: 100 });
  cache.set("a", 1, 1000);
  expect(cache.get("a", 1099)).toBe(1);
  expect(cache.get("a", 1100)).toBeUndefined();
  cache.set("a", 2, 1000);
  expect(cache.get("a", 999)).toBeUndefined();
});

test("the oldest values are dropped first; setting a value again makes it the newest", () => {
  const cache = createExpiringCache<number>({ max: 2, ttlMs: 100 });
  for (const [key, value] of [
    ["a", 1],
    ["b", 2],
    ["a", 3],
    ["c", 4],
  ] as const)
    cache.set(key, value, 0);
  expect(["a", "b", "c"].map((key) => cache.get(key, 0))).toEqual([3, undefined, 4]);
});
