// Audit calls to use cases, one line each.
import * as calls from "@psp/contract/audit/audit.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import * as audit from "./audit.service.ts";
import type { Trace } from "./trace.hook.ts";

export function auditRoutes(bind: Binder, ctx: Context, trace: Trace): void {
  bind.session(calls.listAudit, async (caller, { query }) => {
    // Who was just refused finds it.
    await trace.settled();
    return audit.listAudit(ctx, caller, query);
  });
}
