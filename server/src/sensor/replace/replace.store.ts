// Queries for replacements of sensors: the state of both sensors, and its restoration by an undo.
import { sql } from "kysely";
import { toPgArray } from "../../db/arrays.ts";
import type { Database, Reader, Tx } from "../../db/database.ts";
import { toJsonb } from "../../db/storable.ts";
import { whereViewable } from "../../db/visible.ts";
import type { Caller } from "../../kit/caller.ts";
import type { ReplacedState } from "../sensor.tables.ts";

const stateColumns =
  sql.raw(`id, num, owner_id, location_id, visible_from, claimable, groups, monitoring_config, firmware_id,
  update_task, install_state, installation, replaced_by, replaces`);

/** Null if the sensor is deleted or not visible. */
export async function findOwnerId(tx: Tx, caller: Caller, sensorId: string): Promise<string | null> {
  const { rows } = await sql<{ owner_id: string }>`
    select owner_id from sensor where id = ${sensorId} and not is_deleted and ${whereViewable(caller, "sensor", "sensor")}`.execute(
    tx,
  );
  return rows[0]?.owner_id ?? null;
}

/** Ignores rights. */
export async function lockSensor(tx: Tx, id: string) {
  return tx
    .selectFrom("sensor")
    .selectAll()
    .where("id", "=", id)
    .where("is_deleted", "=", false)
    .forUpdate()
    .executeTakeFirst();
}

/** Settings sections that the server has read from the sensor. */
export async function hasKnownSettings(reader: Reader, sensorNum: number): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (select from sensor_section where sensor_num = ${sensorNum}) as known`.execute(reader);
  return rows[0]?.known ?? false;
}

/** Reads the state of locked sensors: rows, assignments since `at`, and tasks that are open, displayed or in `taskIds`. */
export async function readState(
  tx: Tx,
  sensorIds: readonly string[],
  at: Date,
  taskIds: readonly string[] = [],
): Promise<ReplacedState> {
  const { rows } = await sql<ReplacedState>`
    with s as materialized (select ${stateColumns} from sensor where id = any(${[...sensorIds]}::text[])),
      t as materialized (select u.* from update_task u join s on s.num = u.sensor_num
        where u.state not in ('done', 'failed', 'expired', 'canceled') or u.id = (s.update_task ->> 'id')::uuid
          or u.id = any(${[...taskIds]}::uuid[])),
      a as materialized (select b.* from sensor_location b join s on s.num = b.sensor_num
        where b.from_at >= ${at} or b.to_at >= ${at})
    select coalesce((select jsonb_agg(to_jsonb(s) order by s.id) from s), '[]') as sensors,
      coalesce((select jsonb_agg(to_jsonb(t) order by t.id) from t), '[]') as tasks,
      coalesce((select jsonb_agg(to_jsonb(a) order by a.sensor_num, a.from_at) from a), '[]') as assignments`.execute(
    tx,
  );
  return rows[0] ?? { sensors: [], tasks: [], assignments: [] };
}

/** Numbers of the last changes by people, by sensor. */
export async function findChangeMarks(tx: Tx, sensorIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; mark: string }>`
    select id, changed_mark::text as mark from sensor where id = any(${[...sensorIds]}::text[])`.execute(tx);
  return new Map(rows.map(({ id, mark }) => [id, mark]));
}

export type StoredReplacement = {
  id: string;
  accountId: string;
  at: Date;
  oldId: string;
  newId: string;
  locationId: string;
  hasOccupancy: boolean;
  before: ReplacedState;
  after: ReplacedState;
};

export async function insertReplacement(tx: Tx, one: StoredReplacement): Promise<void> {
  await tx
    .insertInto("sensor_replacement")
    .values({
      id: one.id,
      account_id: one.accountId,
      at: one.at,
      old_id: one.oldId,
      new_id: one.newId,
      location_id: one.locationId,
      has_occupancy: one.hasOccupancy,
      before: toJsonb(one.before),
      after: toJsonb(one.after),
    })
    .execute();
}

/** Locks a replacement of this account since `since`. */
export async function lockReplacement(
  tx: Tx,
  key: { id: string; accountId: string; oldId: string; since: Date },
): Promise<StoredReplacement | null> {
  const { rows } = await sql<StoredReplacement>`
    select id, account_id as "accountId", at, old_id as "oldId", new_id as "newId", location_id as "locationId",
      has_occupancy as "hasOccupancy", before, after
    from sensor_replacement where id = ${key.id} and account_id = ${key.accountId} and old_id = ${key.oldId}
      and at >= ${key.since} for update`.execute(tx);
  return rows[0] ?? null;
}

export async function deleteReplacement(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("sensor_replacement").where("id", "=", id).execute();
}

export async function deleteOldReplacements(db: Database, until: Date): Promise<void> {
  await db.deleteFrom("sensor_replacement").where("at", "<=", until).execute();
}

/**
 * Restores the columns of a sensor whose owner and location have been restored. `withFirmware`: also the displayed firmware and
 * installation. `isHandedBack`: also what a hand-over resets, except codes and credentials.
 */
export async function restoreSensor(
  tx: Tx,
  id: string,
  { sensors }: ReplacedState,
  { withFirmware, isHandedBack }: { withFirmware: boolean; isHandedBack: boolean },
): Promise<void> {
  await sql`
    update sensor s set groups = b.groups, monitoring_config = b.monitoring_config, replaced_by = b.replaced_by,
      replaces = b.replaces
      ${withFirmware ? sql`, firmware_id = b.firmware_id, update_task = b.update_task, install_state = b.install_state, installation = b.installation` : sql``}
      ${isHandedBack ? sql`, visible_from = b.visible_from, claimable = b.claimable and s.claiming_code is not null` : sql``}
    from jsonb_populate_recordset(null::sensor, ${toJsonb(sensors)}::jsonb) b where s.id = b.id and s.id = ${id}`.execute(
    tx,
  );
}

/** Restores tasks and deletes those that were added since. */
export async function restoreTasks(
  tx: Tx,
  before: ReplacedState["tasks"],
  after: ReplacedState["tasks"],
): Promise<void> {
  const kept = before.map((task) => String(task["id"]));
  const added = after.map((task) => String(task["id"])).filter((id) => !kept.includes(id));
  await sql`delete from update_task where id = any(${added}::uuid[])`.execute(tx);
  const columns = `state, changed_at, manifest, withdrawn_rev, settles_at, asked_at, resumed_at, deadline, version, report_n, report_state, report_ok, info`;
  const values = columns
    .split(", ")
    .map((column) => `b.${column}`)
    .join(", ");
  await sql`update update_task t set (${sql.raw(columns)}) = (${sql.raw(values)})
    from jsonb_populate_recordset(null::update_task, ${toJsonb(before)}::jsonb) b where t.id = b.id`.execute(tx);
}

/** Restores the assignments as they were at `at`, so that the counts since then have the locations that they had before. */
export async function restoreAssignments(
  tx: Tx,
  sensorNums: readonly number[],
  at: Date,
  { assignments }: ReplacedState,
): Promise<void> {
  await sql`delete from sensor_location where sensor_num = any(${toPgArray(sensorNums)}::int[])
    and (from_at >= ${at} or to_at >= ${at})`.execute(tx);
  await sql`insert into sensor_location (sensor_num, from_at, to_at, location_id, counts_from)
    select sensor_num, from_at, to_at, location_id, counts_from
    from jsonb_populate_recordset(null::sensor_location, ${toJsonb(assignments)}::jsonb)`.execute(tx);
}
