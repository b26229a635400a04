// Manually triggered passages: part of the ground truth and of the sensor's counts.
import type { SensorConditions } from "../faults/world.ts";
import type { Tally } from "./tally.ts";

/** A passage of the sensor's first line. */
export type ManualPassage = { at: number; way: "in" | "out" };

/** Adds the manual passages in the tally's interval; a sensor without a clear view or power doesn't count them. */
export function addPassages(tally: Tally, passages: readonly ManualPassage[], world: SensorConditions): Tally {
  const own = passages.filter(({ at }) => at >= tally.s && at < tally.e);
  const [first, ...others] = tally.lines;
  if (own.length === 0 || first === undefined) return tally;
  const [adultIn, adultOut] = first.adult;
  const adult: [number, number] = [adultIn, adultOut];
  const line = { ...first, adult };
  for (const { at, way } of own) {
    line[way] += 1;
    if (world.view(at) !== 0 || !world.powered(at)) continue;
    line[way === "in" ? "seenIn" : "seenOut"] += 1;
    line.adult[way === "in" ? 0 : 1] += 1;
  }
  return { ...tally, lines: [line, ...others] };
}

export function createPassages(now: number, { in: ins, out }: { in: number; out: number }): ManualPassage[] {
  const some = (way: ManualPassage["way"], n: number) =>
    Array.from({ length: n }, (): ManualPassage => ({ at: now, way }));
  return [...some("in", ins), ...some("out", out)];
}
