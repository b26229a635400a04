// Reading the audit trail; it is written by every use case through db/write, and by no one else.
import type { listAudit as listCall } from "@psp/contract/audit/audit.ts";
import type { Received } from "@psp/contract/kit/endpoint.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import * as store from "./audit.store.ts";
import { toAuditRow } from "./audit.wire.ts";

/** Rows about objects within the caller's view, newest first (decisions 3). Rows are never deleted: `includeDeleted` changes nothing. */
export async function listAudit(ctx: Context, caller: Caller, query: Received<typeof listCall>["query"]) {
  const { skip = 0, limit = ctx.config.pageSize, includeTotals, sortBy, sortDesc, ...filter } = query;
  const conditions = store.auditConditions(caller, filter);
  const [rows, total] = await Promise.all([
    store.findAuditPage(ctx.db, conditions, sortKeys({ sortBy, sortDesc }), { skip, limit }),
    includeTotals ? store.countAudit(ctx.db, conditions) : undefined,
  ]);
  const objects = rows.map(toAuditRow);
  return total === undefined ? { objects } : { objects, total };
}
