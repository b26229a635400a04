// The daily sums, as other nouns ask for them: recomputed in the transaction that moved a location's days or a sensor's place.
import type { Tx } from "../db/database.ts";
import { lockCounters } from "./count.store.ts";
import { keepFormerZone } from "./former-zone.store.ts";
import { rebuildRollups, sensorsEverAt } from "./rollup.store.ts";

/**
 * A location's time zone changed: its days begin at other instants, for all it ever counted; the local times of what is
 * stored stay those of `formerZone`.
 */
export async function redrawDaysOfLocation(tx: Tx, locationId: string, formerZone: string | null, nowMs: number) {
  await rebuildRollups(tx, { locationId });
  await keepFormerZone(tx, locationId, formerZone, nowMs);
}

/** To be called first where the zones of several locations change: the sensors of all are locked in one order, as storing does. */
export async function holdDaysOfLocations(tx: Tx, locationIds: readonly string[]): Promise<void> {
  if (locationIds.length > 1) await lockCounters(tx, await sensorsEverAt(tx, locationIds));
}

/** Sensors changed place from `fromMs` on; -Infinity where their past is placed again, too. */
export async function redrawDaysOfSensors(tx: Tx, sensorNums: readonly number[], fromMs: number): Promise<void> {
  await rebuildRollups(tx, { sensorNums }, fromMs);
}

/** To be called first where several sensors are moved one by one: all of them are locked in one order, as storing does. */
export async function holdDaysOfSensors(tx: Tx, sensorNums: readonly number[]): Promise<void> {
  await lockCounters(tx, sensorNums);
}
