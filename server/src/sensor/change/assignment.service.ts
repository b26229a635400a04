// Checks and performs assignments of sensors to locations, and ends them when a location is deleted.
import { errorCode } from "@psp/contract/errors.ts";
import { canAssignSensor, canEdit } from "@psp/contract/permission/can.ts";
import { lockOwned } from "../../owned/owned.store.ts";
import { getOwner, type OwnerWithPath } from "../../owned/owner.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { UnitOfWork } from "../../db/write.ts";
import { sensorReasons } from "../sensor.reasons.ts";
import * as store from "./assignment.store.ts";
import { changeSensors, createPreAuthorizedRequest } from "./change.service.ts";
import { sensors } from "../sensor.noun.ts";

/** Requires a visible location (105) for a `measID` in a body; locks it against deletion until the commit. */
export async function requireVisibleLocation(tx: Tx, caller: Caller, id: string) {
  const location = await lockVisibleLocation(tx, caller, id);
  if (!location) throw new AppError(errorCode.notFound, { field: "measID" });
  return location;
}

/** Locks the location against deletion until the commit; null if it is not visible. */
export async function lockVisibleLocation(tx: Tx, caller: Caller, id: string) {
  const row = await store.lockLocation(tx, caller, id);
  return row && { ...row, owner: await getOwner(tx, row.owner_id) };
}

/** Requires a sensor that may be assigned to a location of `owner`: visible (105), editable (305), assignable there (301). Locks it. */
export async function requireAssignableSensor(w: UnitOfWork, caller: Caller, sensorId: string, owner: OwnerWithPath) {
  const sensor = await lockOwned(w.tx, sensors, caller, sensorId);
  if (!sensor) throw new AppError(errorCode.notFound, { field: "sensorID" });
  return {
    id: sensor.id,
    type: sensor.type,
    /** Separate, because references are checked before rights (docs/rules/errors.md#order-of-checks). */
    async requireRights() {
      const present = await getOwner(w.tx, sensor.owner_id);
      if (!canEdit(caller, "sensor", present))
        throw new AppError(errorCode.noEdit, { field: "sensorID", ...sensorReasons.edit(caller, present) });
      if (!canAssignSensor(caller, owner))
        throw new AppError(errorCode.noAssignSensor, sensorReasons.useLocation(caller, owner));
    },
    assignTo: (ctx: Context, locationId: string) =>
      changeSensors(ctx, w, createPreAuthorizedRequest(ctx, caller, [sensor.id]), { location: { id: locationId } }),
  };
}

/** Removes all sensors from these locations from now on; past counts stay with the location. */
export async function removeSensorsFromLocations(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  locationIds: readonly string[],
) {
  const ids = await store.lockSensorsAt(w.tx, locationIds);
  if (ids.length > 0)
    await changeSensors(ctx, w, createPreAuthorizedRequest(ctx, caller, ids), { location: null }, "unassign");
}
