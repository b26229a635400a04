// In-memory ground truth and sums for tests.
import { computeTallies, type Profile } from "../counting/tally.ts";
import { rowsOf, type Truth, type TruthRow } from "../counting/truth.ts";
import type { SensorConditions } from "../faults/world.ts";

export function createMemoryTruth(): Truth & { rows: TruthRow[] } {
  const rows: TruthRow[] = [];
  return {
    rows,
    record: (sensorId, tally) => void rows.push(...rowsOf(sensorId, tally)),
    close: () => Promise.resolve(),
  };
}

/** Computed ground truth of a period; equals what a running sensor records. */
export function computeTruth(
  sensorId: string,
  profile: Profile,
  world: SensorConditions,
  from: number,
  to: number,
  intervalS = 300,
): TruthRow[] {
  const lengthMs = intervalS * 1000;
  return computeTallies(profile, world, from, lengthMs, Math.ceil((to - from) / lengthMs)).flatMap((tally) =>
    rowsOf(sensorId, tally),
  );
}

export function sumOf(rows: readonly TruthRow[]): { in: number; out: number; seenIn: number; seenOut: number } {
  const sum = { in: 0, out: 0, seenIn: 0, seenOut: 0 };
  for (const row of rows) {
    sum.in += row.in;
    sum.out += row.out;
    sum.seenIn += row.seenIn;
    sum.seenOut += row.seenOut;
  }
  return sum;
}
