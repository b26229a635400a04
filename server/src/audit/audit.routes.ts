// Maps audit calls to use cases; exports are streamed.
import * as calls from "@psp/contract/audit/audit.api.ts";
import type { Context } from "../context.ts";
import { type Binder, responseSent } from "../http/bind.ts";
import { forStream, type HeavyReads } from "../http/heavy-reads.ts";
import { sendWhileAllowed, onResponseClosed } from "../http/long-calls.ts";
import { toContentDisposition } from "../http/attachment.ts";
import { csvStream, toCsvStyle } from "../kit/row-stream.ts";
import { createKeyedSemaphore } from "../kit/limits/semaphores.ts";
import * as audit from "./audit.service.ts";
import type { CallAudit } from "./trace.hook.ts";

/** Concurrent exports in this process; each adds load on the database. */
const maxExports = { max: 20, maxPerKey: 2, retryAfterS: 1 };

export function auditRoutes(bind: Binder, ctx: Context, callAudit: CallAudit, heavy: HeavyReads): void {
  const exports = createKeyedSemaphore(maxExports);
  bind.session(
    calls.listAudit,
    heavy.handler(async (own, caller, { query }) => {
      await callAudit.settled();
      return audit.listAudit(own, caller, query);
    }),
  );
  bind.session(calls.exportAudit, async (caller, { query }, { reply, beginLongCall }) => {
    onResponseClosed(reply, exports.take(caller.id));
    await callAudit.settled();
    const longCall = await beginLongCall();
    const lines = await audit.exportAudit(forStream(ctx, reply, longCall), longCall, query);
    const sheet = query.style === "people" ? audit.auditSheetForPeople : audit.auditSheet;
    const name = `history_${query.objectType}_${query.objectID.replaceAll(":", "")}.csv`;
    void reply
      .headers({ "cache-control": "no-store", "content-disposition": toContentDisposition(name) })
      .type("text/csv; charset=utf-8");
    sendWhileAllowed(reply, csvStream(sheet, lines, toCsvStyle(query, audit.formatAuditTitle(query))), longCall.signal);
    return responseSent;
  });
}
