// Permission checks for server and console, as pure functions (docs/rules/permissions.md#rights).
import type { AccountId } from "../kit/ids.ts";
import { type OwnableType, type Permissions, listScopes } from "./permissions.ts";
import {
  type AccountSet,
  contains,
  emptySet,
  isEmptySet,
  isGrantable,
  type Owner,
  resolveScope,
  type Scope,
} from "./scope.ts";

/** An account that wants to do something. `permissions` is null for an account without a valid role, which may do nothing. */
export type Actor = {
  id: AccountId;
  parentAccounts: readonly AccountId[];
  roleId: string | null;
  permissions: Permissions | null;
};

/** Accounts are their own owner; init tokens count as sensors. */
export type ObjectType = OwnableType | "owner";

function resolve(actor: Actor, pick: (permissions: Permissions) => Scope | undefined): AccountSet {
  return actor.permissions ? resolveScope(actor, pick(actor.permissions)) : emptySet;
}

export function resolveViewScope(actor: Actor, type: ObjectType): AccountSet {
  return type === "owner"
    ? resolve(actor, (p) => ({ ...p.owner?.canViewOwner, me: true }))
    : resolve(actor, (p) => p.ownable?.[type]?.canViewObject);
}

export function resolveEditScope(actor: Actor, type: ObjectType): AccountSet {
  return resolve(actor, (p) => (type === "owner" ? p.owner?.canEditOwner : p.ownable?.[type]?.canEditObject));
}

export function resolveDeleteScope(actor: Actor, type: ObjectType): AccountSet {
  return resolve(actor, (p) => (type === "owner" ? p.owner?.canDeleteOwner : p.ownable?.[type]?.canDeleteObject));
}

export function resolveCreateScope(actor: Actor, type: OwnableType): AccountSet {
  return resolve(actor, (p) => p.ownable?.[type]?.canCreateObjectFor);
}

export function resolveChangeOwnerScopes(actor: Actor, type: OwnableType): { from: AccountSet; to: AccountSet } {
  return {
    from: resolve(actor, (p) => p.ownable?.[type]?.canChangeOwner?.from),
    to: resolve(actor, (p) => p.ownable?.[type]?.canChangeOwner?.to),
  };
}

export function resolveAssignRoleScope(actor: Actor): AccountSet {
  return resolve(actor, (p) => p.other?.canAssignRoles);
}
export function resolveAssignSensorScope(actor: Actor): AccountSet {
  return resolve(actor, (p) => p.other?.canAssignSensors);
}
export function resolveUseFirmwareScope(actor: Actor): AccountSet {
  return resolve(actor, (p) => p.other?.canUseArtifact);
}

export function canView(actor: Actor, type: ObjectType, owner: Owner): boolean {
  return contains(resolveViewScope(actor, type), owner);
}
export function canEdit(actor: Actor, type: ObjectType, owner: Owner): boolean {
  return contains(resolveEditScope(actor, type), owner);
}
export function canDelete(actor: Actor, type: ObjectType, owner: Owner): boolean {
  return contains(resolveDeleteScope(actor, type), owner);
}
export function canCreateFor(actor: Actor, type: OwnableType, owner: Owner): boolean {
  return contains(resolveCreateScope(actor, type), owner);
}
/** Requires the right to take objects from the current owner and to give them to the new owner. */
export function canChangeOwner(actor: Actor, type: OwnableType, from: Owner, to: Owner): boolean {
  const sets = resolveChangeOwnerScopes(actor, type);
  return contains(sets.from, from) && contains(sets.to, to);
}
export function canAssignRole(actor: Actor, receiver: Owner): boolean {
  return contains(resolveAssignRoleScope(actor), receiver);
}
export function canAssignSensor(actor: Actor, owner: Owner): boolean {
  return contains(resolveAssignSensorScope(actor), owner);
}
export function canCreateAccount(actor: Actor): boolean {
  return actor.permissions?.owner?.canCreateOwner === true;
}

export type FirmwareRights = { owner: Owner; objPerm: { childrenCanViewObject: boolean } };

/** Firmware that is shared with children is visible to all descendants of its owner, whatever their view scope. */
export function canViewFirmware(actor: Actor, firmware: FirmwareRights): boolean {
  return canView(actor, "artifact", firmware.owner) || isInherited(actor, firmware);
}
export function canUseFirmware(actor: Actor, firmware: FirmwareRights): boolean {
  return contains(resolveUseFirmwareScope(actor), firmware.owner) || isInherited(actor, firmware);
}
function isInherited(actor: Actor, firmware: FirmwareRights): boolean {
  return (
    actor.permissions !== null &&
    firmware.objPerm.childrenCanViewObject &&
    actor.parentAccounts.includes(firmware.owner.id)
  );
}

/** Returns the current owner and all accounts that may become the owner (PE-03). */
export function possibleOwnersOf<A extends Owner>(
  actor: Actor,
  type: OwnableType,
  current: Owner,
  accounts: readonly A[],
): A[] {
  return accounts.filter((account) => account.id === current.id || canChangeOwner(actor, type, current, account));
}

/** Whether a list of this type can contain anything; an empty view scope makes the list empty. */
export function canViewType(actor: Actor, type: OwnableType): boolean {
  return !isEmptySet(resolveViewScope(actor, type));
}
/** Whether the actor may view accounts other than its own (docs/rules/permissions.md#home-page). */
export function canViewAnyAccount(actor: Actor): boolean {
  const scope = actor.permissions?.owner?.canViewOwner;
  return Boolean(
    scope && (scope.myChildren || (scope.roles?.length ?? 0) > 0 || (scope.relativeAncestorLevel ?? 0) > 0),
  );
}

/** A root account has no parent. It may grant any right. */
export function isRoot(actor: Pick<Actor, "parentAccounts">): boolean {
  return actor.parentAccounts.length === 0;
}

/**
 * Returns the first scope of `wanted` that the actor must not put into a role, or null (code 308). Parts that are already in
 * `before` may stay.
 */
export function findExceedingScope(actor: Actor, wanted: Permissions, before: Permissions = {}): string | null {
  if (isRoot(actor)) return null;
  const own = actor.permissions ?? {};
  if (wanted.owner?.canCreateOwner && !own.owner?.canCreateOwner && !before.owner?.canCreateOwner) {
    return "owner.canCreateOwner";
  }
  const limits = new Map(listScopes(own).map(({ key, scope }) => [key, scope]));
  const earlier = new Map(listScopes(before).map(({ key, scope }) => [key, scope]));
  const beyond = listScopes(wanted).find(({ key, scope }) => {
    // Every role lets its holder view their own account, so `me` is never a gain.
    const limit = key === "owner.canViewOwner" ? { ...limits.get(key), me: true } : limits.get(key);
    return !isGrantable(scope, limit, earlier.get(key));
  });
  return beyond?.key ?? null;
}

type HomePage = "locations" | "sensor" | "firmware" | "account" | "role" | "myaccount";

/** The first page the account may see (SH-07). */
export function homePage(actor: Actor): HomePage {
  if (canViewType(actor, "measurement")) return "locations";
  if (canViewType(actor, "sensor")) return "sensor";
  if (canViewType(actor, "artifact")) return "firmware";
  if (canViewAnyAccount(actor)) return "account";
  if (canViewType(actor, "role")) return "role";
  return "myaccount";
}
