// Tests obstructed views at fixed instants: start and end of a record, repeated reports (OC-02).
import { expect, test } from "vitest";
import { findObstructedPeriods } from "./sight.rules.ts";

type Report = readonly [atMs: number, osd: number];
type Counted = readonly [startMs: number, endMs: number, osd: number];

test.each<[string, Report[], Counted[], [fromMs: number, toMs: number][]]>([
  ["nothing reported", [], [], []],
  ["a report that lasts", [[10, 1]], [], [[10, Infinity]]],
  [
    "a report and its end",
    [
      [10, 1],
      [20, 0],
    ],
    [],
    [[10, 20]],
  ],
  [
    "the same reports twice",
    [
      [10, 1],
      [10, 1],
      [20, 0],
      [20, 0],
    ],
    [],
    [[10, 20]],
  ],
  [
    "reports out of order",
    [
      [20, 0],
      [10, 1],
    ],
    [],
    [[10, 20]],
  ],
  [
    "another obstruction after the first",
    [
      [10, 1],
      [15, 3],
      [20, 0],
    ],
    [],
    [[10, 20]],
  ],
  ["a record, from its end on", [], [[0, 15, 1]], [[15, Infinity]]],
  [
    "the same record twice",
    [],
    [
      [0, 15, 1],
      [0, 15, 1],
      [15, 30, 0],
    ],
    [[15, 30]],
  ],
  ["a clear report at the start of the record", [[0, 0]], [[0, 15, 1]], []],
  ["a clear report just before its start", [[-1, 0]], [[0, 15, 1]], [[15, Infinity]]],
  ["a clear report at its end", [[15, 0]], [[0, 15, 1]], []],
  ["a clear report just after its end", [[16, 0]], [[0, 15, 1]], [[15, 16]]],
  ["a covering report within a clear record", [[10, 1]], [[0, 15, 0]], [[10, Infinity]]],
])("OC-02 a view is obstructed by %s", (_, reports, records, found) => {
  const said = reports.map(([atMs, osd]) => ({ num: 1, atMs, osd }));
  const counted = records.map(([startMs, endMs, osd]) => {
    return { num: 1, startMs, endMs, in: 0, out: 0, knownMs: endMs - startMs, osd, quality: 0 };
  });
  expect(findObstructedPeriods(1, said, counted).map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual(found);
});
