// An independent oracle for what a role reaches from an account, by listing owners one by one
// (docs/rules/permissions.md#within-reach). It imports no production code, so that it can't repeat mistakes of that code.
import {
  type AccountNode,
  type Forest,
  kinds,
  type PermissionsDoc,
  reaches,
  rightsOf,
  type ScopeDoc,
} from "./oracle.testing.ts";

const verbs = ["canViewObject", "canEditObject", "canDeleteObject", "canCreateObjectFor"] as const;

/** Every scope with its place in the document. */
function scopesOf(doc: PermissionsDoc | null): [place: string, scope: ScopeDoc | undefined][] {
  return [
    ["other.canAssignRoles", doc?.other?.canAssignRoles],
    ["other.canAssignSensors", doc?.other?.canAssignSensors],
    ["other.canUseArtifact", doc?.other?.canUseArtifact],
    ["owner.canViewOwner", doc?.owner?.canViewOwner],
    ["owner.canEditOwner", doc?.owner?.canEditOwner],
    ["owner.canDeleteOwner", doc?.owner?.canDeleteOwner],
    ...kinds.flatMap((kind): [string, ScopeDoc | undefined][] => {
      const part = doc?.ownable?.[kind];
      return [
        ...verbs.map((verb): [string, ScopeDoc | undefined] => [`ownable.${kind}.${verb}`, part?.[verb]]),
        [`ownable.${kind}.canChangeOwner.from`, part?.canChangeOwner?.from],
        [`ownable.${kind}.canChangeOwner.to`, part?.canChangeOwner?.to],
      ];
    }),
  ];
}

const scopeAt = (doc: PermissionsDoc | null, place: string) => scopesOf(doc).find(([one]) => one === place)?.[1];

/** Accounts by id, and below each of them one that does not exist yet. */
export type Grown = Map<string, AccountNode>;

const futureOf = (id: string) => `future child of ${id}`;

/** Copies the forest, with one account moved below another if wanted. */
export function grow({ accounts }: Forest, move?: { id: string; parent: string }): Grown {
  const copies: Grown = new Map(accounts.map((one) => [one.id, { ...one, parent: null, children: [] }]));
  const hang = (child: AccountNode, parent: AccountNode | undefined) => {
    if (parent === undefined) return;
    child.parent = parent;
    parent.children.push(child);
  };
  for (const { id, parent } of accounts)
    hang(copies.get(id) as AccountNode, copies.get(id === move?.id ? move.parent : (parent?.id ?? "")));
  for (const one of copies.values().toArray()) {
    const future = { id: futureOf(one.id), parent: null, children: [], role: null, deleted: false };
    hang(future, one);
    copies.set(future.id, future);
  }
  return copies;
}

const ownView = "owner.canViewOwner";

/** What an account has before a change: its permissions, and its position. */
type Before = { doc: PermissionsDoc; grown: Grown };

/**
 * Whether the account would reach an owner, present or future, that neither the assigner reaches with the same right nor the account
 * reached before. Names of roles count as sets. Returns the places of all such rights.
 */
export function placesBeyond(
  assigner: AccountNode,
  grown: Grown,
  { holder, wanted, before }: { holder: string; wanted: PermissionsDoc; before: Before | null },
): string[] {
  if (assigner.parent === null) return [];
  const own = rightsOf(assigner);
  const now = grown.get(holder) as AccountNode;
  const old = before?.grown.get(holder) as AccountNode;
  const places = scopesOf(wanted).flatMap(([place, scope]) => {
    if (scope === undefined) return [];
    const mine = { ...scopeAt(own, place), ...(place === ownView ? { me: true } : {}) };
    const earlier = before === null ? undefined : scopeAt(before.doc, place);
    const isNew = (role: string) => mine.roles?.includes(role) !== true && earlier?.roles?.includes(role) !== true;
    if (scope.roles?.some(isNew)) return [place];
    const { roles: _, ...positions } = scope;
    const isBeyond = [...grown.values()].some((owner) => {
      if (place === ownView && owner === now) return false;
      if (!reaches(now, positions, owner)) return false;
      const known = before?.grown.get(owner.id);
      if (known && reaches(old, earlier, known)) return false;
      // The assigner's reach is that of its present position.
      const seen = (before?.grown ?? grown).get(owner.id) as AccountNode;
      return !reaches((before?.grown ?? grown).get(assigner.id) as AccountNode, mine, seen);
    });
    return isBeyond ? [place] : [];
  });
  const creates = before === null && wanted.owner?.canCreateOwner === true && own?.owner?.canCreateOwner !== true;
  return creates ? ["owner.canCreateOwner", ...places] : places;
}
