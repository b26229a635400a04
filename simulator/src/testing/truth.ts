// The ground truth as tests compare it: kept in memory, computed for a stretch of time, summed.
import { tallies, type Profile } from "../counting/tally.ts";
import { rowsOf, type Truth, type TruthRow } from "../counting/truth.ts";
import type { World } from "../faults/world.ts";

/** Keeps the truth in memory, for tests that compare sums. */
export function truthInMemory(): Truth & { rows: TruthRow[] } {
  const rows: TruthRow[] = [];
  return {
    rows,
    note: (sensorId, tally) => void rows.push(...rowsOf(sensorId, tally)),
    close: () => Promise.resolve(),
  };
}

/** The truth about a stretch of time, computed; the same numbers that a running sensor notes. */
export function truthOf(
  sensorId: string,
  profile: Profile,
  world: World,
  from: number,
  to: number,
  intervalS = 300,
): TruthRow[] {
  const lengthMs = intervalS * 1000;
  return tallies(profile, world, from, lengthMs, Math.ceil((to - from) / lengthMs)).flatMap((tally) =>
    rowsOf(sensorId, tally),
  );
}

/** Sums of many rows, for comparison with what a server answers. */
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
