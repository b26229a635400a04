// Rights that take more than one scope, each answered in one place: why somebody may not do it, or null. The server refuses
// by them, the console offers by them (PE-02). Whether the thing can be seen at all is asked before (105).
import { errorCode, type ServerErrorCode } from "../errors.ts";
import type { RoleId } from "../kit/ids.ts";
import {
  type Actor,
  canAssignRole,
  canAssignSensor,
  canChangeOwner,
  canCreateFor,
  canDelete,
  canEdit,
  canUseFirmware,
  type FirmwareRights,
  isRoot,
  tooPowerful,
} from "./can.ts";
import type { Permissions } from "./permissions.ts";
import type { Owner } from "./scope.ts";

/** The catalog's number, and what helps to understand it. */
export type WhyNot = {
  code: ServerErrorCode;
  details?: { reason: string } | { scope: string };
};

/** A sensor in an account is assigned to it. To be asked beside the right to edit. */
export function whyNotHandOverSensor(actor: Actor, from: Owner, to: Owner): WhyNot | null {
  if (!canChangeOwner(actor, "sensor", from, to)) return { code: errorCode.noChangeOwner };
  return canAssignSensor(actor, to) ? null : { code: errorCode.noAssignSensor };
}
/** Claimed sensors come to the claimer. */
export function whyNotClaim(actor: Actor): WhyNot | null {
  return canCreateFor(actor, "sensor", actor) ? null : { code: errorCode.noCreate };
}
/** Who may use a firmware, or edit it, may have its package. */
export function whyNotFetchPackage(actor: Actor, firmware: FirmwareRights): WhyNot | null {
  return canUseFirmware(actor, firmware) || canEdit(actor, "artifact", firmware.owner)
    ? null
    : { code: errorCode.noView };
}

/** `hasChildren`: living ones, no matter who may see them. */
export function whyNotDeleteAccount(actor: Actor, account: Owner, hasChildren: boolean): WhyNot | null {
  if (!canDelete(actor, "owner", account)) return { code: errorCode.noDelete };
  if (isRoot(account)) return { code: errorCode.noDelete, details: { reason: "The root account can't be deleted" } };
  return hasChildren ? { code: errorCode.noDelete, details: { reason: "The account has child accounts" } } : null;
}

/**
 * May this account be given roles at all? It is asked about as it is, with the role that it holds now and not the one
 * that it is going to get. Root keeps its role: no one could give it back.
 */
export function whyNotReceiveRole(actor: Actor, receiver: Owner): WhyNot | null {
  if (isRoot(receiver)) return { code: errorCode.noAssignRole, details: { reason: "The root account keeps its role" } };
  return canAssignRole(actor, receiver) ? null : { code: errorCode.noAssignRole };
}
/** No one gives a role that is more powerful than their own. */
export function whyNotGiveRole(actor: Actor, permissions: Permissions, receiver: Owner): WhyNot | null {
  const why = whyNotReceiveRole(actor, receiver);
  if (why !== null) return why;
  const scope = tooPowerful(actor, permissions);
  return scope === null ? null : { code: errorCode.noAssignRole, details: { scope } };
}
/** A new account as the giver is asked about it: a child of the account that makes it, born with its role. */
export function placeOfNew(actor: Actor, roleId: RoleId): Owner {
  return { id: "", parentAccounts: [...actor.parentAccounts, actor.id], roleId };
}

type HeldRole = { id: RoleId; owner: Owner };

/** What one holds oneself is out of reach, whatever the scopes say. */
export function whyNotEditRole(actor: Actor, role: HeldRole): WhyNot | null {
  if (role.id === actor.roleId) return { code: errorCode.noEdit, details: { reason: "This is your own role" } };
  return canEdit(actor, "role", role.owner) ? null : { code: errorCode.noEdit };
}
export function whyNotDeleteRole(actor: Actor, role: HeldRole): WhyNot | null {
  if (role.id === actor.roleId) return { code: errorCode.noDelete, details: { reason: "This is your own role" } };
  return canDelete(actor, "role", role.owner) ? null : { code: errorCode.noDelete };
}
