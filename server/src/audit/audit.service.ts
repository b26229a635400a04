// Reading the audit trail; it is written by every use case through db/write, and by no one else.
import type { AuditRow, listAudit as listCall } from "@psp/contract/audit/audit.ts";
import type { Received } from "@psp/contract/kit/endpoint.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { countRows } from "../db/list.ts";
import * as store from "./audit.store.ts";

/** Rows about objects within the caller's view, newest first (decisions 3). Rows are never deleted: `includeDeleted` changes nothing. */
export async function listAudit(ctx: Context, caller: Caller, query: Received<typeof listCall>["query"]) {
  const { skip = 0, limit = ctx.config.pageSize, includeTotals, sortBy, sortDesc, ...filter } = query;
  const conditions = store.auditConditions(caller, filter);
  const [rows, total] = await Promise.all([
    store.findAuditPage(ctx.db, conditions, sortKeys({ sortBy, sortDesc }), { skip, limit }),
    includeTotals ? countRows(ctx.db, "audit", conditions) : undefined,
  ]);
  const objects = rows.map(toAuditRow);
  return total === undefined ? { objects } : { objects, total };
}

/** `who` is null for what the product did by itself; `requestId` then names the part that did it. */
function toAuditRow(row: store.AuditTrailRow): AuditRow {
  return {
    _id: row.id,
    at: row.at.toISOString(),
    who: row.account_id === null ? null : { _id: row.account_id, name: row.who_name ?? "" },
    requestId: row.request_id,
    action: row.action,
    object: { type: row.object_type, _id: row.object_id },
    before: row.before,
    after: row.after,
  };
}
