// Rules of every change of owner (ADR 0017): new claiming codes, and locations that the new owner may view.
import { errorCode } from "@psp/contract/errors.ts";
import { type Actor, canView } from "@psp/contract/permission/can.ts";
import { withOwnAccountView } from "@psp/contract/permission/permissions.ts";
import type { OwnerWithPath } from "../../owned/owner.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Tx } from "../../db/database.ts";
import { findPermissions } from "../../role/rights.service.ts";
import { findTakenCodes } from "./hand-over.store.ts";
import { generateClaimingCode } from "../../device/credential/credential.ts";
import { sensorReasons } from "../sensor.reasons.ts";

export async function drawClaimingCodes(tx: Tx, count: number): Promise<string[]> {
  const codes = new Set<string>();
  while (codes.size < count) {
    while (codes.size < count) codes.add(generateClaimingCode());
    for (const taken of await findTakenCodes(tx, [...codes])) codes.delete(taken);
  }
  return [...codes];
}

/**
 * Whether the account may view locations of `placeOwner`. A change of owner may assign the sensor only to such a
 * location.
 */
export async function canHaveSensorAt(tx: Tx, receiver: OwnerWithPath, placeOwner: OwnerWithPath): Promise<boolean> {
  if (receiver.id === placeOwner.id) return true;
  const permissions = await findPermissions(tx, receiver.roleId);
  const actor: Actor = { ...receiver, permissions: permissions && withOwnAccountView(permissions) };
  return canView(actor, "measurement", placeOwner);
}

/** Throws 105 if the new owner may not view the given location. */
export async function requireVisiblePlace(tx: Tx, receiver: OwnerWithPath, placeOwner: OwnerWithPath): Promise<void> {
  if (await canHaveSensorAt(tx, receiver, placeOwner)) return;
  throw new AppError(errorCode.notFound, { field: "measID", ...sensorReasons.unseenPlace });
}
