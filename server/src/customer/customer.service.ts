// Lists the direct children of an account with the state of everything at and below them (docs/rules/customers.md).
import type { Customer, listCustomers as listCall } from "@psp/contract/customer/customer.api.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import type { Context } from "../context.ts";
import { createNothing, toCountSum } from "../counts/count-sum.rules.ts";
import type { Database } from "../db/database.ts";
import type { Caller } from "../kit/caller.ts";
import { createSingleFlight, type SingleFlight } from "../kit/limits/single-flight.ts";
import { computeCurrentContactCutoff } from "../sensor/sensor.rights.ts";
import * as store from "./customer.store.ts";

type Query = HandlerInput<typeof listCall>["query"];
type Reply = { objects: Customer[]; total?: number };
const flights = new WeakMap<Database, SingleFlight<Reply>>();

/** Deduplicates concurrent requests with the same view, because every open console refetches after an event. */
export function listCustomers(ctx: Context, caller: Caller, query: Query): Promise<Reply> {
  const same = flights.get(ctx.db) ?? createSingleFlight<Reply>();
  flights.set(ctx.db, same);
  const { id, path, parentAccounts, permissions } = caller;
  return same(JSON.stringify([id, path, parentAccounts, permissions, query]), () => readCustomers(ctx, caller, query));
}

async function readCustomers(ctx: Context, caller: Caller, query: Query): Promise<Reply> {
  const { skip = 0, limit = ctx.config.pageSize, includeTotals, parentID, sortBy, sortDesc, ...filter } = query;
  const parent = await store.findParent(ctx.db, caller, parentID ?? caller.id);
  const read = async (part: { skip: number; limit: number }) =>
    parent === null
      ? []
      : store.findCustomers(ctx.db, caller, parent, filter, {
          sort: sortKeys({ sortBy, sortDesc }),
          part,
          cutoff: computeCurrentContactCutoff(ctx),
        });
  const rows = await read({ skip, limit });
  const objects = rows.map(toCustomer);
  if (!includeTotals) return { objects };
  // A page past the end has no row that contains the total.
  const [first] = rows.length > 0 || skip === 0 ? rows : await read({ skip: 0, limit: 1 });
  return { objects, total: first?.total ?? 0 };
}

function toCustomer({ id, name, lastSeenAt, knownMs, expectedMs, ...row }: store.CustomerRow): Customer {
  const { children, sensors, offline, errors, warnings, outdated } = row;
  const { completeness } = toCountSum({ ...createNothing(), openKnownMs: knownMs, expectedMs }, true);
  const counted = { children, sensors, offline, errors, warnings, outdated };
  return { _id: id, name, ...counted, completeness, lastSignInAt: lastSeenAt?.toISOString() ?? null };
}
