// Maps the calls of replacements to use cases.
import * as calls from "@psp/contract/replacement/replacement.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import type { Caller } from "../kit/caller.ts";
import * as service from "./replacement.service.ts";

export function replacementRoutes(bind: Binder, ctx: Context): void {
  const find = (caller: Caller, { id }: { id: string }) => service.requireVisibleSensor(ctx, caller, id);
  bind.session(
    calls.replaceSensor,
    (caller, { params, body }) => service.replaceSensor(ctx, caller, params.id, body),
    find,
  );
  bind.session(
    calls.checkReplacement,
    (caller, { params, body }) => service.checkReplacement(ctx, caller, params.id, body),
    find,
  );
  bind.session(
    calls.undoReplacement,
    (caller, { params, body }) => service.undoReplacement(ctx, caller, params.id, body.replacement),
    find,
  );
}
