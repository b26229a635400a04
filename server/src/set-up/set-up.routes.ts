// Maps set-up card calls to use cases.
import * as calls from "@psp/contract/set-up/set-up.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import * as setUp from "./set-up.service.ts";

export function setUpRoutes(bind: Binder, ctx: Context): void {
  bind.session(calls.getSetUp, (caller) => setUp.getSetUp(ctx, caller));
  bind.session(calls.dismissSetUp, (caller, { body }) => setUp.setCardDismissed(ctx, caller, body.dismissed));
}
