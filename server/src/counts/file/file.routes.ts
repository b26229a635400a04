// Maps the call for files over many locations to its use case.
import { countsFile } from "@psp/contract/counts/counts-file.api.ts";
import type { Context } from "../../context.ts";
import { toContentDisposition } from "../../http/attachment.ts";
import { type Binder, responseSent } from "../../http/bind.ts";
import { type HeavyReads, forStream } from "../../http/heavy-reads.ts";
import { onResponseClosed, sendWhileAllowed } from "../../http/long-calls.ts";
import { fileTypes } from "../../kit/row-stream.ts";
import { openCountsFile } from "./file.service.ts";
import { countsCsv, countsXlsx } from "./file.wire.ts";

export function countsFileRoutes(bind: Binder, ctx: Context, { streams }: HeavyReads): void {
  bind.session(countsFile, async (caller, { query }, { reply, beginLongCall }) => {
    onResponseClosed(reply, streams.take(caller.id));
    const longCall = await beginLongCall();
    const file = await openCountsFile(forStream(ctx, reply, longCall), longCall, query);
    const name = `${query.fileName ?? file.nameParts.join("_")}.${query.format}`;
    const headers = { "cache-control": "no-store", "content-disposition": toContentDisposition(name) };
    void reply.headers(headers).type(fileTypes[query.format]);
    sendWhileAllowed(reply, query.format === "xlsx" ? countsXlsx(file) : countsCsv(file, query), longCall.signal);
    return responseSent;
  });
}
