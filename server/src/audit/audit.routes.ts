// Audit calls to use cases, one line each.
import * as calls from "@psp/contract/audit/audit.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import * as audit from "./audit.service.ts";

export function auditRoutes(bind: Binder, ctx: Context): void {
  bind.session(calls.listAudit, (caller, { query }) => audit.listAudit(ctx, caller, query));
}
