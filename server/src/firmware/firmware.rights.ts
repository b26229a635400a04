// Firmware rights in SQL: the view scope plus what ancestors opened to their descendants (FW-04).
import { resolveUseFirmwareScope, resolveViewScope } from "@psp/contract/permission/can.ts";
import type { AccountSet } from "@psp/contract/permission/scope.ts";
import { type Expression, type SqlBool, sql } from "kysely";
import type { Caller } from "../kit/caller.ts";
import { whereOwnerIn } from "../db/visible.ts";

function openedTo(caller: Caller, set: AccountSet, alias: string): Expression<SqlBool> {
  const scope = whereOwnerIn(set, caller, { id: `${alias}.owner_id`, path: `${alias}.owner_path` });
  if (!caller.permissions || caller.parentAccounts.length === 0) return scope;
  const children = sql.ref(`${alias}.children_can_view`);
  const owner = sql.ref(`${alias}.owner_id`);
  return sql<boolean>`(${scope} or (${children} and ${owner} = any(${caller.parentAccounts}::uuid[])))`;
}

export function whereFirmwareVisible(caller: Caller, alias: string): Expression<SqlBool> {
  return openedTo(caller, resolveViewScope(caller, "artifact"), alias);
}

export function whereFirmwareUsable(caller: Caller, alias: string): Expression<SqlBool> {
  return openedTo(caller, resolveUseFirmwareScope(caller), alias);
}
