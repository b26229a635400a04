// Queries for the enrollment and credentials of devices. They check no rights, because a device acts only for itself.
import { type Insertable, sql, type Updateable } from "kysely";
import type { Tx } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";

/**
 * Locks the token of an undeleted account and returns it with its firmware, unless that is deleted. A concurrent revocation waits or
 * takes effect first.
 */
export async function lockInitToken(tx: Tx, hash: Buffer) {
  // Locks the token alone first: a join that waits for a changed token would still return its former owner and firmware.
  const held = await tx
    .selectFrom("init_token")
    .select("id")
    .where("token_hash", "=", hash)
    .where("is_deleted", "=", false)
    .forShare()
    .executeTakeFirst();
  if (!held) return undefined;
  return tx
    .selectFrom("init_token")
    .innerJoin("account", "account.id", "init_token.owner_id")
    .leftJoin("firmware", (join) =>
      join.onRef("firmware.id", "=", "init_token.firmware_id").on("firmware.is_deleted", "=", false),
    )
    .where("init_token.id", "=", held.id)
    .where("account.is_deleted", "=", false)
    .select([
      "init_token.id as id",
      "account.id as owner_id",
      "account.path as owner_path",
      "firmware.id as firmware_id",
      "firmware.type as firmware_type",
    ])
    .forShare("account")
    .executeTakeFirst();
}
export type LockedInitToken = NonNullable<Awaited<ReturnType<typeof lockInitToken>>>;

type Fresh = Pick<Insertable<Tables["sensor"]>, "owner_id" | "owner_path" | "type" | "firmware_id" | "claiming_code">;

/** Returns the number of the new sensor, or null if the id exists. */
export async function insertEnrolledSensor(tx: Tx, values: Fresh & { id: string }): Promise<number | null> {
  const row = await tx
    .insertInto("sensor")
    .values(values)
    // Ignores conflicts of every unique index, as insertSensor does.
    .onConflict((conflict) => conflict.doNothing())
    .returning("num")
    .executeTakeFirst();
  return row?.num ?? null;
}

export async function lockEnrollingSensor(tx: Tx, id: string) {
  const sensor = await tx.selectFrom("sensor").selectAll().where("id", "=", id).forUpdate().executeTakeFirstOrThrow();
  const device = await tx
    .selectFrom("device")
    .leftJoin("device_renewal", "device_renewal.sensor_num", "device.sensor_num")
    .where("device.sensor_num", "=", sensor.num)
    .selectAll("device")
    .select(["device_renewal.secret_hash as next_hash", "device_renewal.sensor_num as renewing"])
    .executeTakeFirst();
  return {
    ...sensor,
    secret_hash: device?.secret_hash ?? null,
    previous_hash: device?.previous_hash ?? null,
    previous_until: device?.previous_until ?? null,
    next_hash: device?.next_hash ?? null,
    /** Whether the sensor changed owner, so that its old password is only good for receiving the new one. */
    isRenewing: (device?.renewing ?? null) !== null,
    /** Whether an external broker has confirmed the first password. Until then no device has received one. */
    isProvisioned: device?.is_provisioned ?? false,
    /** The password with which the device asked for one that an external broker has not confirmed yet. */
    proved_hash: device?.is_confirmed === false ? device.proved_hash : null,
    /** The newest password that the device can have received: none that an external broker has not confirmed. */
    last_hash: (device?.is_confirmed === false ? device.previous_hash : device?.secret_hash) ?? null,
    /** Set by a restore until the password changes: the device may have one that was issued after this time. */
    restored_to: device?.restored_to ?? null,
    public_key: device?.public_key ?? null,
    key_is_proved: device?.key_is_proved ?? false,
  };
}

/** Locks a deleted sensor and returns its number; null if the id is in use. */
export async function lockDeletedSensor(tx: Tx, id: string): Promise<number | null> {
  const row = await tx
    .selectFrom("sensor")
    .select("num")
    .where("id", "=", id)
    .where("is_deleted", "=", true)
    .forUpdate()
    .executeTakeFirst();
  return row?.num ?? null;
}

type Bump = { version: ReturnType<typeof sql<number>>; updated_at: Date };

/** Restores a deleted sensor as a new one, without any of its former data. */
export async function resetSensor(
  tx: Tx,
  id: string,
  values: Bump & Fresh & { visible_from: Date; awaited_since?: Date },
): Promise<void> {
  await tx
    .updateTable("sensor")
    .set({
      awaited_since: null,
      ...values,
      location_id: null,
      firmware_running_id: null,
      running_version: null,
      info: null,
      groups: [],
      claimable: false,
      license_monitoring: false,
      monitoring_config: null,
      con_at: null,
      discon_at: null,
      last_contact_at: null,
      is_connected: false,
      not_responding: false,
      psconnect: null,
      vpn: null,
      rest_username: null,
      rest_password_sealed: null,
      update_task: null,
      install_state: null,
      installation: null,
      is_deleted: false,
    })
    .where("id", "=", id)
    .execute();
}

export async function enrollRegisteredSensor(tx: Tx, id: string, values: Bump & { claiming_code: string }) {
  await tx
    .updateTable("sensor")
    .set({ ...values, claimable: false, awaited_since: null })
    .where("id", "=", id)
    .execute();
}

export async function deleteDevice(tx: Tx, sensorNum: number): Promise<void> {
  await tx.deleteFrom("device").where("sensor_num", "=", sensorNum).execute();
}

/** Replaces the device's row but keeps the revision of its desired state, because devices ignore lower revisions. */
export async function upsertDevice(tx: Tx, values: Insertable<Tables["device"]>): Promise<void> {
  const former = await tx
    .deleteFrom("device")
    .where("sensor_num", "=", values.sensor_num)
    .returning("desired_rev")
    .executeTakeFirst();
  await tx
    .insertInto("device")
    .values({ ...values, desired_rev: former?.desired_rev ?? 0 })
    .execute();
}

export async function renewSecret(tx: Tx, sensorNum: number, values: Updateable<Tables["device"]>): Promise<void> {
  await tx.updateTable("device").set(values).where("sensor_num", "=", sensorNum).execute();
}

/**
 * Called after a restore. Every change of a password is audited, so passwords issued after the last audit row are those that the
 * restored database does not know.
 */
export async function noteRestoredPasswords(tx: Tx): Promise<void> {
  await sql`update device set restored_to = (select max(at) from audit) where restored_to is null`.execute(tx);
}

/** Locks the sensor's client at an external broker (changeBrokerClient). */
export async function lockBrokerClient(tx: Tx, sensorId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`broker client ${sensorId}`}, 0))`.execute(tx);
}

/** Whether this is the sensor's password, and the external broker has not confirmed it yet. */
export async function hasUnconfirmedPassword(tx: Tx, sensorId: string, secretHash: Buffer): Promise<boolean> {
  const row = await tx
    .selectFrom("device")
    .innerJoin("sensor", "sensor.num", "device.sensor_num")
    .where("sensor.id", "=", sensorId)
    .where("sensor.is_deleted", "=", false)
    .where("device.secret_hash", "=", secretHash)
    .where("device.is_confirmed", "=", false)
    .select("device.sensor_num")
    .executeTakeFirst();
  return row !== undefined;
}

/** False if this is not the password of the sensor any more. */
export async function confirmPassword(
  tx: Tx,
  sensorId: string,
  secretHash: Buffer,
  previousUntil: Date,
): Promise<boolean> {
  const { rows } = await sql`
    update device d set is_provisioned = true, is_confirmed = true, previous_until = ${previousUntil}
    from sensor s where s.num = d.sensor_num and s.id = ${sensorId} and not s.is_deleted
      and d.secret_hash = ${secretHash} and not d.is_confirmed
    returning d.sensor_num`.execute(tx);
  return rows.length === 1;
}
