// Tests the error band of a count at fixed instants: corrections, ends of records, unobserved time (OC-02).
import { expect, test } from "vitest";
import { createErrorBand } from "./band.rules.ts";

const minuteMs = 60_000;
type Step = { record: readonly [num: number, fromMin: number, toMin: number] } | { correctedMin: number };

function play(steps: readonly Step[]) {
  const band = createErrorBand(0);
  for (const step of steps) {
    if ("correctedMin" in step) band.anchor(step.correctedMin * minuteMs);
    else {
      const [num, startMs, endMs] = [step.record[0], step.record[1] * minuteMs, step.record[2] * minuteMs];
      band.counted({ num, startMs, endMs, in: 0, out: 0, knownMs: endMs - startMs, osd: 0, quality: 0 });
    }
  }
  return band;
}

test.each<[string, Step[], atMin: number, blind: number[], unknownMin: number]>([
  ["records that follow each other", [{ record: [1, 0, 15] }, { record: [1, 15, 30] }], 30, [], 0],
  ["a gap between two records", [{ record: [1, 0, 15] }, { record: [1, 20, 30] }], 30, [], 5],
  ["a gap since the reset", [{ record: [1, 5, 15] }], 15, [], 5],
  [
    "a correction at the end of a record",
    [{ record: [1, 0, 15] }, { correctedMin: 15 }, { record: [1, 15, 30] }],
    30,
    [],
    0,
  ],
  [
    "a gap that ends with a correction",
    [{ record: [1, 0, 15] }, { correctedMin: 40 }, { record: [1, 40, 45] }],
    45,
    [],
    0,
  ],
  [
    "a gap before and after a correction",
    [{ record: [1, 0, 15] }, { correctedMin: 20 }, { record: [1, 25, 30] }],
    30,
    [],
    5,
  ],
  [
    "a record that runs at a correction",
    [{ record: [1, 0, 15] }, { correctedMin: 20 }, { record: [1, 15, 30] }],
    30,
    [],
    0,
  ],
  ["a correction before any record", [{ correctedMin: 20 }, { record: [1, 20, 30] }], 30, [], 0],
  ["a gap between a correction and the first record", [{ correctedMin: 20 }, { record: [1, 25, 30] }], 30, [], 5],
  [
    "a gap that was over before a correction",
    [{ record: [1, 0, 15] }, { record: [1, 20, 30] }, { correctedMin: 30 }, { record: [1, 30, 45] }],
    45,
    [],
    0,
  ],
  [
    "the same correction twice",
    [{ record: [1, 0, 15] }, { correctedMin: 40 }, { correctedMin: 40 }, { record: [1, 40, 45] }],
    45,
    [],
    0,
  ],
  ["a blind sensor at the instant of a correction", [{ record: [1, 0, 15] }, { correctedMin: 20 }], 20, [1], 0],
  ["a blind sensor after a correction", [{ record: [1, 0, 15] }, { correctedMin: 20 }], 25, [1], 5],
  ["a blind sensor whose record ended after a correction", [{ record: [1, 0, 15] }, { correctedMin: 10 }], 20, [1], 5],
  ["a blind sensor at the end of its record", [{ record: [1, 0, 15] }], 15, [1], 0],
  ["two blind sensors, one without a record", [{ record: [1, 0, 15] }], 20, [1, 2], 25],
])("OC-02 unobserved time, with %s", (_, steps, atMin, blind, unknownMin) => {
  expect(play(steps).unknownMsAt(atMin * minuteMs, blind) / minuteMs).toBe(unknownMin);
});

// The width is twice the square root of 3 % of the passes, rounded up. Unobserved time is assumed to have the same rate of passes.
test.each<[passes: number, more: number, knownMin: number, blindMin: number, width: number]>([
  [0, 0, 10, 0, 0],
  [1, 0, 10, 0, 1],
  [8, 0, 10, 0, 1],
  [9, 0, 10, 0, 2],
  [8, 1, 10, 0, 2],
  [100, 0, 10, 0, 4],
  [10, 0, 10, 5, 2 + 5],
  [10, 0, 10, 10, 2 + 10],
  [10, 0, 5, 0, 2 + 10],
  // Without observed time, unobserved time can't be estimated.
  [10, 0, 0, 5, 2],
])(
  "OC-02 the band: %d passes and %d more, %d minutes seen, %d minutes blind give %d people",
  (passes, more, knownMin, blindMin, width) => {
    const band = createErrorBand(0);
    const toMs = 10 * minuteMs;
    band.counted({
      num: 1,
      startMs: 0,
      endMs: toMs,
      in: passes,
      out: 0,
      knownMs: knownMin * minuteMs,
      osd: 0,
      quality: 0,
    });
    expect(band.widthAt(toMs + blindMin * minuteMs, [1], more)).toBe(width);
  },
);

test("OC-02 a correction resets the error band", () => {
  const band = createErrorBand(0);
  const hundred = { num: 1, in: 60, out: 40, osd: 0, quality: 0, knownMs: 10 * minuteMs };
  band.counted({ ...hundred, startMs: 0, endMs: 10 * minuteMs });
  band.anchor(10 * minuteMs);
  expect(band.widthAt(10 * minuteMs, [], 0)).toBe(0);
  band.counted({ ...hundred, startMs: 10 * minuteMs, endMs: 20 * minuteMs });
  expect(band.widthAt(20 * minuteMs, [], 0)).toBe(4);
});
