// The audit trail: who changed what, from what to what (decisions 3 and 13).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { parseMac } from "../kit/ids.ts";
import { idFilter, idText, pageQuery, pageReply, repeatable } from "../kit/page.ts";
import { instant } from "../kit/time.ts";

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

/** In any spelling that the object itself is called by. */
const objectId = idText.transform((text) => parseMac(text) ?? text.toLowerCase());

export const listAudit = endpoint({
  name: "listAudit",
  method: "GET",
  path: "/v2/audit",
  caller: "session",
  summary: "Audit rows about objects within the caller's view",
  query: z.strictObject({
    ...pageQuery(["at"]),
    objectID: repeatable(objectId).optional(),
    objectType: idFilter.optional(),
    who: idFilter.optional(),
    from: instant.optional(),
    to: instant.optional(),
  }),
  reply: pageReply(auditRowSchema),
});
