// The ground truth: people who really passed each line, whether or not the sensor noticed, counted or could send it.
import { createWriteStream } from "node:fs";
import { tallies, type Profile, type Tally } from "./tally.ts";
import type { World } from "../faults/world.ts";

/** One line in one interval (ms UTC, half-open). `seen…` is what a sensor in order with this view would count. */
export type TruthRow = {
  sensor: string;
  line: string;
  s: number;
  e: number;
  in: number;
  out: number;
  seenIn: number;
  seenOut: number;
};

export type Truth = { note(sensorId: string, tally: Tally): void; close(): Promise<void> };

function rowsOf(sensor: string, tally: Tally): TruthRow[] {
  return tally.lines.map(({ id, in: entered, out, seenIn, seenOut }) => ({
    sensor,
    line: id,
    s: tally.s,
    e: tally.e,
    in: entered,
    out,
    seenIn,
    seenOut,
  }));
}

/** Keeps no truth. */
export function noTruth(): Truth {
  return { note: () => undefined, close: () => Promise.resolve() };
}

/** Keeps the truth in memory, for tests that compare sums. */
export function truthInMemory(): Truth & { rows: TruthRow[] } {
  const rows: TruthRow[] = [];
  return {
    rows,
    note: (sensorId, tally) => void rows.push(...rowsOf(sensorId, tally)),
    close: () => Promise.resolve(),
  };
}

/** Appends one JSON line per sensor, line and interval to a file. */
export function truthInFile(path: string): Truth {
  const stream = createWriteStream(path, { flags: "a" });
  let failure: Error | null = null;
  stream.on("error", (error) => void (failure = error));
  return {
    note(sensorId, tally) {
      stream.write(
        rowsOf(sensorId, tally)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(""),
      );
    },
    close: () => new Promise((resolve, reject) => (failure ? reject(failure) : stream.end(() => resolve()))),
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
