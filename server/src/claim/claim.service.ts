// Use cases of claiming. Each checks right and budget, writes in a transaction, and publishes the change
// (docs/rules/claiming.md#calls).
import { type Claim, type ClaimableSensor, type ClaimResult, isClaimingCode } from "@psp/contract/claim/claim.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { findClaimDenial } from "@psp/contract/permission/why-not.ts";
import { resolveReplay } from "../owned/change.ts";
import { requireNewOwner } from "../owned/owner.ts";
import { AppError, throwIfDenied } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { type UnitOfWork, write } from "../db/write.ts";
import { sensorReasons } from "../sensor/sensor.reasons.ts";
import { findClaimable, lockClaimedSensors, takeOver } from "../sensor/change/takeover.service.ts";
import { lockClaimAttempts } from "./budget.service.ts";

/** Finds the claimable sensor of a code. Throws 105 for any other code, and counts it as wrong. */
export async function findClaimableByCode(ctx: Context, caller: Caller, code: string): Promise<ClaimableSensor> {
  const found = await ctx.db.transaction().execute(async (tx) => {
    throwIfDenied(findClaimDenial(caller), () => sensorReasons.create(caller, caller));
    const tries = await lockClaimAttempts(ctx, tx, caller.id);
    const sensor = await findClaimable(tx, code);
    if (!sensor) await tries.recordWrongCode();
    return sensor;
  });
  if (!found) throw new AppError(errorCode.notFound);
  return found;
}

/** Claims sensors one by one; throws 105 if none could be claimed. */
export async function claimSensors(ctx: Context, caller: Caller, claims: readonly Claim[]): Promise<ClaimResult[]> {
  const results = await resolveReplay(write(ctx, caller, (w) => claimAll(ctx, w, caller, claims)));
  // Thrown after the commit, so that wrong codes are counted even if the call fails.
  if (!results.some(({ status }) => status === "CLAIMED")) throw new AppError(errorCode.notFound);
  return results;
}

async function claimAll(ctx: Context, w: UnitOfWork, caller: Caller, claims: readonly Claim[]): Promise<ClaimResult[]> {
  throwIfDenied(findClaimDenial(caller), () => sensorReasons.create(caller, caller));
  const tries = await lockClaimAttempts(ctx, w.tx, caller.id);
  const owner = await requireNewOwner(w.tx, caller, caller.id);
  await lockClaimedSensors(w.tx, [...new Set(claims.map((claim) => claim.claimingCode))].filter(isClaimingCode));
  const known = new Map<string, ClaimResult>();
  const results: ClaimResult[] = [];
  for (const claim of claims) {
    const key = `${claim.id} ${claim.type} ${claim.claimingCode}`;
    let result = known.get(key);
    if (!result) {
      // Once no attempts are left, the remaining claims are skipped. Text that can't be a code does not count as an attempt.
      const asked = tries.left() > 0 && isClaimingCode(claim.claimingCode);
      const claimed = asked && (await takeOver(ctx, w, owner, claim));
      if (asked && !claimed) await tries.recordWrongCode();
      result = { id: claim.id, status: claimed ? "CLAIMED" : "NOT_CLAIMABLE" };
      known.set(key, result);
    }
    results.push(result);
  }
  return results;
}
