// Maps role calls to use cases.
import * as calls from "@psp/contract/role/role.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import type { Caller } from "../kit/caller.ts";
import { getOwned } from "../owned/change.ts";
import { listStrongerRoles } from "./gift.service.ts";
import { roles } from "./role.noun.ts";
import * as service from "./role.service.ts";

export function roleRoutes(bind: Binder, ctx: Context): void {
  const find = (caller: Caller, { id }: { id: string }) => getOwned(ctx, roles, caller, id);
  bind.session(calls.listRoles, (caller, { query }) => service.listRoles(ctx, caller, query));
  bind.session(calls.getRole, (caller, { params }) => find(caller, params), find);
  bind.session(calls.createRole, (caller, { body }) => service.createRole(ctx, caller, body));
  bind.session(calls.updateRole, (caller, { params, body }) => service.updateRole(ctx, caller, params.id, body), find);
  bind.session(
    calls.previewRole,
    (caller, { params, body }) => service.previewRole(ctx, caller, params.id, body),
    find,
  );
  bind.session(
    calls.listStrongerRoles,
    (caller, { params, body }) => listStrongerRoles(ctx, caller, params.id, body.permissions),
    find,
  );
  bind.session(calls.deleteRole, (caller, { params }) => service.deleteRole(ctx, caller, params.id), find);
}
