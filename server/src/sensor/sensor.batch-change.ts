// What a batch does to one part of its sensors: the same rules, history and announcements as the single calls, for all at once.
import { canAssignSensor, canUseFirmware, changeOwnerSets } from "@psp/contract/permission/can.ts";
import { contains } from "@psp/contract/permission/scope.ts";
import type { SensorBatchChanges } from "@psp/contract/sensor/sensor.batch.api.ts";
import { type PlacedOwner, requireNewOwner } from "../owned/owner.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import type { Write } from "../db/write.ts";
import { requireVisibleFirmware } from "../firmware/firmware.service.ts";
import { requireVisibleLocation } from "./assignment.service.ts";
import { assignFirmware, forgetTasks } from "../rollout/rollout.service.ts";
import { recordMoves } from "./assignment.service.ts";
import { drawClaimingCodes, mayHaveAt } from "./hand-over.service.ts";
import { renewCredentialOnHandover } from "./sensor.renewal.ts";
import { deletePart, type Judged, type Target, updatePart } from "./sensor.batch-change.store.ts";
import type { Failure, Part } from "./sensor.batch.store.ts";

/** What the changes point at; each must exist and be visible (103, 105). Held until the commit. */
export async function requireTarget(tx: Tx, caller: Caller, changes: SensorBatchChanges): Promise<Target> {
  const { owner, measID, artifact, groups, claimable } = changes;
  const receiver = owner === undefined ? undefined : await requireNewOwner(tx, caller, owner);
  const place = typeof measID === "string" ? await requireVisibleLocation(tx, caller, measID) : measID;
  return {
    owner: receiver && (await newOwner(tx, caller, receiver, place?.owner)),
    location: place && { id: place.id, mayAssign: canAssignSensor(caller, place.owner) },
    firmware: artifact === undefined ? undefined : artifact === null ? null : await newFirmware(tx, caller, artifact),
    groups: groups === null ? [] : groups,
    claimable,
  };
}

async function newOwner(tx: Tx, caller: Caller, owner: PlacedOwner, placeOwner: PlacedOwner | undefined) {
  return {
    id: owner.id,
    path: owner.path,
    mayReceive: contains(changeOwnerSets(caller, "sensor").to, owner),
    mayAssign: canAssignSensor(caller, owner),
    mayHavePlace: placeOwner === undefined || (await mayHaveAt(tx, owner, placeOwner)),
  };
}

async function newFirmware(tx: Tx, caller: Caller, id: string) {
  const firmware = await requireVisibleFirmware(tx, caller, id);
  return { id, type: firmware.type, mayUse: canUseFirmware(caller, firmware) };
}

/** Changes or deletes these sensors and answers those that failed, with their codes. */
export async function changePart(ctx: Context, w: Write, caller: Caller, part: Part): Promise<Failure[]> {
  const author = { caller, requestId: part.request_id, at: ctx.clock.date() };
  const asked = { ids: part.ids, mark: part.asked_mark };
  if (part.kind === "delete") {
    const judged = await deletePart(w.tx, author, asked);
    await afterDelete(ctx, w, written(judged));
    return failuresOf(part.ids, judged);
  }
  const target = await stillTarget(w.tx, caller, part.changes ?? {});
  if (typeof target === "number") return part.ids.map((id) => ({ id, code: target }));
  const codes = target.owner ? await drawClaimingCodes(w.tx, part.ids.length) : [];
  const judged = await updatePart(w.tx, author, asked, target, codes);
  await wishFirmware(ctx, w, caller, written(judged), target.firmware);
  await afterUpdate(ctx, w, written(judged), target);
  return failuresOf(part.ids, judged);
}

/** The target again, or the code that speaks against it by now: it may have been deleted since the batch began. */
async function stillTarget(tx: Tx, caller: Caller, changes: SensorBatchChanges): Promise<Target | number> {
  try {
    return await requireTarget(tx, caller, changes);
  } catch (error) {
    if (error instanceof AppError && error.code < 500) return error.code;
    throw error;
  }
}

const written = (judged: readonly Judged[]) => judged.filter((one) => one.code === 0);

function failuresOf(ids: readonly string[], judged: readonly Judged[]): Failure[] {
  const codes = new Map(judged.map((one) => [one.id, one.code]));
  return ids.flatMap((id) => {
    // What may not be seen is not there.
    const code = codes.get(id) ?? 105;
    return code === 0 ? [] : [{ id, code }];
  });
}

/** Firmware begins or ends tasks, as for a single sensor; where its task ended in vain it is another attempt. */
async function wishFirmware(
  ctx: Context,
  w: Write,
  caller: Caller,
  changed: readonly Judged[],
  to: Target["firmware"],
) {
  if (to === undefined) return;
  const wanting = changed.filter((one) => one.firmware_before !== to?.id || one.may_retry);
  const sensorIds = idsOf(to === null ? changed : wanting);
  if (sensorIds.length > 0) await assignFirmware(ctx, w, { sensorIds, firmwareId: to?.id ?? null, by: caller.id });
}

async function afterUpdate(ctx: Context, w: Write, changed: readonly Judged[], to: Target): Promise<void> {
  if (changed.length === 0) return;
  // All that move go to the place that is named, or to none.
  const moved = changed.filter((one) => one.location_before !== one.location_after);
  await recordMoves(ctx, w.tx, numsOf(moved), to.location?.id ?? null);
  for (const { id, owner_before: ownerBefore } of changed) {
    const event = { type: "sensor", op: "update", id, ownerBefore, ownerAfter: to.owner?.id ?? ownerBefore } as const;
    w.announce({ name: "entityChanged", event });
  }
  const handedOver = to.owner ? changed.filter((one) => one.owner_before !== to.owner?.id) : [];
  if (handedOver.length > 0) {
    await renewCredentialOnHandover(w.tx, idsOf(handedOver));
    w.announce({ name: "sensorsDropped", event: { sensorIds: idsOf(handedOver) } });
  }
  // Groups and re-registration are nothing that a device hears of.
  if (to.firmware === undefined && to.location === undefined) return;
  const gone = new Set(idsOf(handedOver));
  const rest = idsOf(changed).filter((id) => !gone.has(id));
  if (rest.length > 0) w.announce({ name: "desiredChanged", event: { sensorIds: rest } });
}

async function afterDelete(ctx: Context, w: Write, deleted: readonly Judged[]): Promise<void> {
  if (deleted.length === 0) return;
  await forgetTasks(ctx, w, idsOf(deleted));
  await recordMoves(ctx, w.tx, numsOf(deleted.filter((one) => one.location_before !== null)), null);
  for (const { id, owner_before: owner } of deleted) {
    const event = { type: "sensor", op: "delete", id, ownerBefore: owner, ownerAfter: owner } as const;
    w.announce({ name: "entityChanged", event });
  }
  w.announce({ name: "sensorsDropped", event: { sensorIds: idsOf(deleted) } });
}

const idsOf = (rows: readonly Judged[]) => rows.map((row) => row.id);
const numsOf = (rows: readonly Judged[]) => rows.map((row) => row.num);
