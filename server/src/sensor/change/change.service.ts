// What a change or deletion of sensors means, of one or of thousands: the rows with their history, then tasks, places, devices.
import type { Context } from "../../context.ts";
import type { Author as Writer, Write } from "../../db/write.ts";
import { assignFirmware, forgetTasks } from "../../rollout/rollout.service.ts";
import { holdInstallations, setPaused } from "../../rollout/pause.service.ts";
import { holdDaysOfSensors, redrawDaysOfSensors } from "../../count/rollup.service.ts";
import type { Tx } from "../../db/database.ts";
import { announceEntity } from "../../owned/change.ts";
import { neverAssigned, recordAssignments } from "./assignment.store.ts";
import { drawClaimingCodes } from "./hand-over.service.ts";
import * as store from "./change.store.ts";
import type { Target, TargetRights } from "./verdict.store.ts";
import { renewCredentialOnHandover } from "../../device/credential/renewal.ts";

/** Which sensors, in whose name, and who asks where their rights are not judged yet. */
export type Order<Rights> = {
  ids: readonly string[];
  author: store.Author;
  asker: store.Asker<Rights> | null;
};

/** In the name of the writer, for sensors that are locked and judged. */
export function judgedOrder(ctx: Context, by: Writer, ids: readonly string[]): Order<never> {
  const name =
    "system" in by ? { accountId: null, requestId: by.system } : { accountId: by.id, requestId: by.request.id };
  return { ids, author: { ...name, at: ctx.clock.date() }, asker: null };
}

/** Changes these sensors as far as the asker may; what is not there for them is missing from the answer (105). */
export async function changeSensors(
  ctx: Context,
  w: Write,
  { ids, author, asker }: Order<TargetRights>,
  to: Target,
  action = "update",
): Promise<store.Judged[]> {
  // Nothing may begin between the judgment and the pause.
  if (to.installation) await holdInstallations(w, ids);
  const codes = to.owner ? await drawClaimingCodes(w.tx, ids.length) : [];
  const judged = await store.updateSensors(w.tx, author, ids, asker, to, { action, codes });
  const changed = written(judged);
  await assignWanted(ctx, w, changed, to.firmware, author.accountId);
  if (to.installation) await setPaused(ctx, w, idsOf(changed), to.installation === "paused");
  // All that move go to the place that is named, or to none.
  const moved = changed.filter((one) => one.location_before !== one.location_after);
  await recordMoves(ctx, w.tx, numsOf(moved), to.location?.id ?? null);
  for (const { id, owner_before: ownerBefore } of changed)
    announceEntity(w, { type: "sensor", op: "update", id, ownerBefore, ownerAfter: to.owner?.id ?? ownerBefore });
  await notifyDevices(w, changed, to);
  return judged;
}

/** Deletes these sensors: their tasks end, they leave their places, no one can claim them, and their devices are disconnected. */
export async function deleteSensors(
  ctx: Context,
  w: Write,
  { ids, author, asker }: Order<null>,
  reason: string | null = null,
): Promise<store.Judged[]> {
  const judged = await store.deleteSensors(w.tx, author, ids, asker, reason);
  const deleted = written(judged);
  if (deleted.length === 0) return judged;
  await forgetTasks(ctx, w, idsOf(deleted));
  await recordMoves(ctx, w.tx, numsOf(deleted.filter((one) => one.location_before !== null)), null);
  for (const { id, owner_before: owner } of deleted)
    announceEntity(w, { type: "sensor", op: "delete", id, ownerBefore: owner, ownerAfter: owner });
  w.announce({ name: "sensorsDropped", event: { sensorIds: idsOf(deleted) } });
  return judged;
}

/** Firmware begins or ends tasks; where its task ended in vain, naming it again is another attempt. */
async function assignWanted(
  ctx: Context,
  w: Write,
  changed: readonly store.Judged[],
  to: Target["firmware"],
  by: string | null,
): Promise<void> {
  if (to === undefined || by === null) return;
  const wanting = to === null ? changed : changed.filter((one) => one.firmware_before !== to.id || one.may_retry);
  if (wanting.length > 0) await assignFirmware(ctx, w, { sensorIds: idsOf(wanting), firmwareId: to?.id ?? null, by });
}

/** Those of another owner are disconnected and get a new password; the others are notified of what concerns a device. */
async function notifyDevices(w: Write, changed: readonly store.Judged[], to: Target): Promise<void> {
  const handedOver = to.owner ? changed.filter((one) => one.owner_before !== to.owner?.id) : [];
  if (handedOver.length > 0) {
    await renewCredentialOnHandover(w.tx, idsOf(handedOver));
    w.announce({ name: "sensorsDropped", event: { sensorIds: idsOf(handedOver) } });
  }
  // Groups and re-registration are not announced to a device.
  const isReleased = to.installation === "waiting";
  if (to.firmware === undefined && to.location === undefined && to.rest === undefined && !isReleased) return;
  const gone = new Set(idsOf(handedOver));
  const rest = idsOf(changed).filter((id) => !gone.has(id));
  if (rest.length > 0) w.announce({ name: "desiredChanged", event: { sensorIds: rest } });
}

/**
 * Notes that sensors belong to this location (or none) from now on, and lets their daily sums follow; their rows are locked
 * already. Before its first assignment a sensor counts for the first location, so that one places its whole past
 * (docs/rules/sensors.md#changes).
 */
export async function recordMoves(ctx: Context, tx: Tx, sensorNums: readonly number[], locationId: string | null) {
  if (sensorNums.length === 0) return;
  const at = ctx.clock.date();
  const first = locationId === null ? new Set<number>() : await neverAssigned(tx, sensorNums);
  await recordAssignments(tx, sensorNums, locationId, at);
  if (first.size > 0 && first.size < sensorNums.length) await holdDaysOfSensors(tx, sensorNums);
  if (first.size > 0) await redrawDaysOfSensors(tx, [...first], -Infinity);
  const later = sensorNums.filter((num) => !first.has(num));
  if (later.length > 0) await redrawDaysOfSensors(tx, later, at.getTime());
}

const written = (judged: readonly store.Judged[]) => judged.filter((one) => one.code === 0);
const idsOf = (rows: readonly store.Judged[]) => rows.map((row) => row.id);
const numsOf = (rows: readonly store.Judged[]) => rows.map((row) => row.num);
