// Computes which accounts a group of colluding accounts could take over, and the maximum rights of the group (T-05).
import {
  type AccountNode,
  type Forest,
  kinds,
  type PermissionsDoc,
  reaches,
  rightsOf,
  type ScopeDoc,
} from "@psp/contract/permission/oracle.testing.ts";

const verbs = ["canViewObject", "canEditObject", "canDeleteObject", "canCreateObjectFor"] as const;

export function scopesOf(doc: PermissionsDoc): [string, ScopeDoc | undefined][] {
  const ownable = kinds.flatMap((kind): [string, ScopeDoc | undefined][] => {
    const part = doc.ownable?.[kind];
    return [
      ...verbs.map((verb): [string, ScopeDoc | undefined] => [`${verb} ${kind}`, part?.[verb]]),
      [`change owner from ${kind}`, part?.canChangeOwner?.from],
      [`change owner to ${kind}`, part?.canChangeOwner?.to],
    ];
  });
  return [
    ...ownable,
    ["assign roles", doc.other?.canAssignRoles],
    ["assign sensors", doc.other?.canAssignSensors],
    ["use firmware", doc.other?.canUseArtifact],
    ["view account", doc.owner?.canViewOwner],
    ["edit account", doc.owner?.canEditOwner],
    ["delete account", doc.owner?.canDeleteOwner],
  ];
}

/** Names of all rights that the documents grant over the account from any of the positions. */
export function findRightsOver(
  places: Iterable<AccountNode>,
  docs: PermissionsDoc[],
  target: AccountNode,
): Set<string> {
  const found = new Set<string>();
  for (const place of places) {
    for (const doc of docs) {
      for (const [name, scope] of scopesOf(doc)) if (reaches(place, scope, target)) found.add(name);
    }
  }
  return found;
}

export const docsOf = (nodes: Iterable<AccountNode>) => [...nodes].flatMap((node) => rightsOf(node) ?? []);

function sitsBelow(node: AccountNode, higher: AccountNode): boolean {
  return node.parent !== null && (node.parent === higher || sitsBelow(node.parent, higher));
}

/**
 * Returns the colluders and all accounts that they could take over. A member that may edit an account below it can add
 * a login to that account, if necessary after the account's role was reduced. So each member of the group could get all
 * rights that any member has now.
 */
export function findReachableAccounts(forest: Forest, colluders: AccountNode[]): Set<AccountNode> {
  const ring = new Set(colluders);
  for (let size = 0; size !== ring.size;) {
    size = ring.size;
    const docs = docsOf(ring);
    for (const node of forest.accounts) {
      const isBelow = [...ring].some((member) => sitsBelow(node, member));
      if (isBelow && !ring.has(node) && findRightsOver(ring, docs, node).has("edit account")) ring.add(node);
    }
  }
  return ring;
}

/**
 * Returns the maximum rights of the group over an account. If the group may edit the account and assign its role, it
 * can give the account any role that one of its own scopes names. That scope then includes the account, because `roles`
 * in a scope means the holders of these roles.
 */
export function findMaxRights(ring: Set<AccountNode>, docs: PermissionsDoc[], target: AccountNode): Set<string> {
  const bound = findRightsOver(ring, docs, target);
  if (!bound.has("edit account") || !bound.has("assign roles")) return bound;
  const byRole = docs.flatMap(scopesOf).filter(([, scope]) => (scope?.roles ?? []).length > 0);
  return new Set([...bound, ...byRole.map(([name]) => name)]);
}
