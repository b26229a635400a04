// Templates of roles, from viewing to managing, limited to what the user may grant (docs/rules/permissions.md#templates).
import { type Actor, isRoot } from "./can.ts";
import {
  accountCreation,
  accountView,
  fullPermissions,
  listScopes,
  ownableTypes,
  type Permissions,
  toDocument,
} from "./permissions.ts";
import { getRightName } from "./right-names.ts";
import type { Scope } from "./scope.ts";

/** Each level includes the ones before it. */
export const accessLevels = ["viewer", "operator", "technician", "manager"] as const;
export type AccessLevel = (typeof accessLevels)[number];

/** Also the names of roles that are made for invitations. */
export const accessNames: Record<AccessLevel, string> = {
  viewer: "Viewer",
  operator: "Operator",
  technician: "Technician",
  manager: "Manager",
};

/** `leftOut` names the rights that were removed or reduced. */
export type LimitedTemplate = { permissions: Permissions; leftOut: string[] };

const below: Scope = { me: true, myChildren: true };
const views = { canViewObject: below };
const edits = { ...views, canEditObject: below };
const creates = { ...edits, canCreateObjectFor: below };

const viewer: Permissions = {
  ownable: Object.fromEntries(ownableTypes.map((type) => [type, views])),
  owner: { canViewOwner: below },
};

export const accessTemplates: Record<AccessLevel, Permissions> = {
  viewer,
  operator: { ...viewer, ownable: { ...viewer.ownable, sensor: edits, measurement: edits } },
  technician: {
    ...viewer,
    other: { canAssignSensors: below, canUseArtifact: below },
    ownable: { ...viewer.ownable, sensor: creates, measurement: creates },
  },
  manager: fullPermissions,
};

/** Limits every scope of a template by the actor's own scope of the same right. `limit` returns `{}` to leave a scope out. */
function limitScopes(actor: Actor, template: Permissions, limit: (scope: Scope, held: Scope, key: string) => Scope) {
  const own = new Map(listScopes(actor.permissions ?? {}).map(({ key, scope }) => [key, scope]));
  const leftOut: string[] = [];
  const mayCreateAccounts = isRoot(actor) || actor.permissions?.owner?.canCreateOwner === true;
  const createsAccounts = template.owner?.canCreateOwner === true && mayCreateAccounts;
  if (template.owner?.canCreateOwner === true && !mayCreateAccounts) leftOut.push(getRightName(accountCreation));
  const scopes = listScopes(template).flatMap(({ key, scope }): [string, Scope][] => {
    if (scope === undefined) return [];
    // Everyone may view their own account.
    const held = { ...own.get(key), ...(key === accountView ? { me: true } : {}) };
    const limited = limit(scope, isRoot(actor) ? { ...held, ...below } : held, key);
    if (Object.keys(scope).some((part) => !Object.hasOwn(limited, part))) leftOut.push(getRightName(key));
    return [[key, limited]];
  });
  return { permissions: toDocument(scopes, createsAccounts), leftOut };
}

/** The part of a template that the actor may grant. */
export function limitTemplate(actor: Actor, template: Permissions): LimitedTemplate {
  return limitScopes(actor, template, ({ me, myChildren }, held) => ({
    ...(me && held.me ? { me } : {}),
    ...(myChildren && held.myChildren ? { myChildren } : {}),
  }));
}

/**
 * Rights of a colleague that end at the colleague's own account: the account above keeps control of itself, its logins and its roles
 * (docs/rules/permissions.md#colleagues).
 */
const neverUpwards = new Set(["other.canAssignRoles", "owner.canEditOwner", "owner.canDeleteOwner"]);
const isUpwards = (key: string) =>
  !neverUpwards.has(key) && (!key.startsWith("ownable.role.") || key === "ownable.role.canViewObject");

/** Which account a colleague sees: the actor's own one, or one of its sub-accounts. */
export type SeenAccount = "own" | "below";

/**
 * Permissions of a colleague whose account is a child of the account that is seen. A scope is left out unless the actor's scope covers
 * both that account and its children. For the actor's own account, what the actor reaches above itself is included.
 */
export function limitForColleague(actor: Actor, level: AccessLevel, seen: SeenAccount): LimitedTemplate {
  return limitScopes(actor, accessTemplates[level], (_, held, key) => {
    if (!held.me || !held.myChildren) return {};
    if (!isUpwards(key)) return below;
    const above = seen === "own" ? (held.relativeAncestorLevel ?? 0) : 0;
    return { ...below, relativeAncestorLevel: Math.min(above + 1, maxLevel) };
  });
}
/** Equal to `maxAncestorLevel` of the schema, which this file must not load. */
const maxLevel = 100;

/** Rights that a level has and the level before does not. For viewers, the right to view accounts doesn't count. */
function addedBy(level: AccessLevel): string[] {
  const before = accessLevels[accessLevels.indexOf(level) - 1];
  const had = new Set(before === undefined ? [accountView] : keysOf(accessTemplates[before]));
  return keysOf(accessTemplates[level]).filter((key) => !had.has(key));
}

function keysOf(permissions: Permissions): string[] {
  const keys = listScopes(permissions).flatMap(({ key, scope }) =>
    scope && Object.keys(scope).length > 0 ? [key] : [],
  );
  return permissions.owner?.canCreateOwner ? [...keys, accountCreation] : keys;
}

/**
 * The first right that the actor lacks to give this level. Null if the actor can give some right that the level adds, and some right to
 * view.
 */
export function findMissingRight(actor: Actor, level: AccessLevel, seen: SeenAccount): string | null {
  const unseen = level === "viewer" ? null : findMissingRight(actor, "viewer", seen);
  if (unseen !== null) return unseen;
  const added = addedBy(level);
  const given = new Set(keysOf(limitForColleague(actor, level, seen).permissions));
  return added.some((key) => given.has(key)) ? null : (added[0] ?? null);
}
