// SQL of a change of owner: which columns of a sensor start over with it, which sensor answers to a registration code, and the
// statement that gives it away.
import { type RawBuilder, sql } from "kysely";
import type { Reader, Tx } from "../../db/database.ts";
import type { TrailedSensor } from "../sensor.store.ts";

/** Those of these claiming codes that some sensor has. */
export async function findTakenCodes(reader: Reader, codes: readonly string[]): Promise<string[]> {
  const rows = await reader.selectFrom("sensor").select("claiming_code").where("claiming_code", "in", codes).execute();
  return rows.flatMap((row) => row.claiming_code ?? []);
}

/** Of its VPN stays what the device can: no one is there, and no one was asked. */
export const noVpn = sql`'{"connect":false,"until":null,"vpnStatus":null}'::jsonb`;

type HandOver = { ownerId: string; at: Date; freshCode: RawBuilder<unknown> };

/**
 * What the columns of a sensor hold after it came to another owner, as expressions over the row `alias` before. It stays
 * at a location only if that is the new owner's; a sensor that never enrolled has no code to lose.
 */
export function handedOver(alias: string, { ownerId, at, freshCode }: HandOver) {
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
    // Mails about it went to people of the former owner's choice.
    monitoring_config: sql<null>`null`,
    vpn: sql<unknown>`${sql.ref(`${alias}.vpn`)} || ${noVpn}`,
  };
}

/** A claim with what it needs: the new owner, a code that no one knows yet, and the time. */
export type TakeOver = {
  id: string;
  type: string;
  code: string;
  owner: { id: string; path: string };
  freshCode: string;
  at: Date;
};

/** The living sensor that can be claimed by this code, whosever it is. */
export async function findClaimable(reader: Reader, code: string) {
  return reader
    .selectFrom("sensor")
    .select(["id", "type"])
    .where("claiming_code", "=", code)
    .where("claimable", "=", true)
    .where("is_deleted", "=", false)
    .executeTakeFirst();
}

/** Locks the sensors behind these codes, always in one order, so that two claims of several never deadlock. */
export async function lockByCodes(tx: Tx, codes: readonly string[]): Promise<number[]> {
  const rows = await tx
    .selectFrom("sensor")
    .select("num")
    .where("claiming_code", "in", codes)
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows.map(({ num }) => num).toSorted((a, b) => a - b);
}

/** A sensor as it was before the take-over. */
export type Former = TrailedSensor & { num: number; owner_path: string };

const fits = ({ id, type, code }: TakeOver) =>
  sql<boolean>`id = ${id} and type = ${type} and claiming_code = ${code} and claimable and not is_deleted`;

/** The sensor as it is, locked; null when id, type and code don't belong together or it can't be claimed. */
export async function lockClaimed(tx: Tx, claim: TakeOver): Promise<Former | null> {
  const { rows } =
    await sql<Former>`select id, num, owner_id, owner_path, type, location_id, firmware_id, groups, claimable,
    license_monitoring, rest_username, monitoring_config from sensor where ${fits(claim)} for update`.execute(tx);
  return rows[0] ?? null;
}

/**
 * Moves the sensor to its new owner and leaves nothing of the former one's on it. What the device reported of itself stays
 * as far as it is the device's own: its type, its version, what it can do. False when another claim was faster: the statement
 * looks once more whether the code still holds.
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
      vpn = vpn || ${noVpn},
      version = version + 1, updated_at = ${claim.at}
    where ${fits(claim)}`.execute(tx);
  return numAffectedRows === 1n;
}

/** An account that claims its own sensor keeps everything; only the code is spent. */
export async function spendCode(tx: Tx, claim: TakeOver): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update sensor set claimable = false, claiming_code = ${claim.freshCode}, version = version + 1, updated_at = ${claim.at}
    where ${fits(claim)}`.execute(tx);
  return numAffectedRows === 1n;
}
