// The count of a location at fixed instants: the reset, the ends of records, the maximum, outages, corrections, live flows
// (OC-02, ADR 0076). Times are milliseconds since the reset.
import { expect, test } from "vitest";
import {
  type Correction,
  type Flow,
  type Interval,
  type LedgerFacts,
  type Outage,
  replay,
  withFlows,
} from "./ledger.rules.ts";

const by = { id: "a", name: "Harbour Stores" };

const record = (num: number, startMs: number, endMs: number, ins: number, out = 0): Interval => {
  return { num, startMs, endMs, in: ins, out, knownMs: endMs - startMs, osd: 0, quality: 0 };
};
const corrected = (id: string, atMs: number, count: number, flows: Correction["flows"] = []): Correction => {
  return { id, atMs, count, note: null, by, flows };
};
const away = (num: number, fromMs: number, toMs: number, kind: Outage["kind"] = "offline"): Outage => {
  return { num, fromMs, toMs, kind };
};
const ledgerOf = (facts: Partial<LedgerFacts>) =>
  replay({
    sinceMs: 0,
    atMs: 1000,
    isPresent: false,
    counting: [1, 2],
    present: [1, 2],
    intervals: [],
    corrections: [],
    outages: [],
    limits: [{ fromMs: -Infinity, runs: true, max: 5 }],
    ...facts,
  });
const shownOf = (facts: Partial<LedgerFacts>, flows: Flow[] = []) => withFlows(ledgerOf(facts), flows).shown;

test.each<[string, startMs: number, endMs: number, isPresent: boolean, count: number]>([
  ["that ends just before the reset", -300, -1, false, 0],
  ["that ends with the reset", -300, 0, false, 0],
  ["that ends just after the reset", -300, 1, false, 4],
  ["that starts with the reset", 0, 300, false, 4],
  ["that ends at the instant asked about", 700, 1000, false, 4],
  ["that ends just after the instant asked about", 701, 1001, false, 0],
  ["that ends in a moment, asked now", 701, 1001, true, 4],
])("OC-02 a record %s", (_, startMs, endMs, isPresent, count) => {
  expect(shownOf({ isPresent, intervals: [record(1, startMs, endMs, 4)] }).count).toBe(count);
});

test.each<[string, endMs: number, count: number]>([
  ["just before the other", 599, 1],
  ["at the same instant", 600, 1],
  ["just after the other", 601, 12],
])("OC-02 nine inside, twenty leave, and twelve enter in a record that ends %s", (_, endMs, count) => {
  const intervals = [record(1, 0, 300, 9), record(1, 300, 600, 0, 20), record(2, 300, endMs, 12)];
  expect(shownOf({ intervals }).count).toBe(count);
  expect(shownOf({ intervals: intervals.toReversed() }).count).toBe(count);
});

test.each<[max: number, inside: number, state: string]>([
  [1, 0, "opened"],
  [1, 1, "closed"],
  [5, 4, "opened"],
  [5, 5, "closed"],
  [5, 6, "closed"],
])("OC-02 with at most %d people and %d inside the light is %s", (max, inside, state) => {
  const limits = [{ fromMs: -Infinity, runs: true, max }];
  expect(shownOf({ limits, intervals: [record(1, 0, 300, inside)] }).state).toBe(state);
  const flow = { num: 1, sinceMs: 0, receivedMs: 200, in: inside, out: 0 };
  expect(shownOf({ limits }, [flow]).state).toBe(state);
});

test.each<[string, changeMs: number, max: number, state: string]>([
  ["just before the instant asked about", 999, 4, "closed"],
  ["at the instant asked about", 1000, 4, "closed"],
  ["just after it", 1001, 5, "opened"],
])("OC-02 four people, and the maximum falls from five to four %s", (_, changeMs, max, state) => {
  const limits = [
    { fromMs: -Infinity, runs: true, max: 5 },
    { fromMs: changeMs, runs: true, max: 4 },
  ];
  expect(shownOf({ limits, intervals: [record(1, 0, 300, 4)] })).toMatchObject({ count: 4, max, state });
});

test.each<[string, Outage[], state: string]>([
  ["one of two sensors is away", [away(1, 500, Infinity)], "opened"],
  ["both are away since just now", [away(1, 500, Infinity), away(2, 1000, Infinity)], "unknown"],
  ["the second leaves in a moment", [away(1, 500, Infinity), away(2, 1001, Infinity)], "opened"],
  ["one comes back just now", [away(1, 500, 1000), away(2, 500, Infinity)], "opened"],
  ["one comes back in a moment", [away(1, 500, 1001), away(2, 500, Infinity)], "unknown"],
  ["one came back with the reset", [away(1, -500, 0), away(2, -500, Infinity)], "opened"],
  [
    "one is away since before the reset, one since the reset",
    [away(1, -500, Infinity), away(2, 0, Infinity)],
    "unknown",
  ],
  [
    "one has two reasons, and one of them has ended",
    [away(1, 0, 2000), away(1, 100, 900, "obstructed"), away(2, 0, 2000)],
    "unknown",
  ],
  [
    "one has two reasons, and both have ended",
    [away(1, 0, 900), away(1, 100, 900, "obstructed"), away(2, 0, 2000)],
    "opened",
  ],
])("OC-02 the light when %s", (_, outages, state) => {
  expect(shownOf({ outages }).state).toBe(state);
});

test.each<[string, Correction[], count: number]>([
  ["just before the reset", [corrected("a", -1, 7)], 4],
  ["at the reset", [corrected("a", 0, 7)], 11],
  ["just before the end of the record", [corrected("a", 299, 7)], 11],
  ["just before its end, three of them counted", [corrected("a", 299, 7, [{ num: 1, sinceMs: 0, in: 3, out: 0 }])], 8],
  ["at the end of the record", [corrected("a", 300, 7)], 7],
  ["at the instant asked about", [corrected("a", 1000, 7)], 7],
  ["just after the instant asked about", [corrected("a", 1001, 7)], 4],
  ["twice at one instant: the later one", [corrected("b", 600, 9), corrected("a", 600, 7)], 9],
  ["to the same number twice", [corrected("a", 600, 7), corrected("b", 700, 7)], 7],
])("OC-02 four people enter, and the count is corrected %s", (_, corrections, count) => {
  expect(shownOf({ corrections, intervals: [record(1, 0, 300, 4)] }).count).toBe(count);
});

test.each<[string, Flow, count: number]>([
  ["since the last record", { num: 1, sinceMs: 300, receivedMs: 400, in: 2, out: 0 }, 6],
  ["since just before its end: the record has them", { num: 1, sinceMs: 299, receivedMs: 400, in: 2, out: 0 }, 4],
  ["of a sensor without a record", { num: 2, sinceMs: 0, receivedMs: 1, in: 2, out: 0 }, 6],
  ["reported with the reset", { num: 2, sinceMs: -300, receivedMs: 0, in: 2, out: 0 }, 4],
  ["reported just after the reset", { num: 2, sinceMs: -300, receivedMs: 1, in: 2, out: 0 }, 6],
  ["of a sensor that does not count here", { num: 3, sinceMs: 300, receivedMs: 400, in: 2, out: 0 }, 4],
  ["that leave, all of them", { num: 1, sinceMs: 300, receivedMs: 400, in: 0, out: 4 }, 0],
  ["that leave, one more than were inside", { num: 1, sinceMs: 300, receivedMs: 400, in: 0, out: 5 }, 0],
])("OC-02 four people inside, and people %s", (_, flow, count) => {
  expect(shownOf({ intervals: [record(1, 0, 300, 4)] }, [flow]).count).toBe(count);
});

test("OC-02 the band after a correction is as narrow without the sensor that has left since", () => {
  const facts = { intervals: [record(1, 0, 300, 60), record(1, 600, 900, 4)], corrections: [corrected("a", 600, 65)] };
  const bandOf = (present: number[]) => shownOf({ ...facts, present });
  expect(bandOf([2])).toEqual(bandOf([1, 2]));
});
