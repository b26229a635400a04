// Time zones that a location had before: the local times of what was stored then are not rewritten (ADR 0020).
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import { type Zone, zoneOf } from "@psp/contract/kit/zone.ts";

/** Former zones of one location, oldest first; each holds for starts before its end. */
export type FormerZones = readonly { untilMs: number; zone: Zone }[];

/**
 * Keeps the zone that a location has just lost, for all that is stored of it; to be called in the transaction of the
 * change. Where nothing is stored nothing is kept. Sums of days follow the new zone and don't ask here.
 */
export async function keepFormerZone(tx: Tx, locationId: string, timezone: string | null, nowMs: number) {
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

/** Former zones of these locations; most have none. */
export async function findFormerZones(reader: Reader, locationIds: readonly string[]) {
  if (locationIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; untilMs: number; zone: string | null }>`
    select location_id as id, until_ms as "untilMs", zone from location_former_zone
    where location_id = any(${[...new Set(locationIds)]}::uuid[]) order by location_id, until_ms`.execute(reader);
  const found = rows.map((row) => ({ ...row, zone: zoneOf(row.zone) }));
  return Map.groupBy(found, ({ id }) => id);
}

/** The zone in whose local time something that starts at `ms` is given. */
export function zoneThen(former: FormerZones | undefined, now: Zone, ms: number): Zone {
  return former?.find(({ untilMs }) => ms < untilMs)?.zone ?? now;
}
