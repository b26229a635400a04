// The audit trail: who changed what, from what to what (docs/rules/permissions.md#audit-trail).
import { z } from "zod";

export const auditRowSchema = z.object({
  _id: z.string(),
  at: z.string(),
  who: z.object({ _id: z.string(), name: z.string() }).nullable(),
  requestId: z.string(),
  action: z.string(),
  object: z.object({ type: z.string(), _id: z.string() }),
  before: z.unknown().nullable(),
  after: z.unknown().nullable(),
});
export type AuditRow = z.output<typeof auditRowSchema>;

/**
 * Actions of refused attempts. Their rows are visible to accounts that may edit the object, and to the account that was
 * refused.
 */
export const refusalActions = ["login-refused", "claim-refused", "write-refused"] as const;
export type RefusalAction = (typeof refusalActions)[number];
/** Action of the audit rows that record downloads from the data service. */
export const auditExportAction = "export";

/** Actions that read or use something without changing it. */
export const usageActions = [
  auditExportAction,
  "login",
  "endSession",
  "readToken",
  "getSnapshot",
  "generalUploadTest",
  "openDisplay",
] as const;
/** Kinds of audit rows. Every row that is neither a refusal nor a use is a change. */
export const auditKinds = ["change", "refusal", "use"] as const;
export type AuditKind = (typeof auditKinds)[number];

/** The `after` value of a refusal. */
export const auditRefusalSchema = z.object({ call: z.string(), status: z.int(), code: z.int(), error: z.string() });
export type AuditRefusal = z.output<typeof auditRefusalSchema>;

/** The `after` value of an export. */
export const auditExportSchema = z.object({ call: z.string(), filter: z.array(z.string()) }).catchall(z.string());
export type AuditExport = z.output<typeof auditExportSchema>;
