// Account calls to use cases, one line each.
import * as calls from "@psp/contract/account/account.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import * as accounts from "./account.service.ts";

export function accountRoutes(bind: Binder, ctx: Context): void {
  bind.session(calls.listAccounts, (caller, { query }) => accounts.listAccounts(ctx, caller, query));
  bind.session(calls.getAccount, (caller, { params }) => accounts.getAccount(ctx, caller, params.id));
  bind.session(calls.createAccount, (caller, { body }) => accounts.createAccount(ctx, caller, body));
  bind.session(
    calls.updateAccount,
    (caller, { params, body }) => accounts.updateAccount(ctx, caller, params.id, body),
    (caller, { id }) => accounts.getAccount(ctx, caller, id),
  );
  bind.session(calls.deleteAccount, (caller, { params }) => accounts.deleteAccount(ctx, caller, params.id));
}
