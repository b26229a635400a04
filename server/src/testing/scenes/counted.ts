// What is stored of counts, for tests of other nouns: every count of a sensor, and days whose sums are wrong.
import { readCounts } from "../../count/count.store.ts";
import type { Count } from "../../count/pack.rules.ts";
import { findWrongRollups } from "../../count/rollup.store.ts";
import type { Reader } from "../../db/database.ts";

const end = Date.UTC(2100, 0, 1);

/** In order of start and line, from rows and packs. */
export async function countsOf(reader: Reader, sensorNum: number): Promise<Count[]> {
  return (await readCounts(reader, [sensorNum], 0, end)).get(sensorNum) ?? [];
}

/** A sentence for each day whose sums are not those of its counts. */
export async function wrongSums(reader: Reader, sensorNums: readonly number[]): Promise<string[]> {
  return findWrongRollups(reader, sensorNums);
}
