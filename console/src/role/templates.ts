// What a new role can start from, cut down to what its maker may give: never more than their own role (RO-04).
import { type Actor, isRoot } from "@psp/contract/permission/can.ts";
import { fullPermissions, ownableTypes, type Permissions } from "@psp/contract/permission/permissions.ts";
import type { Scope } from "@psp/contract/permission/scope.ts";
import { nameOfRight } from "@psp/contract/permission/right-names.ts";
import { ownView, type Rights, toPermissions, toRights } from "./permission.form.ts";

export const starts = ["empty", "viewer", "technician", "administrator", "own"] as const;
export type Start = (typeof starts)[number];

const below: Scope = { me: true, myChildren: true };
const sees = { canViewObject: below };
const works = { ...sees, canEditObject: below, canCreateObjectFor: below };

const viewer: Permissions = {
  ownable: Object.fromEntries(ownableTypes.map((type) => [type, sees])),
  owner: { canViewOwner: below },
};

/** Sets up and looks after sensors and locations; hands nothing over, deletes nothing, gives no roles. */
const technician: Permissions = {
  ...viewer,
  other: { canAssignSensors: below, canUseArtifact: below },
  ownable: { ...viewer.ownable, sensor: works, measurement: works },
};

const documents: Record<Exclude<Start, "own">, Permissions> = {
  empty: {},
  viewer,
  technician,
  administrator: fullPermissions,
};

/** What of a scope is within another. */
function common(scope: Scope, limit: Scope): Scope {
  const roles = (scope.roles ?? []).filter((role) => limit.roles?.includes(role));
  const level = Math.min(scope.relativeAncestorLevel ?? 0, limit.relativeAncestorLevel ?? 0);
  return {
    ...(scope.me && limit.me ? { me: true } : {}),
    ...(scope.myChildren && limit.myChildren ? { myChildren: true } : {}),
    ...(roles.length > 0 ? { roles } : {}),
    ...(level > 0 ? { relativeAncestorLevel: level } : {}),
  };
}

/** The permissions that a role begins with, and the names of the rights that the maker has too little of. */
export function startOf(actor: Actor, start: Start): { permissions: Permissions; leftOut: string[] } {
  const own = toRights(actor.permissions ?? {});
  if (start === "own") return { permissions: toPermissions(own), leftOut: [] };
  const wanted = toRights(documents[start]);
  if (isRoot(actor)) return { permissions: start === "empty" ? {} : toPermissions(wanted), leftOut: [] };
  const createAccounts = wanted.createAccounts && own.createAccounts;
  const leftOut = wanted.createAccounts && !own.createAccounts ? [nameOfRight("owner.canCreateOwner")] : [];
  const scopes: Record<string, Scope> = {};
  for (const [key, scope] of Object.entries(wanted.scopes)) {
    const held = own.scopes[key] ?? {};
    // Everybody sees their own account.
    scopes[key] = common(scope, key === ownView ? { ...held, me: true } : held);
    if (Object.keys(scopes[key]).length < Object.keys(scope).length) leftOut.push(nameOfRight(key));
  }
  const rights: Rights = { createAccounts, scopes };
  return { permissions: start === "empty" ? {} : toPermissions(rights), leftOut };
}
