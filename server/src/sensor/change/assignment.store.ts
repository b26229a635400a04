// Queries for the assignments of sensors to locations, and for sensors whose hardware has not connected yet.
import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { whereViewable } from "../../db/visible.ts";
import type { Caller } from "../../kit/caller.ts";

export async function lockLocation(tx: Tx, caller: Caller, id: string) {
  return tx
    .selectFrom("location")
    .select(["id", "name", "owner_id", "timezone"])
    .where("id", "=", id)
    .where("is_deleted", "=", false)
    .where(whereViewable(caller, "measurement", "location"))
    .forShare()
    .executeTakeFirst();
}

export async function lockSensorsAt(tx: Tx, locationIds: readonly string[]): Promise<string[]> {
  if (locationIds.length === 0) return [];
  const query = tx.selectFrom("sensor").select("id").where("location_id", "in", locationIds);
  return (await query.orderBy("id").forUpdate().execute()).map(({ id }) => id);
}

export async function findNeverAssignedSensors(tx: Tx, sensorNums: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ num: number }>`select num from unnest(${[...sensorNums]}::int[]) w (num)
    where not exists (select from sensor_location where sensor_num = num)`.execute(tx);
  return new Set(rows.map((row) => row.num));
}

export async function recordAssignments(
  tx: Tx,
  sensorNums: readonly number[],
  locationId: string | null,
  at: Date,
  withEarlierCounts: boolean,
) {
  await sql`update sensor_location set to_at = ${at}
    where sensor_num = any(${[...sensorNums]}::int[]) and to_at = 'infinity'`.execute(tx);
  if (locationId === null) return;
  // The first location of a sensor also gets its earlier counts, but only those since the sensor has had its owner.
  await sql`insert into sensor_location (sensor_num, from_at, location_id, counts_from)
    select num, ${at}::timestamptz, ${locationId}::uuid, case
      when not ${withEarlierCounts}::boolean or exists (select from sensor_location b where b.sensor_num = s.num and b.from_at < ${at}::timestamptz) then ${at}::timestamptz
      else least(s.visible_from, ${at}::timestamptz) end
    from sensor s where num = any(${[...sensorNums]}::int[])
    on conflict (sensor_num, from_at) do update set location_id = excluded.location_id, to_at = 'infinity'`.execute(tx);
}

/** Sensors that began to wait for their device at `since` or before, oldest first. */
export async function findUnenrolledSensors(tx: Tx, since: Date, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom("sensor")
    .select("id")
    .where("awaited_since", "<=", since)
    .where("is_deleted", "=", false)
    .orderBy("awaited_since")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Locks the sensors that are still waiting, in the global lock order. */
export async function lockUnenrolledSensors(tx: Tx, ids: readonly string[], since: Date): Promise<string[]> {
  const rows = await tx
    .selectFrom("sensor")
    .select("id")
    .where("id", "in", ids)
    .where("awaited_since", "<=", since)
    .where("is_deleted", "=", false)
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows.map(({ id }) => id);
}
