// Sensors at locations: what a move means for their history, one put at a new location, all let go by a deleted one.
import { canAssignSensor, canEdit } from "@psp/contract/permission/can.ts";
import { ownerOf, type PlacedOwner } from "../owned/owner.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { holdDaysOfSensors, redrawDaysOfSensors } from "../count/rollup.service.ts";
import type { Tx } from "../db/database.ts";
import { bumped, type Write } from "../db/write.ts";
import { sensorReasons } from "./sensor.reasons.ts";
import * as store from "./assignment.store.ts";
import { lockSensor } from "./sensor.store.ts";
import { sensorTrail } from "./sensor.wire.ts";

/** A location named in a body (`measID`): visible, else 105; kept from being deleted until the commit. */
export async function requireVisibleLocation(
  tx: Tx,
  caller: Caller,
  id: string,
): Promise<{ id: string; owner: PlacedOwner; timezone: string | null }> {
  const row = await store.holdLocation(tx, caller, id);
  if (!row) throw new AppError(105, { field: "measID" });
  return { id: row.id, owner: await ownerOf(tx, row.owner_id), timezone: row.timezone };
}

/** A sensor that may be put at a location of `owner`: visible (105), editable (305), assignable there (301). Locked. */
export async function requireAssignableSensor(w: Write, caller: Caller, sensorId: string, owner: PlacedOwner) {
  const sensor = await lockSensor(w.tx, caller, sensorId);
  if (!sensor) throw new AppError(105, { field: "sensorID" });
  return {
    /** Asked apart, because references are looked at before rights (decisions 3). */
    async requireRights() {
      const present = await ownerOf(w.tx, sensor.owner_id);
      if (!canEdit(caller, "sensor", present))
        throw new AppError(305, { field: "sensorID", ...sensorReasons.edit(caller, present) });
      if (!canAssignSensor(caller, owner)) throw new AppError(301, sensorReasons.useLocation(caller, owner));
    },
    assignTo: (ctx: Context, locationId: string) => move(ctx, w, "update", sensor, locationId),
  };
}

/** Every sensor of a location becomes unassigned from now on; what it counted there stays the location's (decisions 13). */
export async function unassignSensors(ctx: Context, w: Write, locationId: string): Promise<void> {
  const sensors = await store.lockSensorsAt(w.tx, locationId);
  await holdDaysOfSensors(
    w.tx,
    sensors.map((sensor) => sensor.num),
  );
  for (const sensor of sensors) await move(ctx, w, "unassign", sensor, null);
}

/**
 * Notes that a sensor belongs to this location (or none) from now on, and lets its daily sums follow. Before its first
 * assignment it counts for the first location, so that one places its whole past (decisions 13).
 */
export async function recordMove(ctx: Context, tx: Tx, sensorNum: number, locationId: string | null): Promise<void> {
  await recordMoves(ctx, tx, [sensorNum], locationId);
}

/** The same for many sensors that go to one place (or to none) together; their rows are locked already. */
export async function recordMoves(
  ctx: Context,
  tx: Tx,
  sensorNums: readonly number[],
  locationId: string | null,
): Promise<void> {
  if (sensorNums.length === 0) return;
  const at = ctx.clock.date();
  const first = locationId === null ? new Set<number>() : await store.neverAssigned(tx, sensorNums);
  await store.recordAssignments(tx, sensorNums, locationId, at);
  if (first.size > 0 && first.size < sensorNums.length) await holdDaysOfSensors(tx, sensorNums);
  if (first.size > 0) await redrawDaysOfSensors(tx, [...first], -Infinity);
  const later = sensorNums.filter((num) => !first.has(num));
  if (later.length > 0) await redrawDaysOfSensors(tx, later, at.getTime());
}

type Stored = NonNullable<Awaited<ReturnType<typeof lockSensor>>>;

async function move(ctx: Context, w: Write, action: string, sensor: Stored, locationId: string | null): Promise<void> {
  await w.tx
    .updateTable("sensor")
    .set({ ...bumped(ctx), location_id: locationId })
    .where("id", "=", sensor.id)
    .execute();
  await recordMove(ctx, w.tx, sensor.num, locationId);
  w.audit({
    action,
    object: { type: "sensor", _id: sensor.id },
    owner: { id: sensor.owner_id, path: sensor.owner_path },
    before: sensorTrail(sensor),
    after: { ...sensorTrail(sensor), measID: locationId },
  });
  w.announce({
    name: "entityChanged",
    event: { type: "sensor", op: "update", id: sensor.id, ownerBefore: sensor.owner_id, ownerAfter: sensor.owner_id },
  });
  w.announce({ name: "desiredChanged", event: { sensorIds: [sensor.id] } });
}
