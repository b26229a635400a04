// Role calls to use cases, one line each.
import * as calls from "@psp/contract/role/role.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import type { Caller } from "../kit/caller.ts";
import { listStrongerRoles } from "./gift.service.ts";
import { previewRole } from "./preview.service.ts";
import * as roles from "./role.service.ts";

export function roleRoutes(bind: Binder, ctx: Context): void {
  const find = (caller: Caller, { id }: { id: string }) => roles.getRole(ctx, caller, id);
  bind.session(calls.listRoles, (caller, { query }) => roles.listRoles(ctx, caller, query));
  bind.session(calls.getRole, (caller, { params }) => find(caller, params), find);
  bind.session(calls.createRole, (caller, { body }) => roles.createRole(ctx, caller, body));
  bind.session(calls.updateRole, (caller, { params, body }) => roles.updateRole(ctx, caller, params.id, body), find);
  bind.session(calls.previewRole, (caller, { params, body }) => previewRole(ctx, caller, params.id, body), find);
  bind.session(
    calls.listStrongerRoles,
    (caller, { params, body }) => listStrongerRoles(ctx, caller, params.id, body.permissions),
    find,
  );
  bind.session(calls.deleteRole, (caller, { params }) => roles.deleteRole(ctx, caller, params.id), find);
}
