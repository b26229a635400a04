// Explains why an action that needs more than one check is refused, for server and console (PE-02). Callers must check visibility
// (105) first.
import { errorCode, type ServerErrorCode } from "../errors.ts";
import type { RoleId } from "../kit/ids.ts";
import {
  type Actor,
  canAssignRole,
  canAssignSensor,
  canChangeOwner,
  canCreateAccount,
  canCreateFor,
  canDelete,
  canEdit,
  canUseFirmware,
  canView,
  type FirmwareRights,
  isRoot,
} from "./can.ts";
import type { Permissions } from "./permissions.ts";
import { findExceedingReach, type Holder } from "./reach.ts";
import type { Owner } from "./scope.ts";
import { accessLevels, findMissingRight } from "./templates.ts";

export type Denial = {
  code: ServerErrorCode;
  details?: { reason: string } | { scope: string };
};

/** A hand-over also requires the right to assign the sensor at the new owner. Callers must also check the right to edit. */
export function findHandOverDenial(actor: Actor, from: Owner, to: Owner): Denial | null {
  if (!canChangeOwner(actor, "sensor", from, to)) return { code: errorCode.noChangeOwner };
  return canAssignSensor(actor, to) ? null : { code: errorCode.noAssignSensor };
}
export function findClaimDenial(actor: Actor): Denial | null {
  return canCreateFor(actor, "sensor", actor) ? null : { code: errorCode.noCreate };
}
export function findDownloadDenial(actor: Actor, firmware: FirmwareRights): Denial | null {
  return canUseFirmware(actor, firmware) || canEdit(actor, "artifact", firmware.owner)
    ? null
    : { code: errorCode.noView };
}

/** `hasChildren` tells whether the account has undeleted children, visible or not. */
export function findAccountDeletionDenial(actor: Actor, account: Owner, hasChildren: boolean): Denial | null {
  if (!canDelete(actor, "owner", account)) return { code: errorCode.noDelete };
  if (isRoot(account)) return { code: errorCode.noDelete, details: { reason: "The root account can't be deleted" } };
  return hasChildren ? { code: errorCode.noDelete, details: { reason: "The account has child accounts" } } : null;
}

/** No one could restore the role of a root account. */
export const rootKeepsRole = { reason: "The root account keeps its role." };

/**
 * Why the actor may give this account no other role, or null. `receiver` must have its current role, not the future one.
 */
export function findRoleReceiptDenial(actor: Actor, receiver: Owner): Denial | null {
  if (isRoot(receiver)) return { code: errorCode.noAssignRole, details: rootKeepsRole };
  return canAssignRole(actor, receiver) ? null : { code: errorCode.noAssignRole };
}
/** Like findRoleReceiptDenial, but also refuses a role with which the receiver would reach more than the actor. */
export function findRoleAssignmentDenial(actor: Actor, permissions: Permissions, receiver: Holder): Denial | null {
  const denial = findRoleReceiptDenial(actor, receiver);
  if (denial !== null) return denial;
  const scope = findExceedingReach(actor, permissions, receiver);
  return scope === null ? null : { code: errorCode.noAssignRole, details: { scope } };
}
/** Returns the receiver to check before an account exists: a child of the parent, with its future role. */
export const futureChildOf = (parent: Holder, roleId: RoleId): Holder => holderBelow(parent, { id: "", roleId });

/** The account as a child of the parent. */
export function holderBelow(parent: Holder, { id, roleId }: Pick<Owner, "id" | "roleId">): Holder {
  const { ancestors, ...place } = parent;
  return { id, parentAccounts: [...place.parentAccounts, place.id], roleId, ancestors: [place, ...ancestors] };
}

/** Why the actor can't invite colleagues to its own account at any level, or null. */
export function findInvitationDenial(actor: Actor): Denial | null {
  if (!canCreateAccount(actor) || !canCreateFor(actor, "role", actor)) return { code: errorCode.noCreate };
  if (!canView(actor, "role", actor)) return { code: errorCode.invalidRole };
  const child = { id: "", parentAccounts: [...actor.parentAccounts, actor.id], roleId: null };
  if (!canAssignRole(actor, child)) return { code: errorCode.noAssignRole };
  const isPossible = accessLevels.some((level) => findMissingRight(actor, level, "own") === null);
  return isPossible ? null : { code: errorCode.noAssignRole };
}

type HeldRole = { id: RoleId; owner: Owner };

/** An account may not edit or delete its own role, whatever the scopes say. */
export function findRoleEditDenial(actor: Actor, role: HeldRole): Denial | null {
  if (role.id === actor.roleId) return { code: errorCode.noEdit, details: { reason: "This is your own role" } };
  return canEdit(actor, "role", role.owner) ? null : { code: errorCode.noEdit };
}
export function findRoleDeletionDenial(actor: Actor, role: HeldRole): Denial | null {
  if (role.id === actor.roleId) return { code: errorCode.noDelete, details: { reason: "This is your own role" } };
  return canDelete(actor, "role", role.owner) ? null : { code: errorCode.noDelete };
}
