// Tests that the generated visitor traffic is plausible, balanced and repeatable.
import { describe, expect, test } from "vitest";
import { profileOf } from "../device/identity.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { sumOf, computeTruth } from "../testing/truth.ts";
import { combineFaults } from "../faults/world.ts";
import { computeTallies, computeTally, type Tally, siteKinds } from "./tally.ts";
import { zeroDay } from "../faults/faults.ts";

const hour = 3_600_000;
const day = 24 * hour;
const zone = "Europe/Berlin";
const healthy = combineFaults([]);
/** Midnight in Berlin on Wednesday, 12 March 2025. */
const wednesday = Date.UTC(2025, 2, 11, 23);

function total(all: Tally[], field: "in" | "out" | "seenIn" | "seenOut"): number {
  return all.reduce((sum, tally) => sum + tally.lines.reduce((own, line) => own + line[field], 0), 0);
}

describe.each(siteKinds)("a %s", (kind) => {
  const profile = profileOf("02:00:00:00:00:04", "APS", "seed", { kind, zone });

  test("lets as many people out as in, and is empty before the next morning", () => {
    const today = computeTallies(profile, healthy, wednesday + 3 * hour, hour, 24);
    expect(total(today, "in")).toBeGreaterThan(100);
    expect(total(today, "out")).toBe(total(today, "in"));
    for (const line of today[0]?.lines ?? []) {
      const [ins, outs] = [today, today].map((all, index) =>
        all.reduce((sum, one) => sum + (one.lines.find(({ id }) => id === line.id)?.[index ? "out" : "in"] ?? 0), 0),
      );
      expect(ins).toBe(outs);
    }
  });

  test("shows the same people in any cut of time, alone or in a row, live or as history", () => {
    const row = computeTallies(profile, healthy, wednesday, 300_000, 288);
    const alone = row.map((tally) => computeTally(profile, healthy, tally.s, tally.e));
    expect(alone).toEqual(row);
    const odd = [0, 1234, 999_999, 7 * hour + 17, 12 * hour + 1, day].map((offset) => wednesday + offset);
    const chunks = odd.slice(1).map((end, index) => computeTally(profile, healthy, odd[index] ?? 0, end));
    expect(total(chunks, "in")).toBe(total(row, "in"));
    expect(total(chunks, "out")).toBe(total(row, "out"));
  });
});

test("a shop is closed at night, busiest on Saturday, quiet on Sunday", () => {
  const profile = profileOf("02:00:00:00:00:05", "APS", "seed", { kind: "shop", zone });
  const weeks = Array.from({ length: 5 }, (_, week) => wednesday + week * 7 * day);
  const sumOn = (shiftDays: number): number =>
    weeks.reduce((sum, start) => {
      const from = start + shiftDays * day;
      return sum + total(computeTallies(profile, healthy, from, day, 1), "in");
    }, 0);
  const [thursday, saturday, sunday] = [sumOn(1), sumOn(3), sumOn(4)];
  expect(saturday).toBeGreaterThan(thursday * 1.2);
  expect(sunday).toBeLessThan(thursday * 0.7);
  expect(total(computeTallies(profile, healthy, wednesday, hour, 8), "in")).toBe(0);
});

test("the curve follows the clocks of the place when they change", () => {
  const profile = profileOf("02:00:00:00:00:06", "APS", "seed", { kind: "shop", zone });
  const firstHour = (localMidnight: number): number =>
    computeTallies(profile, healthy, localMidnight, hour, 24).findIndex((tally) =>
      tally.lines.some((line) => line.in > 0),
    );
  // Compares the Mondays before and after the clock change of 30 March 2025, because the shop is closed on Sundays
  // until noon.
  const [before, after] = [Date.UTC(2025, 2, 23, 23), Date.UTC(2025, 2, 30, 22)];
  expect([before, after].map((at) => zoneOf(zone).spanAt(at).offsetMs)).toEqual([hour, 2 * hour]);
  expect(firstHour(before)).toBe(9);
  expect(firstHour(after)).toBe(9);
});

test("another seed or id gives other people, the same gives the same", () => {
  const rows = (id: string, seed: string) =>
    computeTruth(id, profileOf(id, "APS", seed, { kind: "shop", zone }), healthy, wednesday, wednesday + day);
  expect(rows("02:00:00:00:00:07", "a")).toEqual(rows("02:00:00:00:00:07", "a"));
  expect(sumOf(rows("02:00:00:00:00:07", "a"))).not.toEqual(sumOf(rows("02:00:00:00:00:07", "b")));
  expect(sumOf(rows("02:00:00:00:00:07", "a"))).not.toEqual(sumOf(rows("02:00:00:00:00:08", "a")));
});

test("a blind sensor counts no one while the truth goes on, and classes add up to what was seen", () => {
  const profile = profileOf("02:00:00:00:00:09", "APS", "seed", { kind: "station", zone });
  const blind = combineFaults([zeroDay({ from: wednesday, to: wednesday + 12 * hour })]);
  const all = computeTallies(profile, blind, wednesday, hour, 24);
  expect(total(all.slice(0, 12), "seenIn")).toBe(0);
  expect(total(all.slice(0, 12), "in")).toBeGreaterThan(0);
  expect(total(all.slice(13), "seenIn")).toBe(total(all.slice(13), "in"));
  for (const { lines } of all) for (const line of lines) expect(line.adult[0] + line.child[0]).toBe(line.seenIn);
});

test("a watched zone starts where it ended, never falls below zero, and is empty at night", () => {
  const profile = profileOf("02:00:00:00:00:0A", "PS.C1", "seed", { kind: "library", zone });
  const all = computeTallies(profile, healthy, wednesday, 900_000, 96);
  let inside = 0;
  for (const { zone: level, lines } of all) {
    inside += (lines[0]?.in ?? 0) - (lines[0]?.out ?? 0);
    expect(level?.last).toBe(inside);
    expect(level?.min).toBeGreaterThanOrEqual(0);
    expect(level?.avg).toBeLessThanOrEqual(level?.max ?? 0);
  }
  expect(inside).toBe(0);
  expect(
    computeTally(profile, healthy, wednesday + 14 * hour, wednesday + 14 * hour + 300_000).zone?.max,
  ).toBeGreaterThan(0);
});
