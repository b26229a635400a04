// A small account tree with every relation that a scope can name, for tests of single rights.
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

export const indexOfRelation = (name: Relation): number => relations.findIndex(([one]) => one === name);

/** The accounts in order of their index, with the roles from `roleOf`. */
export function createFamily(roleOf: (name: Relation, n: number) => AccountNode["role"]): AccountNode[] {
  const accounts: AccountNode[] = [];
  for (const [n, [name, above]] of relations.entries()) {
    const parent = above === null ? null : (accounts[indexOfRelation(above)] ?? null);
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
