// SQL condition for objects owned by an account or by any account below it.
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { sql } from "kysely";
import { isAtOrBelow } from "../db/account-path.ts";
import type { Condition } from "../db/list.ts";
import { whereViewable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";

/** Matches nothing if the caller may not view the account. `table` may be an alias. */
export function isOwnedInTree(caller: Caller, table: string, accountId: string): Condition {
  const [id] = filterUuids([accountId]);
  if (id === undefined) return sql<boolean>`false`;
  const visible = whereViewable(caller, "owner", "top");
  const path = sql`(select top.path from account top where top.id = ${id} and ${visible})`;
  return isAtOrBelow(`${table}.owner_path`, path);
}
