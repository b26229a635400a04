// SQL condition for objects owned by an account or by any account below it.
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import { sql } from "kysely";
import { isAtOrBelow } from "../db/account-path.ts";
import type { Condition } from "../db/list.ts";
import { whereOwnerIn } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";

/** Matches nothing if the caller may not view the account. `table` may be an alias. */
export function isOwnedInTree(caller: Caller, table: string, accountId: string): Condition {
  const [id] = filterUuids([accountId]);
  if (id === undefined) return sql<boolean>`false`;
  const visible = whereOwnerIn(resolveViewScope(caller, "owner"), caller, { id: "top.id", path: "top.path" });
  const path = sql`(select top.path from account top where top.id = ${id} and ${visible})`;
  return isAtOrBelow(`${table}.owner_path`, path);
}
