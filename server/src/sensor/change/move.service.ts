// What a move of sensors between locations means for their history and their daily sums.
import type { Context } from "../../context.ts";
import { holdDaysOfSensors, redrawDaysOfSensors } from "../../count/rollup.service.ts";
import type { Tx } from "../../db/database.ts";
import * as store from "./assignment.store.ts";

/**
 * Notes that a sensor belongs to this location (or none) from now on, and lets its daily sums follow. Before its first
 * assignment it counts for the first location, so that one places its whole past (decisions 13).
 */
export async function recordMove(ctx: Context, tx: Tx, sensorNum: number, locationId: string | null): Promise<void> {
  await recordMoves(ctx, tx, [sensorNum], locationId);
}

/** The same for many sensors that go to one place (or to none) together; their rows are locked already. */
export async function recordMoves(ctx: Context, tx: Tx, sensorNums: readonly number[], locationId: string | null) {
  if (sensorNums.length === 0) return;
  const at = ctx.clock.date();
  const first = locationId === null ? new Set<number>() : await store.neverAssigned(tx, sensorNums);
  await store.recordAssignments(tx, sensorNums, locationId, at);
  if (first.size > 0 && first.size < sensorNums.length) await holdDaysOfSensors(tx, sensorNums);
  if (first.size > 0) await redrawDaysOfSensors(tx, [...first], -Infinity);
  const later = sensorNums.filter((num) => !first.has(num));
  if (later.length > 0) await redrawDaysOfSensors(tx, later, at.getTime());
}
