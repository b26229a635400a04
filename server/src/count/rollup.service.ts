// Recomputes daily sums in the transaction that changed a time zone or moved a sensor.
import type { Tx } from "../db/database.ts";
import { lockCounters } from "./count.store.ts";
import { saveFormerZone } from "./former-zone.store.ts";
import { rebuildDaySums, findSensorsEverAt } from "./rollup.store.ts";

/** Recomputes all sums after a change of time zone. Stored local times keep `formerZone`. */
export async function rebuildSumsOfLocation(tx: Tx, locationId: string, formerZone: string | null, nowMs: number) {
  await rebuildDaySums(tx, { locationId });
  await saveFormerZone(tx, locationId, formerZone, nowMs);
}

/** Call it before the zones of several locations change. Locks their sensors in the same order as storing does, to avoid deadlocks. */
export async function lockCountersOfLocations(tx: Tx, locationIds: readonly string[]): Promise<void> {
  if (locationIds.length > 1) await lockCounters(tx, await findSensorsEverAt(tx, locationIds));
}

export async function rebuildSumsOfSensors(tx: Tx, sensorNums: readonly number[], fromMs: number): Promise<void> {
  await rebuildDaySums(tx, { sensorNums }, fromMs);
}

/** Call it before several sensors are moved one by one. Locks them in the same order as storing does, to avoid deadlocks. */
export async function lockCountersOfSensors(tx: Tx, sensorNums: readonly number[]): Promise<void> {
  await lockCounters(tx, sensorNums);
}
