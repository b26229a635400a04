// Tests occupancy totals, their texts and their color steps.
import { expect, test } from "vitest";
import {
  type OccupancyCount,
  toCoachOccupancy,
  toLevelOccupancies,
  toSectionOccupancies,
  formatOccupancy,
  formatShare,
  fillStepOf,
} from "./occupancy.ts";
import { partlyKnownOccupancy } from "../preview.testing.ts";

const filled = (persons: number | null, capacity: number, isLeast = false): OccupancyCount => ({
  persons,
  capacity,
  isLeast,
});

test.each<[OccupancyCount, string, string, string]>([
  [filled(0, 40), "0 / 40", "0 %", "low"],
  [filled(20, 40), "20 / 40", "50 %", "low"],
  [filled(21, 40), "21 / 40", "52 %", "middle"],
  [filled(33, 40), "33 / 40", "82 %", "high"],
  [filled(399, 400), "399 / 400", "99 %", "high"],
  [filled(40, 40), "40 / 40", "100 %", "full"],
  [filled(52, 40), "52 / 40", "130 %", "full"],
  [filled(12, 40, true), "≥ 12 / 40", "≥ 30 %", "low"],
  [filled(null, 40), "unknown", "unknown", "unknown"],
  [filled(0, 0), "0 / 0", "-", "low"],
  [filled(3, 0), "3 / 0", "-", "full"],
])("%o reads %s and %s", (given, words, share, step) => {
  expect([formatOccupancy(given), formatShare(given), fillStepOf(given)]).toEqual([words, share, step]);
});

test("SE-06 an unknown section makes its level and the coach lower bounds, whatever sums the device sends", () => {
  expect(formatOccupancy(toCoachOccupancy({ ...partlyKnownOccupancy, coach: { persons: 75, capacity: 140 } }))).toBe(
    "≥ 75 / 140",
  );
  expect(toLevelOccupancies(partlyKnownOccupancy).map(formatOccupancy)).toEqual(["≥ 30 / 80", "45 / 60"]);
  expect(toSectionOccupancies(partlyKnownOccupancy).map(formatOccupancy)).toEqual(["30 / 30", "unknown", "45 / 60"]);
});

test("SE-06 where all is known the device's sums hold", () => {
  const sections = partlyKnownOccupancy.sections.map((section) => ({ ...section, persons: 10, state: "ok" as const }));
  const known = { ...partlyKnownOccupancy, sections, coach: { persons: 31, capacity: 140 } };
  expect(formatOccupancy(toCoachOccupancy(known))).toBe("31 / 140");
});

test("sections of a level that is not there are shown all the same", () => {
  const lost = { ...partlyKnownOccupancy, levels: partlyKnownOccupancy.levels.slice(0, 1) };
  expect(toLevelOccupancies(lost).map(({ name, sections }) => [name, sections.length])).toEqual([
    ["Lower", 2],
    ["Without a level", 1],
  ]);
  expect(formatOccupancy(toLevelOccupancies(lost)[1] ?? filled(null, 0))).toBe("45 / 60");
});
