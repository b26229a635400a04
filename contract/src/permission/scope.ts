// A scope is a set of accounts, said relative to somebody. Resolved against an actor it becomes absolute, and then answers "is this
// owner inside?" (docs/rules/permissions.md#scopes).
import type { z } from "zod";
import type { AccountId, RoleId } from "../kit/ids.ts";
import type { scopeSchema } from "./document.ts";

export type Scope = z.output<typeof scopeSchema>;

/** Somebody seen as an owner: enough to ask whether a scope holds them. `parentAccounts` runs from the root to the direct parent. */
export type Owner = { id: AccountId; parentAccounts: readonly AccountId[]; roleId: RoleId | null };

/** A scope made absolute. The three parts are a union. */
export type AccountSet = {
  readonly ids: readonly AccountId[];
  readonly descendantsOf: AccountId | null;
  readonly withRole: readonly RoleId[];
};

export const emptySet: AccountSet = { ids: [], descendantsOf: null, withRole: [] };

/** Makes a stored scope absolute for one actor. Levels of zero, below zero or no number at all mean no one. */
export function resolveScope(actor: Pick<Owner, "id" | "parentAccounts">, scope: Scope | undefined | null): AccountSet {
  if (!scope) return emptySet;
  const level = scope.relativeAncestorLevel ?? 0;
  // `slice(-0)` would be the whole list, and so would `slice(-0.5)`: less than one must be asked about first.
  const ancestors = level >= 1 ? actor.parentAccounts.slice(-level) : [];
  return {
    ids: scope.me ? [actor.id, ...ancestors] : ancestors,
    descendantsOf: scope.myChildren ? actor.id : null,
    withRole: scope.roles ?? [],
  };
}

/** Interpreter in memory; its twin in SQL is the server's `ownerIn`, and a test holds the two together. */
export function contains(set: AccountSet, owner: Owner): boolean {
  return (
    set.ids.includes(owner.id) ||
    (set.descendantsOf !== null && owner.parentAccounts.includes(set.descendantsOf)) ||
    (owner.roleId !== null && set.withRole.includes(owner.roleId))
  );
}

/** No one at all; never to be read as "no filter". */
export function isEmptySet(set: AccountSet): boolean {
  return set.ids.length === 0 && set.descendantsOf === null && set.withRole.length === 0;
}

/**
 * Is `scope` no more powerful than `limit`, part by part? What `before` already had may stay
 * (308, docs/rules/permissions.md#power-of-a-role).
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
