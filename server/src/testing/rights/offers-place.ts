// A tree of accounts with very different roles, and the data that the console of one account loads over HTTP.
import { makeTestId } from "@psp/contract/permission/forest.testing.ts";
import type { AccountNode, Forest, PermissionsDoc, ScopeDoc } from "@psp/contract/permission/oracle.testing.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import { type AllowedActions, allowedActions } from "@psp/contract/permission/allowed-actions.ts";
import { allObjectRights, type Permissions } from "@psp/contract/permission/permissions.ts";
import type { Holder } from "@psp/contract/permission/reach.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { holderAsSeen } from "@psp/contract/permission/standing.ts";
import { createFamily, indexOfRelation } from "./family.ts";
import type { Place } from "./rights-place.ts";
import type { JsonObject, World } from "../world.ts";

const roleId = (n: number) => makeTestId(2, 0, n);
/** The role that scopes name. Its holders are hidden from accounts that may not view roles. */
const named = roleId(4);

const below: ScopeDoc = { me: true, myChildren: true };
const upTo = (level: number): ScopeDoc => ({ me: true, relativeAncestorLevel: level });
const holders: ScopeDoc = { roles: [named] };

function every(scope: ScopeDoc, view: ScopeDoc = scope) {
  const kind = allObjectRights(scope, view);
  return { artifact: kind, measurement: kind, role: kind, sensor: kind };
}
const assigns = (scope: ScopeDoc) => ({ canAssignRoles: scope, canAssignSensors: scope, canUseArtifact: scope });
const people = (scope: ScopeDoc, view: ScopeDoc = scope) => ({
  canCreateOwner: true,
  canViewOwner: view,
  canEditOwner: scope,
  canDeleteOwner: scope,
});

const documents: PermissionsDoc[] = [
  { other: assigns(below), ownable: every(below), owner: people(below) },
  {
    other: assigns(below),
    ownable: every(below, { ...below, relativeAncestorLevel: 2 }),
    owner: people(below, { ...below, ...upTo(2) }),
  },
  {
    other: assigns(below),
    ownable: every(below),
    owner: { canCreateOwner: true, canEditOwner: below, canDeleteOwner: below },
  },
  {
    other: assigns(holders),
    ownable: {
      ...every(holders, { ...holders, me: true }),
      role: { ...every(holders).role, canViewObject: { me: true } },
    },
    owner: people(holders, { ...below, ...holders }),
  },
  { other: assigns(upTo(2)), ownable: every(upTo(2)), owner: people(upTo(2)) },
  // Each right has a different scope, so that confusing two rights would be noticed.
  {
    other: { canAssignRoles: { myChildren: true }, canAssignSensors: { me: true }, canUseArtifact: upTo(1) },
    ownable: {
      artifact: { ...every(below).artifact, canDeleteObject: { me: true }, canEditObject: holders },
      measurement: { ...every(below).measurement, canChangeOwner: { from: { me: true }, to: { myChildren: true } } },
      role: { ...every(below).role, canEditObject: { me: true }, canCreateObjectFor: { myChildren: true } },
      sensor: {
        ...every(below).sensor,
        canEditObject: { myChildren: true },
        canChangeOwner: { from: below, to: { me: true } },
      },
    },
    owner: { canViewOwner: { ...below, ...upTo(1) }, canEditOwner: { me: true }, canDeleteOwner: { myChildren: true } },
  },
  {},
];

/** Accounts that make calls; the others are only objects of the calls. */
const asking = ["root", "parent", "self", "child"] as const;

/** The tree with all roles shifted by `turn`; only root always has the same role. */
export function familyOf(turn: number): { forest: Forest; askers: AccountNode[] } {
  const roles = documents.map((permissions, n) => ({ id: roleId(n), deleted: false, permissions }));
  const accounts = createFamily(
    (name, n) => roles[name === "root" ? 0 : 1 + ((n + turn) % (roles.length - 1))] ?? null,
  );
  const askers = asking.map((name) => accounts[indexOfRelation(name)] as AccountNode);
  return { forest: { accounts, roles }, askers };
}
/** Number of turns after which every user has had every role. */
export const rotationCount = documents.length - 1;

/** The data that one account's console has loaded. */
export type LoadedView = {
  actor: Actor;
  offers: AllowedActions;
  self: Holder;
  /** Every account as an owner, by id, and whether it has children. */
  standings: Map<string, { owner: Owner; ancestorRoles: (string | null)[]; hasChildren: boolean }>;
  /** Visible accounts that are not deleted, as owners of themselves. */
  accounts: Map<string, Holder>;
  roles: { _id: string; permissions: Permissions }[];
  things: Record<"sensor" | "measurement" | "artifact" | "role" | "init_token", Set<string>>;
};

const listPaths = {
  sensor: "/api/v2/sensor",
  measurement: "/api/v2/measurement",
  artifact: "/api/artifact",
  role: "/api/role",
  init_token: "/api/init_token",
} as const;

export async function loadView(world: World, place: Place, node: AccountNode): Promise<LoadedView> {
  const get = async (path: string) => (await world.call(place.as(node), "GET", path)).list;
  const user = (await world.call(place.as(node), "GET", "/api/auth/user")).body as JsonObject;
  const role = user["role"] as { _id: string } | null;
  const actor: Actor = {
    id: String(user["_id"]),
    parentAccounts: user["parentAccounts"] as string[],
    roleId: role?._id ?? null,
    permissions: user["permissions"] as Permissions | null,
  };
  const ids = place.forest.accounts.map(({ id }) => `ids=${id}`).join("&");
  const standings: LoadedView["standings"] = new Map();
  for (const one of await get(`/api/rights/owners?${ids}`)) {
    const id = String(one["_id"]);
    const reported = { id, parentAccounts: one["parentAccounts"] as string[], roleId: one["roleId"] as string | null };
    const ancestorRoles = (one["ancestorRoles"] ?? []) as (string | null)[];
    const owner = id === actor.id ? actor : reported;
    standings.set(id, { owner, ancestorRoles, hasChildren: one["hasChildren"] === true });
  }
  const rolesAbove = (id: string) => standings.get(id)?.ancestorRoles ?? [];
  const accounts: LoadedView["accounts"] = new Map();
  for (const one of await get("/api/account?limit=500")) {
    const id = String(one["_id"]);
    const shown = one["role"] as { _id: string } | null;
    const roleId = shown?._id ?? standings.get(id)?.owner.roleId ?? null;
    accounts.set(id, holderAsSeen({ id, parentAccounts: one["parentAccounts"] as string[], roleId }, rolesAbove(id)));
  }
  const roles = (await get("/api/role?limit=500")) as unknown as LoadedView["roles"];
  const things = {} as LoadedView["things"];
  for (const [kind, path] of Object.entries(listPaths))
    things[kind as keyof LoadedView["things"]] = new Set(
      (await get(`${path}?limit=500`)).map((one) => String(one["_id"])),
    );
  const self = holderAsSeen(actor, rolesAbove(actor.id));
  return { actor, self, offers: allowedActions(actor), standings, accounts, roles, things };
}
