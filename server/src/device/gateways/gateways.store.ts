// Queries for running gateways and for the connections of devices to them (docs/rules/devices.md#several-gateways).
import { type RawBuilder, sql } from "kysely";
import { type Database, prepare, type Reader, runPrepared, type Tx } from "../../db/database.ts";

/** Leases use the database's clock, because clocks of machines differ. */
const now = sql`clock_timestamp()`;

export type HeldConnection = { id: string; number: number };
export type ConnectedSensor = { id: string; sid: string | null; notResponding: boolean };
export type OrphanedSensor = ConnectedSensor & HeldConnection;
export type AdmittedConnection = OrphanedSensor & {
  isConnected: boolean;
  /** Whether another gateway may still hold the device's connection before this one. */
  isMoved: boolean;
};

/** Renews the lease. Returns whether the gateway had no lease before, and all running gateways in order. */
export async function renewLease(
  db: Database,
  { id, isExternal, leaseMs }: { id: string; isExternal: boolean; leaseMs: number },
): Promise<{ isNew: boolean; living: string[] }> {
  const { rows } = await sql<{ isNew: boolean }>`
    insert into gateway (id, is_external, alive_until)
    values (${id}::uuid, ${isExternal}, ${now} + ${leaseMs} * interval '1 ms')
    on conflict (id) do update set alive_until = excluded.alive_until returning xmax = 0 as "isNew"`.execute(db);
  return { isNew: rows[0]?.isNew ?? false, living: await findLiving(db) };
}

async function findLiving(reader: Reader): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from gateway where alive_until > ${now} order by id`.execute(
    reader,
  );
  return rows.map((row) => row.id);
}

/** Returns whether another gateway runs. Two gateways that stop at the same time both learn that no other one does. */
export async function endLease(db: Database, id: string): Promise<boolean> {
  await sql`update gateway set alive_until = '-infinity' where id = ${id}::uuid`.execute(db);
  return (await findLiving(db)).length > 0;
}

/** Deletes leases that have ended. Concurrent callers get each of them once. */
export async function deleteEndedLeases(tx: Tx): Promise<number> {
  const { rows } = await sql`
    delete from gateway where id in (select id from gateway where alive_until <= ${now} for update skip locked)
    returning id`.execute(tx);
  return rows.length;
}

/** Takes over the connected sensors whose gateway does not run anymore, or is not known. Each of them goes to one caller. */
export async function adoptOrphans(tx: Tx, gatewayId: string): Promise<OrphanedSensor[]> {
  const { rows } = await sql<OrphanedSensor>`
    with orphan as (
      select s.num, s.id, d.sid, s.not_responding, c.gateway_id from sensor s
      left join device d on d.sensor_num = s.num left join device_connection c on c.sensor_num = s.num
      where s.is_connected and not s.is_deleted
        and not exists (select from gateway g where g.id = c.gateway_id)),
    adopted as (
      insert into device_connection as c (sensor_num, number, gateway_id, former_gateway_id)
      select num, 0, ${gatewayId}::uuid, gateway_id from orphan order by num
      on conflict (sensor_num) do update set gateway_id = excluded.gateway_id
      where c.gateway_id is not distinct from excluded.former_gateway_id
      returning c.sensor_num, c.number)
    select o.id, o.sid, o.not_responding as "notResponding", a.number from adopted a join orphan o on o.num = a.sensor_num`.execute(
    tx,
  );
  return rows;
}

/** `secretHash`: null if the secret has been checked. */
export type Candidate = { wireId: string; secretHash: Buffer | null };

const admit = prepare<AdmittedConnection & { wireId: string; secretHash: Buffer }>(
  "admit_connections",
  `with admitted as (
    insert into device_connection as c (sensor_num, number, gateway_id)
    select distinct s.num, 1, $1::uuid from unnest($2::text[], $3::bytea[]) u (wire_id, secret_hash)
      join sensor s on s.wire_id = u.wire_id and not s.is_deleted
      join device d on d.sensor_num = s.num and (u.secret_hash is null or u.secret_hash = d.secret_hash)
    order by s.num
    on conflict (sensor_num) do update
    set number = c.number + 1, gateway_id = excluded.gateway_id, former_gateway_id = c.gateway_id
    returning c.*)
  select s.id, s.wire_id as "wireId", d.secret_hash as "secretHash", a.number, s.is_connected as "isConnected", d.sid,
    s.not_responding as "notResponding", coalesce(a.former_gateway_id <> a.gateway_id, false) as "isMoved"
  from admitted a join sensor s on s.num = a.sensor_num join device d on d.sensor_num = s.num`,
);

/**
 * Gives each device the next connection number, unless its present secret is another one. Waits for concurrent admissions of the same
 * device at other gateways.
 */
export const admitConnections = (db: Database, gatewayId: string, candidates: readonly Candidate[]) =>
  runPrepared(db, admit, [gatewayId, candidates.map((one) => one.wireId), candidates.map((one) => one.secretHash)]);

/** Raises the numbers of connections that no other gateway has replaced, and returns these. */
export async function readmitConnections(
  db: Database,
  gatewayId: string,
  held: readonly HeldConnection[],
): Promise<HeldConnection[]> {
  const { rows } = await sql<HeldConnection>`
    with wanted as (
      select s.num, s.id, u.number from unnest(${held.map((one) => one.id)}::text[], ${held.map((one) => one.number)}::int[]) u (id, number)
      join sensor s on s.id = u.id),
    locked as (
      select c.sensor_num, w.id from device_connection c join wanted w on w.num = c.sensor_num and w.number = c.number
      order by c.sensor_num for no key update of c)
    update device_connection c set number = c.number + 1, gateway_id = ${gatewayId}::uuid
    from locked l where l.sensor_num = c.sensor_num returning l.id, c.number`.execute(db);
  return rows;
}

/** The given sensors whose newest connection is at another gateway, with its number. */
export async function findConnectionsElsewhere(
  reader: Reader,
  gatewayId: string,
  sensorIds: readonly string[],
): Promise<HeldConnection[]> {
  const { rows } = await sql<HeldConnection>`
    select s.id, c.number from sensor s join device_connection c on c.sensor_num = s.num
    where s.id = any(${[...sensorIds]}::text[]) and c.gateway_id <> ${gatewayId}::uuid`.execute(reader);
  return rows;
}

/**
 * The running gateway that holds the sensor's connection; with an external broker, one that is the same for all callers.
 * `isRunning`: whether any gateway runs.
 */
export async function findGateway(
  reader: Reader,
  sensorId: string,
): Promise<{ gatewayId: string | null; isRunning: boolean }> {
  const { rows } = await sql<{ id: string; holds: boolean; isExternal: boolean }>`
    select g.id, g.is_external as "isExternal", coalesce(g.id = c.gateway_id, false) as holds
    from gateway g left join (
      select c.gateway_id from device_connection c join sensor s on s.num = c.sensor_num where s.id = ${sensorId}) c on true
    where g.alive_until > ${now}
    order by g.is_external, md5(g.id::text || ${sensorId})`.execute(reader);
  const found = rows.find((row) => row.holds && !row.isExternal) ?? rows.find((row) => row.isExternal);
  return { gatewayId: found?.id ?? null, isRunning: rows.length > 0 };
}

/** Whether a running gateway is responsible for the connection of this sensor. */
export function isHeldByGateway(num: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from gateway g where g.alive_until > ${now} and (g.is_external or exists (
    select from device_connection c where c.gateway_id = g.id and c.sensor_num = ${sql.ref(num)})))`;
}

/** The embedded database belongs to one process, so that at its start all leases are left over from a crash. */
export async function deleteLeases(db: Database): Promise<void> {
  await db.deleteFrom("gateway").execute();
}
