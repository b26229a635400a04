// Tests account and role calls with every scope and every relation between caller and account.
import { makeTestId } from "@psp/contract/permission/forest.testing.ts";
import {
  type AccountNode,
  type Forest,
  mayActOnAccount,
  type PermissionsDoc,
  type ScopeDoc,
} from "@psp/contract/permission/oracle.testing.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forEachAtOnce } from "../testing/at-once.ts";
import { createFamily, indexOfRelation } from "../testing/rights/family.ts";
import { rightsCases } from "../testing/rights/rights-cases.ts";
import { codeOf, type Place, setUpPlace, undoWrite } from "../testing/rights/rights-place.ts";
import { isVisibleAccount, type CaseFactory, type RightsCase, expectRights } from "../testing/rights/rights-things.ts";
import { everyNth, rounds } from "@psp/contract/kit/rounds.testing.ts";
import { allObjectRights } from "@psp/contract/permission/permissions.ts";
import { createStillClock, captureSnapshot } from "../testing/snapshot.ts";
import { createWorld, type Reply, type World } from "../testing/world.ts";

let world: World;
beforeAll(async () => void (world = await createWorld({ clock: createStillClock() })));
afterAll(() => world.stop());

const [testedRole, plainRole, otherRole] = [makeTestId(2, 0, 0), makeTestId(2, 0, 1), makeTestId(2, 0, 2)];
const scopes: [string, ScopeDoc][] = [
  ["nothing", {}],
  ["me", { me: true }],
  ["my children", { myChildren: true }],
  ["me and my children", { me: true, myChildren: true }],
  ["the nearest ancestor", { relativeAncestorLevel: 1 }],
  ["the two nearest ancestors", { relativeAncestorLevel: 2 }],
  ["a level of nought", { relativeAncestorLevel: 0, me: false }],
  ["accounts with a role", { roles: [otherRole] }],
  ["all of it", { me: true, myChildren: true, relativeAncestorLevel: 9, roles: [otherRole] }],
];
const everywhere: ScopeDoc = { me: true, myChildren: true, relativeAncestorLevel: 9, roles: [otherRole, plainRole] };

/** Uses the scope in every permission. With `seen`, everything is viewable, so that refusals come from other rights. */
function permissionsOf(scope: ScopeDoc, seen: boolean): PermissionsDoc {
  const view = seen ? everywhere : scope;
  const kind = allObjectRights(scope, view);
  return {
    other: { canAssignRoles: scope, canAssignSensors: scope, canUseArtifact: scope },
    ownable: { artifact: kind, measurement: kind, role: kind, sensor: kind },
    owner: { canCreateOwner: scope.me === true, canViewOwner: view, canEditOwner: scope, canDeleteOwner: scope },
  };
}

function family(scope: ScopeDoc, seen: boolean): Forest {
  const roles = [
    { id: testedRole, deleted: false, permissions: permissionsOf(scope, seen) },
    { id: plainRole, deleted: false, permissions: {} },
    { id: otherRole, deleted: false, permissions: {} },
  ];
  const [tested, plain, other] = roles;
  const accounts = createFamily((name) =>
    name === "self" ? (tested ?? null) : name === "sibling" || name === "stranger" ? (other ?? null) : (plain ?? null),
  );
  return { roles, accounts };
}

/**
 * Expected code for adding a login: 104 for the caller's own account, because the current password is missing, and 308 for an account
 * that is not below the caller. In this test, no account below has a stronger role.
 */
function loginCode(asker: AccountNode, node: AccountNode): number {
  const isBelow = (one: AccountNode): boolean => one.parent !== null && (one.parent === asker || isBelow(one.parent));
  const special = node === asker ? 104 : isBelow(node) ? 0 : 308;
  return expectRights(isVisibleAccount(asker, node), mayActOnAccount(asker, "edit", node), 305) || special;
}

const more: Record<string, CaseFactory> = {
  "add a login": (forest, { asker, n }) => {
    const node = forest.accounts[n] as AccountNode;
    return {
      question: "add a login",
      method: "PUT",
      path: `/api/account/${node.id}`,
      body: {
        credentialChanges: [{ operation: "ADD", email: "new@example.com", newPassword: "copper-meadow-whistle" }],
      },
      code: loginCode(asker, node),
    };
  },
  // No review is pending, so authorized callers get an error about that.
  "review account": (forest, { asker, n }) => {
    const node = forest.accounts[n] as AccountNode;
    return {
      question: "review account",
      method: "PUT",
      path: `/api/account/${node.id}`,
      body: { acceptRegistration: true, directParentAccount: asker.id },
      code: expectRights(isVisibleAccount(asker, node), mayActOnAccount(asker, "edit", node), 305) || 102,
    };
  },
};

const aboutAccounts = ["view account", "edit account", "delete account", "assign role", "create account"];
const aboutRoles = ["view role", "edit role", "delete role", "hand over role", "create role for"];
const twoSided = new Set(["hand over role", "create role for"]);

const rotate = <T>(list: readonly T[], by: number): readonly T[] => [...list.slice(by), ...list.slice(0, by)];

function casesOf(forest: Forest): { one: RightsCase; n: number }[] {
  const asker = forest.accounts[indexOfRelation("self")] as AccountNode;
  const role = forest.roles[1] as Forest["roles"][number];
  const made: [string, CaseFactory | undefined][] = [
    ...[...aboutAccounts, ...aboutRoles].map((name): [string, CaseFactory | undefined] => [name, rightsCases[name]]),
    ...Object.entries(more),
  ];
  let serial = 0;
  return forest.accounts.flatMap((_, n) =>
    made.flatMap(([name, make]) => {
      // Takes every fifth account, starting with `n` itself, so that close and distant accounts are covered.
      const others = twoSided.has(name) ? everyNth(5, rotate(forest.accounts.keys().toArray(), n)) : [n];
      return others.map((m) => {
        const one = make?.(forest, { asker, n, m, role, serial: (serial += 1) });
        if (!one) throw new Error(name);
        return { one, n };
      });
    }),
  );
}

const send = (at: Place, one: RightsCase): Promise<Reply> =>
  world.call(
    at.as(at.forest.accounts[indexOfRelation("self")] as AccountNode),
    one.method,
    one.path,
    one.body ? { body: one.body } : {},
  );
const summaryOf = (one: RightsCase, reply: Reply) =>
  `${one.question}: ${one.method} ${one.path} ${JSON.stringify(one.body)} → ${JSON.stringify(reply.body).slice(0, 200)}`;

for (const [index, [name, scope]] of scopes.entries()) {
  for (const seen of [false, true]) {
    // The short run tests each scope only once, and every second one with everything visible.
    const tags = seen === (index % 2 === 0) ? [] : ["prove"];
    test(
      `PE-01 PE-04 account and role calls in every relation, with ${name}${seen ? ", all visible" : ""}`,
      { tags },
      async () => {
        const at = await setUpPlace(world, family(scope, seen));
        const cases = casesOf(at.forest);
        const before = await captureSnapshot(world.ctx.db);
        const refused = cases.filter(({ one }) => one.code !== 0);
        await forEachAtOnce(refused, async ({ one }) => {
          const reply = await send(at, one);
          expect(codeOf(reply), summaryOf(one, reply)).toBe(one.code);
        });
        expect(await captureSnapshot(world.ctx.db), "what refused calls wrote").toEqual(before);
        for (const { one, n } of cases.filter((each) => each.one.code === 0)) {
          const reply = await send(at, one);
          expect(codeOf(reply), summaryOf(one, reply)).toBe(0);
          if (one.method !== "GET") await undoWrite(world, at, one, reply, n);
        }
        expect(cases.length).toBeGreaterThan(rounds(100, 250));
      },
    );
  }
}
