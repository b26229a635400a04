// Audit rows as they travel.
import type { AuditRow } from "@psp/contract/audit/audit.ts";
import type { AuditTrailRow } from "./audit.store.ts";

/** `who` is null for what the product did by itself; `requestId` then names the part that did it. */
export function toAuditRow(row: AuditTrailRow): AuditRow {
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
