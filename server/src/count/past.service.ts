// Stores generated past counts for the demo.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { Tx } from "../db/database.ts";
import type { RecordSensor } from "../device/capability.ts";
import { storePastMonth } from "./past.store.ts";

/** Stores one UTC month of a sensor's counts; existing ones stay. */
export async function storeCountsOfMonth(
  tx: Tx,
  nowMs: number,
  sensor: RecordSensor,
  records: readonly CountRecord[],
): Promise<void> {
  await storePastMonth(tx, nowMs, sensor, records);
}
