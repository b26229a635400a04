// Sensors at locations: which location may be named, one sensor put at a new location, all released by a deleted one.
import { errorCode } from "@psp/contract/errors.ts";
import { canAssignSensor, canEdit } from "@psp/contract/permission/can.ts";
import { lockOwned } from "../../owned/owned.store.ts";
import { ownerOf, type PlacedOwner } from "../../owned/owner.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Write } from "../../db/write.ts";
import { sensorReasons } from "../sensor.reasons.ts";
import * as store from "./assignment.store.ts";
import { changeSensors, judgedOrder } from "./change.service.ts";
import { sensors } from "../sensor.noun.ts";

/** A location named in a body (`measID`): visible, else 105; kept from being deleted until the commit. */
export async function requireVisibleLocation(tx: Tx, caller: Caller, id: string) {
  const row = await store.holdLocation(tx, caller, id);
  if (!row) throw new AppError(errorCode.notFound, { field: "measID" });
  return { id: row.id, owner: await ownerOf(tx, row.owner_id), timezone: row.timezone };
}

/** A sensor that may be put at a location of `owner`: visible (105), editable (305), assignable there (301). Locked. */
export async function requireAssignableSensor(w: Write, caller: Caller, sensorId: string, owner: PlacedOwner) {
  const sensor = await lockOwned(w.tx, sensors, caller, sensorId);
  if (!sensor) throw new AppError(errorCode.notFound, { field: "sensorID" });
  return {
    id: sensor.id,
    type: sensor.type,
    /** Asked apart, because references are checked before rights (docs/rules/errors.md#order-of-checks). */
    async requireRights() {
      const present = await ownerOf(w.tx, sensor.owner_id);
      if (!canEdit(caller, "sensor", present))
        throw new AppError(errorCode.noEdit, { field: "sensorID", ...sensorReasons.edit(caller, present) });
      if (!canAssignSensor(caller, owner))
        throw new AppError(errorCode.noAssignSensor, sensorReasons.useLocation(caller, owner));
    },
    assignTo: (ctx: Context, locationId: string) =>
      changeSensors(ctx, w, judgedOrder(ctx, caller, [sensor.id]), { location: { id: locationId } }),
  };
}

/** Every sensor of these locations becomes unassigned from now on; what it counted there stays the location's. */
export async function unassignSensors(ctx: Context, w: Write, caller: Caller, locationIds: readonly string[]) {
  const ids = await store.lockSensorsAt(w.tx, locationIds);
  if (ids.length > 0) await changeSensors(ctx, w, judgedOrder(ctx, caller, ids), { location: null }, "unassign");
}
