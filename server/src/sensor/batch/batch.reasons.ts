// Explains failed sensors of a batch: only codes are stored, the reasons come from the current state.
import { errorCode } from "@psp/contract/errors.ts";
import { canAssignSensor, canChangeOwner, canDelete, canEdit, canUseFirmware } from "@psp/contract/permission/can.ts";
import type { RefusalDetails } from "@psp/contract/kit/refusal.ts";
import type { SensorBatchChanges } from "@psp/contract/sensor/sensor.batch.api.ts";
import { consentReasons, isAncestorOf } from "../../owned/consent.ts";
import { findOwners, type OwnerWithPath } from "../../owned/owner.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { firmwareReasons } from "../../firmware/firmware.reasons.ts";
import { findVisibleFirmware } from "../../firmware/firmware.service.ts";
import { requireVisibleLocation } from "../change/assignment.service.ts";
import { noPendingInstallCode, tooManyGroupsCode } from "../change/verdict.store.ts";
import { canHaveSensorAt } from "../change/hand-over.service.ts";
import type { VisibleFailure } from "./batch.store.ts";
import { sensorReasons } from "../sensor.reasons.ts";

/** Codes with details; failures with other codes (invisible, canceled, broken) have only a message. */
const explained = new Set([
  noPendingInstallCode,
  tooManyGroupsCode,
  errorCode.invalidArgument,
  errorCode.notFound,
  errorCode.noAssignSensor,
  errorCode.noChangeOwner,
  errorCode.noDelete,
  errorCode.noEdit,
  errorCode.noPermission,
  errorCode.noUseFirmware,
]);

type Explain = (failure: VisibleFailure) => RefusalDetails | undefined;

export async function explainFailures(
  ctx: Context,
  caller: Caller,
  changes: SensorBatchChanges,
  failures: readonly VisibleFailure[],
): Promise<Explain> {
  const some = failures.filter(({ code, owner_id }) => explained.has(code) && owner_id !== null);
  if (some.length === 0) return () => undefined;
  const related = await ctx.db.transaction().execute((tx) => findRelated(tx, caller, changes, some));
  // Cached, because thousands of sensors may fail for the same few reasons.
  const known = new Map<string, RefusalDetails | undefined>();
  return ({ code, owner_id: ownerId, type }) => {
    const owner = related.owners.get(ownerId ?? "");
    if (!explained.has(code) || !owner || type === null) return undefined;
    const key = `${code} ${owner.id} ${type}`;
    if (!known.has(key)) known.set(key, reasonOf(caller, changes, related, { code, owner, type }));
    return known.get(key);
  };
}

type Related = Awaited<ReturnType<typeof findRelated>>;

async function findRelated(tx: Tx, caller: Caller, changes: SensorBatchChanges, failures: readonly VisibleFailure[]) {
  const { owner, measID, artifact } = changes;
  const ids = new Set(failures.flatMap(({ owner_id }) => owner_id ?? []));
  const owners = await findOwners(tx, [...ids, ...(owner === undefined ? [] : [owner])]);
  const receiver = owners.get(owner ?? "");
  const location = measID ? await stillVisible(requireVisibleLocation(tx, caller, measID)) : null;
  return {
    owners,
    location,
    isUnseenPlace: receiver && location ? !(await canHaveSensorAt(tx, receiver, location.owner)) : false,
    firmware: artifact ? await findVisibleFirmware(tx, caller, artifact) : null,
  };
}

async function stillVisible<T>(found: Promise<T>): Promise<T | null> {
  return found.catch((error: unknown) => {
    if (error instanceof AppError && error.code === errorCode.notFound) return null;
    throw error;
  });
}

type Sensor = { code: number; owner: OwnerWithPath; type: string };

function reasonOf(
  caller: Caller,
  changes: SensorBatchChanges,
  { owners, location, isUnseenPlace, firmware }: Related,
  { code, owner, type }: Sensor,
): RefusalDetails | undefined {
  const receiver = owners.get(changes.owner ?? "");
  switch (code) {
    case tooManyGroupsCode:
      return sensorReasons.tooManyGroups;
    case noPendingInstallCode:
      return sensorReasons.nothingWaits;
    case errorCode.invalidArgument:
      if (firmware && firmware.type !== type) return sensorReasons.otherType(firmware, type);
      return changes.claimable ? sensorReasons.noCode : undefined;
    case errorCode.notFound:
      return isUnseenPlace && receiver?.id !== owner.id ? sensorReasons.unseenPlace : undefined;
    case errorCode.noAssignSensor:
      if (receiver && receiver.id !== owner.id && !canAssignSensor(caller, receiver))
        return sensorReasons.assign(caller, receiver);
      return location && !canAssignSensor(caller, location.owner)
        ? sensorReasons.useLocation(caller, location.owner)
        : undefined;
    case errorCode.noChangeOwner:
      if (!receiver) return undefined;
      if (!canChangeOwner(caller, "sensor", owner, receiver)) return sensorReasons.handOver(caller, owner, receiver);
      return isAncestorOf(caller, owner) ? consentReasons.handOver : undefined;
    case errorCode.noDelete:
      return canDelete(caller, "sensor", owner) ? undefined : sensorReasons.remove(caller, owner);
    case errorCode.noEdit:
      return canEdit(caller, "sensor", owner) ? undefined : sensorReasons.edit(caller, owner);
    case errorCode.noPermission:
      return consentReasons.claimable;
    case errorCode.noUseFirmware:
      return firmware && !canUseFirmware(caller, firmware) ? firmwareReasons.use(caller, firmware) : undefined;
    default:
      return undefined;
  }
}
