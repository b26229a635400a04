// Queries for update tasks. Sensors are always locked before their tasks, in the order of their ids.
import type { InstallationState } from "@psp/contract/sensor/presence.ts";
import type { JobReport } from "@psp/contract/device/device-messages.ts";
import { type Selectable, sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import { lockSensorRows } from "../db/locks.ts";
import type { Tables } from "../db/tables.ts";
import { toJsonb } from "../db/storable.ts";

export type Task = Selectable<Tables["update_task"]>;

export type TaskSensor = {
  id: string;
  num: number;
  owner_id: string;
  owner_path: string;
  type: string;
  firmware_id: string | null;
  running_version: string | null;
  is_connected: boolean;
  shown_task: string | null;
  /** Takes firmware only through its REST interface (ADR 0019). */
  by_rest: boolean;
  free_since: Date | null;
};

/**
 * An APS with REST credentials and without the capability `fw`, which would not receive a manifest. `offset 0` keeps
 * PostgreSQL from reading all devices for a few sensors.
 */
const byRest = sql`(sensor.type = 'APS' and sensor.rest_username is not null and sensor.rest_password_sealed is not null
  and exists (select from device d where d.sensor_num = sensor.num and d.sid is not null and not 'fw' = any(d.caps) offset 0))`;

/** End of the sensor's previous task. Waiting behind another task does not count as being unreachable. */
const freeSince = sql`(select max(e.changed_at) from update_task e
  where e.sensor_num = sensor.num and e.state in ('done', 'failed', 'expired', 'canceled'))`;
const isBusy = sql`exists (select from update_task o where o.sensor_num = sensor.num
  and o.state not in ('waiting', 'paused', 'done', 'failed', 'expired', 'canceled'))`;

const sensorColumns = sql`id, num, owner_id, owner_path, type, firmware_id, running_version, is_connected,
  update_task ->> 'id' as shown_task, ${byRest} as by_rest, ${freeSince} as free_since`;

/** The sensors must be locked. Deleted ones are included only to clean up their tasks. */
export async function findSensors(tx: Tx, ids: readonly string[], includeDeleted = false): Promise<TaskSensor[]> {
  const { rows } = await sql<TaskSensor>`
    select ${sensorColumns} from sensor where id = any(${[...ids]}::text[]) and (not is_deleted or ${includeDeleted})
    order by id`.execute(tx);
  return rows;
}

export async function lockAndFindSensors(
  tx: Tx,
  ids: readonly string[],
  includeDeleted = false,
): Promise<TaskSensor[]> {
  await lockSensorRows(tx, ids);
  // Must be a separate statement: a statement that waits for a row lock sees other tables as of its start, and would
  // miss new capabilities and ended tasks.
  return findSensors(tx, ids, includeDeleted);
}

export async function findFirmware(tx: Tx, id: string) {
  return tx.selectFrom("firmware").select(["id", "type", "name"]).where("id", "=", id).executeTakeFirst();
}

export async function lockOpenTasks(tx: Tx, sensors: readonly TaskSensor[]): Promise<Task[]> {
  const { rows } = await sql<Task>`
    select * from update_task where sensor_num = any(${sensors.map(({ num }) => num)}::int[])
      and state not in ('done', 'failed', 'expired', 'canceled') order by sensor_num, id for update`.execute(tx);
  return rows;
}

/** Locks tasks by job number, ended ones included. */
export async function lockTasks(tx: Tx, jobs: readonly string[]): Promise<Task[]> {
  const { rows } = await sql<Task>`
    select * from update_task where id = any(${[...jobs]}::uuid[]) order by sensor_num, id for update`.execute(tx);
  return rows;
}

const isUnsettled = sql`(t.state in ('withdrawn', 'proving', 'asked', 'accepted')
  or (t.state = 'expired' and (t.asked_at is not null or (t.manifest is null
    and exists (select from sensor r where r.num = t.sensor_num and r.rest_username is not null))))
  or (t.state in ('expired', 'canceled') and t.report_state = 'FINISHED'))`;

/** Locks tasks that depend on what the sensor reports: withdrawn ones, and those without proof of the version. */
export async function lockUnsettledTasks(tx: Tx, sensorNums: readonly number[]): Promise<Task[]> {
  const { rows } = await sql<Task>`
    select * from update_task t where sensor_num = any(${[...sensorNums]}::int[]) and ${isUnsettled}
    order by sensor_num, id for update`.execute(tx);
  return rows;
}

/** Sensors with a task that `lockUnsettledTasks` would lock. */
export async function findSensorsWithUnsettledTasks(reader: Reader, sensorIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct s.id from sensor s join update_task t on t.sensor_num = s.num
    where s.id = any(${[...sensorIds]}::text[]) and ${isUnsettled}`.execute(reader);
  return rows.map((row) => row.id);
}

/** Sensors with an open task that is not paused. */
export async function findSensorsWithActiveTask(reader: Reader, sensorIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct s.id from sensor s join update_task t on t.sensor_num = s.num
    where s.id = any(${[...sensorIds]}::text[])
      and t.state not in ('paused', 'done', 'failed', 'expired', 'canceled')`.execute(reader);
  return rows.map((row) => row.id);
}

/**
 * At most `limit` sensors with an overdue task. An update over REST is also overdue if it has been waiting since
 * `unreachable` without a tunnel and without another task before it.
 */
export async function findSensorsWithOverdueTask(
  reader: Reader,
  now: Date,
  unreachable: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select s.id from (
      select sensor_num from update_task join sensor on sensor.num = sensor_num
        where deadline <= ${now} and state not in ('paused', 'done', 'failed', 'expired', 'canceled')
          and not (state = 'waiting' and ${byRest})
      union all
      select sensor_num from update_task where settles_at <= ${now} and state = 'withdrawn'
      union all
      select sensor_num from update_task join sensor on sensor.num = sensor_num
        where state = 'waiting' and coalesce(resumed_at, update_task.created_at) <= ${unreachable} and ${byRest}
          and not ${isBusy} and coalesce(${freeSince} <= ${unreachable}, true)
    ) due join sensor s on s.num = due.sensor_num where not s.is_deleted limit ${limit}`.execute(reader);
  return rows.map((row) => row.id);
}

const maxUnnotified = 1000;

/**
 * Finds connected sensors that were not notified of a task or withdrawal older than `before`. Excludes updates over
 * REST.
 */
export async function findUnnotifiedSensors(reader: Reader, before: Date): Promise<string[]> {
  // Starts from connected sensors, because a hundred thousand tasks may wait for disconnected ones.
  const { rows } = await sql<{ id: string }>`
    with waiting as materialized (
      select sensor.id, sensor.num, t.id as task from sensor cross join lateral (
        select id from update_task where sensor_num = sensor.num and changed_at <= ${before}
          and (state = 'waiting' or (state = 'withdrawn' and withdrawn_rev is null))
          order by state = 'waiting' limit 1) t
      where sensor.is_connected and not sensor.is_deleted)
    select sensor.id from waiting join sensor on sensor.num = waiting.num
    where not ${byRest}
      and not exists (select from update_task o where o.sensor_num = waiting.num and o.id <> waiting.task
        and o.state not in ('waiting', 'paused', 'done', 'failed', 'expired', 'canceled'))
    order by sensor.id limit ${maxUnnotified}`.execute(reader);
  return rows.map((row) => row.id);
}

/** A sensor that waits for an update over REST without another active task. */
export type RestTask = { task: string; sensor: string; username: string; sealed: Buffer };

export async function findRestTasks(reader: Reader, sensorIds: readonly string[]): Promise<RestTask[]> {
  const { rows } = await sql<RestTask>`
    select t.id as task, sensor.id as sensor, sensor.rest_username as username, sensor.rest_password_sealed as sealed
    from update_task t join sensor on sensor.num = t.sensor_num
    where t.state = 'waiting' and sensor.id = any(${[...sensorIds]}::text[]) and not sensor.is_deleted and ${byRest}
      and not exists (select from update_task o where o.sensor_num = t.sensor_num and o.id <> t.id
        and o.state not in ('waiting', 'paused', 'done', 'failed', 'expired', 'canceled'))`.execute(reader);
  return rows;
}

export async function insertTasks(tx: Tx, tasks: readonly Task[]): Promise<void> {
  for (let from = 0; from < tasks.length; from += 1000) {
    await tx
      .insertInto("update_task")
      .values(
        tasks.slice(from, from + 1000).map((task) => ({
          ...task,
          manifest: task.manifest && toJsonb(task.manifest),
          report_n: task.report_n === null ? null : Number(task.report_n),
        })),
      )
      .execute();
  }
}

export async function saveTasks(tx: Tx, tasks: readonly Task[]): Promise<void> {
  if (tasks.length === 0) return;
  const column = <T>(pick: (task: Task) => T) => tasks.map(pick);
  const at = (date: Date | null) => date?.toISOString() ?? null;
  await sql`
    update update_task t set
      state = u.state, changed_at = u.changed_at, manifest = u.manifest, withdrawn_rev = u.withdrawn_rev,
      settles_at = u.settles_at, asked_at = u.asked_at, resumed_at = u.resumed_at, deadline = u.deadline, version = u.version, report_n = u.report_n, report_state = u.report_state, report_ok = u.report_ok, info = u.info
    from unnest(
      ${column((t) => t.id)}::uuid[], ${column((t) => t.state)}::text[], ${column((t) => at(t.changed_at))}::timestamptz[],
      ${column((t) => t.manifest && toJsonb(t.manifest))}::jsonb[], ${column((t) => t.withdrawn_rev)}::int[],
      ${column((t) => at(t.settles_at))}::timestamptz[], ${column((t) => at(t.asked_at))}::timestamptz[],
      ${column((t) => at(t.resumed_at))}::timestamptz[],
      ${column((t) => at(t.deadline))}::timestamptz[], ${column((t) => t.version)}::text[], ${column((t) => t.report_n)}::bigint[],
      ${column((t) => t.report_state)}::text[], ${column((t) => t.report_ok)}::boolean[], ${column((t) => t.info)}::text[]
    ) as u (id, state, changed_at, manifest, withdrawn_rev, settles_at, asked_at, resumed_at, deadline, version, report_n, report_state, report_ok, info)
    where t.id = u.id`.execute(tx);
}

export async function saveWithdrawalRevisions(tx: Tx, revs: readonly { num: number; rev: number }[]): Promise<void> {
  if (revs.length === 0) return;
  await sql`
    update update_task t set withdrawn_rev = u.rev
    from unnest(${revs.map((one) => one.num)}::int[], ${revs.map((one) => one.rev)}::int[]) as u (num, rev)
    where t.sensor_num = u.num and t.state = 'withdrawn' and t.withdrawn_rev is null`.execute(tx);
}

export type DisplayedTask = {
  num: number;
  /** JSON for `sensor.update_task`; null shows no task. */
  task: string | null;
  report: { ok: boolean; state: JobReport["state"] } | null;
  installation: InstallationState | null;
};

/** Stores the displayed tasks with the sensors, where lists read them. */
export async function storeDisplayedTasks(tx: Tx, shown: readonly DisplayedTask[]): Promise<void> {
  if (shown.length === 0) return;
  await sql`
    update sensor s set update_task = u.task, install_state = u.report,
      installation = followed_installation(u.installation, u.task, s.running_version)
    from unnest(
      ${shown.map((one) => one.num)}::int[], ${shown.map((one) => one.task)}::jsonb[],
      ${shown.map((one) => one.report && toJsonb(one.report))}::jsonb[],
      ${shown.map((one) => one.installation)}::text[]
    ) as u (num, task, report, installation) where s.num = u.num`.execute(tx);
}

export async function setDesiredFirmware(tx: Tx, sensors: readonly TaskSensor[], firmwareId: string | null) {
  const nums = sensors.map(({ num }) => num);
  // Sets the mark in the same statement, so that the trigger need not run for thousands of rows (ADR 0015).
  await sql`
    update sensor set firmware_id = ${firmwareId}::uuid, firmware_mark = nextval('change_order')
      where num = any(${nums}::int[])`.execute(tx);
}
