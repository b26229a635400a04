// The permissions document of a role and the list of its scopes (docs/rules/permissions.md#permission-document).
import type { z } from "zod";
import type { permissionsSchema } from "./document.ts";
import type { Scope } from "./scope.ts";

export const ownableTypes = ["artifact", "measurement", "role", "file", "sensor"] as const;
export type OwnableType = (typeof ownableTypes)[number];

export type Permissions = z.output<typeof permissionsSchema>;

/** Every role lets its holder view at least their own account. */
export function withOwnAccountView(permissions: Permissions): Permissions {
  return {
    ...permissions,
    owner: { ...permissions.owner, canViewOwner: { ...permissions.owner?.canViewOwner, me: true } },
  };
}

const ownableScopes = ["canViewObject", "canEditObject", "canDeleteObject", "canCreateObjectFor"] as const;

/** Lists every scope with its dotted key, whether it is present or not. */
export function listScopes(permissions: Permissions): { key: string; scope: Scope | undefined }[] {
  const { other, ownable, owner } = permissions;
  return [
    { key: "other.canAssignRoles", scope: other?.canAssignRoles },
    { key: "other.canAssignSensors", scope: other?.canAssignSensors },
    { key: "other.canUseArtifact", scope: other?.canUseArtifact },
    { key: "owner.canViewOwner", scope: owner?.canViewOwner },
    { key: "owner.canEditOwner", scope: owner?.canEditOwner },
    { key: "owner.canDeleteOwner", scope: owner?.canDeleteOwner },
    ...ownableTypes.flatMap((type) => [
      ...ownableScopes.map((right) => ({ key: `ownable.${type}.${right}`, scope: ownable?.[type]?.[right] })),
      { key: `ownable.${type}.canChangeOwner.from`, scope: ownable?.[type]?.canChangeOwner?.from },
      { key: `ownable.${type}.canChangeOwner.to`, scope: ownable?.[type]?.canChangeOwner?.to },
    ]),
  ];
}

export const accountView = "owner.canViewOwner";
export const accountCreation = "owner.canCreateOwner";

/** The inverse of `listScopes`. Omits empty scopes. */
export function toDocument(
  scopes: Iterable<readonly [key: string, scope: Scope]>,
  createsAccounts: boolean,
): Permissions {
  const document: Record<string, unknown> = {};
  const put = (key: string, value: unknown) => {
    const path = key.split(".");
    const last = path.pop() ?? "";
    let at = document;
    for (const part of path) at = (at[part] ??= {}) as Record<string, unknown>;
    at[last] = value;
  };
  if (createsAccounts) put(accountCreation, true);
  for (const [key, scope] of scopes) if (Object.keys(scope).length > 0) put(key, scope);
  return document;
}

/** Lists all grants as lines: the right, and the accounts that it covers. A level of n becomes n lines, one per level. */
export function listGrants(permissions: Permissions, levelOf = levelOfScope): string[] {
  const parts = listScopes(permissions).flatMap(({ key, scope }) => [
    ...(scope?.me && key !== accountView ? [`${key} me`] : []),
    ...(scope?.myChildren ? [`${key} myChildren`] : []),
    ...[...new Set(scope?.roles)].map((role) => `${key} role ${role}`),
    ...Array.from({ length: levelOf(scope) }, (_, n) => `${key} level ${n + 1}`),
  ]);
  return permissions.owner?.canCreateOwner ? [...parts, accountCreation] : parts;
}
const levelOfScope = (scope: Scope | undefined): number => scope?.relativeAncestorLevel ?? 0;

export const rightOfGrant = (part: string): string => part.split(" ", 1)[0] ?? part;

/** All rights on one type of objects, in the same scope; that of viewing may differ. */
export const allObjectRights = <S>(scope: S, view: S = scope) => ({
  canViewObject: view,
  canEditObject: scope,
  canDeleteObject: scope,
  canCreateObjectFor: scope,
  canChangeOwner: { from: scope, to: scope },
});

const everybody: Scope = { me: true, myChildren: true };
const everything = allObjectRights(everybody);

/**
 * All rights on the holder's account and its descendants. The root account of a new installation has a role with these
 * permissions.
 */
export const fullPermissions: Permissions = {
  other: { canAssignRoles: everybody, canAssignSensors: everybody, canUseArtifact: everybody },
  ownable: { artifact: everything, measurement: everything, role: everything, file: everything, sensor: everything },
  owner: { canCreateOwner: true, canViewOwner: everybody, canEditOwner: everybody, canDeleteOwner: everybody },
};
