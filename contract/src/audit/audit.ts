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

/** What was tried in vain. Such rows are for those who may edit the object, and for the account that they are about. */
export const refusalActions = ["login-refused", "claim-refused", "write-refused"] as const;
export type RefusalAction = (typeof refusalActions)[number];
/** Data that left by the data service. */
export const exportAction = "export";

/** What was looked at, used or taken out without a change: such rows are many, and rarely what one looks for. */
export const useActions = [
  exportAction,
  "login",
  "endSession",
  "readToken",
  "getSnapshot",
  "generalUploadTest",
  "openDisplay",
] as const;
/** What a history can be narrowed down to: changes are all rows that are neither refused tries nor uses. */
export const auditKinds = ["change", "refusal", "use"] as const;
export type AuditKind = (typeof auditKinds)[number];

/** `after` of a refusal: which call was answered with which status, code and sentence. */
export const refusalSchema = z.object({ call: z.string(), status: z.int(), code: z.int(), error: z.string() });
export type AuditRefusal = z.output<typeof refusalSchema>;

/** `after` of an export: which call was asked for what. */
export const exportSchema = z.object({ call: z.string(), filter: z.array(z.string()) }).catchall(z.string());
export type AuditExport = z.output<typeof exportSchema>;
