// Tests that a part of a pack has the same counts as the whole one (ADR 0020).
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { expect, test } from "vitest";
import { createChance } from "../testing/chance.ts";
import { type Count, pack, unpack, unpackColumns } from "./pack.rules.ts";

const stepMs = 300_000;
const start = Date.UTC(2026, 2, 1);

/** Mostly regular intervals of a few lines, with gaps and short intervals. */
function counts(seed: number, lines: number): Count[] {
  const chance = createChance(seed);
  return Array.from({ length: lines }, (_, line) => {
    let at = start + chance.below(3) * stepMs;
    return Array.from({ length: 400 }, (): Count => {
      if (chance.below(20) === 0) at += chance.below(10) * 60_000;
      const durationMs = chance.below(20) === 0 ? 60_000 : stepMs;
      const startMs = at;
      at += durationMs;
      return {
        lineNo: line + 1,
        startMs,
        durationMs,
        knownMs: chance.below(10) === 0 ? 1000 : durationMs,
        in: chance.below(500),
        out: chance.below(500),
        osd: chance.below(2),
        quality: chance.below(3),
        ahead: chance.below(50) === 0,
        classes: null,
      };
    });
  }).flat();
}

test.each([1, 2, 3])("any part of a pack of %d lines has the counts that start in it", (lines) => {
  const seed = seedOf(17) + lines;
  const all = counts(seed, lines);
  const body = pack(all);
  const whole = unpack(body);
  expect(whole).toEqual(all.toSorted((a, b) => a.lineNo - b.lineNo || a.startMs - b.startMs));
  const chance = createChance(seed);
  const edges = [-Infinity, Infinity, start, start + 1, whole[7]?.startMs ?? 0, whole.at(-1)?.startMs ?? 0];
  for (let n = 0; n < rounds(24, 60); n += 1) edges.push(start + chance.below(420) * stepMs + chance.below(3) - 1);
  for (const from of edges)
    for (const to of edges.filter((edge) => edge >= from)) {
      const { n, starts, lineNos, durations, knownMs, ins, outs, osds, marks } = unpackColumns(body, from, to);
      const some = whole.filter(({ startMs }) => startMs >= from && startMs < to);
      expect(n).toBe(some.length);
      expect([...starts]).toEqual(some.map((one) => one.startMs));
      expect([...lineNos]).toEqual(some.map((one) => one.lineNo));
      expect([...durations]).toEqual(some.map((one) => one.durationMs));
      expect([...knownMs]).toEqual(some.map((one) => one.knownMs));
      expect([...ins]).toEqual(some.map((one) => one.in));
      expect([...outs]).toEqual(some.map((one) => one.out));
      expect([...osds]).toEqual(some.map((one) => one.osd));
      expect([...marks]).toEqual(some.map((one) => one.quality * 2 + Number(one.ahead)));
    }
});

test("a pack that ends too early is refused", () => {
  expect(() => unpackColumns(Buffer.from([2]))).toThrow("unknown form");
});
