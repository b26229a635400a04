// Converts an account set to a WHERE fragment. No other SQL depends on rights. Equivalent to the contract's `contains`, which
// visible.test.ts checks on random trees.
import { type Actor, type ObjectType, resolveEditScope, resolveViewScope } from "@psp/contract/permission/can.ts";
import { type AccountSet, isEmptySet } from "@psp/contract/permission/scope.ts";
import { type Expression, type SqlBool, sql } from "kysely";
import type { ActorWithPath } from "../kit/caller.ts";
import { isAtOrBelow, isBelow } from "./account-path.ts";

export type OwnerColumns = { id: string; path: string };
type Viewer = Actor & ActorWithPath;

/** An empty set yields `false`, never "no filter". A set that covers everything yields `true`, to keep plans simple. */
export function whereOwnerIn(set: AccountSet, actor: ActorWithPath, columns: OwnerColumns): Expression<SqlBool> {
  if (isEmptySet(set)) return sql<boolean>`false`;
  if (coversEverything(set, actor)) return sql<boolean>`true`;
  const id = sql.ref(columns.id);
  const others = set.ids.filter((one) => one !== actor.id);
  const terms: Expression<SqlBool>[] = [];
  if (set.descendantsOf === actor.id) {
    const isInRange = set.ids.includes(actor.id) ? isAtOrBelow : isBelow;
    terms.push(isInRange(columns.path, actor.path));
  } else if (set.ids.includes(actor.id)) {
    terms.push(sql<boolean>`${sql.ref(columns.path)} = ${actor.path}`);
  }
  if (others.length > 0) terms.push(sql<boolean>`${id} = any(${others}::uuid[])`);
  if (set.withRole.length > 0) {
    terms.push(sql<boolean>`${id} = any(array(select id from account where role_id = any(${set.withRole}::uuid[])))`);
  }
  return sql<boolean>`(${sql.join(terms, sql` or `)})`;
}

/** Rows of objects of this type that the viewer may view. `table` may be an alias. An account is its own owner. */
export function whereViewable(viewer: Viewer, type: ObjectType, table: string): Expression<SqlBool> {
  return whereOwnerIn(resolveViewScope(viewer, type), viewer, ownerColumns(type, table));
}

export function whereEditable(viewer: Viewer, type: ObjectType, table: string): Expression<SqlBool> {
  return whereOwnerIn(resolveEditScope(viewer, type), viewer, ownerColumns(type, table));
}

function ownerColumns(type: ObjectType, table: string): OwnerColumns {
  const prefix = type === "owner" ? "" : "owner_";
  return { id: `${table}.${prefix}id`, path: `${table}.${prefix}path` };
}

/** Only the root account, with a set of itself and all accounts below, can cover everything. */
export function coversEverything(set: AccountSet, actor: ActorWithPath): boolean {
  return actor.parentAccounts.length === 0 && set.descendantsOf === actor.id && set.ids.includes(actor.id);
}
