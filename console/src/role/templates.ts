// Templates for roles, limited to the user's own rights (RO-04).
import { type Actor, isRoot } from "@psp/contract/permission/can.ts";
import { fullPermissions, ownableTypes, type Permissions } from "@psp/contract/permission/permissions.ts";
import type { Scope } from "@psp/contract/permission/scope.ts";
import { getRightName } from "@psp/contract/permission/right-names.ts";
import { accountViewKey, type Rights, toPermissions, toRights } from "./permission.form.ts";

export const roleTemplates = ["empty", "viewer", "technician", "administrator", "own"] as const;
export type RoleTemplate = (typeof roleTemplates)[number];

const below: Scope = { me: true, myChildren: true };
const sees = { canViewObject: below };
const works = { ...sees, canEditObject: below, canCreateObjectFor: below };

const viewer: Permissions = {
  ownable: Object.fromEntries(ownableTypes.map((type) => [type, sees])),
  owner: { canViewOwner: below },
};

/** May set up and maintain sensors and locations, but not transfer, delete or assign roles. */
const technician: Permissions = {
  ...viewer,
  other: { canAssignSensors: below, canUseArtifact: below },
  ownable: { ...viewer.ownable, sensor: works, measurement: works },
};

const documents: Record<Exclude<RoleTemplate, "own">, Permissions> = {
  empty: {},
  viewer,
  technician,
  administrator: fullPermissions,
};

/** Intersection of two scopes. */
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

/** Limits a template to the user's rights. `leftOut` names the rights that were removed or reduced. */
export function applyTemplate(actor: Actor, start: RoleTemplate): { permissions: Permissions; leftOut: string[] } {
  const own = toRights(actor.permissions ?? {});
  if (start === "own") return { permissions: toPermissions(own), leftOut: [] };
  const wanted = toRights(documents[start]);
  if (isRoot(actor)) return { permissions: start === "empty" ? {} : toPermissions(wanted), leftOut: [] };
  const createAccounts = wanted.createAccounts && own.createAccounts;
  const leftOut = wanted.createAccounts && !own.createAccounts ? [getRightName("owner.canCreateOwner")] : [];
  const scopes: Record<string, Scope> = {};
  for (const [key, scope] of Object.entries(wanted.scopes)) {
    const held = own.scopes[key] ?? {};
    // Everyone may view their own account.
    scopes[key] = common(scope, key === accountViewKey ? { ...held, me: true } : held);
    if (Object.keys(scopes[key]).length < Object.keys(scope).length) leftOut.push(getRightName(key));
  }
  const rights: Rights = { createAccounts, scopes };
  return { permissions: start === "empty" ? {} : toPermissions(rights), leftOut };
}
