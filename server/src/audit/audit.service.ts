// Reads the audit log, which use cases write through db/write.
import type { exportAudit as exportCall, listAudit as listCall } from "@psp/contract/audit/audit.api.ts";
import type { AuditRow } from "@psp/contract/audit/audit.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller, LongCall } from "../kit/caller.ts";
import { type Sheet, timeColumn } from "../kit/row-stream.ts";
import type { Context } from "../context.ts";
import { countRows } from "../db/list.ts";
import { type AuditLine, toAuditLines } from "./audit.rules.ts";
import * as store from "./audit.store.ts";

/** Lists rows about visible objects, newest first. Rows are never deleted, so `includeDeleted` has no effect. */
export async function listAudit(ctx: Context, caller: Caller, query: HandlerInput<typeof listCall>["query"]) {
  const { skip = 0, limit = ctx.config.pageSize, includeTotals, sortBy, sortDesc, ...filter } = query;
  const conditions = store.auditConditions(caller, filter);
  const [rows, total] = await Promise.all([
    store.findAuditPage(ctx.db, conditions, sortKeys({ sortBy, sortDesc }), { skip, limit }),
    includeTotals ? countRows(ctx.db, "audit", conditions) : undefined,
  ]);
  const objects = rows.map(toAuditRow);
  return total === undefined ? { objects } : { objects, total };
}

/** `who` is null for changes by the server itself. `requestId` may then be the name of a job. */
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

const rowsAtOnce = 500;

/**
 * Yields all lines of one object's audit log, newest first. Ends with an error when the caller's rights change, so that an
 * incomplete export does not pass for a complete one.
 */
export async function exportAudit(ctx: Context, longCall: LongCall, query: HandlerInput<typeof exportCall>["query"]) {
  const { objectType, objectID, ...filter } = query;
  const { caller } = longCall;
  longCall.reliesOn((now) => {
    if (!readsTheSame(caller, now)) throw new AppError(errorCode.notFound, { field: "objectID" });
  });
  const conditions = store.auditConditions(caller, { ...filter, objectType: [objectType], objectID: [objectID] });
  return (async function* (): AsyncGenerator<AuditLine> {
    let after: store.AuditCursor | null = null;
    for (;;) {
      const rows: Awaited<ReturnType<typeof store.findAuditPart>> = await store.findAuditPart(
        ctx.db,
        conditions,
        after,
        rowsAtOnce,
      );
      for (const row of rows) yield* toAuditLines(toAuditRow(row));
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsAtOnce) return;
      after = { at: last.cursor_at, id: last.id };
    }
  })();
}

const readsTheSame = (one: Caller, other: Caller) =>
  JSON.stringify([one.permissions, one.path, one.parentAccounts, one.roleId]) ===
  JSON.stringify([other.permissions, other.path, other.parentAccounts, other.roleId]);

export const auditSheet: Sheet<AuditLine> = {
  columns: "at who whoID requestID action objectType objectID field old new".split(" ").map((header) => ({ header })),
  cells: ({ row: { at, who, requestId, action, object }, field, old, new: next }) => [
    at,
    who?.name,
    who?._id,
    requestId,
    action,
    object.type,
    object._id,
    field,
    old,
    next,
  ],
};

/** The title already contains the object's type and id. */
export const auditSheetForPeople: Sheet<AuditLine> = {
  columns: [
    timeColumn("Time (UTC)"),
    ...["Who", "ID", "Action", "Field", "Old", "New", "Request"].map((header) => ({ header })),
  ],
  cells: ({ row: { at, who, requestId, action }, field, old, new: next }) => [
    new Date(at),
    who?.name,
    who?._id,
    action,
    field,
    old,
    next,
    requestId,
  ],
};

export function formatAuditTitle({
  objectType,
  objectID,
  from,
  to,
}: HandlerInput<typeof exportCall>["query"]): string[] {
  const range = from === undefined && to === undefined ? "All entries" : `${from ?? ""} – ${to ?? ""}`;
  return [`History of ${objectType} ${objectID}`, range, "UTC"];
}
