// Finds locations by the texts that people use for them: ids, external ids and names.
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import type { Caller } from "../kit/caller.ts";
import { locationTable } from "./location.store.ts";

export type FoundLocation = { id: string; name: string; timezone: string | null; owner_id: string };
type Matched = FoundLocation & { keys: string[]; by: "id" | "externalID" | "name" };

/** More than one is ambiguous, so no key needs more. */
const maxPerKey = 2;

/**
 * Finds visible locations whose id, external id or name is one of the keys, at most two for each. Names match without case and
 * accents; keys that are the same name share their rows.
 */
export async function findLocationsByKeys(reader: Reader, caller: Caller, keys: readonly string[]) {
  const { rows } = await sql<Matched>`
    with names as materialized (
      select array_agg(key) as keys, trim(searched_text(key)) as name, sorted_text(key) as sort
      from unnest(${[...keys]}::text[]) key group by 2, 3)
    select array[location.id::text] as keys, 'id' as by, location.id, name, timezone, owner_id from location
      where id = any(${filterUuids(keys)}::uuid[]) and not is_deleted and ${locationTable.sees(caller)}
    union all
    select array[external_id], 'externalID', id, name, timezone, owner_id from (
      select external_id, id, name, timezone, owner_id, row_number() over (partition by external_id) as place
      from location where external_id = any(${[...keys]}::text[]) and not is_deleted and ${locationTable.sees(caller)}
      ) numbered where place <= ${maxPerKey}
    union all
    select names.keys, 'name', same.* from names cross join lateral (
      select location.id, location.name, timezone, owner_id from location
      where name_sort = names.sort and trim(name_search) = names.name and not is_deleted and ${locationTable.sees(caller)}
      -- The order of the index, so that it is read only up to the limit.
      order by name_sort, location.name, location.id limit ${maxPerKey}) same`.execute(reader);
  return rows;
}

/** Locks locations in the global order; returns their present owners. */
export async function lockOwners(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; owner_id: string }>`select id, owner_id from location
    where id = any(${[...ids]}::uuid[]) and not is_deleted order by id for no key update`.execute(tx);
  return new Map(rows.map((row) => [row.id, row.owner_id]));
}
