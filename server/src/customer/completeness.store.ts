// Queries that add yesterday's completeness of locations to the totals per account.
import { sql } from "kysely";
import { toPgColumn } from "../db/arrays.ts";
import { hoursColumns, type HoursKeys } from "../db/applied-hours.ts";
import type { Reader, Tx } from "../db/database.ts";

export async function hasDueLocations(reader: Reader, now: Date): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`select exists (select from location_mark)
    or exists (select from counted_location where check_at <= ${now}) as due`.execute(reader);
  return rows[0]?.due === true;
}

/** Marked locations first. `marks` are the ids of the marks that were read. */
export async function findDueLocations(reader: Reader, now: Date, limit: number) {
  const marked = await sql<{ id: string; mark: number }>`
    select location_id as id, id as mark from location_mark order by location_mark.id limit ${limit}`.execute(reader);
  const due = await sql<{ id: string }>`select location_id as id from counted_location where check_at <= ${now}
    order by check_at limit ${limit}`.execute(reader);
  const ids = [...new Set([...marked.rows, ...due.rows].map(({ id }) => id))];
  return { ids, marks: marked.rows.map(({ mark }) => mark) };
}

export async function deleteMarks(tx: Tx, marks: readonly number[]): Promise<void> {
  if (marks.length === 0) return;
  await sql`delete from location_mark where id = any(${toPgColumn(marks, (mark) => mark)}::bigint[])`.execute(tx);
}

type Located = HoursKeys & {
  id: string;
  name: string;
  timezone: string | null;
  ownerId: string;
  ownerName: string;
  ownerPath: string;
};

/** Skips deleted locations; ignores rights. */
export async function findLocations(reader: Reader, ids: readonly string[]): Promise<Located[]> {
  const { rows } = await sql<Located>`
    select location.id, location.name, location.timezone, location.owner_id as "ownerId", owner.name as "ownerName",
      location.owner_path as "ownerPath", ${hoursColumns("location", "owner")}
    from location join account owner on owner.id = location.owner_id
    where location.id = any(${[...ids]}::uuid[]) and not location.is_deleted order by location.id`.execute(reader);
  return rows;
}

export type CountedLocation = {
  id: string;
  ownerPath: string;
  knownMs: number;
  expectedMs: number;
  /** Milliseconds since 1970. */
  checkAt: number;
};

/** Replaces what is stored of these locations, and corrects the totals by the difference. Those not in `counted` are deleted. */
export async function saveCompleteness(
  tx: Tx,
  ids: readonly string[],
  counted: readonly CountedLocation[],
): Promise<void> {
  await sql`
    with asked as (select unnest(${[...ids]}::uuid[]) as location_id),
    fresh as materialized (
      select id as location_id, path as owner_path, known_ms, expected_ms, to_timestamp(at / 1000.0) as check_at
      from unnest(${counted.map(({ id }) => id)}::uuid[], ${counted.map(({ ownerPath }) => ownerPath)}::text[],
        ${toPgColumn(counted, (one) => one.knownMs)}::bigint[], ${toPgColumn(counted, (one) => one.expectedMs)}::bigint[],
        ${toPgColumn(counted, (one) => one.checkAt)}::float8[]) n (id, path, known_ms, expected_ms, at)
    ),
    old as materialized (select c.* from asked join counted_location c using (location_id)),
    gone as (delete from counted_location c using asked where c.location_id = asked.location_id
      and not exists (select from fresh f where f.location_id = asked.location_id)),
    kept as (insert into counted_location (location_id, owner_path, known_ms, expected_ms, check_at)
      select location_id, owner_path, known_ms, expected_ms, check_at from fresh
      on conflict (location_id) do update set owner_path = excluded.owner_path, known_ms = excluded.known_ms,
        expected_ms = excluded.expected_ms, check_at = excluded.check_at)
    insert into owner_completeness as t (owner_path, known_ms, expected_ms)
      select owner_path, sum(known_ms), sum(expected_ms) from (
        select owner_path, known_ms, expected_ms from fresh
        union all select owner_path, -known_ms, -expected_ms from old
      ) n group by owner_path having sum(known_ms) <> 0 or sum(expected_ms) <> 0
      on conflict (owner_path) do update
        set known_ms = t.known_ms + excluded.known_ms, expected_ms = t.expected_ms + excluded.expected_ms`.execute(tx);
}
