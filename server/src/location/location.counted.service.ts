// Reads locations for files of counts.
import { errorCode } from "@psp/contract/errors.ts";
import type { Context } from "../context.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import * as store from "./location.counted.store.ts";
import { locationConditions, type LocationFilter } from "./location.store.ts";

export type { DescribedLocation } from "./location.counted.store.ts";

/** How many matching visible locations each zone has. */
export const countLocationsByZone = (ctx: Context, caller: Caller, filter: LocationFilter) =>
  store.countByZone(ctx.db, locationConditions(caller, filter));

/** Ids of the matching visible locations, in the order of their names. */
export const findLocationIdsByName = (ctx: Context, caller: Caller, filter: LocationFilter, limit: number) =>
  store.findIdsByName(ctx.db, locationConditions(caller, filter), limit);

/** Throws 105 unless all of them are still visible. */
export async function requireVisibleLocations(ctx: Context, caller: Caller, ids: readonly string[]): Promise<void> {
  const n = await store.countAmong(ctx.db, locationConditions(caller, {}), ids);
  if (n < ids.length) throw new AppError(errorCode.notFound);
}

/** Throws 305 unless the caller may still edit all of them. */
export async function requireEditableLocations(ctx: Context, caller: Caller, ids: readonly string[]): Promise<void> {
  const n = await store.countEditableAmong(ctx.db, caller, ids);
  if (n < ids.length) throw new AppError(errorCode.noEdit);
}

/** Throws 105 unless all of them are still visible. */
export async function describeLocations(ctx: Context, caller: Caller, ids: readonly string[]) {
  const found = await store.describe(ctx.db, locationConditions(caller, {}), ids);
  if (found.length < ids.length) throw new AppError(errorCode.notFound);
  return found;
}
