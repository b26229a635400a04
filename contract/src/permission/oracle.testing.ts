// An independent oracle of the permission rules for tests (docs/rules/permissions.md). It imports no production code, so that it
// can't repeat mistakes of that code.

export type ScopeDoc = {
  me?: boolean;
  myChildren?: boolean;
  roles?: string[];
  relativeAncestorLevel?: number;
};

export const kinds = ["artifact", "measurement", "role", "file", "sensor"] as const;
export type Kind = (typeof kinds)[number];

export type OwnablePermissionsDoc = {
  canViewObject?: ScopeDoc;
  canEditObject?: ScopeDoc;
  canDeleteObject?: ScopeDoc;
  canCreateObjectFor?: ScopeDoc;
  canChangeOwner?: { from?: ScopeDoc; to?: ScopeDoc };
};

export type PermissionsDoc = {
  other?: { canAssignRoles?: ScopeDoc; canAssignSensors?: ScopeDoc; canUseArtifact?: ScopeDoc };
  ownable?: { [kind in Kind]?: OwnablePermissionsDoc };
  owner?: { canCreateOwner?: boolean; canViewOwner?: ScopeDoc; canEditOwner?: ScopeDoc; canDeleteOwner?: ScopeDoc };
};

export type RoleNode = { id: string; deleted: boolean; permissions: PermissionsDoc };
export type AccountNode = {
  id: string;
  parent: AccountNode | null;
  children: AccountNode[];
  role: RoleNode | null;
  deleted: boolean;
};
export type Forest = { accounts: AccountNode[]; roles: RoleNode[] };

function sitsAbove(higher: AccountNode, lower: AccountNode): boolean {
  return higher.children.some((child) => child === lower || sitsAbove(child, lower));
}

function isAncestorWithin(candidate: AccountNode, below: AccountNode, steps: number): boolean {
  if (steps < 1 || below.parent === null) return false;
  return below.parent === candidate || isAncestorWithin(candidate, below.parent, steps - 1);
}

/** Whether this scope of `asker` covers objects of `owner` (docs/rules/permissions.md#scopes). */
export function reaches(asker: AccountNode, scope: ScopeDoc | undefined, owner: AccountNode): boolean {
  if (scope === undefined) return false;
  if (scope.me === true && asker === owner) return true;
  if (scope.myChildren === true && sitsAbove(asker, owner)) return true;
  for (const wanted of scope.roles ?? []) if (owner.role !== null && owner.role.id === wanted) return true;
  return isAncestorWithin(owner, asker, scope.relativeAncestorLevel ?? 0);
}

function saysSomething(scope: ScopeDoc | undefined): boolean {
  if (scope === undefined) return false;
  return scope.me === true || saysMoreThanMe(scope);
}

function saysMoreThanMe(scope: ScopeDoc | undefined): boolean {
  if (scope === undefined) return false;
  return scope.myChildren === true || (scope.roles ?? []).length > 0 || (scope.relativeAncestorLevel ?? 0) > 0;
}

/**
 * Returns the permissions of an account's role. Returns null if it has no role or the role is deleted
 * (docs/rules/permissions.md#no-role).
 */
export function rightsOf(asker: AccountNode): PermissionsDoc | null {
  return asker.role === null || asker.role.deleted ? null : asker.role.permissions;
}

export type Verb = "view" | "edit" | "delete" | "createFor" | "changeOwnerFrom" | "changeOwnerTo";

function scopeFor(doc: PermissionsDoc, verb: Verb, kind: Kind): ScopeDoc | undefined {
  const part = doc.ownable?.[kind];
  switch (verb) {
    case "view":
      return part?.canViewObject;
    case "edit":
      return part?.canEditObject;
    case "delete":
      return part?.canDeleteObject;
    case "createFor":
      return part?.canCreateObjectFor;
    case "changeOwnerFrom":
      return part?.canChangeOwner?.from;
    case "changeOwnerTo":
      return part?.canChangeOwner?.to;
  }
}

/** Rights on objects that accounts own. Ignores `childrenCanView` of firmware. */
export function mayDo(asker: AccountNode, verb: Verb, kind: Kind, owner: AccountNode): boolean {
  const doc = rightsOf(asker);
  return doc !== null && reaches(asker, scopeFor(doc, verb, kind), owner);
}

/** Accounts with a role always see themselves. */
export function mayActOnAccount(asker: AccountNode, verb: "view" | "edit" | "delete", account: AccountNode): boolean {
  const doc = rightsOf(asker);
  if (doc === null) return false;
  if (verb === "edit") return reaches(asker, doc.owner?.canEditOwner, account);
  if (verb === "delete") return reaches(asker, doc.owner?.canDeleteOwner, account);
  return asker === account || reaches(asker, doc.owner?.canViewOwner, account);
}

export type FirmwareNode = { owner: AccountNode; childrenCanView: boolean };

/**
 * Firmware that is shared with children is visible to all descendants of its owner that have a role
 * (docs/rules/permissions.md#firmware).
 */
export function maySeeFirmware(asker: AccountNode, firmware: FirmwareNode): boolean {
  if (mayDo(asker, "view", "artifact", firmware.owner)) return true;
  return rightsOf(asker) !== null && firmware.childrenCanView && sitsAbove(firmware.owner, asker);
}

export function mayUseFirmware(asker: AccountNode, firmware: FirmwareNode): boolean {
  const doc = rightsOf(asker);
  if (doc === null) return false;
  if (firmware.childrenCanView && sitsAbove(firmware.owner, asker)) return true;
  return reaches(asker, doc.other?.canUseArtifact, firmware.owner);
}

export function mayAssignRole(asker: AccountNode, receiver: AccountNode): boolean {
  return reaches(asker, rightsOf(asker)?.other?.canAssignRoles, receiver);
}

export function mayAssignSensor(asker: AccountNode, owner: AccountNode): boolean {
  return reaches(asker, rightsOf(asker)?.other?.canAssignSensors, owner);
}

export function mayCreateAccounts(asker: AccountNode): boolean {
  return rightsOf(asker)?.owner?.canCreateOwner === true;
}

export function mayChangeOwner(asker: AccountNode, kind: Kind, from: AccountNode, to: AccountNode): boolean {
  return mayDo(asker, "changeOwnerFrom", kind, from) && mayDo(asker, "changeOwnerTo", kind, to);
}

/** Returns the current owner and all possible new owners (docs/rules/permissions.md#possible-owners). */
export function listPossibleOwners(
  asker: AccountNode,
  kind: Kind,
  current: AccountNode,
  offered: AccountNode[],
): AccountNode[] {
  return offered.filter((other) => other === current || mayChangeOwner(asker, kind, current, other));
}

export function seesAnyAccount(asker: AccountNode): boolean {
  return saysMoreThanMe(rightsOf(asker)?.owner?.canViewOwner);
}

export function seesKind(asker: AccountNode, kind: Kind): boolean {
  return saysSomething(rightsOf(asker)?.ownable?.[kind]?.canViewObject);
}

export function expectedHomePage(asker: AccountNode): string {
  if (seesKind(asker, "measurement")) return "locations";
  if (seesKind(asker, "sensor")) return "sensor";
  if (seesKind(asker, "artifact")) return "firmware";
  if (seesAnyAccount(asker)) return "account";
  return seesKind(asker, "role") ? "role" : "myaccount";
}

function grants(scope: ScopeDoc | undefined): string[] {
  const list: string[] = [];
  if (scope?.me === true) list.push("me");
  if (scope?.myChildren === true) list.push("children");
  for (const role of scope?.roles ?? []) list.push(`role ${role}`);
  for (let level = 1; level <= (scope?.relativeAncestorLevel ?? 0); level += 1) list.push(`ancestor ${level}`);
  return list;
}

/** Lists all grants as lines. */
export function grantsOf(doc: PermissionsDoc): Set<string> {
  const all = new Set<string>();
  const put = (place: string, scope: ScopeDoc | undefined) => {
    for (const grant of grants(scope)) all.add(`${place}: ${grant}`);
  };
  put("assign roles", doc.other?.canAssignRoles);
  put("assign sensors", doc.other?.canAssignSensors);
  put("use firmware", doc.other?.canUseArtifact);
  for (const kind of kinds) {
    for (const verb of ["view", "edit", "delete", "createFor", "changeOwnerFrom", "changeOwnerTo"] as const) {
      put(`${verb} ${kind}`, scopeFor(doc, verb, kind));
    }
  }
  put("view account", doc.owner?.canViewOwner);
  put("edit account", doc.owner?.canEditOwner);
  put("delete account", doc.owner?.canDeleteOwner);
  if (doc.owner?.canCreateOwner === true) all.add("create account");
  return all;
}

/**
 * Whether `editor` is forbidden to replace the permissions `before` with `wanted` (308,
 * docs/rules/permissions.md#power-of-a-role).
 */
export function wouldBeTooPowerful(editor: AccountNode, wanted: PermissionsDoc, before: PermissionsDoc): boolean {
  if (editor.parent === null) return false;
  const own = grantsOf(rightsOf(editor) ?? {});
  // Every role lets its holder view their own account, so this is never a gain.
  own.add("view account: me");
  const old = grantsOf(before);
  // With `me` and `myChildren` in the same place, any level is allowed, because assigning is checked by effect.
  const isFree = (grant: string) => {
    const [place = "", part = ""] = grant.split(": ");
    return part.startsWith("ancestor") && own.has(`${place}: me`) && own.has(`${place}: children`);
  };
  return [...grantsOf(wanted)].some((grant) => !own.has(grant) && !old.has(grant) && !isFree(grant));
}

export type ReachFact =
  | { part: "own" }
  | { part: "below" | "above"; steps: number }
  | { part: "role"; role: RoleNode }
  | { part: "none" };

/** Number of levels from `lower` up to `higher`; 0 if `higher` isn't an ancestor. */
function stepsUp(lower: AccountNode, higher: AccountNode): number {
  let steps = 0;
  for (let at = lower.parent; at !== null; at = at.parent) {
    steps += 1;
    if (at === higher) return steps;
  }
  return 0;
}

/**
 * Returns the part of the scope that covers the owner, and the distance. Position in the tree has precedence over role
 * (ADR 0008).
 */
export function findReachFact(asker: AccountNode, scope: ScopeDoc | undefined, owner: AccountNode): ReachFact {
  if (asker === owner && scope?.me === true) return { part: "own" };
  const down = stepsUp(owner, asker);
  if (down > 0 && scope?.myChildren === true) return { part: "below", steps: down };
  const up = stepsUp(asker, owner);
  if (up > 0 && up <= (scope?.relativeAncestorLevel ?? 0)) return { part: "above", steps: up };
  for (const wanted of scope?.roles ?? []) if (owner.role?.id === wanted) return { part: "role", role: owner.role };
  return { part: "none" };
}
