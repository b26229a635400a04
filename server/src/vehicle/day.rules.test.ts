// Tests which quarters of an hour of a vehicle are known.
import { expect, test } from "vitest";
import { slotMs, toSlots } from "./day.rules.ts";

const fromMs = Date.UTC(2026, 10, 30);
const day = { fromMs, toMs: fromMs + 4 * slotMs, untilMs: fromMs + 4 * slotMs, present: [] };
const at = (slot: number, sensorNum: number, persons: number, sequence = sensorNum) => ({
  slotMs: fromMs + slot * slotMs,
  sensorNum,
  sequence,
  persons,
  places: 40,
});
const percents = (...given: Parameters<typeof toSlots>) => toSlots(...given).map(({ load }) => load?.percent ?? null);

test("coaches are summed; a quarter without one of them is unknown, not zero", () => {
  const loads = [at(0, 1, 10), at(0, 2, 30), at(1, 1, 10), at(3, 1, 0), at(3, 2, 0)];
  expect(percents(loads, day)).toEqual([50, null, null, 0]);
  expect(toSlots(loads, day)[0]).toEqual({
    from: "2026-11-30T00:00:00.000Z",
    load: { persons: 40, places: 80, percent: 50 },
  });
});

test("a coach that reported nothing today, or a position without a sensor, makes all unknown", () => {
  expect(percents([at(0, 1, 10)], { ...day, present: [1] })).toEqual([25, null, null, null]);
  expect(percents([at(0, 1, 10)], { ...day, present: [1, 2] })).toEqual([null, null, null, null]);
  expect(percents([at(0, 1, 10), at(0, 3, 10)], day)).toEqual([null, null, null, null]);
  expect(percents([], day)).toEqual([null, null, null, null]);
});

test("later quarters are omitted; days of any length begin with their first whole quarter", () => {
  expect(percents([at(0, 1, 10)], { ...day, untilMs: fromMs + slotMs + 1 })).toEqual([25, null]);
  const shifted = toSlots([], { ...day, fromMs: fromMs + 1, toMs: fromMs + 2 * slotMs + 1 });
  expect(shifted.map(({ from }) => from)).toEqual(["2026-11-30T00:15:00.000Z", "2026-11-30T00:30:00.000Z"]);
});
