// Permissions with which colluding accounts make and edit roles (T-05).
import type { PermissionsDoc, ScopeDoc } from "@psp/contract/permission/oracle.testing.ts";
import type { Chance } from "../chance.ts";
import { scopesOf } from "./escalation-bound.ts";

/** Realistic rights of a dealer or customer: many over itself and accounts below, and a few over accounts above. */
export function usefulPermissions(roleIds: string[], { below }: Chance): PermissionsDoc {
  const scope = (): ScopeDoc => {
    const dice = below(12);
    if (dice < 1) return {};
    if (dice < 3) return { me: true };
    if (dice < 9) return { me: true, myChildren: true };
    if (dice < 11) return { me: true, relativeAncestorLevel: 1 + below(2) };
    return { roles: [roleIds[below(roleIds.length)] ?? ""] };
  };
  const around = (): ScopeDoc => ({ me: true, myChildren: below(4) > 0, relativeAncestorLevel: below(6) });
  const kind = () => ({
    canViewObject: around(),
    canEditObject: scope(),
    canDeleteObject: scope(),
    canCreateObjectFor: scope(),
    canChangeOwner: { from: scope(), to: scope() },
  });
  const downwards = (): ScopeDoc => ({ me: below(2) === 0, myChildren: below(3) > 0 });
  return {
    other: { canAssignRoles: downwards(), canAssignSensors: scope(), canUseArtifact: scope() },
    ownable: { artifact: kind(), measurement: kind(), role: kind(), sensor: kind() },
    owner: {
      canCreateOwner: below(3) > 0,
      canViewOwner: around(),
      canEditOwner: below(3) === 0 ? around() : downwards(),
      canDeleteOwner: downwards(),
    },
  };
}

export function vary(doc: PermissionsDoc, { below }: Chance): PermissionsDoc {
  const copy = structuredClone(doc);
  for (const [, scope] of scopesOf(copy)) {
    if (!scope || below(4) > 0) continue;
    const change = below(4);
    if (change === 0) scope.me = below(2) === 0;
    else if (change === 1) scope.myChildren = below(3) === 0;
    else if (change === 2) scope.relativeAncestorLevel = below(5);
    else delete scope.roles;
  }
  return copy;
}

/**
 * What the account may lend to those below it: scopes with `me` and `myChildren`, to which any number of levels may be added
 * (docs/rules/permissions.md#power-of-a-role).
 */
export function lend(doc: PermissionsDoc, { below }: Chance): PermissionsDoc {
  const copy = structuredClone(doc);
  const level = below(6);
  for (const [, scope] of scopesOf(copy)) {
    if (!scope) continue;
    const canLend = scope.me === true && scope.myChildren === true;
    scope.me = canLend;
    scope.myChildren = canLend;
    scope.relativeAncestorLevel = canLend ? level : 0;
    delete scope.roles;
  }
  return copy;
}

const scopeOfAll: ScopeDoc = { me: true, myChildren: true, relativeAncestorLevel: 5 };
const kindOfAll = {
  canViewObject: scopeOfAll,
  canEditObject: scopeOfAll,
  canDeleteObject: scopeOfAll,
  canCreateObjectFor: scopeOfAll,
  canChangeOwner: { from: scopeOfAll, to: scopeOfAll },
};
export const everything: PermissionsDoc = {
  other: { canAssignRoles: scopeOfAll, canAssignSensors: scopeOfAll, canUseArtifact: scopeOfAll },
  ownable: { artifact: kindOfAll, measurement: kindOfAll, role: kindOfAll, sensor: kindOfAll },
  owner: { canCreateOwner: true, canViewOwner: scopeOfAll, canEditOwner: scopeOfAll, canDeleteOwner: scopeOfAll },
};
