// How many buckets there are, worked out, is how many there are when they are made.
import { accumulations } from "@psp/contract/datapoint/datapoint.api.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bucketsOf, countBuckets } from "./bucket.rules.ts";
import { hourMs, zoneOf } from "../count/zone.rules.ts";

test("DS-01 rows are counted as they are made, across changes of the clocks and cut periods", () => {
  // Half hours, clocks that change at midnight, and a zone that is two offsets away from where it was.
  const zones = ["UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Asia/Kathmandu", "Asia/Pyongyang"];
  const at = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2040, 0, 1) });
  const span = fc.oneof(fc.integer({ min: 0, max: 50 * hourMs }), fc.integer({ min: 0, max: 900 * 24 * hourMs }));
  const asked = fc.tuple(fc.constantFrom(...zones), fc.constantFrom(...accumulations), at, span);
  for (const [name, acc, from, length] of fc.sample(asked, { seed: 7, numRuns: 1500 })) {
    const range = { from, to: from + length };
    const made = [...bucketsOf(zoneOf(name), acc, range)].length;
    expect([name, acc, from, length, countBuckets(zoneOf(name), acc, range)]).toEqual([name, acc, from, length, made]);
  }
});
