// Queries for monitored sensors: which are due, their current states, and changes of state.
import type { IssueStatus, IssueType } from "@psp/contract/monitoring/issue-words.ts";
import { sql } from "kysely";
import { toPgColumn, toPgArray } from "../db/arrays.ts";
import type { Tx } from "../db/database.ts";
import { toJsonb } from "../db/storable.ts";
import { hoursColumns, type HoursKeys } from "../db/applied-hours.ts";

/** `fromMs`: earliest start of the changed facts; null if anything may have changed, Infinity if only time passed. */
export type DueSensor = { num: number; fromMs: number | null };

/** Deletes and returns marks of changed facts, and returns due checks; at most `limit` of each. */
export async function takeDueSensors(tx: Tx, now: Date, limit: number): Promise<DueSensor[]> {
  const { rows } = await sql<{ num: number; fromMs: number | null; isWhole: boolean }>`
    with taken as (
      delete from fact_mark where id = any(array(select id from fact_mark order by id limit ${limit}))
      returning sensor_num, from_ms
    ), due as (
      select sensor_num, null::bigint as from_ms, false as is_whole from monitor where check_at <= ${now}
        order by check_at limit ${limit}
    )
    select sensor_num as num, min(from_ms) as "fromMs", bool_or(is_whole) as "isWhole" from (
      select sensor_num, from_ms, from_ms is null as is_whole from taken
      union all select * from (select * from due) d
    ) all_of_them group by sensor_num order by sensor_num`.execute(tx);
  return rows.map(({ num, fromMs, isWhole }) => ({ num, fromMs: isWhole ? null : (fromMs ?? Infinity) }));
}

/** `isFormer`: whether it began under a former owner, so that the present one can't see it. */
export type OpenState = { type: IssueType; status: IssueStatus; statusId: string; isFormer: boolean };

const visibleFromMs = sql`case when isfinite(s.visible_from) then extract(epoch from s.visible_from)::float8 * 1000 else 0 end`;

export type EvaluatedSensor = HoursKeys & {
  num: number;
  id: string;
  ownerId: string;
  ownerPath: string;
  isMonitored: boolean;
  own: unknown;
  inherited: unknown;
  location: { id: string; name: string; ownerId: string } | null;
  zone: string | null;
  offlineSinceMs: number | null;
  isConnected: boolean;
  visibleFromMs: number;
  /** Result of the last evaluation; null if the sensor was not monitored. */
  judged: { day: number | null; deliveredDay: number | null; zone: string } | null;
  states: OpenState[];
};

export async function findEvaluatedSensors(tx: Tx, nums: readonly number[]): Promise<EvaluatedSensor[]> {
  type Row = Omit<EvaluatedSensor, "own" | "inherited" | "location" | "judged" | "states"> & {
    own: string | null;
    inherited: string | null;
    locationId: string | null;
    locationName: string;
    locationOwner: string;
    wasMonitored: boolean;
    judgedDay: number | null;
    deliveredDay: number | null;
    judgedZone: string;
    states: OpenState[] | null;
  };
  const { rows } = await sql<Row>`
    select s.num, s.id, s.owner_id as "ownerId", s.owner_path as "ownerPath",
      s.license_monitoring and not s.is_deleted as "isMonitored",
      s.monitoring_config::text as own, l.monitoring_config::text as inherited, l.timezone as zone,
      ${hoursColumns("l", "lo")}, l.id as "locationId", l.name as "locationName", l.owner_id as "locationOwner",
      extract(epoch from s.silent_since)::float8 * 1000 as "offlineSinceMs", s.is_connected as "isConnected",
      ${visibleFromMs} as "visibleFromMs",
      m.sensor_num is not null as "wasMonitored", m.judged_day as "judgedDay", m.delivered_day as "deliveredDay",
      m.zone as "judgedZone", i.states
    from sensor s left join location l on l.id = s.location_id and not l.is_deleted
    left join account lo on lo.id = l.owner_id
    left join monitor m on m.sensor_num = s.num
    left join lateral (
      select jsonb_agg(jsonb_build_object('type', i.issue_type, 'status', i.issue_status, 'statusId', i.status_id,
        'isFormer', i.owner_path is null or to_timestamp(i.started_ms / 1000.0) < s.visible_from)) as states
      from sensor_issue i where i.sensor_num = s.num
    ) i on true
    where s.num = any(${toPgArray(nums)}::int[]) order by s.num`.execute(tx);
  // Most sensors have the same configuration as others. It is parsed once.
  const parsed = new Map<string, unknown>();
  const parse = (text: string | null) =>
    text === null ? null : parsed.getOrInsertComputed(text, () => JSON.parse(text) as unknown);
  return rows.map((row) => ({
    ...row,
    own: parse(row.own),
    inherited: parse(row.inherited),
    location:
      row.locationId === null ? null : { id: row.locationId, name: row.locationName, ownerId: row.locationOwner },
    judged: row.wasMonitored ? { day: row.judgedDay, deliveredDay: row.deliveredDay, zone: row.judgedZone } : null,
    states: row.states ?? [],
  }));
}

export type LockedSensor = { num: number; ownerId: string; visibleFromMs: number };

/**
 * Hand-overs, deletions and moves of these sensors wait until the commit, because they lock with `for update` before they write. Other
 * writes, such as presence, do not wait. Omits deleted sensors.
 */
export async function lockSensors(tx: Tx, nums: readonly number[]): Promise<Map<number, LockedSensor>> {
  if (nums.length === 0) return new Map();
  const { rows } = await sql<LockedSensor>`
    select s.num, s.owner_id as "ownerId", ${visibleFromMs} as "visibleFromMs" from sensor s
    where s.num = any(${toPgArray([...new Set(nums)])}::int[]) and not s.is_deleted order by s.id for key share`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.num, row]));
}

export type NewStatus = {
  id: string;
  num: number;
  locationId: string | null;
  atMs: number;
  type: IssueType;
  status: IssueStatus;
  message: string;
  facts: unknown;
  notMailed: string | null;
};

/**
 * Writes log entries and updates the current states. If two entries have the same millisecond, the later one wins. Requires
 * `lockSensors`, because current states contain a copy of the owner.
 */
export async function writeStatuses(tx: Tx, news: readonly NewStatus[]): Promise<void> {
  if (news.length === 0) return;
  const texts = (pick: (one: NewStatus) => string | null) => news.map(pick);
  // An issue that gets worse is no longer snoozed. It keeps when it began, which its first entry tells if it is known.
  await sql`
    with entry as (
      insert into monitoring_status (id, opened_id, sensor_num, location_id, start_ms, end_ms, issue_type, issue_status, issue_message, facts, not_mailed)
      select n.id, coalesce(i.opened_id, n.id), num, location, at, at, type, status, message, facts, not_mailed from unnest(
        ${texts((n) => n.id)}::uuid[], ${toPgColumn(news, (n) => n.num)}::int[], ${texts((n) => n.locationId)}::uuid[],
        ${toPgColumn(news, (n) => n.atMs)}::bigint[], ${texts((n) => n.type)}::text[], ${texts((n) => n.status)}::text[],
        ${texts((n) => n.message)}::text[], ${texts((n) => toJsonb(n.facts))}::jsonb[], ${texts((n) => n.notMailed)}::text[])
        n (id, num, location, at, type, status, message, facts, not_mailed)
      left join sensor_issue i on i.sensor_num = n.num and i.issue_type = n.type and i.owner_path is not null
      returning *
    ), over as (
      delete from sensor_issue i using entry e
      where e.issue_status = 'Ok' and i.sensor_num = e.sensor_num and i.issue_type = e.issue_type
    )
    insert into sensor_issue as i (sensor_num, issue_type, issue_status, status_id, opened_id, opened_ms, started_ms, location_id,
      sensor_id, owner_id, owner_path)
    select e.sensor_num, e.issue_type, e.issue_status, e.id, e.opened_id,
      least(e.start_ms, coalesce((extract(epoch from (e.facts ->> 'since')::timestamptz) * 1000)::bigint, e.start_ms)),
      e.start_ms, e.location_id, s.id, s.owner_id, s.owner_path
    from entry e join sensor s on s.num = e.sensor_num where e.issue_status <> 'Ok' order by e.sensor_num, e.issue_type
    on conflict (sensor_num, issue_type) do update
      set issue_status = excluded.issue_status, status_id = excluded.status_id, opened_id = excluded.opened_id,
        opened_ms = case when excluded.opened_id = excluded.status_id then excluded.opened_ms else i.opened_ms end,
        started_ms = excluded.started_ms, is_acknowledged = false, location_id = excluded.location_id,
        sensor_id = excluded.sensor_id, owner_id = excluded.owner_id, owner_path = excluded.owner_path,
        snoozed_until = case when excluded.issue_status = 'Error' and i.issue_status = 'Warning' then null else i.snoozed_until end`.execute(
    tx,
  );
}

/** Sets states to Ok without a log entry. */
export async function deleteStates(tx: Tx, states: readonly { num: number; type: IssueType }[]): Promise<void> {
  if (states.length === 0) return;
  await sql`
    delete from sensor_issue i using unnest(${toPgColumn(states, (s) => s.num)}::int[], ${states.map((s) => s.type)}::text[]) u (num, type)
    where i.sensor_num = u.num and i.issue_type = u.type`.execute(tx);
}

export type NextCheck = {
  num: number;
  atMs: number;
  judgedDay: number | null;
  deliveredDay: number | null;
  zone: string;
};

export async function saveChecks(tx: Tx, checks: readonly NextCheck[]): Promise<void> {
  if (checks.length === 0) return;
  await sql`
    insert into monitor (sensor_num, check_at, judged_day, delivered_day, zone)
    select num, to_timestamp(at / 1000.0), judged, delivered, zone from unnest(
      ${toPgColumn(checks, (c) => c.num)}::int[], ${toPgColumn(checks, (c) => c.atMs)}::float8[], ${toPgColumn(checks, (c) => c.judgedDay)}::int[],
      ${toPgColumn(checks, (c) => c.deliveredDay)}::int[], ${checks.map((c) => c.zone)}::text[]) u (num, at, judged, delivered, zone)
    on conflict (sensor_num) do update set check_at = excluded.check_at, judged_day = excluded.judged_day,
      delivered_day = excluded.delivered_day, zone = excluded.zone`.execute(tx);
}

export async function deleteMonitors(tx: Tx, nums: readonly number[]): Promise<void> {
  if (nums.length === 0) return;
  await sql`delete from monitor where sensor_num = any(${toPgArray(nums)}::int[])`.execute(tx);
  await sql`delete from uptime_day where sensor_num = any(${toPgArray(nums)}::int[])`.execute(tx);
}
