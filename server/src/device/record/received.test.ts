// Compares ranges and acknowledgements with a plain set of numbers.
import { expect, test } from "vitest";
import { fc, test as property } from "@fast-check/vitest";
import { toAcknowledgement, formatRanges, hasNumber, parseRanges, type NumberRange, addNumbers } from "./received.ts";

const numbers = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 40 });

property.prop([numbers, numbers], { seed: 8 })(
  "DE-01 ranges hold exactly the numbers that were added",
  (first, second) => {
    const ranges = addNumbers(addNumbers([], first), second);
    const all = new Set([...first, ...second]);
    for (let q = 0; q <= 61; q += 1) expect(hasNumber(ranges, q)).toBe(all.has(q));
    expect(parseRanges(formatRanges(ranges))).toEqual(ranges);
    for (const [index, [from, to]] of ranges.entries()) {
      expect(from).toBeLessThan(to);
      expect(from).toBeGreaterThan(ranges[index - 1]?.[1] ?? 0);
    }
  },
);

property.prop([numbers, fc.integer({ min: 1, max: 60 })], { seed: 9 })(
  "DE-01 a device that follows the acknowledgement deletes what is stored and keeps what is missing",
  (stored, firstQ) => {
    const ack = toAcknowledgement("e", addNumbers([], stored), firstQ);
    const all = new Set(stored);
    for (let q = firstQ; q <= 61; q += 1) {
      const deletes = q <= ack.upTo && !ack.holes.some(([from, to]) => q >= from && q <= to);
      expect(deletes).toBe(all.has(q));
    }
  },
);

test("DE-01 an unknown buffer acknowledges nothing", () => {
  expect(toAcknowledgement("e", [], 881)).toEqual({ ep: "e", upTo: 0, holes: [] });
});

test("DE-01 the example in the protocol document", () => {
  const ranges: NumberRange[] = [
    [1, 90_100],
    [90_105, 90_211],
  ];
  expect(toAcknowledgement("k3f9", ranges, 881)).toEqual({ ep: "k3f9", upTo: 90_210, holes: [[90_100, 90_104]] });
});

test("DE-01 too many holes shorten the acknowledgement instead of losing one", () => {
  const odd = Array.from({ length: 300 }, (_, index) => index * 2 + 1);
  const ack = toAcknowledgement("e", addNumbers([], odd), 1);
  expect(ack.holes).toHaveLength(100);
  expect(ack.upTo).toBe(201);
});

test("DE-01 deliberate gaps cost bounded memory", () => {
  const odd = Array.from({ length: 10_000 }, (_, index) => index * 2 + 1);
  const ranges = addNumbers([], odd);
  expect(ranges).toHaveLength(2_000);
  for (const q of odd) expect(hasNumber(ranges, q)).toBe(true);
});
