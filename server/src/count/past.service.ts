// Stores generated past counts for the demo.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { Tx } from "../db/database.ts";
import type { RecordSensor } from "../device/capability.ts";
import { storePastMonth } from "./past.store.ts";

/** Stores a sensor's counts of one UTC month. Existing counts stay. */
export async function storeCountsOfMonth(
  tx: Tx,
  nowMs: number,
  sensor: RecordSensor,
  records: readonly CountRecord[],
): Promise<void> {
  await storePastMonth(tx, nowMs, sensor, records);
}
