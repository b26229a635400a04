// One small tree of accounts with every relation that a scope can name, for tests that try rights one by one.
import { makeTestId } from "@psp/contract/permission/forest.testing.ts";
import type { AccountNode } from "@psp/contract/permission/oracle.testing.ts";

const relations = [
  ["root", null],
  ["grandparent", "root"],
  ["parent", "grandparent"],
  ["self", "parent"],
  ["sibling", "parent"],
  ["child", "self"],
  ["grandchild", "child"],
  ["stranger", "root"],
  ["deleted child", "self"],
] as const;
export type Relation = (typeof relations)[number][0];

/** The place of this relation in the family. */
export const place = (name: Relation): number => relations.findIndex(([one]) => one === name);

/** The accounts in the order of their places, each with the role that is chosen for it. */
export function createFamily(roleOf: (name: Relation, n: number) => AccountNode["role"]): AccountNode[] {
  const accounts: AccountNode[] = [];
  for (const [n, [name, above]] of relations.entries()) {
    const parent = above === null ? null : (accounts[place(above)] ?? null);
    const node = {
      id: makeTestId(1, 0, n),
      parent,
      children: [],
      role: roleOf(name, n),
      deleted: name === "deleted child",
    };
    parent?.children.push(node);
    accounts.push(node);
  }
  return accounts;
}
