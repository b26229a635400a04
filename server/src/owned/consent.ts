// Checks the owner's consent before a parent account uses a sensor's pages or changes the sensor's owner (ADR 0025).
import { errorCode } from "@psp/contract/errors.ts";
import { isRoot } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { type UnitOfWork, write } from "../db/write.ts";
import { daysAgo } from "../kit/clock.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import * as store from "./consent.store.ts";
import type { OwnerWithPath } from "./owner.ts";

/** Consent to `edit` includes `view`. */
export type ConsentMode = "view" | "edit";

/** For this long, a login that a parent account added or reset can't consent for the owner. */
const distrustDays = 30;
const overrideHours = 1;

export const consentReasons = {
  act: {
    reason:
      "The owner of this sensor must agree first. Request access to its configuration page and wait for the answer.",
  },
  handOver: { reason: "The owner of this sensor requires consent. Only the owner's account can hand it over." },
  claimable: {
    reason: "The owner of this sensor requires consent. Only the owner's account can enable re-registration.",
  },
  loginFromAbove: {
    reason: `A parent account set up this login or its password less than ${distrustDays} days ago. Use another login of your account.`,
  },
};

export function isAncestorOf(caller: Caller, owner: OwnerWithPath): boolean {
  return owner.parentAccounts.includes(caller.id);
}

/**
 * Whether this caller needs the owner's consent, and has it. `isOverridden`: the root account may act without it, because the owner
 * has no login that could consent.
 */
export async function getConsentRequirement(
  reader: Reader,
  caller: Caller,
  owner: OwnerWithPath,
  sensor: { num: number },
  mode: ConsentMode,
  now: Date,
): Promise<{ isNeeded: boolean; isGranted: boolean; isOverridden: boolean }> {
  const none = { isNeeded: false, isGranted: false, isOverridden: false };
  if (!isAncestorOf(caller, owner)) return none;
  const modes = mode === "view" ? ["view", "edit"] : ["edit"];
  const found = await store.findConsentFor(reader, owner.id, {
    accountId: caller.id,
    sensorNum: sensor.num,
    modes,
    now,
  });
  if (!found?.required) return none;
  const isOverridden = isRoot(caller) && !found.hasLogins;
  return { isNeeded: !isOverridden, isGranted: found.granted, isOverridden };
}

/** Throws 306 without consent. An override by the root account is audited once an hour. `within`: the surrounding write. */
export async function requireConsent(
  ctx: Context,
  caller: Caller,
  owner: OwnerWithPath,
  sensor: { id: string; num: number },
  mode: ConsentMode,
  within?: UnitOfWork,
): Promise<void> {
  const reader = within?.tx ?? ctx.db;
  const demand = await getConsentRequirement(reader, caller, owner, sensor, mode, ctx.clock.date());
  if (demand.isNeeded && !demand.isGranted) throw new AppError(errorCode.noPermission, consentReasons.act);
  if (!demand.isOverridden) return;
  if (await store.hasOverride(reader, caller.id, sensor.id, daysAgo(ctx, overrideHours / 24))) return;
  const note = (w: UnitOfWork) =>
    w.audit({ action: store.overrideAction, object: { type: "sensor", _id: sensor.id }, owner, after: { mode } });
  if (within) return note(within);
  // The call's idempotency key belongs to another write.
  const author = { ...caller, request: { ...caller.request, idempotency: null, ifMatch: null } };
  await write(ctx, author, async (w) => note(w));
}

/**
 * Whether the caller is a parent account that needs the owner's consent. Such a caller can't hand over or release the owner's sensors.
 */
export const isProtectedOwner = store.isProtected;

/** Whether the caller's login may consent for its account. */
export async function isTrustedLogin(ctx: Context, reader: Reader, caller: Caller): Promise<boolean> {
  const given = await store.findPasswordSetByParent(reader, caller.credentialId);
  return given === null || given <= daysAgo(ctx, distrustDays);
}

/** Throws 306 for a login that a parent account set up recently. */
export async function requireTrustedLogin(ctx: Context, reader: Reader, caller: Caller): Promise<void> {
  if (!(await isTrustedLogin(ctx, reader, caller)))
    throw new AppError(errorCode.noPermission, consentReasons.loginFromAbove);
}
