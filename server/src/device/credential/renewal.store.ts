// Queries for password renewals after a change of owner. Callers must lock the sensor rows first (ADR 0014).
import { sql } from "kysely";
import { prepare, type Reader, runPrepared, type Tx } from "../../db/database.ts";

export type StoredOrder = { sensorNum: number; id: string; hash: Buffer; sealed: Buffer };
export type DueRenewal = {
  num: number;
  sensor_id: string;
  present_hash: Buffer;
  id: string | null;
  secret_sealed: Buffer | null;
};
export type PromotedSensor = { sensor_id: string; owner_id: string; owner_path: string };

/** Marks these devices for a new password and voids pending new passwords, and those that only the former owner's device can know. */
export async function requestRenewals(tx: Tx, sensorIds: readonly string[]): Promise<void> {
  await sql`
    update device d set restored_to = null from sensor s
    where s.num = d.sensor_num and d.restored_to is not null and s.id = any(${[...sensorIds]}::text[])`.execute(tx);
  await sql`
    insert into device_renewal (sensor_num)
    select d.sensor_num from sensor s join device d on d.sensor_num = s.num
    where s.id = any(${[...sensorIds]}::text[]) order by d.sensor_num
    on conflict (sensor_num) do update set id = null, secret_hash = null, secret_sealed = null`.execute(tx);
}

export async function findDueSensors(reader: Reader, sensorIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select s.id from sensor s join device_renewal r on r.sensor_num = s.num
    where s.id = any(${[...sensorIds]}::text[]) and not s.is_deleted`.execute(reader);
  return rows.map((row) => row.id);
}

export async function findOrders(tx: Tx, sensorIds: readonly string[]): Promise<DueRenewal[]> {
  const { rows } = await sql<DueRenewal>`
    select s.num, s.id as sensor_id, d.secret_hash as present_hash, r.id, r.secret_sealed
    from sensor s join device_renewal r on r.sensor_num = s.num join device d on d.sensor_num = s.num
    where s.id = any(${[...sensorIds]}::text[]) and not s.is_deleted`.execute(tx);
  return rows;
}

export async function saveOrders(tx: Tx, orders: readonly StoredOrder[]): Promise<void> {
  await sql`
    update device_renewal r set id = u.id, secret_hash = u.hash, secret_sealed = u.sealed
    from unnest(
      ${orders.map((one) => one.sensorNum)}::int[], ${orders.map((one) => one.id)}::uuid[],
      ${orders.map((one) => one.hash)}::bytea[], ${orders.map((one) => one.sealed)}::bytea[]
    ) as u (num, id, hash, sealed) where r.sensor_num = u.num`.execute(tx);
}

/** Makes the pending passwords with these hashes the current ones. Returns the sensors that had such a pending password. */
export async function promoteOrders(
  tx: Tx,
  proved: readonly { sensorId: string; hash: Buffer }[],
): Promise<PromotedSensor[]> {
  const { rows } = await sql<PromotedSensor>`
    with taken as (
      delete from device_renewal r
      using unnest(${proved.map((one) => one.sensorId)}::text[], ${proved.map((one) => one.hash)}::bytea[]) as u (id, hash), sensor s
      where s.id = u.id and r.sensor_num = s.num and r.secret_hash = u.hash
      returning r.sensor_num, r.secret_hash)
    update device d set secret_hash = taken.secret_hash, previous_hash = null, previous_until = null, is_confirmed = true,
      restored_to = null
    from taken join sensor s on s.num = taken.sensor_num where d.sensor_num = taken.sensor_num
    returning s.id as sensor_id, s.owner_id, s.owner_path`.execute(tx);
  return rows;
}

/** Does nothing if the device has got another password meanwhile. */
export async function replaceSecret(tx: Tx, { num, present_hash }: DueRenewal, hash: Buffer): Promise<void> {
  await sql`
    update device set secret_hash = ${hash}, previous_hash = null, previous_until = null, is_confirmed = true,
      restored_to = null
    where sensor_num = ${num} and secret_hash = ${present_hash}`.execute(tx);
}

export async function deleteOrder(tx: Tx, sensorNum: number): Promise<void> {
  await tx.deleteFrom("device_renewal").where("sensor_num", "=", sensorNum).execute();
}

type StoredSecrets = {
  wire_id: string;
  id: string;
  secret_hash: Buffer;
  previous_hash: Buffer | null;
  previous_until: Date | null;
  next_hash: Buffer | null;
};

const selectSecrets = prepare<StoredSecrets>(
  "sensor_secrets",
  `select s.wire_id, s.id, d.secret_hash, d.previous_hash, d.previous_until, r.secret_hash as next_hash
  from sensor s join device d on d.sensor_num = s.num left join device_renewal r on r.sensor_num = s.num
  where s.wire_id = any($1::text[]) and not s.is_deleted`,
);

export const findSecrets = (db: Reader, wireIds: readonly string[]) =>
  runPrepared(db, selectSecrets, [[...new Set(wireIds)]]);
