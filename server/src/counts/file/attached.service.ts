// Streams the file over many locations outside of a request, for reports.
import type { Readable } from "node:stream";
import type { Context } from "../../context.ts";
import type { Caller, LongCall } from "../../kit/caller.ts";
import { type FileQuery, openCountsFile } from "./file.service.ts";
import { countsCsv, countsXlsx } from "./file.wire.ts";

/** Does not check whether the caller loses rights meanwhile. The code that uses the file must check them again at the end. */
export async function createCountsFile(
  ctx: Context,
  caller: Caller,
  query: FileQuery,
  options: { omitSales: boolean },
): Promise<Readable> {
  const longCall: LongCall = { caller, signal: new AbortController().signal, reliesOn: () => undefined };
  const file = await openCountsFile(ctx, longCall, query, options);
  return query.format === "xlsx" ? countsXlsx(file) : countsCsv(file, query);
}
