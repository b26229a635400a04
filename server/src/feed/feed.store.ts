// Queries for the vehicle feed: latest levels of coaches, and feed tokens.
import type { Actor } from "@psp/contract/permission/can.ts";
import type { LivePosition } from "@psp/contract/device/live-level.ts";
import { sql } from "kysely";
import { isAtOrBelow } from "../db/account-path.ts";
import type { Reader, Tx } from "../db/database.ts";
import { toStorableJson } from "../db/storable.ts";
import { whereViewable } from "../db/visible.ts";
import type { ActorWithPath } from "../kit/caller.ts";
import { type CoachRow, coachColumns } from "./coach.rights.ts";
import type { Zones } from "./feed.tables.ts";

export type ReportedLevel = { sensorId: string; zones: Zones; pos: LivePosition | null; at: Date };

/**
 * Stores the levels, and adds them to the load of the quarter hour. Skips sensors that are not coaches, and levels from before the
 * current owner. Returns the sensors whose levels were stored.
 */
export async function saveLevels(tx: Tx, levels: readonly ReportedLevel[]): Promise<string[]> {
  if (levels.length === 0) return [];
  const ids = levels.map((one) => one.sensorId);
  // Locks in order of id, as all writers do, because a hand-over locks the same sensors before it deletes their levels. This must be a
  // separate statement, because only a statement that starts after the lock was granted sees the other transaction's changes.
  await sql`select from sensor where id = any(${ids}::text[]) and type = 'ZOD' order by id for no key update`.execute(
    tx,
  );
  const { rows } = await sql<{ id: string }>`
    with stored as (
      insert into vehicle_level (sensor_num, zones, pos, at)
      select s.num, u.zones::jsonb, u.pos::jsonb, u.at from unnest(${ids}::text[],
        ${levels.map((one) => toStorableJson(one.zones))}::text[],
        ${levels.map((one) => (one.pos === null ? null : toStorableJson(one.pos)))}::text[],
        ${levels.map((one) => one.at.toISOString())}::timestamptz[]) u (id, zones, pos, at)
      join sensor s on s.id = u.id
      where s.type = 'ZOD' and not s.is_deleted and u.at >= s.visible_from order by s.num
      on conflict (sensor_num) do update set zones = excluded.zones, pos = excluded.pos, at = excluded.at
        where vehicle_level.at <= excluded.at
      returning sensor_num, persons, at
    ), added as (
      insert into coach_load (vehicle_id, slot_at, sensor_num, sequence, persons, levels, places)
      select c.vehicle_id, date_bin('15 minutes', l.at, 'epoch'), l.sensor_num, c.sequence, l.persons, 1, c.seats + c.standing
      from stored l join coach c on c.sensor_num = l.sensor_num where l.persons is not null order by l.sensor_num
      on conflict (vehicle_id, slot_at, sensor_num) do update set persons = coach_load.persons + excluded.persons,
        levels = coach_load.levels + 1, sequence = excluded.sequence, places = excluded.places
    )
    select s.id from stored l join sensor s on s.num = l.sensor_num`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function deleteOldLoads(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("coach_load").where("slot_at", "<", before).execute();
}

/**
 * Finds visible coaches of the account and all accounts below, in order of creation. Coaches whose settings were never read are
 * missing.
 */
export async function findCoaches(
  reader: Reader,
  account: FeedAccount,
  offSince: Date,
  limit: number,
): Promise<CoachRow[]> {
  const visible = whereViewable(account, "sensor", "s");
  const { rows } = await sql<CoachRow>`
    select ${coachColumns(offSince)}
    from sensor s
    join sensor_section c on c.sensor_num = s.num and c.section = 'group'
    left join vehicle_level l on l.sensor_num = s.num and l.at >= s.visible_from
    -- The view right may reach beyond the accounts below, so the range of paths is needed. It is a single index range.
    where s.type = 'ZOD' and not s.is_deleted and ${isAtOrBelow("s.owner_path", account.path)} and ${visible}
    order by s.num limit ${limit}`.execute(reader);
  return rows;
}

export async function findTokenCreatedAt(reader: Reader, accountId: string): Promise<Date | null> {
  const row = await reader
    .selectFrom("feed_token")
    .select("created_at")
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row?.created_at ?? null;
}

export type FeedAccount = Actor & ActorWithPath;

/** The undeleted account of this token with its current rights, or null. */
export async function findAccountByToken(reader: Reader, hash: Buffer): Promise<FeedAccount | null> {
  const row = await reader
    .selectFrom("feed_token as t")
    .innerJoin("account as a", "a.id", "t.account_id")
    .leftJoin("role as r", (join) => join.onRef("r.id", "=", "a.role_id").on("r.is_deleted", "=", false))
    .select(["a.id", "a.path", "a.ancestor_ids as parentAccounts", "r.id as roleId", "r.permissions"])
    .where("t.token_hash", "=", hash)
    .where("a.is_deleted", "=", false)
    .executeTakeFirst();
  return row ?? null;
}

/** Replaces the account's token; returns whether there was one. */
export async function replaceToken(tx: Tx, accountId: string, hash: Buffer, now: Date): Promise<boolean> {
  // Locks the account, so that the later of two concurrent calls replaces the token of the earlier one.
  await tx.selectFrom("account").select("id").where("id", "=", accountId).forNoKeyUpdate().execute();
  const former = await deleteToken(tx, accountId);
  await tx.insertInto("feed_token").values({ account_id: accountId, token_hash: hash, created_at: now }).execute();
  return former;
}

export async function deleteToken(tx: Tx, accountId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom("feed_token").where("account_id", "=", accountId).executeTakeFirst();
  return numDeletedRows > 0n;
}
