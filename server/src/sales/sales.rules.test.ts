// Checks which entries of one list clash: the others never overlap, and none is refused without need.
import { hourMs } from "@psp/contract/kit/zone.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findClashes, type Period } from "./sales.rules.ts";

const period = (from: number, hours: number): Period => ({ startMs: from * hourMs, endMs: (from + hours) * hourMs });
const overlap = (a: Period, b: Period) => a.startMs < b.endMs && b.startMs < a.endMs;

/** Hours, parts of hours and days, around the first instant of UTC. */
const periods = fc.array(
  fc.oneof(
    fc.integer({ min: -60, max: 60 }).map((half) => period(half / 2, 1)),
    fc.integer({ min: -60, max: 60 }).map((half) => period(half / 2, 0.5)),
    fc
      .tuple(fc.integer({ min: -2, max: 2 }), fc.constantFrom(23, 24, 25))
      .map(([day, hours]) => period(day * 24 - 2, hours)),
  ),
  { maxLength: 60 },
);

describe("clashes of entries", () => {
  test("the entries that are not reported never overlap", () => {
    fc.assert(
      fc.property(periods, (entries) => {
        const reported = new Set(findClashes(entries).map(({ index }) => index));
        const rest = entries.filter((_, index) => !reported.has(index));
        for (const [index, one] of rest.entries())
          expect(rest.slice(index + 1).filter((other) => overlap(one, other))).toEqual([]);
      }),
    );
  });

  test("each reported entry is reported once, and overlaps an earlier one that is not reported", () => {
    fc.assert(
      fc.property(periods, (entries) => {
        const clashes = findClashes(entries);
        const reported = new Set(clashes.map(({ index }) => index));
        expect(clashes).toHaveLength(reported.size);
        for (const { index, other, isDuplicate } of clashes) {
          const [later, earlier] = [entries[index], entries[other]] as [Period, Period];
          expect([other < index, reported.has(other), overlap(later, earlier)]).toEqual([true, false, true]);
          expect(isDuplicate).toBe(later.startMs === earlier.startMs);
        }
      }),
    );
  });

  test("an hour, the same hour and their day: the first hour stays", () => {
    expect(findClashes([period(10, 1), period(10, 1), period(0, 24)])).toEqual([
      { index: 1, other: 0, isDuplicate: true },
      { index: 2, other: 0, isDuplicate: false },
    ]);
  });

  test("an hour, its day and another hour: only the day is refused", () => {
    expect(findClashes([period(10, 1), period(0, 24), period(12, 1)])).toEqual([
      { index: 1, other: 0, isDuplicate: false },
    ]);
  });
});
