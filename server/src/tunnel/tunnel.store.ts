// Queries for tunnels: their processes, and their state as shown on sensors.
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";

export type OpenedTunnel = { sensorId: string; tunnelId: string };
type ChangedSensor = { id: string; owner_id: string };

const shownAs = (status: "connected" | "disconnected", at: Date) =>
  sql`jsonb_build_object('connectionStatus', ${status}::text, 'statusChangedAt', ${at.toISOString()}::text)`;

/** Locks the sensors that are not deleted, in the global order, and returns their ids. */
export async function lockUndeletedSensors(tx: Tx, sensorIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from sensor where id = any(${[...sensorIds]}::text[]) and not is_deleted
    order by id for no key update`.execute(tx);
  return new Set(rows.map((row) => row.id));
}

/** Stores the newest tunnels of locked sensors; returns visible changes. */
export async function saveOpenedTunnels(
  tx: Tx,
  host: string,
  at: Date,
  opened: readonly OpenedTunnel[],
): Promise<ChangedSensor[]> {
  const { rows } = await sql<ChangedSensor>`
    with held as (
      insert into tunnel (sensor_num, id, host_id, opened_at)
      select s.num, u.id, ${host}::uuid, ${at.toISOString()}::timestamptz
      from unnest(${opened.map((one) => one.sensorId)}::text[], ${opened.map((one) => one.tunnelId)}::uuid[]) as u (sensor_id, id)
      join sensor s on s.id = u.sensor_id
      on conflict (sensor_num) do update set id = excluded.id, host_id = excluded.host_id, opened_at = excluded.opened_at
      returning sensor_num)
    update sensor s set psconnect = ${shownAs("connected", at)} from held
    where s.num = held.sensor_num and s.psconnect ->> 'connectionStatus' is distinct from 'connected'
    returning s.id, s.owner_id`.execute(tx);
  return rows;
}

/** Stores the ends of tunnels. If a tunnel was already replaced, its sensor stays connected. */
export async function saveClosedTunnels(tx: Tx, at: Date, tunnelIds: readonly string[]): Promise<ChangedSensor[]> {
  // Locks sensors before their tunnels, as opening does, because the opposite order would deadlock.
  await sql`select from sensor where num = any(array(select sensor_num from tunnel where id = any(${[...tunnelIds]}::uuid[])))
    order by id for no key update`.execute(tx);
  const { rows } = await sql<ChangedSensor>`
    with gone as (
      update tunnel set host_id = null where id = any(${[...tunnelIds]}::uuid[]) and host_id is not null
      returning sensor_num)
    update sensor s set psconnect = ${shownAs("disconnected", at)} from gone where s.num = gone.sensor_num
    returning s.id, s.owner_id`.execute(tx);
  return rows;
}

export async function findSensorsWithInvalidCredentials(
  reader: Reader,
  now: Date,
  open: readonly { sensorId: string; hash: Buffer }[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select u.id from unnest(${open.map((one) => one.sensorId)}::text[], ${open.map((one) => one.hash)}::bytea[]) as u (id, hash)
    where not exists (
      select from sensor s join device d on d.sensor_num = s.num
      where s.id = u.id and not s.is_deleted
        and (d.secret_hash = u.hash or (d.previous_hash = u.hash and d.previous_until > ${now.toISOString()})))`.execute(
    reader,
  );
  return rows.map((row) => row.id);
}

/** Stores a heartbeat of this process. Returns false if the process was unknown or declared dead. */
export async function recordHeartbeat(db: Reader, host: string, url: string | null): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    insert into tunnel_host (id, seen_at, url) values (${host}, clock_timestamp(), ${url})
    on conflict (id) do update set seen_at = clock_timestamp(), url = excluded.url returning xmax <> 0 as known`.execute(
    db,
  );
  return rows[0]?.known ?? false;
}

/** Whether any process with a device gateway sent a heartbeat in this time. */
export async function isAnyHostAlive(db: Reader, silentS: number): Promise<boolean> {
  const { rows } = await sql`select from tunnel_host
    where seen_at > clock_timestamp() - make_interval(secs => ${silentS}) limit 1`.execute(db);
  return rows.length > 0;
}

/** Deletes dead processes and returns the ids of their tunnels. */
export async function deleteDeadHosts(tx: Tx, silentS: number): Promise<string[]> {
  await sql`delete from tunnel_host where seen_at < clock_timestamp() - make_interval(secs => ${silentS})`.execute(tx);
  const { rows } = await sql<{ id: string }>`
    select t.id from tunnel t where t.host_id is not null and not exists (select from tunnel_host h where h.id = t.host_id)`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

export async function deleteHost(db: Reader, host: string): Promise<void> {
  await sql`delete from tunnel_host where id = ${host}`.execute(db);
}

/** Those of these tunnels whose sensors have opened newer ones, perhaps at another process. */
export async function findReplacedTunnels(
  reader: Reader,
  stored: readonly { id: string; sensorId: string }[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select u.id from unnest(${stored.map((one) => one.id)}::uuid[], ${stored.map((one) => one.sensorId)}::text[]) as u (id, sensor_id)
    join sensor s on s.id = u.sensor_id join tunnel t on t.sensor_num = s.num where t.id <> u.id`.execute(reader);
  return new Set(rows.map(({ id }) => id));
}

/** URL of the process with the sensor's tunnel; null if there is none or it has no URL. */
export async function findTunnelHost(reader: Reader, sensorId: string): Promise<string | null> {
  const { rows } = await sql<{ url: string | null }>`select h.url from sensor s
    join tunnel t on t.sensor_num = s.num join tunnel_host h on h.id = t.host_id where s.id = ${sensorId}`.execute(
    reader,
  );
  return rows[0]?.url ?? null;
}
