// Sums sales by local day, and lists the entries of some days, for many locations in one query.
import { type RawBuilder, sql } from "kysely";
import { toPgArray, toPgColumn } from "../db/arrays.ts";
import type { Reader } from "../db/database.ts";
import { whereEditable, whereViewable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";
import { isReadable } from "./sales.store.ts";

export type DaySumRow = {
  /** Index of the location. */
  place: number;
  /** Index of the day. */
  day: number;
  currency: string;
  transactions: number;
  revenue: string;
  /** Null if an entry has none. */
  staff_hours: string | null;
  covered_ms: number;
  first_ms: number;
  last_ms: number;
  is_day: boolean;
};

const uuids = (ids: readonly string[]) => sql`${`{${ids.join(",")}}`}::uuid[]`;

/** Joins the locations `n` that the caller may edit, because only those show their sales. */
function editableLocations(caller: Caller): RawBuilder<unknown> {
  return sql`join location l on l.id = n.location_id and not l.is_deleted
    and ${whereViewable(caller, "measurement", "l")}
    and ${whereEditable(caller, "measurement", "l")}`;
}

/** `edges` are the starts of local days and the end of the last one. An entry that no day contains completely is left out. */
export async function sumByDay(
  reader: Reader,
  caller: Caller,
  locationIds: readonly string[],
  edges: readonly number[],
): Promise<DaySumRow[]> {
  if (locationIds.length === 0 || edges.length < 2) return [];
  const days = sql`${toPgArray(edges)}::bigint[]`;
  const { rows } = await sql<DaySumRow>`
    select (n.place - 1)::int as place, sums.*
    from unnest(${uuids(locationIds)}) with ordinality n (location_id, place) ${editableLocations(caller)}
    cross join lateral (
      select d.day, s.currency, sum(s.transactions) as transactions, sum(s.revenue)::text as revenue,
        (case when count(*) = count(s.staff_hours) then sum(s.staff_hours) end)::text as staff_hours,
        sum(s.end_ms - s.start_ms)::bigint as covered_ms, min(s.start_ms) as first_ms, max(s.end_ms) as last_ms,
        bool_or(s.is_day) as is_day
      from sale s cross join lateral (select width_bucket(s.start_ms, ${days}) - 1 as day) d
      where s.location_id = l.id and s.start_ms >= ${edges[0]} and s.start_ms < ${edges.at(-1)}
        and s.end_ms <= (${days})[d.day + 2] and ${isReadable(caller)}
      group by d.day, s.currency) sums order by 1, 2, 3`.execute(reader);
  return rows;
}

export type EntryRow = {
  /** Index of the range. */
  place: number;
  start_ms: number;
  end_ms: number;
  transactions: number;
  revenue: string;
  currency: string;
  staff_hours: string | null;
};
export type SalesRange = { locationId: string; from: number; to: number };

/** Lists the entries that lie completely in each range, by start. */
export async function listEntries(reader: Reader, caller: Caller, ranges: readonly SalesRange[]): Promise<EntryRow[]> {
  if (ranges.length === 0) return [];
  const { rows } = await sql<EntryRow>`
    select (n.place - 1)::int as place, entries.*
    from unnest(${uuids(ranges.map(({ locationId }) => locationId))}, ${toPgColumn(ranges, ({ from }) => from)}::bigint[],
      ${toPgColumn(ranges, ({ to }) => to)}::bigint[]) with ordinality n (location_id, from_ms, to_ms, place)
    ${editableLocations(caller)}
    cross join lateral (
      select s.start_ms, s.end_ms, s.transactions, s.revenue::text as revenue, s.currency, s.staff_hours::text as staff_hours
      from sale s where s.location_id = l.id and s.start_ms >= n.from_ms and s.start_ms < n.to_ms and s.end_ms <= n.to_ms
        and ${isReadable(caller)}) entries order by 1, entries.start_ms`.execute(reader);
  return rows;
}

/** Finds the locations that have sales which start in the interval and which the caller may read. */
export async function findLocationsWithSales(
  reader: Reader,
  caller: Caller,
  locationIds: readonly string[],
  { from, to }: { from: number; to: number },
): Promise<string[]> {
  if (locationIds.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select l.id from unnest(${uuids(locationIds)}) n (location_id) ${editableLocations(caller)}
    where exists (select from sale s where s.location_id = l.id and s.start_ms >= ${from} and s.start_ms < ${to}
      and ${isReadable(caller)})`.execute(reader);
  return rows.map(({ id }) => id);
}
