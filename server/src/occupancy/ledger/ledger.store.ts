// Queries for what a location's count depends on, besides counts: settings, sensors, outages, views, flows, corrections.
import { sql } from "kysely";
import { toPgColumn, toPgArray } from "../../db/arrays.ts";
import type { Reader, Tx } from "../../db/database.ts";
import { isHeldByGateway } from "../../device/gateways/gateways.store.ts";
import type { StoredFlow } from "../occupancy.tables.ts";
import { toJsonb } from "../../db/storable.ts";

export type SettingRow = { fromMs: number; runs: boolean; settings: Record<string, unknown>; timezone: string | null };

export async function findSettings(reader: Reader, locationId: string): Promise<SettingRow[]> {
  const { rows } = await sql<SettingRow>`
    select (extract(epoch from from_at) * 1000)::float8 as "fromMs", runs, settings, timezone
    from occupancy_setting where location_id = ${locationId} order by from_at`.execute(reader);
  return rows.map((row) => ({ ...row, fromMs: Math.floor(row.fromMs) }));
}

export type SensorRow = { num: number; id: string; type: string; locationId: string | null; isThere: boolean };

const sensorColumns = sql`s.num, s.id, s.type, s.location_id as "locationId",
  s.is_connected and not s.is_deleted
    and not exists (select from occupancy_outage o where o.sensor_num = s.num and o.to_at is null) as "isThere"`;

/** Finds the given sensors and those now assigned to the location. `isThere`: connected and without an open outage. */
export async function findSensors(reader: Reader, locationId: string, nums: Iterable<number>): Promise<SensorRow[]> {
  const { rows } = await sql<SensorRow>`select ${sensorColumns} from sensor s
    where s.location_id = ${locationId} or s.num = any(${toPgArray(nums)}::int[])`.execute(reader);
  return rows;
}

export async function findSensorsById(reader: Reader, ids: readonly string[]): Promise<SensorRow[]> {
  const { rows } = await sql<SensorRow>`select ${sensorColumns} from sensor s
    where s.id = any(${[...ids]}::text[])`.execute(reader);
  return rows;
}

export type OutageRow = { num: number; fromMs: number; toMs: number | null };

export async function findOutages(reader: Reader, nums: Iterable<number>, fromMs: number): Promise<OutageRow[]> {
  const { rows } = await sql<OutageRow>`
    select sensor_num as num, floor(extract(epoch from from_at) * 1000)::float8 as "fromMs",
      floor(extract(epoch from to_at) * 1000)::float8 as "toMs"
    from occupancy_outage where sensor_num = any(${toPgArray(nums)}::int[])
      and (to_at is null or to_at > ${new Date(fromMs)})`.execute(reader);
  return rows;
}

/** Finds the view reports since `fromMs`, and the last earlier report of each sensor. */
export async function findViewReports(reader: Reader, nums: Iterable<number>, fromMs: number) {
  const { rows } = await sql<{ num: number; atMs: number; osd: number }>`
    select n.num, r.at as "atMs", r.osd from unnest(${toPgArray(nums)}::int[]) n (num) cross join lateral (
      (select start_ms as at, case when body ->> 'to' ~ '^\\d$' then (body ->> 'to')::int else 0 end as osd
        from device_record where kind = 'event' and sensor_num = n.num and sub = 'osd' and not is_ahead and start_ms > ${fromMs})
      union all
      (select start_ms, case when body ->> 'to' ~ '^\\d$' then (body ->> 'to')::int else 0 end
        from device_record where kind = 'event' and sensor_num = n.num and sub = 'osd' and not is_ahead and start_ms <= ${fromMs}
        order by start_ms desc limit 1)
    ) r`.execute(reader);
  return rows;
}

export async function findFlows(
  reader: Reader,
  nums: Iterable<number>,
): Promise<(StoredFlow & { receivedMs: number })[]> {
  const { rows } = await sql<StoredFlow & { receivedMs: number }>`
    select sensor_num as num, since_ms as "sinceMs", received_ms as "receivedMs", n_in as "in", n_out as "out"
    from occupancy_flow where sensor_num = any(${toPgArray(nums)}::int[])`.execute(reader);
  return rows;
}

export type ReportedFlow = { sensorId: string; sinceMs: number; receivedMs: number; in: number; out: number };

/** Stores flows of sensors whose location has the app. */
export async function saveFlows(tx: Reader, flows: readonly ReportedFlow[]): Promise<void> {
  if (flows.length === 0) return;
  await sql`
    insert into occupancy_flow (sensor_num, since_ms, received_ms, n_in, n_out)
    select s.num, u.since, u.received, u.ins, u.outs from unnest(${flows.map((f) => f.sensorId)}::text[],
      ${toPgColumn(flows, (f) => f.sinceMs)}::bigint[], ${toPgColumn(flows, (f) => f.receivedMs)}::bigint[],
      ${toPgColumn(flows, (f) => f.in)}::int[], ${toPgColumn(flows, (f) => f.out)}::int[]) u (id, since, received, ins, outs)
    join sensor s on s.id = u.id join location l on l.id = s.location_id
    where not s.is_deleted and l.applications <> '[]' order by s.num
    on conflict (sensor_num) do update set since_ms = excluded.since_ms, received_ms = excluded.received_ms,
      n_in = excluded.n_in, n_out = excluded.n_out`.execute(tx);
}

export type OutageScope = { ids: readonly string[]; locationIds: readonly string[] } | "all";

/**
 * Starts outages of disconnected sensors at locations with the app; returns their ids. `unheard`: also for sensors that are stored as
 * connected, but to a gateway that does not run anymore.
 */
export async function openOutages(reader: Reader, who: OutageScope, now: Date, unheard = false): Promise<string[]> {
  const concerned =
    who === "all"
      ? sql`true`
      : sql`(s.id = any(${[...who.ids]}::text[]) or s.location_id = any(${[...who.locationIds]}::uuid[]))`;
  const { rows } = await sql<{ id: string }>`
    with opened as (
      insert into occupancy_outage (sensor_num, from_at)
      select s.num, least(${now}::timestamptz, case when s.is_connected then ${now}::timestamptz
          else greatest(s.discon_at, s.visible_from) end)
      from sensor s join location l on l.id = s.location_id
      where ${concerned} and not s.is_deleted and l.applications <> '[]' and (not s.is_connected ${unheard ? sql`or not ${isHeldByGateway("s.num")}` : sql``})
        and not exists (select from occupancy_outage o where o.sensor_num = s.num and o.to_at is null)
      order by s.num
      on conflict do nothing
      returning sensor_num)
    select s.id from opened join sensor s on s.num = opened.sensor_num`.execute(reader);
  return rows.map(({ id }) => id);
}

export async function closeOutages(reader: Reader, ids: readonly string[], now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update occupancy_outage o set to_at = greatest(o.from_at, ${now}::timestamptz) from sensor s
    where s.num = o.sensor_num and o.to_at is null and s.id = any(${[...ids]}::text[])
    returning s.id`.execute(reader);
  return rows.map(({ id }) => id);
}

export type CorrectionRow = {
  id: string;
  atMs: number;
  count: number;
  note: string | null;
  byId: string;
  byName: string;
  flows: StoredFlow[];
};

export async function findCorrections(reader: Reader, locationId: string, fromMs: number): Promise<CorrectionRow[]> {
  return reader
    .selectFrom("occupancy_correction as c")
    .innerJoin("account as a", "a.id", "c.account_id")
    .where("c.location_id", "=", locationId)
    .where("c.at_ms", ">=", fromMs)
    .select(["c.id", "c.at_ms as atMs", "c.count", "c.note", "a.id as byId", "a.name as byName", "c.flows"])
    .orderBy("c.at_ms")
    .orderBy("c.id")
    .execute();
}

export async function insertCorrection(
  tx: Tx,
  {
    flows,
    ...row
  }: {
    id: string;
    location_id: string;
    at_ms: number;
    count: number;
    note: string | null;
    account_id: string;
    flows: readonly StoredFlow[];
  },
): Promise<void> {
  await tx
    .insertInto("occupancy_correction")
    .values({ ...row, flows: toJsonb(flows) })
    .execute();
}

export type ShownStateRow = { locationId: string; atMs: number; state: string; count: number; max: number };

/** Stores messages to displays, but only changes of the state. Several processes may send the same message. */
export async function saveShownStates(reader: Reader, shown: readonly ShownStateRow[]): Promise<void> {
  if (shown.length === 0) return;
  await sql`
    insert into occupancy_shown (location_id, at_ms, state, count, max_objects)
    select u.* from unnest(${shown.map((one) => one.locationId)}::uuid[], ${toPgColumn(shown, (one) => one.atMs)}::bigint[],
      ${shown.map((one) => one.state)}::text[], ${toPgColumn(shown, (one) => one.count)}::int[],
      ${toPgColumn(shown, (one) => one.max)}::int[]) u (id, at, state, count, max)
    where u.state is distinct from (select b.state from occupancy_shown b where b.location_id = u.id and b.at_ms <= u.at
      order by b.at_ms desc limit 1)
    on conflict do nothing`.execute(reader);
}

export async function findShownState(reader: Reader, locationId: string, atMs: number): Promise<ShownStateRow | null> {
  const row = await reader
    .selectFrom("occupancy_shown")
    .where("location_id", "=", locationId)
    .where("at_ms", "<=", atMs)
    .orderBy("at_ms", "desc")
    .limit(1)
    .select(["location_id as locationId", "at_ms as atMs", "state", "count", "max_objects as max"])
    .executeTakeFirst();
  return row ?? null;
}

export async function deleteOldOccupancyRows(reader: Reader, until: Date): Promise<void> {
  await sql`delete from occupancy_shown where at_ms < ${until.getTime()}`.execute(reader);
  await sql`delete from occupancy_outage where to_at < ${until}`.execute(reader);
}
