// Tests scope operations with a table and against the oracle (docs/rules/permissions.md#scopes).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asOwner, forestArbitrary, makeTestId, scopeArbitrary } from "./forest.testing.ts";
import { type AccountNode, reaches, type RoleNode, type ScopeDoc } from "./oracle.testing.ts";
import { contains, emptySet, isEmptySet, isWithin, resolveScope, type Scope } from "./scope.ts";
import { scopeSchema } from "./document.ts";
import { rounds, seedOf } from "../kit/rounds.testing.ts";

const hit: RoleNode = { id: makeTestId(2, 0, 1), deleted: false, permissions: {} };
const other: RoleNode = { id: makeTestId(2, 0, 2), deleted: false, permissions: {} };
const unheld = makeTestId(2, 0, 3);

function family(roleOf: (name: string) => RoleNode | null): Record<string, AccountNode> {
  const all: Record<string, AccountNode> = {};
  let n = 0;
  const born = (name: string, parent: string | null, deleted = false) => {
    const above = parent === null ? null : (all[parent] ?? null);
    n += 1;
    const node: AccountNode = { id: makeTestId(1, 0, n), parent: above, children: [], role: roleOf(name), deleted };
    above?.children.push(node);
    all[name] = node;
  };
  born("root", null);
  born("great-grandparent", "root");
  born("stranger", "root");
  born("grandparent", "great-grandparent");
  born("parent", "grandparent");
  born("uncle", "grandparent");
  born("cousin", "uncle");
  born("self", "parent");
  born("sibling", "parent");
  born("child", "self");
  born("grandchild", "child");
  born("deleted", "self", true);
  return all;
}

// For each relation, the part that a scope needs to cover it if the scope doesn't name its role. Written out, not computed.
const needs = {
  self: "me",
  parent: "level 1",
  grandparent: "level 2",
  "great-grandparent": "level 3",
  child: "children",
  grandchild: "children",
  deleted: "children",
  sibling: "nothing reaches",
  uncle: "nothing reaches",
  cousin: "nothing reaches",
  stranger: "nothing reaches",
} as const;
type Relation = keyof typeof needs;
const relations = Object.keys(needs) as Relation[];

const scopes = [false, true].flatMap((me) =>
  [false, true].flatMap((myChildren) =>
    [0, 1, 2, 3].flatMap((relativeAncestorLevel) =>
      ["none", "hit", "miss"].map((roles) => ({ me, myChildren, relativeAncestorLevel, roles })),
    ),
  ),
);

function expected(scope: (typeof scopes)[number], relation: Relation): boolean {
  if (scope.roles === "hit") return true;
  const need = needs[relation];
  if (need === "me") return scope.me;
  if (need === "children") return scope.myChildren;
  if (need === "nothing reaches") return false;
  return scope.relativeAncestorLevel >= Number(need.slice("level ".length));
}

test("PE-01 48 scopes against 11 relations: exactly the 528 expected answers", () => {
  let cases = 0;
  let allowed = 0;
  for (const relation of relations) {
    // Only this relation has the role that the scope may name.
    const tree = family((name) => (name === relation ? hit : other));
    const asker = tree["self"] as AccountNode;
    const owner = tree[relation] as AccountNode;
    for (const row of scopes) {
      const roles = row.roles === "none" ? [] : row.roles === "hit" ? [hit.id] : [unheld];
      const scope: ScopeDoc = {
        me: row.me,
        myChildren: row.myChildren,
        relativeAncestorLevel: row.relativeAncestorLevel,
        roles,
      };
      const description = `${relation} by ${JSON.stringify(row)}`;
      const answer = contains(resolveScope(asOwner(asker), scope), asOwner(owner));
      expect(answer, description).toBe(expected(row, relation));
      expect(reaches(asker, scope, owner), `oracle: ${description}`).toBe(expected(row, relation));
      cases += 1;
      if (answer) allowed += 1;
    }
  }
  expect(cases).toBe(48 * 11);
  // Counted by hand. Of the 48 scopes, 16 name the role and cover every relation. Of the other 32, self is covered by 16, parent
  // by 24, grandparent by 16, great-grandparent by 8, and child, grandchild and deleted by 16 each.
  expect(allowed).toBe(11 * 16 + 16 + 24 + 16 + 8 + 3 * 16);
});

test("PE-01 random trees: the set of a scope holds exactly the owners that the oracle reaches", () => {
  const roleIds = [0, 1, 2, 3].map((n) => makeTestId(2, 0, n));
  let cases = 0;
  fc.assert(
    fc.property(
      forestArbitrary({ maxAccounts: 20 }),
      fc.array(scopeArbitrary(roleIds), { minLength: 3, maxLength: 3 }),
      (forest, some) => {
        for (const scope of some) {
          for (const asker of forest.accounts) {
            const set = resolveScope(asOwner(asker), scope);
            for (const owner of forest.accounts) {
              cases += 1;
              if (contains(set, asOwner(owner)) !== reaches(asker, scope, owner)) {
                throw new Error(`${asker.id} asks about ${owner.id} with ${JSON.stringify(scope)}`);
              }
            }
          }
        }
      },
    ),
    { seed: seedOf(106), numRuns: rounds(100, 300) },
  );
  expect(cases).toBeGreaterThan(rounds(15_000, 50_000));
});

describe("ancestor levels", () => {
  const ancestors = [1, 2, 3, 4].map((n) => makeTestId(1, 0, n));
  const asker = { id: makeTestId(1, 0, 5), parentAccounts: ancestors };
  const last = (n: number) => ancestors.toReversed().slice(0, n).toReversed();

  // `slice(-0)` and `slice(-0.5)` return the whole array.
  test.each<[string, unknown, string[]]>([
    ["0", 0, []],
    ["-0", -0, []],
    ["missing", undefined, []],
    ["null", null, []],
    ["-1", -1, []],
    ["-1000", -1000, []],
    ["NaN", Number.NaN, []],
    ["a half", 0.5, []],
    ["1", 1, last(1)],
    ["2", 2, last(2)],
    ["3", 3, last(3)],
    ["4, as many as there are", 4, last(4)],
    ["5, one more than there are", 5, last(4)],
    ["1e9", 1e9, last(4)],
  ])("PE-01 level %s reaches the nearest ancestors and no others", (_title, relativeAncestorLevel, reached) => {
    const set = resolveScope(asker, { relativeAncestorLevel } as Scope);
    expect(set).toEqual({ ids: reached, descendantsOf: null, withRole: [] });
    expect(isEmptySet(set)).toBe(reached.length === 0);
  });

  test("an account without ancestors has none, at any level", () => {
    for (const level of [0, 1, 6, 100]) {
      const root = { id: makeTestId(1, 0, 1), parentAccounts: [] };
      expect(isEmptySet(resolveScope(root, { relativeAncestorLevel: level }))).toBe(true);
    }
  });
});

describe("the empty set", () => {
  const tree = family(() => null);
  const asker = asOwner(tree["self"] as AccountNode);

  test.each<[string, Scope | undefined | null]>([
    ["missing", undefined],
    ["null", null],
    ["without parts", {}],
    ["with every part off", { me: false, myChildren: false, roles: [], relativeAncestorLevel: 0 }],
  ])("PE-01 a scope that is %s means no one, never everyone", (_title, scope) => {
    const set = resolveScope(asker, scope);
    expect(isEmptySet(set)).toBe(true);
    for (const account of Object.values(tree)) expect(contains(set, asOwner(account))).toBe(false);
  });

  test("is what `emptySet` is, and any single part ends emptiness", () => {
    expect(isEmptySet(emptySet)).toBe(true);
    expect(isEmptySet(resolveScope(asker, { me: true }))).toBe(false);
    expect(isEmptySet(resolveScope(asker, { myChildren: true }))).toBe(false);
    expect(isEmptySet(resolveScope(asker, { roles: [hit.id] }))).toBe(false);
    expect(isEmptySet(resolveScope(asker, { relativeAncestorLevel: 1 }))).toBe(false);
  });

  test("accounts without a role are not held by a scope that names roles", () => {
    const set = resolveScope(asker, { roles: [hit.id, other.id] });
    for (const account of Object.values(tree)) expect(contains(set, asOwner(account))).toBe(false);
  });
});

describe("isWithin (308)", () => {
  const a = hit.id;
  const b = other.id;
  test.each<[string, Scope | undefined, Scope | undefined, Scope | undefined, boolean]>([
    ["nothing within nothing", undefined, undefined, undefined, true],
    ["an empty scope within nothing", {}, undefined, undefined, true],
    [
      "every part off within nothing",
      { me: false, myChildren: false, roles: [], relativeAncestorLevel: 0 },
      undefined,
      undefined,
      true,
    ],
    ["me within me", { me: true }, { me: true }, undefined, true],
    ["me within nothing", { me: true }, {}, undefined, false],
    ["me within children", { me: true }, { myChildren: true }, undefined, false],
    ["children within children", { myChildren: true }, { myChildren: true }, undefined, true],
    ["children within me", { myChildren: true }, { me: true }, undefined, false],
    ["a role that the limit names", { roles: [a] }, { roles: [b, a] }, undefined, true],
    ["the same role twice", { roles: [a, a] }, { roles: [a] }, undefined, true],
    ["a role that the limit names twice", { roles: [a, b] }, { roles: [a, a] }, undefined, false],
    ["one role of two that the limit lacks", { roles: [a, b] }, { roles: [a] }, undefined, false],
    [
      "a role within everything but roles",
      { roles: [a] },
      { me: true, myChildren: true, relativeAncestorLevel: 9 },
      undefined,
      false,
    ],
    ["a lower level", { relativeAncestorLevel: 2 }, { relativeAncestorLevel: 3 }, undefined, true],
    ["the same level", { relativeAncestorLevel: 3 }, { relativeAncestorLevel: 3 }, undefined, true],
    ["a higher level", { relativeAncestorLevel: 4 }, { relativeAncestorLevel: 3 }, undefined, false],
    ["a level against me and children", { relativeAncestorLevel: 1 }, { me: true, myChildren: true }, undefined, false],
    [
      "one part beyond among parts within",
      { me: true, myChildren: true, relativeAncestorLevel: 1 },
      { me: true, myChildren: true },
      undefined,
      false,
    ],
    ["me that was there", { me: true }, undefined, { me: true }, true],
    ["children that were there", { myChildren: true }, undefined, { myChildren: true }, true],
    ["a role that was there", { roles: [a] }, undefined, { roles: [a] }, true],
    ["a role beside the one that was there", { roles: [a, b] }, undefined, { roles: [a] }, false],
    ["roles partly from the limit, partly from before", { roles: [a, b] }, { roles: [b] }, { roles: [a] }, true],
    ["a level that was there", { relativeAncestorLevel: 5 }, undefined, { relativeAncestorLevel: 5 }, true],
    [
      "a level lowered from above the limit to above the limit",
      { relativeAncestorLevel: 4 },
      { relativeAncestorLevel: 1 },
      { relativeAncestorLevel: 5 },
      true,
    ],
    [
      "a level raised above what was there",
      { relativeAncestorLevel: 6 },
      { relativeAncestorLevel: 1 },
      { relativeAncestorLevel: 5 },
      false,
    ],
    ["me, when before had only children", { me: true }, undefined, { myChildren: true }, false],
  ])("%s", (_title, scope, limit, before, answer) => {
    expect(isWithin(scope, limit, before)).toBe(answer);
  });

  test("a scope within another never reaches an owner that the other does not", () => {
    const ids = [0, 1, 2, 3].map((n) => makeTestId(2, 0, n));
    let within = 0;
    fc.assert(
      fc.property(
        forestArbitrary({ maxAccounts: 10 }),
        scopeArbitrary(ids),
        scopeArbitrary(ids),
        (forest, small, large) => {
          if (!isWithin(small, large)) return;
          within += 1;
          for (const asker of forest.accounts) {
            for (const owner of forest.accounts) {
              if (reaches(asker, small, owner) && !reaches(asker, large, owner))
                throw new Error(`${asker.id} ${owner.id}`);
            }
          }
        },
      ),
      { seed: seedOf(308), numRuns: rounds(400, 1500) },
    );
    expect(within).toBeGreaterThan(rounds(50, 200));
  });
});

test.each<[string, unknown, boolean]>([
  ["nothing set", {}, true],
  ["level 0", { relativeAncestorLevel: 0 }, true],
  ["level 100", { relativeAncestorLevel: 100 }, true],
  ["level 101", { relativeAncestorLevel: 101 }, false],
  ["level -1", { relativeAncestorLevel: -1 }, false],
  ["level 0.5", { relativeAncestorLevel: 0.5 }, false],
  ["level as text", { relativeAncestorLevel: "2" }, false],
  ["level null", { relativeAncestorLevel: null }, false],
  ["me as a number", { me: 1 }, false],
  ["an unknown part", { everybody: true }, false],
  ["a role that is no id", { roles: ["admin"] }, false],
])("the stored form of a scope: %s", (_title, scope, accepted) => {
  expect(scopeSchema.safeParse(scope).success).toBe(accepted);
});
