// Queries for devices that are due for evaluation, and for their facts.
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { sql } from "kysely";
import { toPgColumn, toPgArray } from "../../db/arrays.ts";
import type { Reader, Tx } from "../../db/database.ts";
import type { SharedIdentity } from "../../device/identity/takeover.rules.ts";
import { whereEditable, whereViewable } from "../../db/visible.ts";
import type { Caller } from "../../kit/caller.ts";
import { dataWindowMs, type DeviceFacts } from "./device-issues.rules.ts";

export async function takeDueDevices(tx: Tx, now: Date, limit: number): Promise<number[]> {
  const { rows } = await sql<{ num: number }>`
    delete from device_check where sensor_num = any(array(
      select sensor_num from device_check where check_at <= ${now} order by sensor_num limit ${limit} for update skip locked
    )) returning sensor_num as num`.execute(tx);
  return rows.map(({ num }) => num);
}

/** `visibleFromMs`: time from which facts belong to the present owner. */
type SensorVisibility = { num: number; visibleFromMs: number };

const maxDevices = 500;

/** Finds a sensor, or the sensors of a location, that the caller may view; at most `maxDevices`, ordered by id. */
export async function findDevices(
  reader: Reader,
  caller: Caller,
  { sens, measID }: { sens?: string | undefined; measID?: string | undefined },
): Promise<(SensorVisibility & { id: string; canEdit: boolean })[]> {
  const asked =
    sens === undefined
      ? sql`s.location_id = any(${filterUuids([measID ?? ""])}::uuid[]) and exists (
          select from location l where l.id = s.location_id and not l.is_deleted
            and ${whereViewable(caller, "measurement", "l")})`
      : sql`s.id = ${sens}`;
  const { rows } = await sql<SensorVisibility & { id: string; canEdit: boolean }>`
    select s.num, s.id, ${whereEditable(caller, "sensor", "s")} as "canEdit",
      case when isfinite(s.visible_from) then extract(epoch from s.visible_from)::float8 * 1000 else 0 end as "visibleFromMs"
    from sensor s where ${asked} and not s.is_deleted and ${whereViewable(caller, "sensor", "s")}
    order by s.id limit ${maxDevices}`.execute(reader);
  return rows;
}

export async function findDeviceFacts(
  reader: Reader,
  sensors: readonly SensorVisibility[],
  nowMs: number,
): Promise<Map<number, DeviceFacts>> {
  type Row = { num: number; offMs: number | null; shared: SharedIdentity | null; restartedMs: number | null };
  const { rows } = await sql<Row>`
    select w.num, d.clock_off_ms as "offMs", d.takeovers as shared, e.at as "restartedMs"
    from unnest(${toPgArray(sensors.map(({ num }) => num))}::int[], ${toPgColumn(sensors, (s) => s.visibleFromMs)}::float8[]) w (num, f)
    left join device d on d.sensor_num = w.num
    cross join lateral (
      select extract(epoch from max(restarted_at))::float8 * 1000 as at from device_epoch
      where sensor_num = w.num and restarted_at >= to_timestamp(w.f / 1000.0)
    ) e`.execute(reader);
  const rejected = await findRejectedRecords(reader, sensors, nowMs - dataWindowMs);
  return new Map(
    rows.map(({ num, offMs, shared, restartedMs }) => [
      num,
      { clockOffMs: offMs, shared, restartedMs, rejected: rejected.get(num) ?? null },
    ]),
  );
}

export type RejectedRecords = {
  count: number;
  oldestMs: number;
  latestMs: number;
  reasons: { reason: string; count: number }[];
};

export type LatestRejected = { at: Date; reason: string; record: unknown };

export async function findLatestRejected(
  reader: Reader,
  sensors: readonly SensorVisibility[],
): Promise<Map<number, LatestRejected>> {
  const { rows } = await sql<LatestRejected & { num: number }>`
    select w.num, l.at, l.reason, l.record
    from unnest(${toPgArray(sensors.map(({ num }) => num))}::int[], ${toPgColumn(sensors, (s) => s.visibleFromMs)}::float8[]) w (num, f)
    cross join lateral (
      select at, reason, record from dead_letter where sensor_num = w.num and at >= to_timestamp(w.f / 1000.0)
      order by at desc, id desc limit 1
    ) l`.execute(reader);
  return new Map(rows.map(({ num, ...latest }) => [num, latest]));
}

/** Counts rejected records of each sensor by reason, most frequent first. At most 1,000 are kept per sensor. */
export async function findRejectedRecords(
  reader: Reader,
  sensors: readonly SensorVisibility[],
  fromMs: number,
): Promise<Map<number, RejectedRecords>> {
  const { rows } = await sql<{ num: number; reason: string; count: number; oldestMs: number; latestMs: number }>`
    select w.num, regexp_replace(l.reason, ' from [0-9]{4}-.*$', '') as reason, count(*)::int as count, extract(epoch from min(l.at))::float8 * 1000 as "oldestMs",
      extract(epoch from max(l.at))::float8 * 1000 as "latestMs"
    from unnest(${toPgArray(sensors.map(({ num }) => num))}::int[],
      ${toPgColumn(sensors, (s) => Math.max(s.visibleFromMs, fromMs))}::float8[]) w (num, f)
    join dead_letter l on l.sensor_num = w.num and l.at >= to_timestamp(w.f / 1000.0)
    group by 1, 2 order by 1, 3 desc, 2`.execute(reader);
  const found = new Map<number, RejectedRecords>();
  for (const { num, reason, count, oldestMs, latestMs } of rows) {
    const sum = found.getOrInsertComputed(num, () => ({ count: 0, oldestMs: Infinity, latestMs: 0, reasons: [] }));
    sum.count += count;
    sum.oldestMs = Math.min(sum.oldestMs, oldestMs);
    sum.latestMs = Math.max(sum.latestMs, latestMs);
    sum.reasons.push({ reason, count });
  }
  return found;
}
