// Queries and changes of the sales of a location.
import { deleteSales, importSales, listSales } from "@psp/contract/sales/sales.api.ts";
import { type SalesImportResult, salesUpload } from "@psp/contract/sales/sales.import.ts";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { useListQuery } from "../api/listed.ts";
import { sendForm } from "../api/send-form.ts";

type Query = NonNullable<NonNullable<Parameters<typeof call<typeof listSales>>[1]>["query"]>;

const key = "sales";

export function useSales(id: string, query: Query) {
  return useListQuery([key, id, query], (signal) => call(listSales, { params: { id }, query, signal }));
}

/** Counts show conversion. */
function refresh(client: QueryClient): void {
  for (const changed of [key, "datapoint"]) void client.invalidateQueries({ queryKey: [changed] });
}

export function useDeleteSales(id: string) {
  const client = useQueryClient();
  return async (range: { from: string; to: string }): Promise<number> => {
    const { deleted } = await call(deleteSales, { params: { id }, query: range });
    refresh(client);
    return deleted;
  };
}

export type ImportOptions = { dryRun: boolean; skipInvalid: boolean; signal: AbortSignal };

/** Aborting ends the import on the server, too. */
export function useImportSales() {
  const client = useQueryClient();
  return async (file: File, { dryRun, skipInvalid, signal }: ImportOptions): Promise<SalesImportResult> => {
    const form = new FormData();
    form.append(salesUpload.file, file);
    const query = { dryRun: String(dryRun), skipInvalid: String(skipInvalid) };
    const result = await sendForm(importSales, form, () => undefined, { query, signal });
    if (!dryRun) refresh(client);
    return result;
  };
}
