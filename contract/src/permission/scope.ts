// Resolves scopes, which are sets of accounts relative to an actor, to absolute sets (docs/rules/permissions.md#scopes).
import type { z } from "zod";
import type { AccountId, RoleId } from "../kit/ids.ts";
import type { scopeSchema } from "./document.ts";

export type Scope = z.output<typeof scopeSchema>;

/** An account as the owner of objects. `parentAccounts` lists its ancestors from the root to the direct parent. */
export type Owner = { id: AccountId; parentAccounts: readonly AccountId[]; roleId: RoleId | null };

/** The union of three sets: these ids, all descendants of an account, and all accounts with one of these roles. */
export type AccountSet = {
  readonly ids: readonly AccountId[];
  readonly descendantsOf: AccountId | null;
  readonly withRole: readonly RoleId[];
};

export const emptySet: AccountSet = { ids: [], descendantsOf: null, withRole: [] };

/** Resolves a stored scope for one actor. A level below 1 covers no ancestors. */
export function resolveScope(actor: Pick<Owner, "id" | "parentAccounts">, scope: Scope | undefined | null): AccountSet {
  if (!scope) return emptySet;
  const level = scope.relativeAncestorLevel ?? 0;
  // `slice(-0)` and `slice(-0.5)` would return the whole array.
  const ancestors = level >= 1 ? actor.parentAccounts.slice(-level) : [];
  return {
    ids: scope.me ? [actor.id, ...ancestors] : ancestors,
    descendantsOf: scope.myChildren ? actor.id : null,
    withRole: scope.roles ?? [],
  };
}

/** Must give the same results as the server's SQL version `whereOwnerIn`; a test compares them. */
export function contains(set: AccountSet, owner: Owner): boolean {
  return (
    set.ids.includes(owner.id) ||
    (set.descendantsOf !== null && owner.parentAccounts.includes(set.descendantsOf)) ||
    (owner.roleId !== null && set.withRole.includes(owner.roleId))
  );
}

/** An empty set contains no account. Never treat it as "no filter". */
export function isEmptySet(set: AccountSet): boolean {
  return set.ids.length === 0 && set.descendantsOf === null && set.withRole.length === 0;
}

/**
 * Whether no part of `scope` exceeds `limit`. Parts that are already in `before` may stay (308,
 * docs/rules/permissions.md#power-of-a-role).
 */
export function isWithin(scope: Scope | undefined, limit: Scope | undefined, before?: Scope): boolean {
  if (!scope) return true;
  const allowedRoles = new Set([...(limit?.roles ?? []), ...(before?.roles ?? [])]);
  const allowedLevel = Math.max(limit?.relativeAncestorLevel ?? 0, before?.relativeAncestorLevel ?? 0);
  return (
    (!scope.me || limit?.me === true || before?.me === true) &&
    (!scope.myChildren || limit?.myChildren === true || before?.myChildren === true) &&
    (scope.roles ?? []).every((role) => allowedRoles.has(role)) &&
    (scope.relativeAncestorLevel ?? 0) <= allowedLevel
  );
}

/** Whether someone with this scope may put any ancestor level into a role: what it reaches is checked for each account that gets it. */
export const allowsAnyLevel = (scope: Scope | undefined): boolean => scope?.me === true && scope.myChildren === true;

/** Like isWithin, but with any ancestor level where `limit` allows that. */
export function isGrantable(scope: Scope | undefined, limit: Scope | undefined, before?: Scope): boolean {
  return isWithin(allowsAnyLevel(limit) ? { ...scope, relativeAncestorLevel: 0 } : scope, limit, before);
}
