// Queries that find, write, list and delete sales.
import { resolveEditScope } from "@psp/contract/permission/can.ts";
import { type RawBuilder, sql } from "kysely";
import { toPgColumn } from "../db/arrays.ts";
import type { Reader, Tx } from "../db/database.ts";
import { type Condition, type PageSlice, limitClause } from "../db/list.ts";
import { whereOwnerIn } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";
import type { Entry, KnownEntry, Period } from "./sales.rules.ts";

export type SaleKey = { locationId: string; ownerId: string; startMs: number };
export type NewRow = Entry & { locationId: string; ownerId: string };
export type OverlappingRow = KnownEntry & { place: number; ownerId: string };

/** Longer than any local day. */
const longestMs = 50 * 3_600_000;

const uuids = (list: readonly string[]) => sql`${`{${list.join(",")}}`}::uuid[]`;

function periods(rows: readonly (Period & { locationId: string })[]): RawBuilder<unknown> {
  return sql`unnest(${uuids(rows.map((row) => row.locationId))},
    ${toPgColumn(rows, (row) => row.startMs)}::bigint[], ${toPgColumn(rows, (row) => row.endMs)}::bigint[])`;
}

/** Finds stored rows of all owners that overlap the given ones. `place` is the index of the given row. */
export async function findOverlappingRows(
  reader: Reader,
  rows: readonly (Period & { locationId: string })[],
): Promise<OverlappingRow[]> {
  if (rows.length === 0) return [];
  const found = await sql<OverlappingRow>`
    select (n.place - 1)::int as place, s.* from ${periods(rows)} with ordinality n (location_id, from_ms, to_ms, place)
    -- The offset keeps this a lookup in the index for each given row.
    cross join lateral (
      select owner_id as "ownerId", start_ms as "startMs", end_ms as "endMs", is_day as "isDay", transactions,
        revenue::float8 as revenue, currency, staff_hours::float8 as "staffHours", is_shadowed as "isShadowed"
      from sale where location_id = n.location_id
        and start_ms > n.from_ms - ${longestMs} and start_ms < n.to_ms and end_ms > n.from_ms offset 0) s`.execute(
    reader,
  );
  return found.rows;
}

export async function saveRows(tx: Tx, rows: readonly NewRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into sale (location_id, owner_id, start_ms, end_ms, is_day, transactions, revenue, currency, staff_hours)
    select * from unnest(${uuids(rows.map((row) => row.locationId))}, ${uuids(rows.map((row) => row.ownerId))},
      ${toPgColumn(rows, (row) => row.startMs)}::bigint[], ${toPgColumn(rows, (row) => row.endMs)}::bigint[],
      ${toPgColumn(rows, (row) => row.isDay)}::boolean[], ${toPgColumn(rows, (row) => row.transactions)}::integer[],
      ${toPgColumn(rows, (row) => row.revenue)}::numeric[], ${rows.map((row) => row.currency)}::text[],
      ${toPgColumn(rows, (row) => row.staffHours)}::numeric[])
    on conflict (location_id, start_ms, owner_id) do update set end_ms = excluded.end_ms, is_day = excluded.is_day,
      transactions = excluded.transactions, revenue = excluded.revenue, currency = excluded.currency,
      staff_hours = excluded.staff_hours, is_shadowed = false, write_num = default`.execute(tx);
}

const keys = (rows: readonly SaleKey[]) => sql`
  unnest(${uuids(rows.map((row) => row.locationId))}, ${uuids(rows.map((row) => row.ownerId))},
    ${toPgColumn(rows, (row) => row.startMs)}::bigint[]) n (location_id, owner_id, start_ms)`;
const isKey = sql`sale.location_id = n.location_id and sale.owner_id = n.owner_id and sale.start_ms = n.start_ms`;

export async function deleteRows(tx: Tx, rows: readonly SaleKey[]): Promise<void> {
  if (rows.length > 0) await sql`delete from sale using ${keys(rows)} where ${isKey}`.execute(tx);
}

export async function markShadowed(tx: Tx, rows: readonly SaleKey[]): Promise<void> {
  if (rows.length > 0) await sql`update sale set is_shadowed = true from ${keys(rows)} where ${isKey}`.execute(tx);
}

/**
 * Condition for a row of a location `l` that the caller may edit: it was stored under the present owner, or under an account whose
 * locations the caller may edit (docs/rules/sales.md#rights).
 */
function isOpenTo(caller: Caller, row: string): Condition {
  const ownerId = sql.ref(`${row}.owner_id`);
  const editable = whereOwnerIn(resolveEditScope(caller, "measurement"), caller, { id: "o.id", path: "o.path" });
  return sql<boolean>`(${ownerId} = l.owner_id or exists (select from account o where o.id = ${ownerId} and ${editable}))`;
}

/** Condition for rows `s` that the caller sees: of overlapping rows of several owners, only the one that was written last. */
export function isReadable(caller: Caller): Condition {
  return sql<boolean>`(${isOpenTo(caller, "s")} and (not s.is_shadowed or not exists (
    select from sale later where later.location_id = s.location_id and later.owner_id <> s.owner_id
      and later.start_ms > s.start_ms - ${longestMs} and later.start_ms < s.end_ms and later.end_ms > s.start_ms
      and later.write_num > s.write_num and ${isOpenTo(caller, "later")})))`;
}

export type SaleRow = {
  start_ms: number;
  end_ms: number;
  is_day: boolean;
  transactions: number;
  revenue: number;
  currency: string;
  staff_hours: number | null;
};
type Range = { fromMs: number | null; toMs: number | null };

function rowsOf(locationId: string, { fromMs, toMs }: Range, condition: Condition): RawBuilder<unknown> {
  return sql`sale s join location l on l.id = s.location_id where s.location_id = ${locationId}
    ${fromMs === null ? sql`` : sql`and s.start_ms >= ${fromMs}`} ${toMs === null ? sql`` : sql`and s.start_ms < ${toMs}`}
    and ${condition}`;
}

export async function listRows(
  reader: Reader,
  caller: Caller,
  locationId: string,
  range: Range,
  part: PageSlice,
): Promise<SaleRow[]> {
  const { rows } =
    await sql<SaleRow>`select s.start_ms, s.end_ms, s.is_day, s.transactions, s.revenue::float8 as revenue,
      s.currency, s.staff_hours::float8 as staff_hours
    from ${rowsOf(locationId, range, isReadable(caller))} order by s.start_ms desc, s.owner_id ${limitClause(part)}`.execute(
      reader,
    );
  return rows;
}

export async function countSales(reader: Reader, caller: Caller, locationId: string, range: Range): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select count(*) as n from ${rowsOf(locationId, range, isReadable(caller))}`.execute(reader);
  return rows[0]?.n ?? 0;
}

/** Deletes the rows that the caller may read, including those that a later row hides. */
export async function deleteRange(
  tx: Tx,
  caller: Caller,
  locationId: string,
  range: { fromMs: number; toMs: number },
): Promise<number> {
  const { numAffectedRows } = await sql`delete from sale using (
      select s.location_id, s.start_ms, s.owner_id from ${rowsOf(locationId, range, isOpenTo(caller, "s"))}) gone
    where sale.location_id = gone.location_id and sale.start_ms = gone.start_ms and sale.owner_id = gone.owner_id`.execute(
    tx,
  );
  return Number(numAffectedRows ?? 0);
}
