// Tests edge cases of explaining a scope (PE-01).
import { expect, test } from "vitest";
import { explainScope, type VisibleNames } from "./explain.ts";
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
const known = { role: "Viewer", owner: "City Library", roles: new Map([[a, "Guard"]]), isReader: true };

test.each<[string, Scope, ReturnType<typeof owner>, allowed: boolean, string]>([
  ["the own account", { me: true }, owner(self), true, "covers your account. This object belongs to your account."],
  [
    "the account below",
    { me: true },
    owner(child),
    false,
    "covers only your account. This object belongs to City Library.",
  ],
  [
    "the own account by what is below",
    { myChildren: true },
    owner(self),
    false,
    "covers only the sub-accounts of your account. This object belongs to City Library.",
  ],
  [
    "two parts, neither of them",
    { me: true, myChildren: true },
    owner(mother),
    false,
    "covers your account and its sub-accounts. This object belongs to City Library, which is neither.",
  ],
  [
    "three parts, none of them",
    { me: true, myChildren: true, roles: [a] },
    owner(mother),
    false,
    "covers your account, its sub-accounts and accounts with the role Guard. This object belongs to City Library, which is none of these.",
  ],
  [
    "one below",
    { myChildren: true },
    owner(child),
    true,
    "covers the sub-accounts of your account. This object belongs to City Library, a sub-account.",
  ],
  [
    "two below",
    { myChildren: true },
    owner(grandchild),
    true,
    "covers the sub-accounts of your account. This object belongs to City Library, a sub-account 2 levels below.",
  ],
  [
    "the own account by a level",
    { relativeAncestorLevel: 1 },
    owner(self),
    false,
    "covers only the parent account of your account. This object belongs to City Library.",
  ],
  [
    "level 1, one above",
    { relativeAncestorLevel: 1 },
    owner(mother),
    true,
    "covers the parent account of your account. This object belongs to City Library, the parent account.",
  ],
  [
    "level 1, two above",
    { relativeAncestorLevel: 1 },
    owner(root),
    false,
    "covers only the parent account of your account. This object belongs to City Library.",
  ],
  [
    "level 2, two above",
    { relativeAncestorLevel: 2 },
    owner(root),
    true,
    "covers the 2 nearest parent accounts of your account. This object belongs to City Library, a parent account 2 levels above.",
  ],
  [
    "level 100, two above",
    { me: true, relativeAncestorLevel: 100 },
    owner(root),
    true,
    "covers your account and its 100 nearest parent accounts. This object belongs to City Library, a parent account 2 levels above.",
  ],
  ["level 0", { relativeAncestorLevel: 0 }, owner(mother), false, "doesn't include this permission."],
  ["no role", { roles: [] }, owner(mother), false, "doesn't include this permission."],
  [
    "a role",
    { roles: [a] },
    owner(root, a),
    true,
    "covers accounts with the role Guard. This object belongs to City Library, which has the role Guard.",
  ],
  [
    "the same role twice",
    { roles: [a, a] },
    owner(root, a),
    true,
    "covers accounts with the role Guard. This object belongs to City Library, which has the role Guard.",
  ],
  [
    "the same role twice, another held",
    { roles: [a, a] },
    owner(root, b),
    false,
    "covers only accounts with the role Guard. This object belongs to City Library.",
  ],
  [
    "a hidden role twice",
    { roles: [b, b] },
    owner(root, b),
    true,
    "covers accounts with a role that you can't view. This object belongs to City Library, which has a role that you can't view.",
  ],
])("PE-01 a reason says what the role covers: %s", (_, scope, of, allowed, words) => {
  const subject = { id: self, parentAccounts: [root, mother], permissions: {} };
  expect(explainScope(subject, scope, of, known)).toEqual({ allowed, reason: `"Viewer" ${words}` });
});

test.each<[string, Partial<VisibleNames>, Scope, string]>([
  [
    "an account covered",
    { isAccount: true },
    { myChildren: true },
    '"Viewer" covers the sub-accounts of your account. City Library is a sub-account.',
  ],
  [
    "an account not covered",
    { isAccount: true },
    { me: true },
    '"Viewer" covers only your account. That doesn\'t include City Library.',
  ],
  [
    "an account outside two parts",
    { isAccount: true },
    { me: true, relativeAncestorLevel: 1 },
    '"Viewer" covers your account and its parent account. City Library is neither.',
  ],
  [
    "a colleague's account",
    { isReader: false },
    { myChildren: true },
    '"Viewer" covers the sub-accounts of the account. This object belongs to City Library, a sub-account.',
  ],
  [
    "a hidden owner covered",
    { owner: null },
    { myChildren: true },
    '"Viewer" covers the sub-accounts of your account. That includes the owner of this object.',
  ],
  [
    "a hidden owner not covered",
    { owner: null },
    { me: true },
    '"Viewer" covers only your account. That doesn\'t include the owner of this object.',
  ],
  [
    "a hidden role covers",
    { role: null },
    { myChildren: true },
    "The account has a role that you can't view. This object belongs to City Library, a sub-account.",
  ],
  [
    "a hidden role doesn't cover",
    { role: null },
    { me: true },
    "The account has a role that you can't view. It doesn't cover this object, which belongs to City Library.",
  ],
  [
    "role and owner hidden",
    { role: null, owner: null },
    { myChildren: true },
    "The account has a role that you can't view. It covers the owner of this object.",
  ],
  [
    "no permission by a hidden role",
    { role: null },
    {},
    "The account has a role that you can't view. It doesn't cover this object, which belongs to City Library.",
  ],
])("PE-01 a reason fits its reader and object: %s", (_, more, scope, reason) => {
  const subject = { id: self, parentAccounts: [root, mother], permissions: {} };
  expect(explainScope(subject, scope, owner(child), { ...known, ...more }).reason).toBe(reason);
});
