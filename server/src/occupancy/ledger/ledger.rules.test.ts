// Tests the count of a location at fixed instants: reset, ends of records, maximum, outages, corrections, live flows (OC-02). Times
// are milliseconds since the reset.
import { expect, test } from "vitest";
import type { IntervalCount } from "../../count/location-counts.service.ts";
import { type Correction, type Flow, type LedgerFacts, type Outage, replayLedger, addFlows } from "./ledger.rules.ts";

const by = { id: "a", name: "Harbour Stores" };

const record = (num: number, startMs: number, endMs: number, ins: number, out = 0): IntervalCount => {
  return { num, startMs, endMs, in: ins, out, knownMs: endMs - startMs, osd: 0, quality: 0 };
};
const corrected = (id: string, atMs: number, count: number, flows: Correction["flows"] = []): Correction => {
  return { id, atMs, count, note: null, by, flows };
};
const away = (num: number, fromMs: number, toMs: number, kind: Outage["kind"] = "offline"): Outage => {
  return { num, fromMs, toMs, kind };
};
const ledgerOf = (facts: Partial<LedgerFacts>) =>
  replayLedger({
    sinceMs: 0,
    atMs: 1000,
    isNow: false,
    counting: [1, 2],
    present: [1, 2],
    intervals: [],
    corrections: [],
    outages: [],
    limits: [{ fromMs: -Infinity, runs: true, max: 5 }],
    ...facts,
  });
const shownOf = (facts: Partial<LedgerFacts>, flows: Flow[] = []) => addFlows(ledgerOf(facts), flows).shown;

test.each<[string, startMs: number, endMs: number, isNow: boolean, count: number]>([
  ["that ends just before the reset", -300, -1, false, 0],
  ["that ends with the reset", -300, 0, false, 0],
  ["that ends just after the reset", -300, 1, false, 4],
  ["that starts with the reset", 0, 300, false, 4],
  ["that ends at the instant asked about", 700, 1000, false, 4],
  ["that ends just after the instant asked about", 701, 1001, false, 0],
  ["that ends in a moment, asked now", 701, 1001, true, 4],
])("OC-02 a record %s", (_, startMs, endMs, isNow, count) => {
  expect(shownOf({ isNow, intervals: [record(1, startMs, endMs, 4)] }).count).toBe(count);
});

test.each<[string, endMs: number, count: number]>([
  ["just before the other", 599, 1],
  ["at the same instant", 600, 1],
  // When the twenty leave, the second door's interval is still running, so twelve of them may have come in there.
  ["just after the other", 601, 1],
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

test("OC-02 the band after a correction ignores a sensor that has left since", () => {
  const facts = { intervals: [record(1, 0, 300, 60), record(1, 600, 900, 4)], corrections: [corrected("a", 600, 65)] };
  const bandOf = (present: number[]) => shownOf({ ...facts, present });
  expect(bandOf([2])).toEqual(bandOf([1, 2]));
});

/** Door 1 reports every 15 minutes that 14 came in, door 2 every minute that one left. */
const minute = 60_000;
const quarter = (n: number, ins = 14) => record(1, n * 15 * minute, (n + 1) * 15 * minute, ins);
const leaving = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => record(2, (from + n) * minute, (from + n + 1) * minute, 0, 1));
const noOne = (from: number, to: number) => leaving(from, to).map((one) => ({ ...one, out: 0 }));
const notesOf = (facts: Partial<LedgerFacts>) =>
  ledgerOf(facts).steps.flatMap((step) => (step.kind === "outage" ? [[step.atMs / minute, step.outage.num]] : []));

test.each<[string, IntervalCount[], atMinute: number, count: number]>([
  ["before the slow one has reported", leaving(0, 14), 14, 0],
  ["when both have closed an interval", [...leaving(0, 15), quarter(0)], 15, 0],
  ["in the middle of the second interval", [...leaving(0, 20), quarter(0)], 20, 0],
  ["after two such intervals", [...leaving(0, 30), quarter(0), quarter(1)], 30, 0],
  [
    "one of whom the doors missed, with people who came afterwards",
    [...leaving(0, 15), quarter(0), record(2, 15 * minute, 16 * minute, 3)],
    16,
    3,
  ],
  [
    "with the reset in the middle of an interval",
    [...leaving(0, 8), record(1, -7 * minute, 8 * minute, 6), record(2, 8 * minute, 9 * minute, 2)],
    9,
    2,
  ],
  [
    "while the last record of before the reset is not old",
    [...leaving(0, 5), quarter(-1), record(2, 5 * minute, 6 * minute, 2)],
    6,
    0,
  ],
])("OC-02 14 people pass two doors with unequal intervals: %s", (_, intervals, atMinute, count) => {
  const facts = { atMs: atMinute * minute, isNow: true };
  expect(shownOf({ ...facts, intervals }).count).toBe(count);
  expect(shownOf({ ...facts, intervals: intervals.toReversed() }).count).toBe(count);
});

test.each<[string, atMinute: number, count: number, marked: number[][]]>([
  ["for nearly two intervals", 44, 0, []],
  ["for two intervals", 45, 0, [[45, 1]]],
  ["for more than two: who comes in now is counted", 46, 2, [[45, 1]]],
])("OC-02 a door that is silent %s", (_, atMinute, count, marked) => {
  // 14 came in and 15 left by minute 15; then ten more left without having come in.
  const intervals = [quarter(0), ...leaving(0, 25), ...noOne(25, 45), record(2, 45 * minute, 46 * minute, 2)];
  const facts = { atMs: atMinute * minute, intervals };
  expect(shownOf(facts).count).toBe(count);
  expect(notesOf(facts)).toEqual(marked);
  expect(ledgerOf(facts).silent).toEqual(marked.map(([, num]) => num));
  // With its late records, the door was never skipped.
  const late = { ...facts, intervals: [...intervals, quarter(1, 10), quarter(2, 0)] };
  expect(notesOf(late)).toEqual([]);
  expect(shownOf(late).count).toBe(atMinute === 46 ? 2 : 0);
});

test("OC-02 a disconnected door is not also silent; a single door never is", () => {
  const facts = { atMs: 60 * minute, intervals: [quarter(0), ...leaving(0, 60)] };
  expect(notesOf({ ...facts, outages: [away(1, 10 * minute, Infinity)] })).toEqual([[10, 1]]);
  expect(notesOf({ ...facts, intervals: [quarter(0)], present: [1] })).toEqual([]);
});

test("OC-02 exits are subtracted from people whom a slow door reports live", () => {
  const facts = { atMs: 5 * minute, isNow: true, intervals: [quarter(-1, 0), ...leaving(0, 5)] };
  const flow = (ins: number) => ({ num: 1, sinceMs: 0, receivedMs: 5 * minute, in: ins, out: 0 });
  expect([5, 7].map((ins) => shownOf(facts, [flow(ins)]).count)).toEqual([0, 2]);
});
