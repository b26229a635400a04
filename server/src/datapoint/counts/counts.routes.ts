// The calls of the counts pages to use cases, one line each.
import * as calls from "@psp/contract/datapoint/counts.api.ts";
import type { Context } from "../../context.ts";
import type { Binder } from "../../http/bind.ts";
import { compareLocations, totalCounts } from "./compare.service.ts";
import { getCounts, getTypicalWeek } from "./counts.service.ts";

export function countsRoutes(bind: Binder, ctx: Context): void {
  bind.session(calls.getCounts, (caller, { query }) => getCounts(ctx, caller, query));
  bind.session(calls.getTypicalWeek, (caller, { query }) => getTypicalWeek(ctx, caller, query));
  bind.session(calls.listLocationCounts, (caller, { query }) => compareLocations(ctx, caller, query));
  bind.session(calls.totalCounts, (caller, { query }) => totalCounts(ctx, caller, query));
}
