// Undoes a replacement: both sensors and the counts of the location are as if it had never happened.
import { errorCode } from "@psp/contract/errors.ts";
import { canAssignSensor } from "@psp/contract/permission/can.ts";
import type { Context } from "../../context.ts";
import { lockCountersOfSensors, rebuildSumsOfSensors } from "../../count/rollup.service.ts";
import type { UnitOfWork } from "../../db/write.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { lockOwnerAccount } from "../../owned/owned.store.ts";
import { getOwner } from "../../owned/owner.ts";
import { assignFirmware } from "../../rollout/rollout.service.ts";
import { lockVisibleLocation } from "../change/assignment.service.ts";
import { changeSensors, createPreAuthorizedRequest } from "../change/change.service.ts";
import { sensorReasons } from "../sensor.reasons.ts";
import type { ReplacedState } from "../sensor.tables.ts";
import { lockPair, type OccupancySteps, requireEditablePair, requireHandOver } from "./replace.service.ts";
import * as store from "./replace.store.ts";

/** The console offers undo for 10 s. A slow phone gets some more time. */
const undoWindowMs = 60_000;

export const deleteOldReplacements = (ctx: Context) =>
  store.deleteOldReplacements(ctx.db, new Date(ctx.clock.now() - undoWindowMs));

/** Throws 105 for an unknown or too old replacement, or one by another account; 409 if a sensor was changed since. */
export async function undoReplacement(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  { oldId, id, steps }: { oldId: string; id: string; steps: OccupancySteps },
): Promise<{ oldId: string; newId: string }> {
  const since = new Date(ctx.clock.now() - undoWindowMs);
  const done = await store.lockReplacement(w.tx, { id, accountId: caller.id, oldId, since });
  if (!done) throw new AppError(errorCode.notFound, { field: "replacement" });
  const { newId, at, before, after } = done;
  const formerOwnerId = String(rowOf(before, newId)["owner_id"]);
  const locked = await lockOwnerAccount(w.tx, formerOwnerId);
  const pair = await lockPair(w.tx, caller, oldId, newId);
  const { newOwner } = await requireEditablePair(w.tx, caller, pair);
  const marks = await store.findChangeMarks(w.tx, [oldId, newId]);
  if ([oldId, newId].some((one) => marks.get(one) !== after.marks?.[one]))
    throw new AppError(errorCode.invalidArgument, sensorReasons.changedSinceReplacement, { status: 409 });
  const place = await lockVisibleLocation(w.tx, caller, done.locationId);
  if (!place) throw new AppError(errorCode.notFound, { field: "measID" });
  const formerOwner = await getOwner(w.tx, formerOwnerId);
  await requireHandOver(w.tx, caller, { from: newOwner, to: formerOwner, locked, place: null });
  if (!canAssignSensor(caller, place.owner))
    throw new AppError(errorCode.noAssignSensor, sensorReasons.useLocation(caller, place.owner));

  await lockCountersOfSensors(w.tx, [pair.old.num, pair.next.num]);
  const taskIds = [...before.tasks, ...after.tasks].map((task) => String(task["id"]));
  const now = await store.readState(w.tx, [oldId, newId], at, taskIds);
  const restore = (sensorId: string, owner: typeof formerOwner | undefined) =>
    restoreOne(ctx, w, caller, sensorId, owner, { before, after, now });
  await restore(newId, formerOwner.id === newOwner.id ? undefined : formerOwner);
  await restore(oldId, undefined);
  await store.restoreAssignments(w.tx, [pair.old.num, pair.next.num], at, before);
  await rebuildSumsOfSensors(w.tx, [pair.old.num, pair.next.num], at.getTime());
  if (done.hasOccupancy) await steps.renameSensor(w, caller, place.id, newId, oldId);
  await store.deleteReplacement(w.tx, id);
  return { oldId, newId };
}

type States = Record<"before" | "after" | "now", ReplacedState>;

const rowOf = ({ sensors }: ReplacedState, id: string) => sensors.find((row) => row["id"] === id) ?? {};

async function restoreOne(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  id: string,
  owner: Awaited<ReturnType<typeof getOwner>> | undefined,
  states: States,
): Promise<void> {
  const was = rowOf(states.before, id);
  const firmwareId = was["firmware_id"] as string | null;
  const tasksOf = (state: ReplacedState) => state.tasks.filter((task) => task["sensor_num"] === was["num"]);
  // Once a device has moved on with a task, the firmware is assigned by the ordinary rules.
  const isUntouched = JSON.stringify(tasksOf(states.now)) === JSON.stringify(tasksOf(states.after));
  const quiet: UnitOfWork = { ...w, audit: () => undefined };
  const locationId = was["location_id"] as string | null;
  await changeSensors(
    ctx,
    quiet,
    createPreAuthorizedRequest(ctx, caller, [id]),
    {
      owner,
      location: locationId === null ? null : { id: locationId },
      groups: was["groups"] as string[],
      monitoring: was["monitoring_config"] as null,
      firmware: firmwareId === null ? null : { id: firmwareId, mayRetry: false },
      replacement: {
        replacedBy: was["replaced_by"] as string | null,
        replaces: was["replaces"] as string | null,
      },
    },
    "undoReplace",
    {
      assign: (_ctx, unit) =>
        isUntouched
          ? store.restoreTasks(unit.tx, tasksOf(states.before), tasksOf(states.after))
          : assignFirmware(ctx, unit, { sensorIds: [id], firmwareId, by: caller.id }),
      move: async () => undefined,
    },
  );
  await store.restoreSensor(w.tx, id, states.before, { withFirmware: isUntouched, isHandedBack: owner !== undefined });
}
