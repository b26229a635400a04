// Tests the permission checks against an independent oracle, with random trees, roles and objects (PE-01).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Actor,
  canAssignRole,
  canAssignSensor,
  canChangeOwner,
  canCreateAccount,
  canCreateFor,
  canDelete,
  canEdit,
  canUseFirmware,
  canView,
  canViewAnyAccount,
  canViewFirmware,
  canViewType,
  resolveChangeOwnerScopes,
  homePage,
  possibleOwnersOf,
  resolveViewScope,
} from "./can.ts";
import { asActor, asOwner, forestArbitrary, makeTestId } from "./forest.testing.ts";
import {
  type AccountNode,
  type Forest,
  expectedHomePage,
  type Kind,
  kinds,
  mayAssignRole,
  mayAssignSensor,
  mayChangeOwner,
  mayCreateAccounts,
  mayDo,
  maySeeFirmware,
  mayUseFirmware,
  mayActOnAccount,
  listPossibleOwners,
  type PermissionsDoc,
  seesAnyAccount,
  seesKind,
} from "./oracle.testing.ts";
import { contains, type Owner } from "./scope.ts";
import { rounds, seedOf } from "../kit/rounds.testing.ts";

/** Counts allowed and denied results per check, and throws on the first difference from the oracle. */
function tally() {
  const seen = new Map<string, { yes: number; no: number }>();
  return {
    agree(question: string, product: unknown, oracle: unknown, describe: () => string): void {
      if (JSON.stringify(product) !== JSON.stringify(oracle)) {
        throw new Error(
          `${question}: product ${JSON.stringify(product)}, oracle ${JSON.stringify(oracle)}; ${describe()}`,
        );
      }
      const count = seen.get(question) ?? { yes: 0, no: 0 };
      if (oracle === false) count.no += 1;
      else count.yes += 1;
      seen.set(question, count);
    },
    seen,
  };
}

type Agree = ReturnType<typeof tally>["agree"];

function askAboutKind(agree: Agree, kind: Kind, asker: AccountNode, actor: Actor, node: AccountNode, owner: Owner) {
  const describe = () => `${kind} of ${node.id}, asked by ${asker.id} with ${JSON.stringify(asker.role)}`;
  const view = mayDo(asker, "view", kind, node);
  const sets = resolveChangeOwnerScopes(actor, kind);
  agree("contains viewSet", contains(resolveViewScope(actor, kind), owner), view, describe);
  agree("view", canView(actor, kind, owner), view, describe);
  agree("edit", canEdit(actor, kind, owner), mayDo(asker, "edit", kind, node), describe);
  agree("delete", canDelete(actor, kind, owner), mayDo(asker, "delete", kind, node), describe);
  agree("create for", canCreateFor(actor, kind, owner), mayDo(asker, "createFor", kind, node), describe);
  agree("change owner from", contains(sets.from, owner), mayDo(asker, "changeOwnerFrom", kind, node), describe);
  agree("change owner to", contains(sets.to, owner), mayDo(asker, "changeOwnerTo", kind, node), describe);
}

function askAboutAccount(agree: Agree, asker: AccountNode, actor: Actor, node: AccountNode, owner: Owner) {
  const describe = () => `account ${node.id}, asked by ${asker.id} with ${JSON.stringify(asker.role)}`;
  agree("view account", canView(actor, "owner", owner), mayActOnAccount(asker, "view", node), describe);
  agree("edit account", canEdit(actor, "owner", owner), mayActOnAccount(asker, "edit", node), describe);
  agree("delete account", canDelete(actor, "owner", owner), mayActOnAccount(asker, "delete", node), describe);
  agree("assign role", canAssignRole(actor, owner), mayAssignRole(asker, node), describe);
  agree("assign sensor", canAssignSensor(actor, owner), mayAssignSensor(asker, node), describe);
  for (const childrenCanView of [false, true]) {
    const mine = { owner: node, childrenCanView };
    const theirs = { owner, objPerm: { childrenCanViewObject: childrenCanView } };
    agree("view firmware", canViewFirmware(actor, theirs), maySeeFirmware(asker, mine), describe);
    agree("use firmware", canUseFirmware(actor, theirs), mayUseFirmware(asker, mine), describe);
  }
}

test("PE-01 in random trees all permission checks agree with the oracle", () => {
  const { agree, seen } = tally();
  let cases = 0;
  fc.assert(
    fc.property(forestArbitrary({ maxAccounts: 18 }), ({ accounts }) => {
      const owners = accounts.map((node) => ({ node, owner: asOwner(node) }));
      for (const asker of accounts) {
        const actor = asActor(asker);
        for (const { node, owner } of owners) {
          cases += 1;
          askAboutAccount(agree, asker, actor, node, owner);
          for (const kind of kinds) askAboutKind(agree, kind, asker, actor, node, owner);
        }
      }
    }),
    { seed: seedOf(1), numRuns: rounds(80, 250) },
  );
  expect(cases).toBeGreaterThan(rounds(3_000, 10_000));
  // Both results of every check must be frequent, otherwise the test proves nothing.
  expect(seen.size).toBe(14);
  for (const [question, { yes, no }] of seen) {
    expect(yes, `${question} allowed`).toBeGreaterThan(rounds(125, 500));
    expect(no, `${question} refused`).toBeGreaterThan(rounds(125, 500));
  }
});

/** A root account has no ancestors, so a view scope with only ancestors is empty, and either result is correct. */
function isRootWithLevelOnly({ parent, role }: AccountNode): boolean {
  if (parent !== null) return false;
  return kinds.some((kind) => {
    const scope = role?.permissions.ownable?.[kind]?.canViewObject;
    const level = scope?.relativeAncestorLevel ?? 0;
    return level > 0 && scope?.me !== true && scope?.myChildren !== true && (scope?.roles ?? []).length === 0;
  });
}

test("PE-01 random roles: tabs, home page and the right to create accounts agree with the oracle", () => {
  const { agree, seen } = tally();
  const homes = new Set<string>();
  fc.assert(
    fc.property(forestArbitrary({ maxAccounts: 6 }), ({ accounts }) => {
      for (const asker of accounts) {
        if (isRootWithLevelOnly(asker)) continue;
        const actor = asActor(asker);
        const describe = () => `${asker.id} with ${JSON.stringify(asker.role)}`;
        agree("any account", canViewAnyAccount(actor), seesAnyAccount(asker), describe);
        agree("create account", canCreateAccount(actor), mayCreateAccounts(asker), describe);
        for (const kind of kinds) agree(`type ${kind}`, canViewType(actor, kind), seesKind(asker, kind), describe);
        const home = expectedHomePage(asker);
        homes.add(home);
        agree("home", homePage(actor), home, describe);
      }
    }),
    { seed: seedOf(2), numRuns: rounds(750, 3000) },
  );
  for (const [question, { yes, no }] of seen) {
    expect(yes, `${question} allowed`).toBeGreaterThan(rounds(125, 500));
    if (question !== "home") expect(no, `${question} refused`).toBeGreaterThan(rounds(125, 500));
  }
  expect([...homes].toSorted()).toEqual(["account", "firmware", "locations", "myaccount", "role", "sensor"]);
});

test("PE-03 random trees: owner change and possibleOwnersOf agree with the oracle", () => {
  const { agree, seen } = tally();
  fc.assert(
    fc.property(forestArbitrary({ maxAccounts: 8 }), fc.constantFrom(...kinds), ({ accounts }: Forest, kind) => {
      const owners = accounts.map(asOwner);
      for (const asker of accounts) {
        const actor = asActor(asker);
        for (const [n, from] of accounts.entries()) {
          const current = owners[n] as Owner;
          const describe = () => `${kind} of ${from.id}, asked by ${asker.id} with ${JSON.stringify(asker.role)}`;
          const possible = possibleOwnersOf(actor, kind, current, owners).map((one) => one.id);
          agree(
            "possible owners",
            possible,
            listPossibleOwners(asker, kind, from, accounts).map((one) => one.id),
            describe,
          );
          for (const [m, to] of accounts.entries()) {
            const changed = canChangeOwner(actor, kind, current, owners[m] as Owner);
            agree("change owner", changed, mayChangeOwner(asker, kind, from, to), describe);
          }
        }
      }
    }),
    { seed: seedOf(3), numRuns: rounds(200, 800) },
  );
  const { yes, no } = seen.get("change owner") ?? { yes: 0, no: 0 };
  expect(yes).toBeGreaterThan(rounds(250, 1000));
  expect(no).toBeGreaterThan(rounds(2_500, 10_000));
});

describe("shown in single cases", () => {
  const root = { id: makeTestId(1, 0, 1), parentAccounts: [], roleId: makeTestId(2, 0, 1) };
  const mother: Owner = { id: makeTestId(1, 0, 2), parentAccounts: [root.id], roleId: makeTestId(2, 0, 2) };
  const child: Owner = { id: makeTestId(1, 0, 3), parentAccounts: [root.id, mother.id], roleId: null };
  const stranger: Owner = { id: makeTestId(1, 0, 4), parentAccounts: [root.id], roleId: null };
  const everyone = [root, mother, child, stranger];
  const actorWith = (permissions: PermissionsDoc | null): Actor => ({ ...mother, permissions });
  const below = { me: true, myChildren: true };

  test("PE-03 the present owner is always among the possible ones, others only when both ends allow", () => {
    const sensor = (canChangeOwner: { from?: object; to?: object }) =>
      actorWith({ ownable: { sensor: { canChangeOwner } } });
    const names = (actor: Actor, current: Owner) => possibleOwnersOf(actor, "sensor", current, everyone);
    expect(names(sensor({ from: below, to: below }), child)).toEqual([mother, child]);
    expect(names(sensor({ from: below, to: below }), stranger)).toEqual([stranger]);
    expect(names(sensor({ from: below }), child)).toEqual([child]);
    expect(names(sensor({ to: below }), child)).toEqual([child]);
    expect(names(actorWith(null), child)).toEqual([child]);
    expect(names(sensor({ from: { me: true }, to: { myChildren: true } }), mother)).toEqual([mother, child]);
    expect(names(sensor({ from: { me: true }, to: { myChildren: true } }), child)).toEqual([child]);
  });

  test("PE-01 rights of one type say nothing about another", () => {
    const actor = actorWith({ ownable: { sensor: { canViewObject: below } } });
    expect(kinds.filter((kind) => canView(actor, kind, child))).toEqual(["sensor"]);
    expect(canView(actor, "owner", child)).toBe(false);
    expect(canEdit(actor, "sensor", child)).toBe(false);
  });

  test("PE-01 a role without an owner view shows its holder's own account and no other", () => {
    for (const permissions of [
      {},
      { owner: {} },
      { owner: { canViewOwner: {} } },
      { owner: { canViewOwner: { me: false } } },
    ]) {
      expect(everyone.filter((one) => canView(actorWith(permissions), "owner", one))).toEqual([mother]);
      expect(canViewAnyAccount(actorWith(permissions))).toBe(false);
    }
    expect(canViewAnyAccount(actorWith({ owner: { canViewOwner: { me: true } } }))).toBe(false);
    expect(canViewAnyAccount(actorWith({ owner: { canViewOwner: { myChildren: true } } }))).toBe(true);
  });

  test("PE-01 an account without a valid role may do nothing, not even see itself", () => {
    const actor = actorWith(null);
    const firmware = { owner: root, objPerm: { childrenCanViewObject: true } };
    expect(everyone.filter((one) => canView(actor, "owner", one))).toEqual([]);
    expect(kinds.filter((kind) => canViewType(actor, kind))).toEqual([]);
    expect(canViewFirmware(actor, firmware) || canUseFirmware(actor, firmware)).toBe(false);
    expect(canCreateAccount(actor) || canViewAnyAccount(actor)).toBe(false);
    expect(homePage(actor)).toBe("myaccount");
  });

  test("FW-04 shared firmware can be viewed and used below its owner only", () => {
    const actor = actorWith({});
    const of = (owner: Owner, childrenCanViewObject = true) => ({ owner, objPerm: { childrenCanViewObject } });
    expect([canViewFirmware(actor, of(root)), canUseFirmware(actor, of(root))]).toEqual([true, true]);
    expect([canEdit(actor, "artifact", root), canDelete(actor, "artifact", root)]).toEqual([false, false]);
    for (const hidden of [of(root, false), of(mother), of(child), of(stranger)]) {
      expect([canViewFirmware(actor, hidden), canUseFirmware(actor, hidden)]).toEqual([false, false]);
    }
    const user = actorWith({ other: { canUseArtifact: { me: true } } });
    expect([canUseFirmware(user, of(mother, false)), canViewFirmware(user, of(mother, false))]).toEqual([true, false]);
  });

  test.each<[string, PermissionsDoc, string]>([
    [
      "locations before all",
      { ownable: { measurement: { canViewObject: { me: true } }, sensor: { canViewObject: below } } },
      "locations",
    ],
    [
      "then sensors",
      { ownable: { sensor: { canViewObject: { me: true } }, artifact: { canViewObject: below } } },
      "sensor",
    ],
    [
      "then firmware",
      { ownable: { artifact: { canViewObject: { me: true } }, role: { canViewObject: below } } },
      "firmware",
    ],
    ["then accounts", { owner: { canViewOwner: below }, ownable: { role: { canViewObject: below } } }, "account"],
    ["then roles", { owner: { canViewOwner: { me: true } }, ownable: { role: { canViewObject: below } } }, "role"],
    ["else my account", { ownable: { file: { canViewObject: below }, sensor: { canEditObject: below } } }, "myaccount"],
  ])("SH-07 the home page is the first that may be seen: %s", (_title, permissions, page) => {
    expect(homePage(actorWith(permissions))).toBe(page);
  });
});
