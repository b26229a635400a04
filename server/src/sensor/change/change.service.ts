// Changes or deletes any number of sensors: writes rows and audit log, then updates tasks, locations and devices.
import type { Context } from "../../context.ts";
import type { Initiator as Writer, UnitOfWork } from "../../db/write.ts";
import { assignFirmware, endAllTasks } from "../../rollout/rollout.service.ts";
import { lockInstallations, setPaused } from "../../rollout/pause.service.ts";
import { lockCountersOfSensors, rebuildSumsOfSensors } from "../../count/rollup.service.ts";
import type { Tx } from "../../db/database.ts";
import { publishEntity } from "../../owned/change.ts";
import { findNeverAssignedSensors, recordAssignments } from "./assignment.store.ts";
import { drawClaimingCodes } from "./hand-over.service.ts";
import * as store from "./change.store.ts";
import type { TargetValues, TargetRights } from "./verdict.store.ts";
import { requestCredentialRenewal } from "../../device/credential/renewal.ts";

/** The sensors, the author, and the caller if rights must still be checked. */
export type ChangeRequest<Rights> = {
  ids: readonly string[];
  author: store.Author;
  asker: store.RequestRights<Rights> | null;
};

export function createPreAuthorizedRequest(ctx: Context, by: Writer, ids: readonly string[]): ChangeRequest<never> {
  const name =
    "system" in by ? { accountId: null, requestId: by.system } : { accountId: by.id, requestId: by.request.id };
  return { ids, author: { ...name, at: ctx.clock.date() }, asker: null };
}

/** Steps of a change that a replacement and its undo make in their own way. */
export type ChangeSteps = {
  assign?: typeof assignChangedFirmware;
  move?: (ctx: Context, tx: Tx, sensorNums: readonly number[], locationId: string | null) => Promise<void>;
};

/** Changes those sensors that the caller may change. Invisible sensors are missing from the result (105). */
export async function changeSensors(
  ctx: Context,
  w: UnitOfWork,
  { ids, author, asker }: ChangeRequest<TargetRights>,
  to: TargetValues,
  action = "update",
  { assign = assignChangedFirmware, move = recordAssignmentChanges }: ChangeSteps = {},
): Promise<store.ChangeOutcome[]> {
  // No installation may begin between the check and the pause.
  if (to.installation) await lockInstallations(w, ids);
  const codes = to.owner ? await drawClaimingCodes(w.tx, ids.length) : [];
  const judged = await store.updateSensors(w.tx, author, ids, asker, to, { action, codes });
  const changed = written(judged);
  await assign(ctx, w, changed, to.firmware, author.accountId);
  if (to.installation) await setPaused(ctx, w, idsOf(changed), to.installation === "paused");
  const moved = changed.filter((one) => one.location_before !== one.location_after);
  await move(ctx, w.tx, numsOf(moved), to.location?.id ?? null);
  for (const { id, owner_before: ownerBefore } of changed)
    publishEntity(w, { type: "sensor", op: "update", id, ownerBefore, ownerAfter: to.owner?.id ?? ownerBefore });
  await notifyDevices(w, changed, to);
  return judged;
}

/** Deletes the sensors: ends their tasks, location assignments and claiming codes, and disconnects their devices. */
export async function deleteSensors(
  ctx: Context,
  w: UnitOfWork,
  { ids, author, asker }: ChangeRequest<null>,
  reason: string | null = null,
): Promise<store.ChangeOutcome[]> {
  const judged = await store.deleteSensors(w.tx, author, ids, asker, reason);
  const deleted = written(judged);
  if (deleted.length === 0) return judged;
  await endAllTasks(ctx, w, idsOf(deleted));
  await recordAssignmentChanges(ctx, w.tx, numsOf(deleted.filter((one) => one.location_before !== null)), null);
  for (const { id, owner_before: owner } of deleted)
    publishEntity(w, { type: "sensor", op: "delete", id, ownerBefore: owner, ownerAfter: owner });
  w.announce({ name: "sensorsDropped", event: { sensorIds: idsOf(deleted) } });
  return judged;
}

/** Creates or cancels firmware tasks; setting the same firmware again after a failed task retries it. */
export async function assignChangedFirmware(
  ctx: Context,
  w: UnitOfWork,
  changed: readonly store.ChangeOutcome[],
  to: TargetValues["firmware"],
  by: string | null,
): Promise<void> {
  if (to === undefined || by === null) return;
  const wanting = to === null ? changed : changed.filter((one) => one.firmware_before !== to.id || one.may_retry);
  if (wanting.length > 0) await assignFirmware(ctx, w, { sensorIds: idsOf(wanting), firmwareId: to?.id ?? null, by });
}

/** Disconnects sensors with a new owner, which then get a new password. Sends all others their new desired state. */
async function notifyDevices(w: UnitOfWork, changed: readonly store.ChangeOutcome[], to: TargetValues): Promise<void> {
  const handedOver = to.owner ? changed.filter((one) => one.owner_before !== to.owner?.id) : [];
  if (handedOver.length > 0) {
    await requestCredentialRenewal(w.tx, idsOf(handedOver));
    w.announce({ name: "sensorsDropped", event: { sensorIds: idsOf(handedOver) } });
  }
  // Other fields need no event: devices do not know their groups, nor whether they can be claimed.
  const isReleased = to.installation === "waiting";
  if (to.firmware === undefined && to.location === undefined && to.rest === undefined && !isReleased) return;
  const gone = new Set(idsOf(handedOver));
  const rest = idsOf(changed).filter((id) => !gone.has(id));
  if (rest.length > 0) w.announce({ name: "desiredChanged", event: { sensorIds: rest } });
}

/**
 * Assigns locked sensors to a location (or none) from now on and updates the daily sums. A sensor's first location also gets all its
 * earlier counts (docs/rules/sensors.md#changes), except in a replacement.
 */
export async function recordAssignmentChanges(
  ctx: Context,
  tx: Tx,
  sensorNums: readonly number[],
  locationId: string | null,
  { withEarlierCounts = true } = {},
) {
  if (sensorNums.length === 0) return;
  const at = ctx.clock.date();
  const first =
    locationId === null || !withEarlierCounts ? new Set<number>() : await findNeverAssignedSensors(tx, sensorNums);
  await recordAssignments(tx, sensorNums, locationId, at, withEarlierCounts);
  if (first.size > 0 && first.size < sensorNums.length) await lockCountersOfSensors(tx, sensorNums);
  if (first.size > 0) await rebuildSumsOfSensors(tx, [...first], -Infinity);
  const later = sensorNums.filter((num) => !first.has(num));
  if (later.length > 0) await rebuildSumsOfSensors(tx, later, at.getTime());
}

const written = (judged: readonly store.ChangeOutcome[]) => judged.filter((one) => one.code === 0);
const idsOf = (rows: readonly store.ChangeOutcome[]) => rows.map((row) => row.id);
const numsOf = (rows: readonly store.ChangeOutcome[]) => rows.map((row) => row.num);
