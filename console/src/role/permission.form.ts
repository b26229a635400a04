// The rights document as the editor sees it: tabs, groups, parts; what may be switched and what a scope grants in words (RO-03).
import { type Actor, isRoot } from "@psp/contract/permission/can.ts";
import { type OwnableType, type Permissions, scopesOf } from "@psp/contract/permission/permissions.ts";
import { permissionsSchema } from "@psp/contract/permission/document.ts";
import { isWithin, type Scope } from "@psp/contract/permission/scope.ts";
import { permissionText } from "./permission.text.ts";

/** A document made flat: one scope per key of `scopesOf`, always complete and without empty parts. */
export type Rights = { readonly createAccounts: boolean; readonly scopes: Readonly<Record<string, Scope>> };

export type RightGroup = { key: string; name: string; lead: string };
export type RightTab = { id: string; name: string; groups: readonly RightGroup[] };

export const ownView = "owner.canViewOwner";

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

/** The tabs in order; together they hold every scope of the document once. */
export const rightTabs: readonly RightTab[] = [
  {
    id: "owner",
    name: "Owner",
    groups: [
      { key: ownView, name: named.view, lead: leads.viewAccounts },
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

/** The document for the form; owner view always holds `me`. */
export function toRights(permissions: Permissions): Rights {
  const scopes = Object.fromEntries(
    scopesOf(permissions).map(({ key, scope }) => [key, tidy(key === ownView ? { ...scope, me: true } : scope)]),
  );
  return { createAccounts: permissions.owner?.canCreateOwner === true, scopes };
}

/** The form as a document; empty scopes are left out. */
export function toPermissions({ createAccounts, scopes }: Rights): Permissions {
  const document: Record<string, unknown> = {};
  const put = (key: string, value: unknown) => {
    const path = key.split(".");
    const last = path.pop() ?? "";
    let at = document;
    for (const part of path) at = (at[part] ??= {}) as Record<string, unknown>;
    at[last] = value;
  };
  if (createAccounts) put("owner.canCreateOwner", true);
  for (const [key, scope] of Object.entries(scopes)) if (Object.keys(scope).length > 0) put(key, scope);
  return permissionsSchema.parse(document);
}

export function withScope(rights: Rights, key: string, change: Scope): Rights {
  return { ...rights, scopes: { ...rights.scopes, [key]: tidy({ ...rights.scopes[key], ...change }) } };
}

/** What the editor may give under one key: their own scope, everything for root (docs/rules/permissions.md#power-of-a-role). */
export type Limit = { everything: true } | { everything: false; own: Scope; before: Scope };

/** `before` is the role as it is saved: what it had may be had again. */
export function limitOf(actor: Actor, key: string, before: Rights): Limit {
  if (isRoot(actor)) return { everything: true };
  const own = scopesOf(actor.permissions ?? {}).find((each) => each.key === key)?.scope ?? {};
  return {
    everything: false,
    own: key === ownView ? { ...own, me: true } : own,
    before: before.scopes[key] ?? {},
  };
}

/** Why this switch can't be used; undefined when it can. What is set may always be taken away. */
export function switchReason(
  part: "me" | "myChildren",
  key: string,
  { limit, scope, readOnly }: { limit: Limit; scope: Scope; readOnly: boolean },
): string | undefined {
  if (readOnly) return permissionText.readOnly;
  if (part === "me" && key === ownView) return permissionText.meLocked;
  if (scope[part] === true || limit.everything) return undefined;
  return isWithin({ [part]: true }, limit.own, limit.before) ? undefined : permissionText.notHeld;
}

export function createAccountsReason(
  actor: Actor,
  { now, before, readOnly }: { now: boolean; before: boolean; readOnly: boolean },
): string | undefined {
  if (readOnly) return permissionText.readOnly;
  if (now || before || isRoot(actor) || actor.permissions?.owner?.canCreateOwner === true) return undefined;
  return permissionText.notHeld;
}

/** Highest ancestor level that the editor may give. */
export function levelLimit(limit: Limit, highest: number): number {
  if (limit.everything) return highest;
  return Math.max(limit.own.relativeAncestorLevel ?? 0, limit.before.relativeAncestorLevel ?? 0);
}

/** Roles that the editor may name in the scope; null means any. */
export function roleLimit(limit: Limit): string[] | null {
  if (limit.everything) return null;
  return [...new Set([...(limit.own.roles ?? []), ...(limit.before.roles ?? [])])];
}

/** Whom a scope reaches, in words: "own account and all below". `roleName` answers undefined while it is unknown. */
export function reachOf(scope: Scope, roleName: (id: string) => string | undefined): string | null {
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
