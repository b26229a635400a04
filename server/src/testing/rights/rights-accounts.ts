// Cases of the permission matrix about accounts, their roles, and assignments to sensors and init tokens.
import { asOwner } from "@psp/contract/permission/forest.testing.ts";
import {
  type AccountNode,
  type Forest,
  mayAssignRole,
  mayAssignSensor,
  mayCreateAccounts,
  mayDo,
  mayUseFirmware,
  mayActOnAccount,
  type RoleNode,
} from "@psp/contract/permission/oracle.testing.ts";
import { grow, placesBeyond } from "@psp/contract/permission/reach.testing.ts";
import {
  type Actor,
  canAssignRole,
  canAssignSensor,
  canCreateAccount,
  canDelete,
  canEdit,
  canUseFirmware,
  canView,
  isRoot,
  type ObjectType,
} from "@psp/contract/permission/can.ts";
import { objectIdsOf } from "./account-forest.ts";
import {
  getAccount,
  type RandomCase,
  isVisibleAccount,
  type CaseFactory,
  visibilityForChildren,
  pathOf,
  type RightsCase,
  expectRights,
  seesThing,
  showsThing,
} from "./rights-things.ts";

export const seesRole = (forest: Forest, asker: AccountNode, role: RoleNode) =>
  !role.deleted && mayDo(asker, "view", "role", getAccount(forest, 0));

export const aboutAccounts: Record<string, CaseFactory> = {
  "view account": (forest, { asker, n }) => ({
    question: "view account",
    method: "GET",
    path: `/api/account/${getAccount(forest, n).id}`,
    code: isVisibleAccount(asker, getAccount(forest, n)) ? 0 : 105,
    ...(getAccount(forest, n).deleted
      ? {}
      : { console: (actor) => canView(actor, "owner", asOwner(getAccount(forest, n))) && actor.permissions !== null }),
  }),
  "edit account": (forest, { asker, n }) => ({
    question: "edit account",
    method: "PUT",
    path: `/api/account/${getAccount(forest, n).id}`,
    body: {},
    code: expectRights(
      isVisibleAccount(asker, getAccount(forest, n)),
      mayActOnAccount(asker, "edit", getAccount(forest, n)),
      305,
    ),
    ...(getAccount(forest, n).deleted ? {} : { console: both("owner", getAccount(forest, n), canEdit) }),
  }),
  "delete account": (forest, { asker, n }) => {
    const node = getAccount(forest, n);
    const may = mayActOnAccount(asker, "delete", node);
    const isBound = node.parent === null || node.children.some((child) => !child.deleted);
    return {
      question: "delete account",
      method: "DELETE",
      path: `/api/account/${node.id}`,
      code: expectRights(isVisibleAccount(asker, node), may && !isBound, 304),
      ...(node.deleted || isBound ? {} : { console: both("owner", node, canDelete) }),
    };
  },
  "assign role": (forest, { asker, n, role }) => {
    const node = getAccount(forest, n);
    const answer = () => {
      if (!isVisibleAccount(asker, node)) return 105;
      if (!mayActOnAccount(asker, "edit", node)) return 305;
      if (node.role === role) return 0;
      if (!seesRole(forest, asker, role)) return 107;
      if (node.parent === null || !mayAssignRole(asker, node)) return 300;
      return reachesBeyond(forest, asker, node, role) ? 300 : 0;
    };
    const code = answer();
    return {
      question: "assign role",
      method: "PUT",
      path: `/api/account/${node.id}`,
      body: { role: role.id },
      code,
      ...(code === 0 && node.role !== role
        ? { console: (actor) => both("owner", node, canEdit)(actor) && canAssignRole(actor, asOwner(node)) }
        : {}),
    };
  },
  "create account": (forest, { asker, role, serial }) => {
    const child: AccountNode = { id: "new", parent: asker, children: [], role, deleted: false };
    const answer = () => {
      if (!seesRole(forest, asker, role)) return 107;
      if (!mayCreateAccounts(asker)) return 303;
      asker.children.push(child);
      const grown = { ...forest, accounts: [...forest.accounts, child] };
      const may = mayAssignRole(asker, child) && !reachesBeyond(grown, asker, child, role);
      asker.children.pop();
      return may ? 0 : 300;
    };
    const code = answer();
    return {
      question: "create account",
      method: "POST",
      path: "/api/account",
      body: { name: `made ${serial}`, role: role.id, email: `made-${serial}@example.com` },
      code,
      ...(code === 0 || code === 303 ? { console: canCreateAccount } : {}),
    };
  },
};

function reachesBeyond(forest: Forest, asker: AccountNode, receiver: AccountNode, role: RoleNode): boolean {
  const ask = { holder: receiver.id, wanted: role.permissions, before: null };
  return placesBeyond(asker, grow(forest), ask).length > 0;
}

function both(type: ObjectType, node: AccountNode, may: typeof canEdit) {
  return (actor: Actor) =>
    actor.permissions !== null && canView(actor, type, asOwner(node)) && may(actor, type, asOwner(node));
}

export const assignmentCases: Record<string, CaseFactory> = {
  "put sensor at location": (forest, { asker, n, m }) => {
    const [owner, place] = [getAccount(forest, n), getAccount(forest, m)];
    const answer = () => {
      if (!seesThing(asker, "sensor", owner)) return 105;
      if (!mayDo(asker, "edit", "sensor", owner)) return 305;
      if (!seesThing(asker, "location", place)) return 105;
      return mayAssignSensor(asker, place) ? 0 : 301;
    };
    return {
      question: "put sensor at location",
      method: "PUT",
      path: pathOf("sensor", n),
      body: { measID: objectIdsOf(m).location },
      code: answer(),
      console: (actor) =>
        showsThing(actor, "sensor", owner) &&
        canEdit(actor, "sensor", asOwner(owner)) &&
        showsThing(actor, "location", place) &&
        canAssignSensor(actor, asOwner(place)),
    };
  },
  "give sensor a firmware": (forest, draw) => giveFirmware(forest, draw, "sensor", "firmware"),
  "give sensor a firmware for children": (forest, draw) => giveFirmware(forest, draw, "sensor", "firmwareForChildren"),
  "give init token a firmware": (forest, draw) => giveFirmware(forest, draw, "initToken", "firmwareForChildren"),
  "grant a license": (forest, { asker, n }) => ({
    question: "grant a license",
    method: "PUT",
    path: `${pathOf("sensor", n)}/licenses`,
    body: { monitoring: false },
    code: expectRights(seesThing(asker, "sensor", getAccount(forest, n)), asker.parent === null, 306),
    console: (actor) => showsThing(actor, "sensor", getAccount(forest, n)) && isRoot(actor),
  }),
};

function giveFirmware(
  forest: Forest,
  { asker, n, m }: RandomCase,
  to: "sensor" | "initToken",
  which: "firmware" | "firmwareForChildren",
): RightsCase {
  const [owner, maker] = [getAccount(forest, n), getAccount(forest, m)];
  const answer = () => {
    if (!seesThing(asker, to, owner)) return 105;
    if (!mayDo(asker, "edit", "sensor", owner)) return 305;
    if (!seesThing(asker, which, maker)) return 105;
    return mayUseFirmware(asker, { owner: maker, childrenCanView: which === "firmwareForChildren" }) ? 0 : 309;
  };
  return {
    question: `give ${to} a ${which}`,
    method: "PUT",
    path: pathOf(to, n),
    body: { artifact: objectIdsOf(m)[which] },
    code: answer(),
    console: (actor) =>
      showsThing(actor, to, owner) &&
      canEdit(actor, "sensor", asOwner(owner)) &&
      showsThing(actor, which, maker) &&
      canUseFirmware(actor, { owner: asOwner(maker), objPerm: visibilityForChildren(which) }),
  };
}
