// Maps display and ledger calls to use cases.
import * as calls from "@psp/contract/occupancy/occupancy.api.ts";
import type { FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import { sessionCookieName } from "../http/session.ts";
import type { Caller } from "../kit/caller.ts";
import type { DisplayGuard, OnRefusedLogin } from "./display/display.guard.ts";
import { getDisplay, revokeTokens } from "./display/display.service.ts";
import * as ledger from "./ledger/ledger.service.ts";

export function occupancyRoutes(bind: Binder, ctx: Context, display: DisplayGuard, refused: OnRefusedLogin): void {
  const find = (caller: Caller, { id }: { id: string }) => ledger.requireVisibleLocation(ctx, caller, id);
  bind.open(
    calls.exchangeDisplayKey,
    (_, { params, body }, { request }) => display.exchange(request, params.id, body.k, refused),
    // Strangers must not learn whether a location exists.
    async () => undefined,
  );
  const requireReader = (_: null, { id }: { id: string }, request: FastifyRequest) =>
    display.requireReader(tokenOf(ctx, request), id);
  bind.open(
    calls.getDisplay,
    async (_, { params }, { request }) => {
      await requireReader(null, params, request);
      return getDisplay(ctx, params.id);
    },
    requireReader,
  );
  bind.session(
    calls.checkDisplayLink,
    async (caller, { params, body }, { request }) => {
      await find(caller, params);
      return display.check(request, params.id, body.k, refused);
    },
    find,
  );
  bind.session(calls.revokeDisplayTokens, (caller, { params }) => revokeTokens(ctx, caller, params.id), find);
  bind.session(
    calls.getOccupancyLedger,
    (caller, { params, query }) => ledger.getLedger(ctx, caller, params.id, query.at),
    find,
  );
  bind.session(
    calls.correctOccupancy,
    (caller, { params, body }) => ledger.correctCount(ctx, caller, params.id, body),
    find,
  );
}

/** A session's or display's token, or the session cookie of a read-only page. */
function tokenOf({ config }: Context, { headers, cookies }: FastifyRequest): string | null {
  const bearer = /^Bearer ([\w-]{1,200})$/i.exec(headers.authorization ?? "")?.[1];
  return bearer ?? (headers.authorization ? null : (cookies[sessionCookieName(config)] ?? null));
}
