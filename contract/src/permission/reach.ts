// Compares what a role reaches from an account with what another account reaches (docs/rules/permissions.md#within-reach).
import type { AccountId, RoleId } from "../kit/ids.ts";
import { type Actor, isRoot } from "./can.ts";
import { listScopes, type Permissions } from "./permissions.ts";
import { type AccountSet, contains, isEmptySet, isWithin, type Owner, resolveScope, type Scope } from "./scope.ts";

/** An account that has or gets a role. `ancestors` begin with the parent and end with the root. */
export type Holder = Owner & { ancestors: readonly Owner[] };

/** Adds the ancestors with their roles. A role may be missing if no scope of the actor names it. */
export function asHolder<O extends Owner>(
  owner: O,
  roleOf: ReadonlyMap<AccountId, RoleId | null>,
): O & { ancestors: Owner[] } {
  const above = owner.parentAccounts.map((id, n) => ({
    id,
    parentAccounts: owner.parentAccounts.slice(0, n),
    roleId: roleOf.get(id) ?? null,
  }));
  return { ...owner, ancestors: above.toReversed() };
}

/** What a scope reaches already, from the present position. Null if the account does not have it yet. */
type Present = { scope: Scope | undefined; holder: Holder } | null;

/** What an actor reaches with one right. `canLendChildren`: whether that includes all accounts that are or will be below the holder. */
type Limit = { set: AccountSet; canLendChildren: (holder: Holder) => boolean };

function limitOf(actor: Actor, scope: Scope | undefined): Limit {
  const set = resolveScope(actor, scope);
  return {
    set,
    canLendChildren: ({ id, parentAccounts }) =>
      set.descendantsOf !== null && (id === actor.id || parentAccounts.includes(actor.id)),
  };
}

function exceeds(scope: Scope, holder: Holder, { set, canLendChildren }: Limit, present: Present): boolean {
  const had = present?.scope;
  const before = present ? resolveScope(present.holder, had) : null;
  const isReached = (owner: Owner) => contains(set, owner) || (before !== null && contains(before, owner));
  if (scope.me && !isReached(holder)) return true;
  if (scope.myChildren && !had?.myChildren && !canLendChildren(holder)) return true;
  if (scope.roles?.some((role) => !set.withRole.includes(role) && !had?.roles?.includes(role))) return true;
  const level = scope.relativeAncestorLevel ?? 0;
  return level >= 1 && !holder.ancestors.slice(0, level).every(isReached);
}

/** Every role lets its holder view their own account, so this is within every reach, and never a gain. */
const ownView = "owner.canViewOwner";

function limitsOf(actor: Actor): (key: string) => Limit {
  const limits = new Map(
    listScopes(actor.permissions ?? {}).map(({ key, scope }) => [
      key,
      limitOf(actor, key === ownView ? { ...scope, me: true } : scope),
    ]),
  );
  const nothing = limitOf(actor, undefined);
  return (key) => limits.get(key) ?? nothing;
}

const gainable = (key: string, scope: Scope | undefined): Scope | undefined =>
  scope && key === ownView ? { ...scope, me: false } : scope;

const hasLevel = (scope: Scope | undefined) => (scope?.relativeAncestorLevel ?? 0) >= 1;

/** Whether the roles of the holder's ancestors may matter. */
export const reachesAncestors = (permissions: Permissions): boolean =>
  listScopes(permissions).some(({ scope }) => hasLevel(scope));

/**
 * Returns the first right with which the role would reach more from the account than the assigner reaches with the same right, or
 * null (300).
 */
export function findExceedingReach(assigner: Actor, permissions: Permissions, holder: Holder): string | null {
  if (isRoot(assigner)) return null;
  if (permissions.owner?.canCreateOwner && !assigner.permissions?.owner?.canCreateOwner) return "owner.canCreateOwner";
  const limit = limitsOf(assigner);
  const beyond = listScopes(permissions).find(({ key, scope }) => {
    const gained = gainable(key, scope);
    return gained && exceeds(gained, holder, limit(key), null);
  });
  return beyond?.key ?? null;
}

/** Returns the first right with which any account would reach more than the assigner, wherever it is, or null. */
export function findNeverWithinReach(assigner: Actor, permissions: Permissions): string | null {
  if (isRoot(assigner)) return null;
  if (permissions.owner?.canCreateOwner && !assigner.permissions?.owner?.canCreateOwner) return "owner.canCreateOwner";
  const limit = limitsOf(assigner);
  const beyond = listScopes(permissions).find(({ key, scope }) => {
    const gained = gainable(key, scope);
    const { set } = limit(key);
    return (
      gained &&
      (((gained.me || hasLevel(gained)) && isEmptySet(set)) ||
        (gained.myChildren && set.descendantsOf === null) ||
        gained.roles?.some((role) => !set.withRole.includes(role)))
    );
  });
  return beyond?.key ?? null;
}

/** `ancestorRoles`: the roles of ancestors that make a difference; other roles of ancestors need not be known. */
export type ReachCheck = { ancestorRoles: RoleId[]; find: (holder: Holder, moved?: Holder) => string | null };

type Compared = { scope: Scope; had: Scope | undefined; limit: Limit };

function listAncestorRoles(compared: readonly Compared[]): RoleId[] {
  const upwards = compared.filter(({ scope }) => hasLevel(scope));
  return [...new Set(upwards.flatMap(({ had, limit }) => [...limit.set.withRole, ...(had?.roles ?? [])]))];
}

/**
 * Checks holders of a role whose permissions change (308): `find` returns the first right with which the holder would newly reach
 * more than the editor. Returns null if no holder can gain anything. The right to create accounts is not checked.
 */
export function checkEditedReach(editor: Actor, wanted: Permissions, before: Permissions): ReachCheck | null {
  if (isRoot(editor)) return null;
  const limit = limitsOf(editor);
  const earlier = new Map(listScopes(before).map(({ key, scope }) => [key, scope]));
  const changed = listScopes(wanted).flatMap(({ key, scope }) => {
    const gained = gainable(key, scope);
    const had = earlier.get(key);
    return gained && !isWithin(gained, had) ? [{ key, scope: gained, had, limit: limit(key) }] : [];
  });
  if (changed.length === 0) return null;
  return {
    ancestorRoles: listAncestorRoles(changed),
    find: (holder) =>
      changed.find(({ scope, had, limit: own }) => exceeds(scope, holder, own, { scope: had, holder }))?.key ?? null,
  };
}

/**
 * Checks an account that moves together with its role (308): `find` returns the first right with which it would newly reach an
 * ancestor that the mover does not reach. Returns null if the role reaches no ancestors.
 */
export function checkMovedReach(mover: Actor, permissions: Permissions): ReachCheck | null {
  if (isRoot(mover)) return null;
  const limit = limitsOf(mover);
  const upwards = listScopes(permissions).flatMap(({ key, scope }) =>
    scope && hasLevel(scope) ? [{ key, scope, had: scope, limit: limit(key) }] : [],
  );
  if (upwards.length === 0) return null;
  return {
    ancestorRoles: listAncestorRoles(upwards),
    find: (holder, moved = holder) =>
      upwards.find(({ scope, limit: own }) => exceeds(scope, moved, own, { scope, holder }))?.key ?? null,
  };
}
