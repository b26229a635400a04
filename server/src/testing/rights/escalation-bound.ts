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

/** Names of all rights over the account that any of the members has with its own role, at its own position. */
export function findRightsOver(members: Iterable<AccountNode>, target: AccountNode): Set<string> {
  const found = new Set<string>();
  for (const member of members)
    for (const [name, scope] of scopesOf(rightsOf(member) ?? {})) if (reaches(member, scope, target)) found.add(name);
  return found;
}

const docsOf = (nodes: Iterable<AccountNode>) => [...nodes].flatMap((node) => rightsOf(node) ?? []);

function sitsBelow(node: AccountNode, higher: AccountNode): boolean {
  return node.parent !== null && (node.parent === higher || sitsBelow(node.parent, higher));
}

/** Names of all rights that the documents grant over everything below. */
const rightsBelow = (docs: PermissionsDoc[]) =>
  docs.flatMap(scopesOf).flatMap(([name, scope]) => (scope?.myChildren === true ? [name] : []));

/**
 * The accounts that are below the group, or could be: if the group sees and edits an account that waits for a review, it can move it
 * below one of its members, with everything below it.
 */
function findMovable(forest: Forest, ring: Set<AccountNode>): Set<AccountNode> {
  const heads = forest.accounts.filter((node) => {
    if (node.parent === null) return false;
    if ([...ring].some((member) => sitsBelow(node, member))) return true;
    const rights = findRightsOver(ring, node);
    return rights.has("view account") && rights.has("edit account");
  });
  return new Set(forest.accounts.filter((node) => heads.some((head) => head === node || sitsBelow(node, head))));
}

export type Group = {
  /** The colluders, and all accounts that they could take over. */
  ring: Set<AccountNode>;
  docs: PermissionsDoc[];
  movable: Set<AccountNode>;
};

/**
 * A member that may edit an account below it can add a login to that account, if necessary after the account's role was reduced. So
 * each member of the group could get all rights that any member has now.
 */
export function findGroup(forest: Forest, colluders: AccountNode[]): Group {
  const ring = new Set(colluders);
  for (;;) {
    const docs = docsOf(ring);
    const movable = findMovable(forest, ring);
    const group = { ring, docs, movable };
    const taken = [...movable].filter((node) => !ring.has(node) && findPlainRights(group, node).has("edit account"));
    if (taken.length === 0) return group;
    for (const node of taken) ring.add(node);
  }
}

function findPlainRights({ ring, docs, movable }: Group, target: AccountNode): Set<string> {
  const found = findRightsOver(ring, target);
  return movable.has(target) ? new Set([...found, ...rightsBelow(docs)]) : found;
}

/**
 * Returns the maximum rights of the group over an account. If the group may edit the account and assign its role, it
 * can give the account any role that one of its own scopes names. That scope then includes the account, because `roles`
 * in a scope means the holders of these roles. Roles that are given, edited or moved add nothing else: what an account reaches with
 * them, the one who did it reaches as well.
 */
export function findMaxRights(group: Group, target: AccountNode): Set<string> {
  const bound = findPlainRights(group, target);
  if (!bound.has("edit account") || !bound.has("assign roles")) return bound;
  const byRole = group.docs.flatMap(scopesOf).filter(([, scope]) => (scope?.roles ?? []).length > 0);
  return new Set([...bound, ...byRole.map(([name]) => name)]);
}
