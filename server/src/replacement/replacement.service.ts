// Use cases of replacing a sensor: claims the new one if a code is given, and replaces in the same transaction.
import { isClaimingCode } from "@psp/contract/claim/claim.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { findClaimDenial } from "@psp/contract/permission/why-not.ts";
import type {
  Lost,
  ReplacementCheck,
  ReplacementPlan,
  ReplacementRequest,
} from "@psp/contract/replacement/replacement.ts";
import { lockClaimAttempts } from "../claim/budget.service.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { type UnitOfWork, write } from "../db/write.ts";
import { AppError, throwIfDenied } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { findNamingApp, renameCountingSensor } from "../location/applications/location.applications.service.ts";
import { resolveReplay } from "../owned/change.ts";
import { requireNewOwner } from "../owned/owner.ts";
import { findClaimable, lockClaimedSensors, takeOver } from "../sensor/change/takeover.service.ts";
import {
  findPlan,
  lockPair,
  lockPairToClaim,
  lockReceiver,
  type OccupancySteps,
  replacePair,
  requireVisibleSensor,
} from "../sensor/replace/replace.service.ts";
import * as undo from "../sensor/replace/replace-undo.service.ts";
import { sensorReasons } from "../sensor/sensor.reasons.ts";

export { requireVisibleSensor };
export const deleteOldReplacements = undo.deleteOldReplacements;

const occupancySteps = (ctx: Context): OccupancySteps => ({
  findApp: findNamingApp,
  renameSensor: (w, caller, locationId, from, to) => renameCountingSensor(ctx, w, caller, locationId, { from, to }),
});

type Replaced = { replacement: string; sensorID: string; replacedSensorID: string; lost: Lost[] };

export async function replaceSensor(
  ctx: Context,
  caller: Caller,
  oldId: string,
  request: ReplacementRequest,
): Promise<Replaced> {
  const done = await resolveReplay(write(ctx, caller, (w) => replace(ctx, w, caller, oldId, request)));
  // Thrown after the commit, so that a wrong code counts.
  if (!done) throw new AppError(errorCode.notFound, { field: "claimingCode" });
  return done;
}

async function replace(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  oldId: string,
  { sensorID, claimingCode, accept = [] }: ReplacementRequest,
): Promise<Replaced | null> {
  const receiver = await lockReceiver(w.tx, caller, oldId);
  let newId = sensorID ?? "";
  if (claimingCode !== undefined) {
    const { found, recordWrongCode } = await findByCode(ctx, w.tx, caller, claimingCode);
    if (!found) return null;
    newId = found.id;
    const owner = await requireNewOwner(w.tx, caller, caller.id);
    // Both sensors are locked in the global order before one of them is claimed.
    await lockPairToClaim(w.tx, caller, oldId, newId);
    await lockClaimedSensors(w.tx, [claimingCode]);
    // Audit rows are written at the end and sorted by id, so the row of the claim gets its id before the replacement's.
    const earlier: UnitOfWork = { ...w, audit: (entry) => w.audit({ id: uuidv7(ctx.clock.now()), ...entry }) };
    if (!(await takeOver(ctx, earlier, owner, { ...found, claimingCode }))) {
      await recordWrongCode();
      return null;
    }
  }
  const pair = await lockPair(w.tx, caller, oldId, newId);
  const { id, lost } = await replacePair(ctx, w, caller, pair, { accept, receiver, steps: occupancySteps(ctx) });
  return { replacement: id, sensorID: newId, replacedSensorID: oldId, lost };
}

/** `found` is null for a wrong code, which counts. Throws 303 without the right to claim, 429 after too many wrong codes. */
async function findByCode(ctx: Context, tx: Tx, caller: Caller, code: string) {
  throwIfDenied(findClaimDenial(caller), () => sensorReasons.create(caller, caller));
  const tries = await lockClaimAttempts(ctx, tx, caller.id);
  const found = isClaimingCode(code) ? await findClaimable(tx, code) : null;
  if (!found && isClaimingCode(code)) await tries.recordWrongCode();
  return { found, recordWrongCode: tries.recordWrongCode };
}

export async function checkReplacement(
  ctx: Context,
  caller: Caller,
  oldId: string,
  { sensorID, claimingCode }: ReplacementCheck,
): Promise<ReplacementPlan> {
  const plan = await ctx.db.transaction().execute(async (tx) => {
    const judged = { receiver: await lockReceiver(tx, caller, oldId), steps: occupancySteps(ctx) };
    if (claimingCode === undefined)
      return findPlan(tx, caller, await lockPair(tx, caller, oldId, sensorID ?? ""), judged);
    const { found } = await findByCode(ctx, tx, caller, claimingCode);
    return found && findPlan(tx, caller, await lockPairToClaim(tx, caller, oldId, found.id), judged);
  });
  if (!plan) throw new AppError(errorCode.notFound, { field: "claimingCode" });
  return plan;
}

export async function undoReplacement(ctx: Context, caller: Caller, oldId: string, id: string) {
  return resolveReplay(
    write(ctx, caller, async (w) => {
      const { newId } = await undo.undoReplacement(ctx, w, caller, { oldId, id, steps: occupancySteps(ctx) });
      return { sensorID: newId, replacedSensorID: oldId };
    }),
  );
}
