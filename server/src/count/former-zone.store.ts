// Queries for former time zones of locations. Stored data keeps its local times when the zone changes (ADR 0020).
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import { type Zone, zoneOf } from "@psp/contract/kit/zone.ts";

/** Former zones of one location, oldest first; each applies to starts before `untilMs`. */
export type FormerZones = readonly { untilMs: number; zone: Zone }[];

/**
 * Stores the former zone for all existing data of the location, if there is any. Call it in the transaction of the change. Daily
 * sums use the new zone only.
 */
export async function saveFormerZone(tx: Tx, locationId: string, timezone: string | null, nowMs: number) {
  await sql`
    with newest as (
      select max(start_ms) as ms from occupancy_point where location_id = ${locationId}
      union all
      select max(start_ms) from monitoring_status where location_id = ${locationId}
      union all
      select greatest(counted.ms, counter.packed_to_ms - 1, placed.ms)
      from (select distinct sensor_num as num from sensor_location where location_id = ${locationId}) s
      join counter on counter.sensor_num = s.num
      left join lateral (select max(start_ms) as ms from count_hot where sensor_num = s.num) counted on true
      left join lateral (
        select max(start_ms) as ms from device_record where kind = 'position' and sensor_num = s.num
      ) placed on true
    ), stored as (select least(max(ms), ${nowMs}::bigint) + 1 as until from newest having max(ms) is not null)
    insert into location_former_zone (location_id, until_ms, zone)
    select ${locationId}::uuid, until, ${timezone}::text from stored
    where until > coalesce((select max(until_ms) from location_former_zone
      where location_id = ${locationId}), 0)`.execute(tx);
}

export async function findFormerZones(reader: Reader, locationIds: readonly string[]) {
  if (locationIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; untilMs: number; zone: string | null }>`
    select location_id as id, until_ms as "untilMs", zone from location_former_zone
    where location_id = any(${[...new Set(locationIds)]}::uuid[]) order by location_id, until_ms`.execute(reader);
  const found = rows.map((row) => ({ ...row, zone: zoneOf(row.zone) }));
  return Map.groupBy(found, ({ id }) => id);
}

/** Returns the zone that determines the local time of data that starts at `ms`. */
export function resolveZone(former: FormerZones | undefined, now: Zone, ms: number): Zone {
  return former?.find(({ untilMs }) => ms < untilMs)?.zone ?? now;
}
