// Queries that select, lock, change or delete a whole part of a location batch.
import { type Selectable, sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import { type Condition, conjunction } from "../db/list.ts";
import type { Tables } from "../db/tables.ts";
import type { Caller } from "../kit/caller.ts";
import { locationTable } from "./location.store.ts";
import { toJsonb } from "../db/storable.ts";

type Stored = Selectable<Tables["location"]>;

export async function selectLocationIds(
  db: Reader,
  conditions: readonly Condition[],
  exclude: string[],
  limit: number,
) {
  const { rows } = await sql<{ id: string }>`select location.id from location
    where ${conjunction(conditions)} and not location.id = any(${exclude}::uuid[])
    order by location.id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Locks visible locations that are not deleted, in the global lock order. */
export async function lockLocations(tx: Tx, caller: Caller, ids: readonly string[]): Promise<Map<string, Stored>> {
  const { rows } = await sql<Stored>`select * from location
    where id = any(${[...ids]}::uuid[]) and not is_deleted and ${locationTable.sees(caller)}
    order by id for update`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The columns that a batch may change. An unchanged column repeats its stored value. */
export type LocationBatchColumns = Pick<
  Stored,
  "id" | "owner_id" | "owner_path" | "lat" | "lng" | "timezone" | "address" | "country" | "tags"
> & {
  /** Omitted if unchanged, because it may be long. */
  opening_hours?: Stored["opening_hours"];
};

export async function saveLocations(
  tx: Tx,
  at: Date,
  rows: readonly LocationBatchColumns[],
): Promise<Map<string, Stored>> {
  if (rows.length === 0) return new Map();
  const given = rows.map((row) => ({ ...row, has_hours: row.opening_hours !== undefined }));
  const hours = given.some(({ has_hours }) => has_hours)
    ? sql`, opening_hours = case when n.has_hours then nullif(n.opening_hours, 'null') else location.opening_hours end`
    : sql``;
  const saved = await sql<Stored>`update location set version = version + 1, updated_at = ${at},
      owner_id = n.owner_id, owner_path = n.owner_path, lat = n.lat, lng = n.lng, timezone = n.timezone,
      -- An SQL null becomes a JSON null in the input; converts it back.
      address = nullif(n.address, 'null'), country = n.country, tags = n.tags ${hours}
    from jsonb_to_recordset(${toJsonb(given)}::jsonb) n (id uuid, owner_id uuid, owner_path text,
      lat double precision, lng double precision, timezone text, address jsonb, country text, tags text[], opening_hours jsonb,
      has_hours boolean)
    where location.id = n.id returning location.*`.execute(tx);
  return new Map(saved.rows.map((row) => [row.id, row]));
}

/** Returns the locations whose tags or hours the caller changed in these requests since `since`. */
export async function selectRestorableIds(
  db: Reader,
  caller: Caller,
  requestIds: readonly string[],
  since: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select distinct object_id as id from audit
    where account_id = ${caller.id} and at >= ${since} and ${changedIn(requestIds)}
    order by object_id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

export type RestorableValues = Pick<Stored, "tags" | "opening_hours">;
export type FormerValues = { before: RestorableValues; after: RestorableValues };

/** Returns tags and hours of locations before the first and after the last of the caller's changes in these requests. */
export async function findFormerValues(
  tx: Tx,
  caller: Caller,
  requestIds: readonly string[],
  ids: readonly string[],
): Promise<Map<string, FormerValues>> {
  const values = (entry: "before" | "after") => {
    const of = (field: string) => sql`${sql.ref(entry)} -> ${sql.lit(field)}`;
    return sql`jsonb_build_object('tags', ${of("tags")}, 'opening_hours', ${of("openingHours")})`;
  };
  const { rows } = await sql<FormerValues & { id: string }>`select object_id as id,
      (array_agg(${values("before")} order by at, id))[1] as before,
      (array_agg(${values("after")} order by at desc, id desc))[1] as after
    from audit where object_id = any(${[...ids]}::text[]) and account_id = ${caller.id} and ${changedIn(requestIds)}
    group by object_id`.execute(tx);
  return new Map(rows.map(({ id, ...former }) => [id, former]));
}

const changedIn = (requestIds: readonly string[]) => sql<boolean>`(object_type = 'measurement' and action = 'update'
  and request_id = any(${[...requestIds]}::text[]) and (before -> 'tags' <> after -> 'tags'
    or before -> 'openingHours' <> after -> 'openingHours'))`;

export async function markLocationsDeleted(tx: Tx, at: Date, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`update location set is_deleted = true, version = version + 1, updated_at = ${at}
    where id = any(${[...ids]}::uuid[])`.execute(tx);
}
