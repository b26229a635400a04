// Tests the limits of valid count records, and repeated records (DE-01, DS-01).
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import { datapointQualities } from "@psp/contract/datapoint/datapoint.ts";
import { expect, test } from "vitest";
import { findCountError, createTimeline, isFutureRecord, hasSameValues, sumCounts, toCounts } from "./count.rules.ts";
import type { Count } from "./pack.rules.ts";

const at = (text: string) => Date.parse(text);
const noon = at("2026-05-04T12:00:00Z");
const minuteMs = 60_000;
const dayMs = 86_400_000;

function record(s: number, e: number, more: Partial<CountRecord> = {}): CountRecord {
  return { q: 1, t: "count", s, e, ck: "ok", osd: 0, lines: [{ id: "door", in: 3, out: 1 }], ...more };
}
const line = (id: string) => ({ id, in: 1, out: 1 });

test.each<[string, CountRecord, string | null]>([
  ["a minute long", record(noon, noon + minuteMs), null],
  ["an hour long", record(noon, noon + 60 * minuteMs), null],
  ["a millisecond longer than an hour", record(noon, noon + 60 * minuteMs + 1), "The interval is longer than an hour"],
  ["empty", record(noon, noon), "The interval is empty"],
  ["turned around", record(noon, noon - 1), "The end is before the start"],
  ["at the first instant that can be stored", record(at("2000-01-01T00:00:00Z"), at("2000-01-01T00:05:00Z")), null],
  [
    "begun just before it",
    record(at("1999-12-31T23:59:59.999Z"), at("2000-01-01T00:05:00Z")),
    "The time is too far in the past",
  ],
  ["in the last minutes that can be stored", record(at("2099-12-31T23:55:00Z"), at("2099-12-31T23:59:59.999Z")), null],
  ["after them", record(at("2100-01-01T00:00:00Z"), at("2100-01-01T00:05:00Z")), "The time is too far in the future"],
  ["of a clock that was estimated", record(noon, noon + minuteMs, { ck: "est" }), null],
  ["of a clock that was never set", record(noon, noon + minuteMs, { ck: "bad" }), "The sensor's clock was not set"],
  ["of two lines", record(noon, noon + minuteMs, { lines: [line("a"), line("b")] }), null],
  ["of the same line twice", record(noon, noon + minuteMs, { lines: [line("a"), line("a")] }), "A line appears twice"],
  ["an hour over the spring change", record(at("2026-03-29T00:30:00Z"), at("2026-03-29T01:30:00Z")), null],
  ["an hour over the autumn change", record(at("2026-10-25T00:30:00Z"), at("2026-10-25T01:30:00Z")), null],
])("DE-01 a record %s", (_, one, reason) => {
  expect(findCountError(one)).toBe(reason);
});

const knownSinceMs = at("2026-01-01T00:00:00Z");
test.each<[string, number, string | null]>([
  ["ten years before the enrollment", knownSinceMs - 10 * 365 * dayMs, null],
  ["a millisecond older", knownSinceMs - 10 * 365 * dayMs - 1, "The time is too far in the past"],
  ["that ends 30 years after it", knownSinceMs + 30 * 365 * dayMs - minuteMs, null],
  [
    "that ends a millisecond later",
    knownSinceMs + 30 * 365 * dayMs - minuteMs + 1,
    "The time is too far in the future",
  ],
])("DE-01 a record %s", (_, s, reason) => {
  expect(findCountError(record(s, s + minuteMs), { knownSinceMs })).toBe(reason);
});

test.each<[string, when: number, believed: boolean]>([
  ["21 years ago", at("2005-07-24T07:00:00Z"), true],
  ["1,024 weeks ago", noon - 7_168 * dayMs, false],
  ["a year before that", noon - (7_168 + 365) * dayMs, true],
  ["less than a year before that", noon - (7_168 + 365) * dayMs + 1, false],
  ["a year after that", noon - (7_168 - 365) * dayMs, true],
  ["less than a year after that", noon - (7_168 - 365) * dayMs - 1, false],
  ["at the beginning of 2000", at("2000-01-01T00:00:00Z"), false],
  ["a year after the beginning of 2000", at("2000-01-01T00:00:00Z") + 365 * dayMs, true],
  ["a millisecond less", at("2000-01-01T00:00:00Z") + 365 * dayMs - 1, false],
])("DE-01 archive back-fill of %s is accepted", (_, s, believed) => {
  const reason = findCountError(record(s, s + minuteMs), { knownSinceMs: noon, filledAtMs: noon });
  expect(reason).toBe(believed ? null : "The time is too far in the past");
});

test.each<[string, aheadMs: number, boolean]>([
  ["now", 0, false],
  ["ten minutes ahead", 600_000, false],
  ["a millisecond further ahead", 600_001, true],
])("DE-01 a record that ends %s", (_, aheadMs, ahead) => {
  const one = record(noon - minuteMs + aheadMs, noon + aheadMs);
  expect(isFutureRecord(one, noon)).toBe(ahead);
  const counts = toCounts(one, "live", noon, () => 1);
  expect(sumCounts(counts)).toMatchObject(ahead ? { in: 0, out: 0, knownMs: 0 } : { in: 3, out: 1, knownMs: minuteMs });
});

test.each<[string, lateMs: number, "live" | "fill", Partial<CountRecord>, string]>([
  ["live", 0, "live", {}, "measured"],
  ["live, a day old", dayMs, "live", {}, "measured"],
  ["live, a millisecond older than a day", dayMs + 1, "live", {}, "late"],
  ["from the buffer, a day old", dayMs, "fill", {}, "buffered"],
  ["from the buffer, a millisecond older than a day", dayMs + 1, "fill", {}, "late"],
  ["with an estimated clock", 0, "live", { ck: "est" }, "estimated"],
  ["with a covered view", 0, "live", { osd: 1 }, "blind"],
  ["with a view too bright", 0, "live", { osd: 5 }, "blind"],
])("DS-01 the quality of a count that comes %s", (_, lateMs, via, more, quality) => {
  const [one] = toCounts(record(noon - minuteMs, noon, more), via, noon + lateMs, () => 1);
  expect(datapointQualities[one?.quality ?? -1]).toBe(quality);
});

test.each<[string, Partial<CountRecord>, knownMs: number]>([
  ["nothing said of it", {}, 300_000],
  ["no second observed", { upS: 0 }, 0],
  ["all but a second observed", { upS: 299 }, 299_000],
  ["all of it observed", { upS: 300 }, 300_000],
  ["more than its length observed", { upS: 301 }, 300_000],
  ["the view covered", { osd: 1 }, 0],
  ["the view too dark", { osd: 3 }, 300_000],
])("DS-01 known time of five minutes with %s", (_, more, knownMs) => {
  expect(toCounts(record(noon, noon + 300_000, more), "live", noon, () => 1)[0]?.knownMs).toBe(knownMs);
});

function stored(startMs: number, durationMs: number, more: Partial<Count> = {}): Count {
  const counted = { in: 1, out: 0, osd: 0, quality: 0, ahead: false, classes: null };
  return { lineNo: 1, startMs, durationMs, knownMs: durationMs, ...counted, ...more };
}

test.each<[string, Count[], startMs: number, endMs: number, number | null]>([
  ["after the stored one", [stored(0, 300)], 300, 600, null],
  ["a millisecond before its end", [stored(0, 300)], 299, 600, 0],
  ["before the stored one", [stored(0, 300)], -300, 0, null],
  ["until a millisecond after its start", [stored(0, 300)], -300, 1, 0],
  ["within the stored one", [stored(0, 300)], 100, 200, 0],
  ["with the same start", [stored(0, 300)], 0, 600, null],
  ["with the same start, into the next one", [stored(0, 300), stored(300, 300)], 0, 301, 300],
  ["after an hour that ends with its start", [stored(-3_600_000, 3_600_000)], 0, 300, null],
  ["after an hour that ends a millisecond later", [stored(-3_599_999, 3_600_000)], 0, 300, -3_599_999],
  ["within one of a clock that ran ahead", [stored(0, 300, { ahead: true })], 100, 200, null],
  ["between two, stored in the other order", [stored(600, 300), stored(0, 300)], 300, 600, null],
])("DE-01 a record %s", (_, counts, startMs, endMs, other) => {
  expect(createTimeline(counts).overlapping(startMs, endMs)).toBe(other);
});

test("DS-01 a record that arrives again is no correction, however late, live or as back-fill", () => {
  const one = record(noon, noon + 300_000, { lines: [{ id: "door", in: 3, out: 1, cls: { adult: [2, 1] } }] });
  const [first] = toCounts(one, "live", noon + 300_000, () => 1);
  const [again] = toCounts(structuredClone(one), "fill", noon + 30 * dayMs, () => 1);
  expect(first && again && hasSameValues(first, again)).toBe(true);
});

test.each<[string, Partial<Count>]>([
  ["one person more in", { in: 2 }],
  ["one person more out", { out: 1 }],
  ["a millisecond longer", { durationMs: 301 }],
  ["a millisecond less known", { knownMs: 299 }],
  ["another view", { osd: 3 }],
  ["a clock that ran ahead", { ahead: true }],
  ["classes", { classes: { adult: [1, 0] } }],
])("DS-01 the same start with %s is a correction", (_, change) => {
  expect(hasSameValues(stored(0, 300), stored(0, 300, change))).toBe(false);
});

test("DS-01 two lines of one start add up their people, and their time counts once", () => {
  const lines = [stored(0, 300, { in: 2, out: 1, knownMs: 200 }), stored(0, 300, { lineNo: 2, in: 3, out: 0 })];
  expect(sumCounts(lines)).toEqual({ in: 5, out: 1, knownMs: 300, durationMs: 300 });
  expect(sumCounts([])).toEqual({ in: 0, out: 0, knownMs: 0, durationMs: 0 });
});
