// Reads the stored counts for tests of other nouns: all counts of a sensor, and days whose sums differ from their counts.
import { readCounts } from "../../count/count.store.ts";
import { findWrongDaySums } from "../../count/rollup.store.ts";
import type { Count } from "../../count/pack.rules.ts";
import type { Reader } from "../../db/database.ts";

const end = Date.UTC(2100, 0, 1);

export async function countsOf(reader: Reader, sensorNum: number): Promise<Count[]> {
  return (await readCounts(reader, [sensorNum], 0, end)).get(sensorNum) ?? [];
}

/** One message for each day whose sums differ from its counts. */
export async function findWrongSums(reader: Reader, sensorNums: readonly number[]): Promise<string[]> {
  return findWrongDaySums(reader, sensorNums);
}
