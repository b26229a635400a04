// Finds locations by the texts that people use for them: ids, external ids and names.
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import type { Caller } from "../kit/caller.ts";
import { locationTable } from "./location.store.ts";

export type FoundLocation = { id: string; name: string; timezone: string | null; owner_id: string };
type Matched = FoundLocation & { key: string; by: "id" | "externalID" | "name" };

/** Finds visible locations whose id, external id or name is one of the keys. Names match without case and accents. */
export async function findLocationsByKeys(reader: Reader, caller: Caller, keys: readonly string[]) {
  const { rows } = await sql<Matched>`
    with keys as materialized (select key, searched_text(key) as name, sorted_text(key) as sort
      from unnest(${[...keys]}::text[]) key)
    select found.* from (
      select location.id::text as key, 'id' as by, location.id, name, timezone, owner_id from location
        where id = any(${filterUuids(keys)}::uuid[]) and not is_deleted and ${locationTable.sees(caller)}
      union all
      select external_id as key, 'externalID' as by, location.id, name, timezone, owner_id from location
        where external_id = any(${[...keys]}::text[]) and not is_deleted and ${locationTable.sees(caller)}
      union all
      select keys.key, 'name' as by, location.id, location.name, timezone, owner_id from keys join location
        on location.name_sort = keys.sort and trim(location.name_search) = trim(keys.name)
        where not is_deleted and ${locationTable.sees(caller)}) found`.execute(reader);
  return rows;
}

/** Locks locations in the global order; returns their present owners. */
export async function lockOwners(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; owner_id: string }>`select id, owner_id from location
    where id = any(${[...ids]}::uuid[]) and not is_deleted order by id for no key update`.execute(tx);
  return new Map(rows.map((row) => [row.id, row.owner_id]));
}
