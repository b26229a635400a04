// Cases of the permission matrix about objects: one HTTP call each, with the code that the oracle expects.
import { toMac } from "@psp/contract/kit/mac.ts";
import { asOwner } from "@psp/contract/permission/forest.testing.ts";
import {
  type AccountNode,
  type Forest,
  type Kind,
  mayAssignSensor,
  mayChangeOwner,
  mayDo,
  maySeeFirmware,
  mayActOnAccount,
  type RoleNode,
} from "@psp/contract/permission/oracle.testing.ts";
import {
  type Actor,
  canAssignSensor,
  canChangeOwner,
  canCreateFor,
  canDelete,
  canEdit,
  canView,
  canViewFirmware,
} from "@psp/contract/permission/can.ts";
import { objectIdsOf } from "./account-forest.ts";

/** One call and its expected error code; 0 is success. */
export type RightsCase = {
  question: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: Record<string, unknown>;
  code: number;
  /** Whether the console's rule offers it; undefined if rights alone don't decide. */
  console?: (actor: Actor) => boolean;
};

export type RandomCase = { asker: AccountNode; n: number; m: number; role: RoleNode; serial: number };
export type CaseFactory = (forest: Forest, draw: RandomCase) => RightsCase;

export const thingKinds = ["sensor", "location", "role", "initToken", "firmware", "firmwareForChildren"] as const;
export type Thing = (typeof thingKinds)[number];
const kindOf: Record<Thing, Kind> = {
  sensor: "sensor",
  location: "measurement",
  role: "role",
  initToken: "sensor",
  firmware: "artifact",
  firmwareForChildren: "artifact",
};
const listPathOf: Record<Thing, string> = {
  sensor: "/api/v2/sensor",
  location: "/api/v2/measurement",
  role: "/api/role",
  initToken: "/api/init_token",
  firmware: "/api/artifact",
  firmwareForChildren: "/api/artifact",
};
export const pathOf = (thing: Thing, n: number) => `${listPathOf[thing].replace("/v2", "")}/${objectIdsOf(n)[thing]}`;

export function getAccount({ accounts }: Forest, n: number): AccountNode {
  const node = accounts[n];
  if (!node) throw new Error(`No account ${n}`);
  return node;
}

export function seesThing(asker: AccountNode, thing: Thing, owner: AccountNode): boolean {
  if (thing === "firmware") return maySeeFirmware(asker, { owner, childrenCanView: false });
  if (thing === "firmwareForChildren") return maySeeFirmware(asker, { owner, childrenCanView: true });
  return mayDo(asker, "view", kindOf[thing], owner);
}
export const visibilityForChildren = (thing: Thing) => ({ childrenCanViewObject: thing === "firmwareForChildren" });
export const showsThing = (actor: Actor, thing: Thing, owner: AccountNode) =>
  kindOf[thing] === "artifact"
    ? canViewFirmware(actor, { owner: asOwner(owner), objPerm: visibilityForChildren(thing) })
    : canView(actor, kindOf[thing], asOwner(owner));
export const isVisibleAccount = (asker: AccountNode, account: AccountNode) =>
  !account.deleted && mayActOnAccount(asker, "view", account);
export const expectRights = (visible: boolean, may: boolean, code: number) => (visible ? (may ? 0 : code) : 105);

export function casesForObject(thing: Thing): Record<string, CaseFactory> {
  const kind = kindOf[thing];
  return {
    [`view ${thing}`]: (forest, { asker, n }) => ({
      question: `view ${thing}`,
      method: "GET",
      path: pathOf(thing, n),
      code: seesThing(asker, thing, getAccount(forest, n)) ? 0 : 105,
      console: (actor) => showsThing(actor, thing, getAccount(forest, n)),
    }),
    [`edit ${thing}`]: (forest, { asker, n }) => ({
      question: `edit ${thing}`,
      method: "PUT",
      path: pathOf(thing, n),
      body: {},
      code: expectRights(
        seesThing(asker, thing, getAccount(forest, n)),
        mayDo(asker, "edit", kind, getAccount(forest, n)),
        305,
      ),
      console: (actor) =>
        showsThing(actor, thing, getAccount(forest, n)) && canEdit(actor, kind, asOwner(getAccount(forest, n))),
    }),
    [`delete ${thing}`]: (forest, { asker, n }) => ({
      question: `delete ${thing}`,
      method: "DELETE",
      path: pathOf(thing, n),
      code: expectRights(
        seesThing(asker, thing, getAccount(forest, n)),
        mayDo(asker, "delete", kind, getAccount(forest, n)),
        304,
      ),
      console: (actor) =>
        showsThing(actor, thing, getAccount(forest, n)) && canDelete(actor, kind, asOwner(getAccount(forest, n))),
    }),
    [`hand over ${thing}`]: (forest, { asker, n, m }) => handOver(forest, thing, asker, n, m),
  };
}

function handOver(forest: Forest, thing: Thing, asker: AccountNode, n: number, m: number): RightsCase {
  const kind = kindOf[thing];
  const [from, to] = [getAccount(forest, n), getAccount(forest, m)];
  const answer = () => {
    if (!seesThing(asker, thing, from)) return 105;
    if (!mayDo(asker, "edit", kind, from)) return 305;
    if (from === to) return 0;
    if (!isVisibleAccount(asker, to)) return 103;
    if (!mayChangeOwner(asker, kind, from, to)) return 302;
    if (thing === "sensor" && !mayAssignSensor(asker, to)) return 301;
    // All accounts have firmware of the same two versions, so the name is taken.
    return kind === "artifact" ? 109 : 0;
  };
  const fromSide = (actor: Actor) =>
    showsThing(actor, thing, from) && canEdit(actor, kind, asOwner(from)) && canView(actor, "owner", asOwner(to));
  return {
    question: `hand over ${thing}`,
    method: "PUT",
    path: pathOf(thing, n),
    body: { owner: to.id },
    code: answer(),
    ...(from === to || to.deleted || kind === "artifact"
      ? {}
      : {
          console: (actor) =>
            fromSide(actor) &&
            canChangeOwner(actor, kind, asOwner(from), asOwner(to)) &&
            (thing !== "sensor" || canAssignSensor(actor, asOwner(to))),
        }),
  };
}

export function creationCase(thing: "sensor" | "location" | "role" | "initToken"): CaseFactory {
  return (forest, { asker, m, serial }) => {
    const owner = getAccount(forest, m);
    const name = `made ${serial}`;
    return {
      question: `create ${thing} for`,
      method: "POST",
      path: listPathOf[thing].replace("/v2", ""),
      body:
        thing === "sensor"
          ? { owner: owner.id, _id: toMac(0x0200_0001_0000 + serial), type: "APS" }
          : { owner: owner.id, name },
      code: !isVisibleAccount(asker, owner) ? 103 : mayDo(asker, "createFor", kindOf[thing], owner) ? 0 : 303,
      ...(owner.deleted
        ? {}
        : {
            console: (actor: Actor) =>
              canView(actor, "owner", asOwner(owner)) && canCreateFor(actor, kindOf[thing], asOwner(owner)),
          }),
    };
  };
}
