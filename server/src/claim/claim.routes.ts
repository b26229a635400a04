// Claiming calls to use cases, one line each.
import * as calls from "@psp/contract/claim/claim.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import { watchMisses } from "./budget.service.ts";
import * as claims from "./claim.service.ts";

export function claimRoutes(bind: Binder, ctx: Context): void {
  watchMisses(ctx);
  bind.session(calls.findClaimable, (caller, { params }) => claims.claimableBy(ctx, caller, params.code));
  bind.session(calls.claimSensors, (caller, { body }) => claims.claimSensors(ctx, caller, body.sensors));
}
