// All buttons of the console for one user, each with the call it makes.
import { toMac } from "@psp/contract/kit/mac.ts";
import type { AccountNode, Forest } from "@psp/contract/permission/oracle.testing.ts";
import type { AllowedActions } from "@psp/contract/permission/allowed-actions.ts";
import type { CreatableType } from "@psp/contract/permission/standing.ts";
import type { Holder } from "@psp/contract/permission/reach.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { objectIdsOf } from "./account-forest.ts";
import type { LoadedView } from "./offers-place.ts";

export type OfferCase = {
  offer: keyof AllowedActions;
  offered: boolean;
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: Record<string, unknown>;
  /** Uploads a firmware file for this owner instead of sending `body`. */
  upload?: { owner: string; name: string };
  /** Error codes that refuse this user. */
  refusals: readonly number[];
  /** Error codes that even authorized users get, because something else prevents the call. */
  beyond?: readonly number[];
  /** Error codes of checks that precede the check of the right, so that nothing is revealed. */
  before?: readonly number[];
  /** Index of the changed account or of the object's owner. */
  n: number;
};

const missing = "0190a000-0000-7000-8000-ffffffffffff";
const paths = { sensor: "/api/sensor", measurement: "/api/measurement", artifact: "/api/artifact", role: "/api/role" };
let serial = 0;

/** Everything that one user's console offers or disables. `waiting` has a pending sign-up. */
export function offerCasesOf(forest: Forest, seen: LoadedView, waiting: AccountNode): OfferCase[] {
  const { accounts } = forest;
  const owners = accounts.map(({ id }) => seen.standings.get(id)?.owner as Owner);
  const living = accounts
    .keys()
    .filter((n) => seen.accounts.has(accounts[n]?.id ?? ""))
    .toArray();
  return [
    ...aboutAccounts(forest, seen, living, waiting),
    ...accounts
      .keys()
      .toArray()
      .flatMap((n) => aboutThings(forest, seen, owners, living, n)),
    ...living.flatMap((n) => creations(seen, owners[n] as Owner, n)),
    ...alone(seen),
  ];
}

function aboutAccounts({ accounts }: Forest, seen: LoadedView, living: number[], waiting: AccountNode): OfferCase[] {
  const { offers } = seen;
  const cases: OfferCase[] = [];
  const w = seen.accounts.get(waiting.id);
  for (const n of living) {
    const node = accounts[n] as AccountNode;
    const owner = seen.accounts.get(node.id) as Holder;
    const path = `/api/account/${node.id}`;
    const hasChildren = seen.standings.get(node.id)?.hasChildren === true;
    const edits = offers.editAccount(owner);
    cases.push({ offer: "editAccount", offered: edits, method: "PUT", path, body: {}, refusals: [305], n });
    cases.push({
      offer: "deleteAccount",
      offered: offers.deleteAccount(owner, hasChildren),
      method: "DELETE",
      path,
      refusals: [304],
      n,
    });
    // The unknown role makes an allowed review fail, so that it has no effect.
    if (
      w !== undefined &&
      offers.editAccount(w) &&
      n !== accounts.indexOf(waiting) &&
      !owner.parentAccounts.includes(w.id)
    )
      cases.push({
        offer: "adopt",
        offered: offers.adopt(owner),
        method: "PUT",
        path: `/api/account/${waiting.id}`,
        body: { acceptRegistration: true, directParentAccount: node.id, role: missing },
        refusals: [103],
        beyond: [107],
        n: accounts.indexOf(waiting),
      });
    for (const role of seen.roles) {
      if (!edits || role._id === node.role?.id) continue;
      const body = { role: role._id };
      const common = { method: "PUT", path, body, refusals: [300], n } as const;
      cases.push({ offer: "giveRole", offered: offers.giveRole(role, owner), ...common });
      // This role has no permissions, so it never exceeds the giver's own.
      if (role._id === objectIdsOf(n).role)
        cases.push({ offer: "receiveRole", offered: offers.receiveRole(owner), ...common });
    }
  }
  return cases;
}

type Thing = { type: CreatableType; kind: keyof LoadedView["things"]; id: string; path: string };

function aboutThings(forest: Forest, seen: LoadedView, owners: Owner[], living: number[], n: number): OfferCase[] {
  const { offers } = seen;
  const { accounts } = forest;
  const from = owners[n] as Owner;
  const own = objectIdsOf(n);
  const things: Thing[] = [
    { type: "sensor", kind: "sensor", id: own.sensor, path: `${paths.sensor}/${own.sensor}` },
    { type: "sensor", kind: "init_token", id: own.initToken, path: `/api/init_token/${own.initToken}` },
    { type: "measurement", kind: "measurement", id: own.location, path: `${paths.measurement}/${own.location}` },
    { type: "role", kind: "role", id: own.role, path: `${paths.role}/${own.role}` },
    { type: "artifact", kind: "artifact", id: own.firmware, path: `${paths.artifact}/${own.firmware}` },
    {
      type: "artifact",
      kind: "artifact",
      id: own.firmwareForChildren,
      path: `${paths.artifact}/${own.firmwareForChildren}`,
    },
  ];
  return things.flatMap((thing) => {
    const { type, path } = thing;
    if (!seen.things[thing.kind].has(thing.id)) return [];
    const held = { id: thing.id, owner: from };
    const mayEdit = type === "role" ? offers.editRole(held) : offers.edit(type, from);
    const mayDelete = type === "role" ? offers.deleteRole(held) : offers.delete(type, from);
    const cases: OfferCase[] = [
      {
        offer: type === "role" ? "editRole" : "edit",
        offered: mayEdit,
        method: "PUT",
        path,
        body: {},
        refusals: [305],
        n,
      },
      {
        offer: type === "role" ? "deleteRole" : "delete",
        offered: mayDelete,
        method: "DELETE",
        path,
        refusals: [304],
        n,
      },
    ];
    if (thing.kind === "sensor") {
      cases.push({
        offer: "license",
        offered: offers.license(),
        method: "PUT",
        path: `${path}/licenses`,
        body: { monitoring: false },
        refusals: [306],
        n,
      });
    }
    if (type === "artifact") {
      const objPerm = { childrenCanViewObject: thing.id === own.firmwareForChildren };
      const offered = offers.fetchPackage({ owner: from, objPerm });
      cases.push({
        offer: "fetchPackage",
        offered,
        method: "GET",
        path: `${path}/package`,
        refusals: [310],
        beyond: [105],
        n,
      });
    }
    if (!mayEdit) return cases;
    for (const m of living.filter((one) => one !== n)) {
      const to = owners[m] as Owner;
      const sensor = thing.kind === "sensor";
      cases.push({
        offer: sensor ? "handOverSensor" : "changeOwner",
        offered: sensor ? offers.handOverSensor(from, to) : offers.changeOwner(type, from, to),
        method: "PUT",
        path,
        body: { owner: accounts[m]?.id },
        refusals: sensor ? [301, 302] : [302],
        ...(type === "artifact" ? { beyond: [109] } : {}),
        n,
      });
    }
    if (thing.kind === "sensor") cases.push(...assignments(forest, seen, owners, path, n));
    if (type === "role")
      for (const { permissions } of forest.roles)
        cases.push({
          offer: "grant",
          offered: offers.grant(permissions, {}),
          method: "PUT",
          path,
          body: { permissions },
          refusals: [308],
          // The permissions may name a role that the editor neither sees nor has in their own scopes.
          before: [107],
          n,
        });
    return cases;
  });
}

function assignments({ accounts }: Forest, seen: LoadedView, owners: Owner[], path: string, n: number): OfferCase[] {
  const cases: OfferCase[] = [];
  for (const m of accounts.keys()) {
    const owner = owners[m] as Owner;
    const { location, firmware, firmwareForChildren } = objectIdsOf(m);
    if (seen.things.measurement.has(location))
      cases.push({
        offer: "assignSensor",
        offered: seen.offers.assignSensor(owner),
        method: "PUT",
        path,
        body: { measID: location },
        refusals: [301],
        n,
      });
    for (const id of [firmware, firmwareForChildren].filter((one) => seen.things.artifact.has(one))) {
      const objPerm = { childrenCanViewObject: id === firmwareForChildren };
      const offered = seen.offers.useFirmware({ owner, objPerm });
      cases.push({ offer: "useFirmware", offered, method: "PUT", path, body: { artifact: id }, refusals: [309], n });
    }
  }
  return cases;
}

function creations({ offers }: LoadedView, owner: Owner, n: number): OfferCase[] {
  const name = `made ${(serial += 1)}`;
  const common = { offer: "createFor", method: "POST", refusals: [303], n } as const;
  return [
    {
      ...common,
      offered: offers.createFor("sensor", owner),
      path: paths.sensor,
      body: { owner: owner.id, _id: toMac(0x0200_0001_0000 + serial), type: "APS" },
    },
    { ...common, offered: offers.createFor("sensor", owner), path: "/api/init_token", body: { owner: owner.id, name } },
    {
      ...common,
      offered: offers.createFor("measurement", owner),
      path: paths.measurement,
      body: { owner: owner.id, name },
    },
    { ...common, offered: offers.createFor("role", owner), path: paths.role, body: { owner: owner.id, name } },
    {
      ...common,
      offered: offers.createFor("artifact", owner),
      path: paths.artifact,
      upload: { owner: owner.id, name: `7.0.${serial}` },
    },
  ];
}

function alone({ offers, roles, self }: LoadedView): OfferCase[] {
  const invite = (role: string) => {
    const email = `made-${(serial += 1)}@example.com`;
    return { method: "POST", path: "/api/account", body: { name: email, role, email }, n: 0 } as const;
  };
  const invitations = roles.flatMap((role): OfferCase[] => [
    { offer: "createAccount", offered: offers.createAccount(), ...invite(role._id), refusals: [303], beyond: [300] },
    {
      offer: "giveRoleToNew",
      offered: offers.giveRoleToNew(role, self),
      ...invite(role._id),
      refusals: [300],
      before: [303],
    },
  ]);
  const colleague = { email: `colleague-${(serial += 1)}@example.com`, access: "viewer" };
  const invitation = { method: "POST", path: "/api/v2/invitation", body: colleague, n: 0 } as const;
  const claim = { method: "GET", path: "/api/claim/AAAAAAAA", refusals: [303], beyond: [105], n: 0 } as const;
  return [
    ...invitations,
    { offer: "invite", offered: offers.invite(), ...invitation, refusals: [107, 300, 303] },
    { offer: "claim", offered: offers.claim(), ...claim },
  ];
}
