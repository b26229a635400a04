// Edge cases of the explanation of a scope (PE-01).
import { expect, test } from "vitest";
import { explainScope } from "./explain.ts";
import { makeTestId } from "./forest.testing.ts";
import type { Scope } from "./scope.ts";

const [root, mother, self, child, grandchild] = [1, 2, 3, 4, 5].map((n) => makeTestId(1, 0, n)) as [
  string,
  string,
  string,
  string,
  string,
];
const [a, b] = [makeTestId(2, 0, 1), makeTestId(2, 0, 2)];
const chain = [root, mother, self, child, grandchild];
const owner = (id: string, roleId: string | null = null) => {
  return { id, parentAccounts: chain.slice(0, chain.indexOf(id)), roleId };
};
const known = { role: "Viewer", owner: "City Library", roles: new Map([[a, "Guard"]]) };

test.each<[string, Scope, ReturnType<typeof owner>, allowed: boolean, string]>([
  ["the own account", { me: true }, owner(self), true, "the own account; owner City Library is the own account."],
  ["the account below", { me: true }, owner(child), false, "the own account; owner City Library is none of them."],
  [
    "the own account by what is below",
    { myChildren: true },
    owner(self),
    false,
    "all below; owner City Library is none of them.",
  ],
  ["one below", { myChildren: true }, owner(child), true, "all below; owner City Library is 1 below."],
  ["two below", { myChildren: true }, owner(grandchild), true, "all below; owner City Library is 2 below."],
  [
    "the own account by a level",
    { relativeAncestorLevel: 1 },
    owner(self),
    false,
    "1 above; owner City Library is none of them.",
  ],
  ["level 1, one above", { relativeAncestorLevel: 1 }, owner(mother), true, "1 above; owner City Library is 1 above."],
  [
    "level 1, two above",
    { relativeAncestorLevel: 1 },
    owner(root),
    false,
    "1 above; owner City Library is none of them.",
  ],
  ["level 2, two above", { relativeAncestorLevel: 2 }, owner(root), true, "2 above; owner City Library is 2 above."],
  [
    "level 100, two above",
    { relativeAncestorLevel: 100 },
    owner(root),
    true,
    "100 above; owner City Library is 2 above.",
  ],
  // cspell:disable-next-line
  ["level 0", { relativeAncestorLevel: 0 }, owner(mother), false, "nobody."],
  // cspell:disable-next-line
  ["no role", { roles: [] }, owner(mother), false, "nobody."],
  ["a role", { roles: [a] }, owner(root, a), true, "accounts with role Guard; owner City Library holds role Guard."],
  [
    "the same role twice",
    { roles: [a, a] },
    owner(root, a),
    true,
    "accounts with role Guard; owner City Library holds role Guard.",
  ],
  [
    "the same role twice, another held",
    { roles: [a, a] },
    owner(root, b),
    false,
    "accounts with role Guard; owner City Library is none of them.",
  ],
  [
    "a hidden role twice",
    { roles: [b, b] },
    owner(root, b),
    true,
    "accounts with a role that you can't view; owner City Library holds a role that you can't view.",
  ],
])("PE-01 a reason says whom the role reaches: %s", (_, scope, of, allowed, reach) => {
  const subject = { id: self, parentAccounts: [root, mother], permissions: {} };
  expect(explainScope(subject, scope, of, known)).toEqual({ allowed, reason: `Role Viewer reaches ${reach}` });
});
