// SQL condition for the locations with tags, used by lists of other objects.
import { type RawBuilder, sql } from "kysely";
import { conjunction } from "../db/list.ts";
import type { Caller } from "../kit/caller.ts";
import { locationConditions } from "./location.store.ts";

/** A subquery of the ids of locations in the caller's view that have all these tags. */
export const taggedLocations = (caller: Caller, tag: string[]): RawBuilder<unknown> =>
  sql`(select location.id from location where ${conjunction(locationConditions(caller, { tag }))})`;
