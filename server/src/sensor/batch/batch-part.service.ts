// Processes one part of a batch: looks up the batch's target again, and returns the failed sensors with their error codes.
import { errorCode } from "@psp/contract/errors.ts";
import { canAssignSensor, canUseFirmware, resolveChangeOwnerScopes } from "@psp/contract/permission/can.ts";
import { contains } from "@psp/contract/permission/scope.ts";
import type { SensorBatchChanges } from "@psp/contract/sensor/sensor.batch.api.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { UnitOfWork } from "../../db/write.ts";
import { requireVisibleFirmware } from "../../firmware/firmware.service.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { type OwnerWithPath, requireNewOwner } from "../../owned/owner.ts";
import { requireVisibleLocation } from "../change/assignment.service.ts";
import { canHaveSensorAt } from "../change/hand-over.service.ts";
import type { SensorFailure, BatchPart } from "./batch.store.ts";
import { changeSensors, deleteSensors } from "../change/change.service.ts";
import type { ChangeOutcome } from "../change/change.store.ts";

/** Requires that the target of the changes exists and is visible (103, 105). Locks it until the commit. */
export async function requireReferences(tx: Tx, caller: Caller, changes: SensorBatchChanges) {
  const { owner, measID, artifact, groups, claimable, installation } = changes;
  const receiver = owner === undefined ? undefined : await requireNewOwner(tx, caller, owner);
  const place = typeof measID === "string" ? await requireVisibleLocation(tx, caller, measID) : measID;
  const firmware = typeof artifact === "string" ? await requireVisibleFirmware(tx, caller, artifact) : artifact;
  return {
    target: {
      owner: receiver,
      location: place,
      firmware: firmware && { id: firmware.id, mayRetry: true },
      groups: groups === null ? [] : groups,
      claimable,
      installation,
    },
    rights: {
      owner: receiver && (await rightsAboutOwner(tx, caller, receiver, place?.owner)),
      location: place ? { mayAssign: canAssignSensor(caller, place.owner) } : undefined,
      firmware: firmware ? { type: firmware.type, mayUse: canUseFirmware(caller, firmware) } : undefined,
    },
  };
}

async function rightsAboutOwner(tx: Tx, caller: Caller, owner: OwnerWithPath, placeOwner: OwnerWithPath | undefined) {
  return {
    mayReceive: contains(resolveChangeOwnerScopes(caller, "sensor").to, owner),
    mayAssign: canAssignSensor(caller, owner),
    mayHavePlace: placeOwner === undefined || (await canHaveSensorAt(tx, owner, placeOwner)),
  };
}

export async function changePart(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  part: BatchPart,
): Promise<SensorFailure[]> {
  const author = { accountId: caller.id, requestId: part.request_id, at: ctx.clock.date() };
  const asker = { caller, mark: part.asked_mark };
  const { ids } = part;
  if (part.kind === "delete")
    return failuresOf(ids, await deleteSensors(ctx, w, { ids, author, asker: { ...asker, rights: null } }));
  const found = await recheckTarget(w.tx, caller, part.changes ?? {});
  if (typeof found === "number") return ids.map((id) => ({ id, code: found }));
  const { target, rights } = found;
  const order = { ids, author, asker: { ...asker, rights } };
  const action = target.installation && actionOf[target.installation];
  return failuresOf(ids, await changeSensors(ctx, w, order, target, action));
}

const actionOf = { paused: "pauseFirmware", waiting: "resumeFirmware" } as const;

/** Returns the target, or an error code if it is no longer valid: it may have been deleted since the batch began. */
async function recheckTarget(tx: Tx, caller: Caller, changes: SensorBatchChanges) {
  try {
    return await requireReferences(tx, caller, changes);
  } catch (error) {
    if (error instanceof AppError && error.code < 500) return error.code;
    throw error;
  }
}

function failuresOf(ids: readonly string[], judged: readonly ChangeOutcome[]): SensorFailure[] {
  const codes = new Map(judged.map((one) => [one.id, one.code]));
  return ids.flatMap((id) => {
    // Invisible sensors are reported as not found.
    const code = codes.get(id) ?? errorCode.notFound;
    return code === 0 ? [] : [{ id, code }];
  });
}
