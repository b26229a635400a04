// Queries for the set-up card.
import type { SetUpFacts } from "@psp/contract/set-up/set-up.api.ts";
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import { whereViewable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";

/** Maximum number of sensors that the query reads. An account with more sensors has been set up long ago. */
const looked = 500;

export async function isDismissed(db: Reader, credentialId: string): Promise<boolean> {
  const row = await db
    .selectFrom("set_up_dismissal")
    .select("credential_id")
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function dismissCard(tx: Tx, credentialId: string, at: Date): Promise<void> {
  await tx
    .insertInto("set_up_dismissal")
    .values({ credential_id: credentialId, dismissed_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function restoreCard(tx: Tx, credentialId: string): Promise<void> {
  await tx.deleteFrom("set_up_dismissal").where("credential_id", "=", credentialId).execute();
}

/** Considers only visible objects. */
export async function findSetUpFacts(db: Reader, caller: Caller): Promise<SetUpFacts> {
  const visibleLocations = whereViewable(caller, "measurement", "location");
  const visibleAccounts = whereViewable(caller, "owner", "account");
  const { rows } = await sql<SetUpFacts>`
    with fleet as materialized (
      select id, num, location_id, license_monitoring, monitoring_config is not null as watched from sensor where not is_deleted and ${whereViewable(caller, "sensor", "sensor")} limit ${looked}
    ), placed as materialized (
      select location.id, fleet.num, fleet.license_monitoring,
        fleet.license_monitoring and (watched or monitoring_config is not null) as watched
      from fleet join location on location.id = fleet.location_id
      where not location.is_deleted and ${visibleLocations}
    )
    select exists (select from fleet) as "hasSensor",
      exists (select from location where not is_deleted and ${visibleLocations}) as "hasLocation",
      (select min(id) from fleet where location_id is null) as "unplacedSensor",
      (select id from placed order by id limit 1) as "placedAt",
      exists (select from counter join fleet on num = sensor_num where first_ms is not null) as "hasCounts",
      (select id from placed where license_monitoring order by id limit 1) as "licensedAt",
      exists (select from placed where watched) as "isMonitored",
      exists (select from credential
          where account_id = ${caller.id} and id <> ${caller.credentialId} and not is_deleted)
        or exists (select from account where parent_id = ${caller.id} and not is_deleted and ${visibleAccounts}) as "hasColleague"`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("A question without conditions has one answer");
  return row;
}
