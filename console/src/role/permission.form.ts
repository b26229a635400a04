// Converts permissions to and from the form, and defines the form's tabs, limits and descriptions (RO-03).
import { type Actor, isRoot } from "@psp/contract/permission/can.ts";
import {
  accountView,
  type OwnableType,
  type Permissions,
  listScopes,
  toDocument,
} from "@psp/contract/permission/permissions.ts";
import { allowsAnyLevel, isWithin, type Scope } from "@psp/contract/permission/scope.ts";
import { permissionText } from "./permission.text.ts";

/** Permissions in flat form, with a scope for each key of `listScopes`. Scopes have no empty parts. */
export type Rights = { readonly createAccounts: boolean; readonly scopes: Readonly<Record<string, Scope>> };

export type RightGroup = { key: string; name: string; lead: string };
export type RightTab = { id: string; name: string; groups: readonly RightGroup[] };

const { groups: named, leads } = permissionText;

const ownableRights = [
  ["canViewObject", "view"],
  ["canEditObject", "edit"],
  ["canDeleteObject", "delete"],
  ["canCreateObjectFor", "createFor"],
  ["canChangeOwner.from", "from"],
  ["canChangeOwner.to", "to"],
] as const;

function ownableTab(id: string, name: string, type: OwnableType, plural: string): RightTab {
  const groups = ownableRights.map(([right, of]) => ({
    key: `ownable.${type}.${right}`,
    name: named[of],
    lead: leads[of](plural),
  }));
  return { id, name, groups };
}

/** The tabs together contain every scope exactly once. */
export const rightTabs: readonly RightTab[] = [
  {
    id: "owner",
    name: "Owner",
    groups: [
      { key: accountView, name: named.view, lead: leads.viewAccounts },
      { key: "owner.canEditOwner", name: named.edit, lead: leads.editAccounts },
      { key: "owner.canDeleteOwner", name: named.delete, lead: leads.deleteAccounts },
      { key: "other.canAssignRoles", name: named.assignRoles, lead: leads.assignRoles },
      { key: "other.canAssignSensors", name: named.assignSensors, lead: leads.assignSensors },
      { key: "other.canUseArtifact", name: named.useFirmware, lead: leads.useFirmware },
    ],
  },
  ownableTab("role", "Role", "role", "roles"),
  ownableTab("sensor", "Sensor", "sensor", "sensors"),
  ownableTab("location", "Location", "measurement", "locations"),
  ownableTab("firmware", "Firmware", "artifact", "firmware"),
  ownableTab("file", "File", "file", "files"),
];

function tidy(scope: Scope | undefined): Scope {
  return {
    ...(scope?.me === true ? { me: true } : {}),
    ...(scope?.myChildren === true ? { myChildren: true } : {}),
    ...((scope?.roles?.length ?? 0) > 0 ? { roles: scope?.roles } : {}),
    ...((scope?.relativeAncestorLevel ?? 0) > 0 ? { relativeAncestorLevel: scope?.relativeAncestorLevel } : {}),
  };
}

/** The right to view accounts always includes the own account (`me`). */
export function toRights(permissions: Permissions): Rights {
  const scopes = Object.fromEntries(
    listScopes(permissions).map(({ key, scope }) => [key, tidy(key === accountView ? { ...scope, me: true } : scope)]),
  );
  return { createAccounts: permissions.owner?.canCreateOwner === true, scopes };
}

/** Empty scopes are omitted. */
export function toPermissions({ createAccounts, scopes }: Rights): Permissions {
  return toDocument(Object.entries(scopes), createAccounts);
}

export function withScope(rights: Rights, key: string, change: Scope): Rights {
  return { ...rights, scopes: { ...rights.scopes, [key]: tidy({ ...rights.scopes[key], ...change }) } };
}

/**
 * What the user may grant under one key. This is their own scope, or everything for root
 * (docs/rules/permissions.md#power-of-a-role).
 */
export type GrantLimit = { everything: true } | { everything: false; own: Scope; before: Scope };

/** `before` is the saved role, whose rights may be restored. */
export function limitOf(actor: Actor, key: string, before: Rights): GrantLimit {
  if (isRoot(actor)) return { everything: true };
  const own = listScopes(actor.permissions ?? {}).find((each) => each.key === key)?.scope ?? {};
  return {
    everything: false,
    own: key === accountView ? { ...own, me: true } : own,
    before: before.scopes[key] ?? {},
  };
}

/** Why the switch is disabled, or undefined. Rights that the role has can always be removed. */
export function switchDisabledReason(
  part: "me" | "myChildren",
  key: string,
  { limit, scope, readOnly }: { limit: GrantLimit; scope: Scope; readOnly: boolean },
): string | undefined {
  if (readOnly) return permissionText.readOnly;
  if (part === "me" && key === accountView) return permissionText.meLocked;
  if (scope[part] === true || limit.everything) return undefined;
  return isWithin({ [part]: true }, limit.own, limit.before) ? undefined : permissionText.notHeld;
}

export function createAccountsDisabledReason(
  actor: Actor,
  { now, before, readOnly }: { now: boolean; before: boolean; readOnly: boolean },
): string | undefined {
  if (readOnly) return permissionText.readOnly;
  if (now || before || isRoot(actor) || actor.permissions?.owner?.canCreateOwner === true) return undefined;
  return permissionText.notHeld;
}

/** Any level is possible with `me` and `myChildren`, because the server checks what each account reaches that gets the role. */
export function levelLimit(limit: GrantLimit, highest: number): number {
  if (limit.everything || allowsAnyLevel(limit.own)) return highest;
  return Math.max(limit.own.relativeAncestorLevel ?? 0, limit.before.relativeAncestorLevel ?? 0);
}

/** Null means any. */
export function grantableRoles(limit: GrantLimit): string[] | null {
  if (limit.everything) return null;
  return [...new Set([...(limit.own.roles ?? []), ...(limit.before.roles ?? [])])];
}

/** For example "own account and all sub-accounts". `roleName` returns undefined while unknown. */
export function describeReach(scope: Scope, roleName: (id: string) => string | undefined): string | null {
  const { reach } = permissionText;
  const level = scope.relativeAncestorLevel ?? 0;
  const roles = (scope.roles ?? []).map((id) => roleName(id) ?? "…");
  const parts = [
    ...(scope.me && scope.myChildren ? [reach.both] : scope.me ? [reach.me] : scope.myChildren ? [reach.children] : []),
    ...(level > 0 ? [reach.ancestors(level)] : []),
    ...(roles.length > 0 ? [reach.roles(roles)] : []),
  ];
  return parts.length === 0 ? null : new Intl.ListFormat("en", { type: "conjunction" }).format(parts);
}
