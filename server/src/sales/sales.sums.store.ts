// Sums sales over many ranges of many locations in one query.
import { resolveEditScope, resolveViewScope } from "@psp/contract/permission/can.ts";
import { sql } from "kysely";
import { toPgColumn } from "../db/arrays.ts";
import type { Reader } from "../db/database.ts";
import { whereOwnerIn } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";
import { isReadable } from "./sales.store.ts";

export type SalesRange = { locationId: string; from: number; to: number };

export type SumRow = {
  /** Index of the range. */
  place: number;
  currency: string;
  transactions: number;
  revenue: string;
  /** Null if an entry has none. */
  staff_hours: string | null;
  covered_ms: number;
};

/** One row per range and currency that has entries. Considers entries that lie completely in the range. */
export async function sumRanges(reader: Reader, caller: Caller, ranges: readonly SalesRange[]): Promise<SumRow[]> {
  if (ranges.length === 0) return [];
  const columns = { id: "l.owner_id", path: "l.owner_path" };
  const { rows } = await sql<SumRow>`
    select (n.place - 1)::int as place, sums.*
    from unnest(${`{${ranges.map(({ locationId }) => locationId).join(",")}}`}::uuid[],
      ${toPgColumn(ranges, ({ from }) => from)}::bigint[], ${toPgColumn(ranges, ({ to }) => to)}::bigint[])
      with ordinality n (location_id, from_ms, to_ms, place)
    join location l on l.id = n.location_id and not l.is_deleted
      and ${whereOwnerIn(resolveViewScope(caller, "measurement"), caller, columns)}
      and ${whereOwnerIn(resolveEditScope(caller, "measurement"), caller, columns)}
    cross join lateral (
      select s.currency, sum(s.transactions) as transactions, sum(s.revenue)::text as revenue,
        (case when count(*) = count(s.staff_hours) then sum(s.staff_hours) end)::text as staff_hours,
        sum(s.end_ms - s.start_ms)::bigint as covered_ms
      from sale s where s.location_id = l.id and s.start_ms >= n.from_ms and s.start_ms < n.to_ms and s.end_ms <= n.to_ms
        and ${isReadable(caller)}
      group by s.currency) sums`.execute(reader);
  return rows;
}
