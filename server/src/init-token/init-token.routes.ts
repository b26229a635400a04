// Maps init token calls to use cases.
import * as calls from "@psp/contract/init-token/init-token.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import type { Caller } from "../kit/caller.ts";
import { deleteOwnedById } from "../owned/change.ts";
import { initTokens } from "./init-token.noun.ts";
import * as tokens from "./init-token.service.ts";

export function initTokenRoutes(bind: Binder, ctx: Context): void {
  const find = (caller: Caller, { id }: { id: string }) => tokens.requireVisibleToken(ctx, caller, id);
  bind.session(calls.listInitTokens, (caller, { query }) => tokens.listInitTokens(ctx, caller, query));
  bind.session(calls.getInitToken, (caller, { params }) => tokens.getInitToken(ctx, caller, params.id), find);
  bind.session(calls.createInitToken, (caller, { body }) => tokens.createInitToken(ctx, caller, body));
  bind.session(
    calls.updateInitToken,
    (caller, { params, body }) => tokens.updateInitToken(ctx, caller, params.id, body),
    find,
  );
  // No device can enroll with a deleted token. Sensors that enrolled with it before are kept.
  bind.session(
    calls.deleteInitToken,
    (caller, { params }) => deleteOwnedById(ctx, caller, initTokens, params.id),
    find,
  );
}
