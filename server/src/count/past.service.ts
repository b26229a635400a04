// Counts of the past, as a noun that makes up a world stores them.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { Tx } from "../db/database.ts";
import type { StoringSensor } from "../device/capability.ts";
import { storePastMonth } from "./past.store.ts";

/** Stores what a sensor counted in one month of UTC, once: what is there already stays as it is. */
export async function storeCountsOfMonth(
  tx: Tx,
  nowMs: number,
  sensor: StoringSensor,
  records: readonly CountRecord[],
): Promise<void> {
  await storePastMonth(tx, nowMs, sensor, records);
}
