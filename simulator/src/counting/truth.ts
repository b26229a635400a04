// Ground truth: actual passages of each line, whether or not the sensor detected, counted or sent them.
import { createWriteStream } from "node:fs";
import type { LineTally, Tally } from "./tally.ts";

/** One line in one half-open interval (ms UTC). `seen…` is what a working sensor with this view would count. */
export type TruthRow = { sensor: string; line: string; s: number; e: number } & Omit<
  LineTally,
  "id" | "adult" | "child"
>;

export type Truth = { record(sensorId: string, tally: Tally): void; close(): Promise<void> };

export function rowsOf(sensor: string, { s, e, lines }: Tally): TruthRow[] {
  return lines.map(({ id, adult: _adult, child: _child, ...counts }) => ({ sensor, line: id, s, e, ...counts }));
}

export function noTruth(): Truth {
  return { record: () => undefined, close: () => Promise.resolve() };
}

/** Appends one JSON line per sensor, line and interval to a file. */
export function openTruthFile(path: string): Truth {
  const stream = createWriteStream(path, { flags: "a" });
  let failure: Error | null = null;
  stream.on("error", (error) => void (failure = error));
  return {
    record(sensorId, tally) {
      stream.write(
        rowsOf(sensorId, tally)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(""),
      );
    },
    close: () => new Promise((resolve, reject) => (failure ? reject(failure) : stream.end(() => resolve()))),
  };
}
