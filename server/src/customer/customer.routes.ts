// Maps the customer call to its use case.
import { listCustomers } from "@psp/contract/customer/customer.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import * as service from "./customer.service.ts";

export function customerRoutes(bind: Binder, ctx: Context): void {
  bind.session(listCustomers, (caller, { query }) => service.listCustomers(ctx, caller, query));
}
