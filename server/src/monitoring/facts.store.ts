// Queries for the facts of monitored sensors, for many sensors per statement.
import { sql } from "kysely";
import { toPgColumn, toPgArray } from "../db/arrays.ts";
import type { Tx } from "../db/database.ts";
import { dayMs } from "@psp/contract/kit/zone.ts";
import type { EventSlice } from "./checks/events.rules.ts";
import type { Obstruction } from "./checks/lasting.rules.ts";

/** `visibleFromMs`: time from which facts belong to the present owner. */
export type SensorVisibility = { num: number; visibleFromMs: number };

/** Finds health slices of the last 24 hours with reboots or resets. */
export async function findRebootsAndResets(tx: Tx, sensors: readonly SensorVisibility[], nowMs: number) {
  const { rows } = await sql<{ num: number; startMs: number; reboots: number; resets: number }>`
    select w.num, r.start_ms as "startMs", health_reboots(r.body) as reboots, health_resets(r.body) as resets
    from unnest(${toPgColumn(sensors, (s) => s.num)}::int[], ${toPgColumn(sensors, (s) => Math.max(nowMs - dayMs, s.visibleFromMs))}::float8[]) w (num, f)
    cross join lateral (
      select start_ms, body from device_record_health
      where sensor_num = w.num and start_ms >= w.f and start_ms <= ${nowMs} and not is_ahead
        and (health_reboots(body) > 0 or health_resets(body) > 0) offset 0
    ) r`.execute(tx);
  const found = new Map<number, { reboots: EventSlice[]; resets: EventSlice[] }>();
  for (const { num, startMs, reboots, resets } of rows) {
    const of = found.getOrInsertComputed(num, () => ({ reboots: [], resets: [] }));
    if (reboots > 0) of.reboots.push({ startMs, count: reboots });
    if (resets > 0) of.resets.push({ startMs, count: resets });
  }
  return found;
}

/** Finds obstructions that persist; each starts with the first obstructed report after the last clear one. */
export async function findObstructions(tx: Tx, sensors: readonly SensorVisibility[], nowMs: number) {
  const { rows } = await sql<{ num: number } & Obstruction>`
    select w.num, first.at as "sinceMs", last.code
    from unnest(${toPgColumn(sensors, (s) => s.num)}::int[], ${toPgColumn(sensors, (s) => s.visibleFromMs)}::float8[]) w (num, f)
    cross join lateral (
      select (body ->> 'to')::int as code, start_ms from device_record_event
      where kind = 'event' and sensor_num = w.num and sub = 'osd' and start_ms <= ${nowMs} and start_ms >= w.f and not is_ahead
      order by start_ms desc limit 1
    ) last
    cross join lateral (
      select coalesce(max(start_ms), 0) as at from device_record_event
      where kind = 'event' and sensor_num = w.num and sub = 'osd' and start_ms <= last.start_ms and start_ms >= w.f
        and not is_ahead and body ->> 'to' = '0'
    ) clear
    cross join lateral (
      select coalesce((body ->> 'at')::bigint, start_ms) as at from device_record_event
      where kind = 'event' and sensor_num = w.num and sub = 'osd' and start_ms > clear.at and start_ms <= last.start_ms
        and start_ms >= w.f and not is_ahead
      order by start_ms limit 1
    ) first
    where last.code <> 0`.execute(tx);
  return new Map(rows.map(({ num, sinceMs, code }) => [num, { sinceMs, code }]));
}

export type Deliveries = { firstMs: number; lastAtMs: number };

/** Finds the start of the first health slice, and the time of the last delivery of any kind. */
export async function findDeliveries(tx: Tx, sensors: readonly SensorVisibility[]): Promise<Map<number, Deliveries>> {
  const { rows } = await sql<{ num: number } & Deliveries>`
    select w.num, first.at as "firstMs", extract(epoch from last.at)::float8 * 1000 as "lastAtMs"
    from unnest(${toPgColumn(sensors, (s) => s.num)}::int[], ${toPgColumn(sensors, (s) => s.visibleFromMs)}::float8[]) w (num, f)
    cross join lateral (
      select start_ms as at from device_record_health where kind = 'health' and sensor_num = w.num and start_ms >= w.f
      order by start_ms limit 1
    ) first
    cross join lateral (select max(touched_at) as at from device_epoch where sensor_num = w.num) last
    where last.at is not null`.execute(tx);
  return new Map(rows.map(({ num, firstMs, lastAtMs }) => [num, { firstMs, lastAtMs }]));
}

export type DaySpan = { num: number; day: number; fromMs: number; toMs: number };

export async function sumUptime(tx: Tx, spans: readonly DaySpan[]): Promise<void> {
  if (spans.length === 0) return;
  await sql`
    insert into uptime_day (sensor_num, day, up_s)
    select w.num, w.day, (
      select coalesce(sum(least((body ->> 'upS')::int, (end_ms - start_ms) / 1000)), 0)::int from device_record_health
      where kind = 'health' and sensor_num = w.num and start_ms >= w.f and start_ms < w.t and not is_ahead
    ) from unnest(${toPgColumn(spans, (s) => s.num)}::int[], ${toPgColumn(spans, (s) => s.day)}::int[],
      ${toPgColumn(spans, (s) => s.fromMs)}::bigint[], ${toPgColumn(spans, (s) => s.toMs)}::bigint[]) w (num, day, f, t)
    on conflict (sensor_num, day) do update set up_s = excluded.up_s`.execute(tx);
}

export async function deleteUptime(tx: Tx, from: readonly { num: number; day: number }[]): Promise<void> {
  if (from.length === 0) return;
  await sql`
    delete from uptime_day u using unnest(${toPgColumn(from, (f) => f.num)}::int[], ${toPgColumn(from, (f) => f.day)}::int[]) w (num, day)
    where u.sensor_num = w.num and u.day >= w.day`.execute(tx);
}

export async function findUptime(tx: Tx, nums: readonly number[]): Promise<Map<number, Map<number, number>>> {
  const { rows } = await sql<{ num: number; day: number; s: number }>`
    select sensor_num as num, day, up_s as s from uptime_day where sensor_num = any(${toPgArray(nums)}::int[])`.execute(
    tx,
  );
  const found = new Map<number, Map<number, number>>();
  for (const { num, day, s } of rows) found.getOrInsertComputed(num, () => new Map()).set(day, s);
  return found;
}

/** `isOpenOnly`: only what lies within opening hours. */
export type WantedDays = { num: number; locationId: string | null; days: readonly number[]; isOpenOnly: boolean };

/** Returns the total (in plus out) and the covered time of each wanted day, by sensor. */
export async function findDaySums(tx: Tx, wanted: readonly WantedDays[]) {
  const found = new Map<number, { day: number; total: number; knownMs: number }[]>();
  // Nearly all sensors want the same days. They are sent once, instead of dozens of parameters per sensor.
  const lists = new Map<string, { list: number; days: readonly number[] }>();
  const listed = wanted.map((one) => {
    const { list } = lists.getOrInsertComputed(one.days.join(), () => ({ list: lists.size, days: one.days }));
    return { ...one, list };
  });
  const days = [...lists.values()].flatMap(({ list, days: each }) => each.map((day) => ({ list, day })));
  if (days.length === 0) return found;
  const { rows } = await sql<{ num: number; day: number; total: number; knownMs: number }>`
    select w.num, k.day,
      case when w.open then d.open_in + d.open_out else d.n_in + d.n_out end::float8 as total,
      case when w.open then d.open_known_ms else d.known_ms end as "knownMs"
    from unnest(${toPgColumn(listed, (one) => one.num)}::int[], ${listed.map((one) => one.locationId)}::uuid[],
      ${toPgColumn(listed, (one) => one.isOpenOnly)}::boolean[], ${toPgColumn(listed, (one) => one.list)}::int[]) w (num, location, open, list)
    join unnest(${toPgColumn(days, ({ list }) => list)}::int[], ${toPgColumn(days, ({ day }) => day)}::int[]) k (list, day) on k.list = w.list
    cross join lateral (select * from count_day where sensor_num = w.num and day = k.day
      and location_id is not distinct from w.location and (not w.open or open_in is not null) offset 0) d`.execute(tx);
  for (const { num, ...sum } of rows) found.getOrInsertComputed(num, () => []).push(sum);
  return found;
}
