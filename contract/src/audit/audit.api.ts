// API calls for the audit trail.
import { z } from "zod";
import { csvStyleQuery } from "../kit/csv-style.ts";
import { endpoint } from "../kit/endpoint.ts";
import { parseMac } from "../kit/mac.ts";
import { idFilter, idText, pageQuery, pageReply, queryFlag, repeatable } from "../kit/page.ts";
import { instant } from "../kit/time.ts";
import { auditKinds, auditRowSchema } from "./audit.ts";

const objectId = idText.transform((text) => parseMac(text) ?? text.toLowerCase());

const narrowing = {
  who: idFilter.optional(),
  from: instant.optional(),
  to: instant.optional(),
  withoutRefused: queryFlag.optional(),
  kind: repeatable(z.enum(auditKinds)).optional(),
};

export const listAudit = endpoint("listAudit", "GET", "/v2/audit", {
  summary: "Audit rows about objects within the caller's view; refusals within their edit right, and their own",
  query: z.strictObject({
    ...pageQuery(["at"]),
    objectID: repeatable(objectId).optional(),
    objectType: idFilter.optional(),
    ...narrowing,
  }),
  reply: pageReply(auditRowSchema),
});

/** The columns must not be moved or renamed, because programs read this file. */
export const exportAudit = endpoint("exportAudit", "GET", "/v2/audit/csv", {
  summary:
    "The rows about one object as streamed CSV: a line for each value that was changed; with `style=people` for a spreadsheet",
  query: z.strictObject({ objectType: idText, objectID: objectId, ...narrowing, ...csvStyleQuery }),
  reply: z.string(),
});
