// A change of owner: what of the former owner's does not go along, no matter who asks for it and for how many sensors (ADR 0017).
import { errorCode } from "@psp/contract/errors.ts";
import { type Actor, canView } from "@psp/contract/permission/can.ts";
import { withOwnView } from "@psp/contract/permission/permissions.ts";
import type { PlacedOwner } from "../../owned/owner.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Tx } from "../../db/database.ts";
import { permissionsOf } from "../../role/rights.service.ts";
import { findTakenCodes } from "./hand-over.store.ts";
import { newClaimingCode } from "../../device/credential/credential.ts";
import { sensorReasons } from "../sensor.reasons.ts";

/** Claiming codes that no sensor has. */
export async function drawClaimingCodes(tx: Tx, count: number): Promise<string[]> {
  const codes = new Set<string>();
  while (codes.size < count) {
    while (codes.size < count) codes.add(newClaimingCode());
    for (const taken of await findTakenCodes(tx, [...codes])) codes.delete(taken);
  }
  return [...codes];
}

/** May this account look at locations of `placeOwner`? At its own always: a sensor that lives there stays there. */
export async function mayHaveAt(tx: Tx, receiver: PlacedOwner, placeOwner: PlacedOwner): Promise<boolean> {
  if (receiver.id === placeOwner.id) return true;
  const permissions = await permissionsOf(tx, receiver.roleId);
  const actor: Actor = { ...receiver, permissions: permissions && withOwnView(permissions) };
  return canView(actor, "measurement", placeOwner);
}

/** A location named together with a new owner, who may not see it, is not found (105). */
export async function requirePlaceOf(tx: Tx, receiver: PlacedOwner, placeOwner: PlacedOwner): Promise<void> {
  if (await mayHaveAt(tx, receiver, placeOwner)) return;
  // The caller sees both.
  throw new AppError(errorCode.notFound, { field: "measID", ...sensorReasons.unseenPlace });
}
