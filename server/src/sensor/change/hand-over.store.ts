// Queries for a change of owner: columns to reset, lookup by registration code, and the update.
import { type RawBuilder, sql } from "kysely";
import type { Reader, Tx } from "../../db/database.ts";
import type { TrailedSensor } from "../sensor.store.ts";

export async function findTakenCodes(reader: Reader, codes: readonly string[]): Promise<string[]> {
  const rows = await reader.selectFrom("sensor").select("claiming_code").where("claiming_code", "in", codes).execute();
  return rows.flatMap((row) => row.claiming_code ?? []);
}

/** Resets the VPN request and status, but keeps whether the device supports VPN. */
export const clearedVpnState = sql`'{"connect":false,"until":null,"vpnStatus":null}'::jsonb`;

type HandOver = { ownerId: string; at: Date; freshCode: RawBuilder<unknown> };

/**
 * Column values after a change of owner, as expressions over the old row `alias`. A sensor stays at a location only if
 * the new owner owns it. A sensor that never enrolled has no code to replace.
 */
export function toHandOverColumns(alias: string, { ownerId, at, freshCode }: HandOver) {
  const [place, code] = [sql.ref(`${alias}.location_id`), sql.ref(`${alias}.claiming_code`)];
  return {
    visible_from: sql<Date>`${at}::timestamptz`,
    claiming_code: sql<string | null>`case when ${code} is not null then ${freshCode} end`,
    claimable: sql<boolean>`false`,
    location_id: sql<
      string | null
    >`(select l.id from location l where l.id = ${place} and l.owner_id = ${ownerId}::uuid)`,
    rest_username: sql<string | null>`null`,
    rest_password_sealed: sql<Buffer | null>`null`,
    // Reset, because the former owner chose the recipients of its mails.
    monitoring_config: sql<null>`null`,
    vpn: sql<unknown>`${sql.ref(`${alias}.vpn`)} || ${clearedVpnState}`,
  };
}

export type TakeOver = {
  id: string;
  type: string;
  code: string;
  owner: { id: string; path: string };
  freshCode: string;
  at: Date;
};

/** The sensor that can be claimed with this code, regardless of its owner; none if it is deleted. */
export async function findClaimable(reader: Reader, code: string) {
  return reader
    .selectFrom("sensor")
    .select(["id", "type"])
    .where("claiming_code", "=", code)
    .where("claimable", "=", true)
    .where("is_deleted", "=", false)
    .executeTakeFirst();
}

/** Locks the sensors in a fixed order, so that concurrent claims of several sensors never deadlock. */
export async function lockSensorsByCodes(tx: Tx, codes: readonly string[]): Promise<number[]> {
  const rows = await tx
    .selectFrom("sensor")
    .select("num")
    .where("claiming_code", "in", codes)
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows.map(({ num }) => num).toSorted((a, b) => a - b);
}

export type FormerState = TrailedSensor & { num: number; owner_path: string };

const fits = ({ id, type, code }: TakeOver) =>
  sql<boolean>`id = ${id} and type = ${type} and claiming_code = ${code} and claimable and not is_deleted`;

/** Locks and returns the sensor; null if id, type and code don't match or it can't be claimed. */
export async function lockClaimedSensor(tx: Tx, claim: TakeOver): Promise<FormerState | null> {
  const { rows } =
    await sql<FormerState>`select id, num, owner_id, owner_path, type, location_id, firmware_id, groups, claimable,
    license_monitoring, rest_username, monitoring_config from sensor where ${fits(claim)} for update`.execute(tx);
  return rows[0] ?? null;
}

/**
 * Moves the sensor to its new owner and removes the former owner's data. Device properties stay: type, version, capabilities. False if
 * another claim was faster; the statement checks the code again.
 */
export async function moveToClaimer(tx: Tx, claim: TakeOver): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update sensor set
      owner_id = ${claim.owner.id}, owner_path = ${claim.owner.path}, visible_from = ${claim.at},
      claimable = false, claiming_code = ${claim.freshCode},
      location_id = null, groups = '{}', firmware_id = null, update_task = null, install_state = null, installation = null,
      rest_username = null, rest_password_sealed = null, monitoring_config = null,
      con_at = null, discon_at = null, last_contact_at = null, is_connected = false, not_responding = false,
      info = case when running_version is not null then
        jsonb_build_object('software', jsonb_build_object('firmware', jsonb_build_object('version', running_version))) end,
      vpn = vpn || ${clearedVpnState},
      version = version + 1, updated_at = ${claim.at}
    where ${fits(claim)}`.execute(tx);
  return numAffectedRows === 1n;
}

/** Claiming one's own sensor keeps everything and only replaces the code. */
export async function replaceClaimingCode(tx: Tx, claim: TakeOver): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update sensor set claimable = false, claiming_code = ${claim.freshCode}, version = version + 1, updated_at = ${claim.at}
    where ${fits(claim)}`.execute(tx);
  return numAffectedRows === 1n;
}
