// API calls that store, list, delete and import the sales of locations (docs/rules/sales.md#calls).
import { z } from "zod";
import { maxBatchBytes } from "../kit/batch.ts";
import { endpoint } from "../kit/endpoint.ts";
import { uuid } from "../kit/ids.ts";
import { maxLimit, pageReply, queryFlag, queryInt } from "../kit/page.ts";
import { instant } from "../kit/time.ts";
import { salesImportResult, salesUpload } from "./sales.import.ts";
import { maxSalesEntries, newSaleSchema, saleSchema, storedSalesSchema } from "./sales.ts";

const params = z.strictObject({ id: uuid });
const path = "/measurement/{id}/sales";

export const putSales = endpoint("putSales", "PUT", path, {
  summary: "Stores sales of a location, each for one local hour or day; an entry with the same start is replaced",
  params,
  maxBodyBytes: maxBatchBytes,
  body: z.array(newSaleSchema).max(maxSalesEntries, { error: `At most ${maxSalesEntries} entries in a call` }),
  reply: storedSalesSchema,
});
export const listSales = endpoint("listSales", "GET", path, {
  summary: "Sales of a location, the latest first; only for those who may edit it (305 otherwise)",
  params,
  query: z.strictObject({
    from: instant.optional(),
    to: instant.optional(),
    skip: queryInt(0, 1_000_000_000).optional(),
    limit: queryInt(1, maxLimit).optional(),
    includeTotals: queryFlag.optional(),
  }),
  reply: pageReply(saleSchema),
});
export const deleteSales = endpoint("deleteSales", "DELETE", path, {
  summary: "Deletes the sales of a location that start in a range",
  params,
  query: z.strictObject({ from: instant, to: instant }),
  reply: z.object({ deleted: z.int() }),
});
export const importSales = endpoint("importSales", "POST", "/v2/sales/import", {
  summary:
    "Stores the sales of many locations from a CSV file; with dryRun=true, nothing is stored and the response says what would happen",
  query: z.strictObject({ dryRun: queryFlag.optional(), skipInvalid: queryFlag.optional() }),
  upload: salesUpload,
  reply: salesImportResult,
});
