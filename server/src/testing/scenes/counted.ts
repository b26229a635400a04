// Reads the stored counts of a sensor, for tests of other nouns.
import { readCounts } from "../../count/count.store.ts";
import type { Count } from "../../count/pack.rules.ts";
import type { Reader } from "../../db/database.ts";

const end = Date.UTC(2100, 0, 1);

export async function countsOf(reader: Reader, sensorNum: number): Promise<Count[]> {
  return (await readCounts(reader, [sensorNum], 0, end)).get(sensorNum) ?? [];
}
