// SQL of a change of owner: which columns of a sensor start over with it.
import { type RawBuilder, sql } from "kysely";
import type { Reader } from "../../db/database.ts";

/** Those of these claiming codes that some sensor has. */
export async function findTakenCodes(reader: Reader, codes: readonly string[]): Promise<string[]> {
  const rows = await reader.selectFrom("sensor").select("claiming_code").where("claiming_code", "in", codes).execute();
  return rows.flatMap((row) => row.claiming_code ?? []);
}

export type HandOver = { ownerId: string; at: Date; freshCode: RawBuilder<unknown> };

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
  };
}
