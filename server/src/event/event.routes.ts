// Maps event calls to use cases.
import * as calls from "@psp/contract/event/event.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import type { Caller } from "../kit/caller.ts";
import { getOwned } from "../owned/change.ts";
import { events } from "./event.noun.ts";
import * as service from "./event.service.ts";

export function eventRoutes(bind: Binder, ctx: Context): void {
  const find = (caller: Caller, { id }: { id: string }) => getOwned(ctx, events, caller, id);
  bind.session(calls.listEvents, (caller, { query }) => service.listEvents(ctx, caller, query));
  bind.session(calls.getEvent, (caller, { params }) => find(caller, params), find);
  bind.session(calls.createEvent, (caller, { body }) => service.createEvent(ctx, caller, body));
  bind.session(
    calls.updateEvent,
    (caller, { params, body }) => service.updateEvent(ctx, caller, params.id, body),
    find,
  );
  bind.session(calls.deleteEvent, (caller, { params }) => service.deleteEvent(ctx, caller, params.id), find);
}
