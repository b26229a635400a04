// Who could become whom among colluding accounts, and what all of them together may come to hold by their starting rights (T-05).
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

/** Every scope of a document with its place. */
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

/** What any of the documents grants from any of the places over the account, one line each. */
export function reachOver(places: Iterable<AccountNode>, docs: PermissionsDoc[], target: AccountNode): Set<string> {
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
 * The colluders and everybody they could become: who may edit an account below may give it a login of their own, at the
 * latest after its role was made a lesser one. Each of them could come to hold what any of them holds now.
 */
export function conspiracy(forest: Forest, colluders: AccountNode[]): Set<AccountNode> {
  const ring = new Set(colluders);
  for (let size = 0; size !== ring.size;) {
    size = ring.size;
    const docs = docsOf(ring);
    for (const node of forest.accounts) {
      const isBelow = [...ring].some((member) => sitsBelow(node, member));
      if (isBelow && !ring.has(node) && reachOver(ring, docs, node).has("edit account")) ring.add(node);
    }
  }
  return ring;
}

/**
 * What the ring may come to hold over the account. Those who may edit it and give it roles may give it one that some scope of theirs names,
 * and it holds that role by their starting rights (`roles` means accounts that hold one of these roles).
 */
export function boundOver(ring: Set<AccountNode>, docs: PermissionsDoc[], target: AccountNode): Set<string> {
  const bound = reachOver(ring, docs, target);
  if (!bound.has("edit account") || !bound.has("assign roles")) return bound;
  const byRole = docs.flatMap(scopesOf).filter(([, scope]) => (scope?.roles ?? []).length > 0);
  return new Set([...bound, ...byRole.map(([name]) => name)]);
}
