// Puts one sensor in the place of another, in the caller's transaction. The caller has claimed the new one if necessary.
import { errorCode } from "@psp/contract/errors.ts";
import type { Lost, LostKey, ReplacementPlan } from "@psp/contract/replacement/replacement.ts";
import { canAssignSensor, canEdit, canUseFirmware } from "@psp/contract/permission/can.ts";
import { findHandOverDenial } from "@psp/contract/permission/why-not.ts";
import type { MonitoringConfig } from "@psp/contract/monitoring/monitoring-config.ts";
import type { Context } from "../../context.ts";
import { lockCountersOfSensors } from "../../count/rollup.service.ts";
import type { Tx } from "../../db/database.ts";
import type { UnitOfWork } from "../../db/write.ts";
import { firmwareReasons } from "../../firmware/firmware.reasons.ts";
import { findVisibleFirmware } from "../../firmware/firmware.service.ts";
import { AppError, throwIfDenied } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import { getOwned } from "../../owned/change.ts";
import { consentReasons, isProtectedOwner } from "../../owned/consent.ts";
import type { StoredRow } from "../../owned/noun.ts";
import { lockOwned, lockOwnerAccount } from "../../owned/owned.store.ts";
import { getOwner, type OwnerWithPath } from "../../owned/owner.ts";
import { lockVisibleLocation } from "../change/assignment.service.ts";
import { changeSensors, createPreAuthorizedRequest, recordAssignmentChanges } from "../change/change.service.ts";
import { requireVisiblePlace } from "../change/hand-over.service.ts";
import { sensorReasons } from "../sensor.reasons.ts";
import { sensors } from "../sensor.noun.ts";
import { findUnaccepted, planReplacement, type ReplacementFacts } from "./replace.rules.ts";
import * as store from "./replace.store.ts";

type SensorRow = StoredRow<"sensor">;
/** The sensors of a replacement. */
export type Pair = { old: SensorRow; next: SensorRow };
type Place = { id: string; name: string; owner: OwnerWithPath };

/** Steps on the location's apps. Passed in, because sensors can't import locations. */
export type OccupancySteps = {
  /** Whether the occupancy app of the location names the sensor, and whether the caller may change it. */
  findApp(tx: Tx, caller: Caller, locationId: string, sensorId: string): Promise<ReplacementFacts["occupancy"]>;
  renameSensor(w: UnitOfWork, caller: Caller, locationId: string, from: string, to: string): Promise<void>;
};

/** Throws 105 if the sensor is not visible. */
export const requireVisibleSensor = (ctx: Context, caller: Caller, id: string) => getOwned(ctx, sensors, caller, id);

/**
 * Locks the owner of the old sensor, who gets the new one, against deletion and moves. Call it before the sensors are locked, like every
 * hand-over.
 */
export async function lockReceiver(tx: Tx, caller: Caller, oldId: string): Promise<OwnerWithPath | undefined> {
  const ownerId = await store.findOwnerId(tx, caller, oldId);
  return ownerId === null ? undefined : lockOwnerAccount(tx, ownerId);
}

/** Locks both sensors in the global lock order. Throws 105 if one is not visible, 102 if they are the same. */
export async function lockPair(tx: Tx, caller: Caller, oldId: string, newId: string): Promise<Pair> {
  requireTwo(oldId, newId);
  const rows = new Map<string, SensorRow>();
  for (const id of [oldId, newId].toSorted()) {
    const row = await lockOwned(tx, sensors, caller, id);
    if (row) rows.set(id, row);
  }
  const [old, next] = [rows.get(oldId), rows.get(newId)];
  if (!old) throw new AppError(errorCode.notFound);
  if (!next) throw new AppError(errorCode.notFound, { field: "sensorID" });
  return { old, next };
}

/**
 * Locks both sensors; the new one of any owner, because its registration code names it. Returns the new one as it will be once
 * claimed.
 */
export async function lockPairToClaim(tx: Tx, caller: Caller, oldId: string, newId: string): Promise<Pair> {
  requireTwo(oldId, newId);
  let old: SensorRow | undefined;
  let next: SensorRow | undefined;
  for (const id of [oldId, newId].toSorted())
    if (id === oldId) old = await lockOwned(tx, sensors, caller, id);
    else next = await store.lockSensor(tx, id);
  if (!old || !next) throw new AppError(errorCode.notFound);
  if (next.owner_id === caller.id) return { old, next };
  const bare = { location_id: null, firmware_id: null, groups: [], monitoring_config: null, rest_username: null };
  return { old, next: { ...next, ...bare, owner_id: caller.id, replaced_by: null, replaces: null } };
}

function requireTwo(oldId: string, newId: string): void {
  if (oldId === newId)
    throw new AppError(errorCode.invalidArgument, { field: "sensorID", ...sensorReasons.replacesItself });
}

export async function requireEditablePair(tx: Tx, caller: Caller, { old, next }: Pair) {
  const [oldOwner, newOwner] = [await getOwner(tx, old.owner_id), await getOwner(tx, next.owner_id)];
  if (!canEdit(caller, "sensor", oldOwner)) throw new AppError(errorCode.noEdit, sensorReasons.edit(caller, oldOwner));
  if (!canEdit(caller, "sensor", newOwner))
    throw new AppError(errorCode.noEdit, { field: "sensorID", ...sensorReasons.edit(caller, newOwner) });
  return { oldOwner, newOwner };
}

/** Requires that `from`'s sensor may be given to `to`, who may view the location. `locked`: the account that was locked to receive it. */
export async function requireHandOver(
  tx: Tx,
  caller: Caller,
  hand: { from: OwnerWithPath; to: OwnerWithPath; locked: OwnerWithPath | undefined; place: Place | null },
): Promise<void> {
  const { from, to, locked, place } = hand;
  if (from.id === to.id) return;
  if (to.isDeleted) throw new AppError(errorCode.invalidOwner, { field: "sensorID", ...sensorReasons.ownerDeleted });
  if (locked?.id !== to.id)
    throw new AppError(errorCode.invalidArgument, sensorReasons.changedSinceReplacement, { status: 409 });
  throwIfDenied(findHandOverDenial(caller, from, to), ({ code }) => ({
    field: "sensorID",
    ...(code === errorCode.noChangeOwner ? sensorReasons.handOver(caller, from, to) : sensorReasons.assign(caller, to)),
  }));
  if (await isProtectedOwner(tx, caller, from.id))
    throw new AppError(errorCode.noChangeOwner, { field: "sensorID", ...consentReasons.handOver });
  if (place) await requireVisiblePlace(tx, to, place.owner);
}

type Judged = { receiver: OwnerWithPath | undefined; steps: OccupancySteps };

/** Throws unless the replacement is allowed; returns what it does. */
async function judgeReplacement(tx: Tx, caller: Caller, pair: Pair, { receiver, steps }: Judged) {
  const { old, next } = pair;
  const { oldOwner, newOwner } = await requireEditablePair(tx, caller, pair);
  const conflict = (reason: { reason: string }, field?: string) =>
    new AppError(errorCode.invalidArgument, { ...(field ? { field } : {}), ...reason }, { status: 409 });
  if (old.replaced_by !== null) throw conflict(sensorReasons.alreadyReplaced);
  const place = old.location_id === null ? null : await lockVisibleLocation(tx, caller, old.location_id);
  if (!place) throw conflict(sensorReasons.noPlace);
  if (next.location_id !== null && next.location_id !== place.id)
    throw conflict(sensorReasons.placedElsewhere, "sensorID");
  const firmware = old.firmware_id === null ? null : await findVisibleFirmware(tx, caller, old.firmware_id);
  await requireHandOver(tx, caller, { from: newOwner, to: oldOwner, locked: receiver, place });
  if (!canAssignSensor(caller, place.owner))
    throw new AppError(errorCode.noAssignSensor, sensorReasons.useLocation(caller, place.owner));
  const taken = firmware?.type === next.type ? firmware : null;
  if (taken && taken.id !== next.firmware_id && !canUseFirmware(caller, taken))
    throw new AppError(errorCode.noUseFirmware, firmwareReasons.use(caller, taken));
  const plan = planReplacement(old, next, {
    firmware: old.firmware_id === null ? null : { type: firmware?.type ?? "", isVisible: firmware !== null },
    hasSettings: await store.hasKnownSettings(tx, old.num),
    occupancy: await steps.findApp(tx, caller, place.id, old.id),
  });
  return { place, firmware: taken, plan, handOver: oldOwner.id === newOwner.id ? null : oldOwner };
}

export async function findPlan(tx: Tx, caller: Caller, pair: Pair, judged: Judged): Promise<ReplacementPlan> {
  const { place, plan, handOver } = await judgeReplacement(tx, caller, pair, judged);
  const type = pair.next.type as ReplacementPlan["sensor"]["type"];
  return {
    sensor: { _id: pair.next.id, type },
    location: { _id: place.id, name: place.name },
    ...plan,
    handsOver: handOver !== null,
  };
}

/** Replaces the sensor at one instant. Returns the id by which that can be undone, and what was lost. */
export async function replacePair(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  pair: Pair,
  { accept, ...judged }: Judged & { accept: readonly LostKey[] },
): Promise<{ id: string; lost: Lost[] }> {
  const { old, next } = pair;
  const { place, firmware, plan, handOver } = await judgeReplacement(w.tx, caller, pair, judged);
  const unaccepted = findUnaccepted(plan.lost, accept);
  if (unaccepted.length > 0) {
    const details = { field: "accept", lost: unaccepted, ...sensorReasons.notAccepted };
    throw new AppError(errorCode.invalidArgument, details, { status: 409 });
  }
  const ids = [old.id, next.id];
  await lockCountersOfSensors(w.tx, [old.num, next.num]);
  const at = ctx.clock.date();
  // One sensor leaves and the other one comes at the same instant, so that no interval is lost between them.
  const frozen: Context = { ...ctx, clock: { ...ctx.clock, now: () => at.getTime(), date: () => new Date(at) } };
  const before = await store.readState(w.tx, ids, at);
  // The rows of the replacement itself already say what happened to the firmware.
  const quiet: UnitOfWork = { ...w, audit: () => undefined };
  const change = (id: string, to: Parameters<typeof changeSensors>[3]) =>
    changeSensors(frozen, quiet, createPreAuthorizedRequest(frozen, caller, [id]), to, "replace", {
      // Counts of the new sensor from before the replacement never belong to the location.
      move: (at, tx, nums, locationId) =>
        recordAssignmentChanges(at, tx, nums, locationId, { withEarlierCounts: false }),
    });
  await change(old.id, {
    location: null,
    groups: [],
    monitoring: null,
    firmware: old.firmware_id === null ? undefined : null,
    replacement: { replacedBy: next.id },
  });
  await change(next.id, {
    owner: handOver ?? undefined,
    location: { id: place.id },
    groups: old.groups,
    monitoring: old.monitoring_config as MonitoringConfig | null,
    firmware: firmware ? { id: firmware.id, mayRetry: true } : undefined,
    replacement: { replaces: old.id },
  });
  if (plan.takenOver.includes("occupancy")) await judged.steps.renameSensor(w, caller, place.id, old.id, next.id);
  const taskIds = before.tasks.map((task) => String(task["id"]));
  const after = await store.readState(w.tx, ids, at, taskIds);
  const id = uuidv7(at.getTime());
  await store.insertReplacement(w.tx, {
    id,
    accountId: caller.id,
    at,
    oldId: old.id,
    newId: next.id,
    locationId: place.id,
    before,
    after: { ...after, marks: Object.fromEntries(await store.findChangeMarks(w.tx, ids)) },
    hasOccupancy: plan.takenOver.includes("occupancy"),
  });
  return { id, lost: plan.lost };
}
