// Init token calls to use cases, one line each.
import * as calls from "@psp/contract/init-token/init-token.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import * as tokens from "./init-token.service.ts";

export function initTokenRoutes(bind: Binder, ctx: Context): void {
  bind.session(calls.listInitTokens, (caller, { query }) => tokens.listInitTokens(ctx, caller, query));
  bind.session(
    calls.getInitToken,
    (caller, { params }) => tokens.getInitToken(ctx, caller, params.id),
    (caller, { id }) => tokens.requireVisible(ctx, caller, id),
  );
  bind.session(calls.createInitToken, (caller, { body }) => tokens.createInitToken(ctx, caller, body));
  bind.session(
    calls.updateInitToken,
    (caller, { params, body }) => tokens.updateInitToken(ctx, caller, params.id, body),
    (caller, { id }) => tokens.requireVisible(ctx, caller, id),
  );
  bind.session(
    calls.deleteInitToken,
    (caller, { params }) => tokens.deleteInitToken(ctx, caller, params.id),
    (caller, { id }) => tokens.requireVisible(ctx, caller, id),
  );
}
