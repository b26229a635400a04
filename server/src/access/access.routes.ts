// Maps the access call to its use case.
import { getAccess } from "@psp/contract/access/access.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import { explainAccess, type Finders } from "./access.service.ts";

export function accessRoutes(bind: Binder, ctx: Context, finders: Finders): void {
  bind.session(getAccess, (caller, { query }) => explainAccess(ctx, caller, query, finders));
}
