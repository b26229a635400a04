// Maps claiming calls to use cases.
import * as calls from "@psp/contract/claim/claim.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import { registerWrongCodeMetrics } from "./budget.service.ts";
import * as claims from "./claim.service.ts";

export function claimRoutes(bind: Binder, ctx: Context): void {
  registerWrongCodeMetrics(ctx);
  bind.session(calls.findClaimable, (caller, { params }) => claims.findClaimableByCode(ctx, caller, params.code));
  bind.session(calls.claimSensors, (caller, { body }) => claims.claimSensors(ctx, caller, body.sensors));
}
