// Maps calls about the caller's own sessions to use cases.
import * as calls from "@psp/contract/auth/auth.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import * as sessions from "./own-session.service.ts";

export function ownSessionRoutes(bind: Binder, ctx: Context): void {
  bind.session(calls.listSessions, (caller) => sessions.listSessions(ctx, caller));
  bind.session(calls.endOtherSessions, (caller) => sessions.endOtherSessions(ctx, caller));
  bind.session(
    calls.endSession,
    (caller, { params }) => sessions.endSession(ctx, caller, params.id),
    (caller, { id }) => sessions.requireOwnSession(ctx, caller, id),
  );
}
