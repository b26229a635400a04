// Tests that a count at the instant of a move belongs to the location at which it started (DS-01).
import { expect, test } from "vitest";
import { toIntervals, isCountedAt, type SensorAssignments } from "./location-counts.service.ts";
import type { Count } from "./pack.rules.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";

const zone = zoneOf("Europe/Berlin");
const where: SensorAssignments = new Map([
  [
    7,
    [
      { locationId: "here", fromMs: -Infinity, toMs: 1000, zone, hours: null },
      { locationId: "there", fromMs: 1000, toMs: 2000, zone, hours: null },
      { locationId: "here", fromMs: 3000, toMs: Infinity, zone, hours: null },
    ],
  ],
]);

test.each<[startMs: number, here: boolean, there: boolean]>([
  [-1_000_000, true, false],
  [999, true, false],
  [1000, false, true],
  [1999, false, true],
  [2000, false, false],
  [2999, false, false],
  [3000, true, false],
])("DS-01 what starts at %d belongs here: %s, there: %s", (startMs, here, there) => {
  expect([isCountedAt(where, 7, startMs, "here"), isCountedAt(where, 7, startMs, "there")]).toEqual([here, there]);
  expect(isCountedAt(where, 8, startMs, "here")).toBe(false);
});

function count(startMs: number, more: Partial<Count> = {}): Count {
  const counted = { in: 1, out: 0, osd: 0, quality: 0, ahead: false, classes: null };
  return { lineNo: 1, startMs, durationMs: 300, knownMs: 300, ...counted, ...more };
}
const spans = (counts: Count[], id: string) =>
  toIntervals(7, counts, id, where).map(({ startMs, endMs, in: ins }) => [startMs, endMs, ins]);

test.each<[string, Count[], here: number[][], there: number[][]]>([
  ["that runs at the move", [count(999)], [[999, 1299, 1]], []],
  ["that starts with the move", [count(1000)], [], [[1000, 1300, 1]]],
  ["of two lines", [count(0), count(0, { lineNo: 2, in: 4, durationMs: 400 })], [[0, 400, 5]], []],
  ["of a clock that ran ahead", [count(0, { ahead: true })], [], []],
  ["of two lines, one of them ahead", [count(0), count(0, { lineNo: 2, in: 4, ahead: true })], [[0, 300, 1]], []],
])("DS-01 a count %s", (_, counts, here, there) => {
  expect([spans(counts, "here"), spans(counts, "there")]).toEqual([here, there]);
});
