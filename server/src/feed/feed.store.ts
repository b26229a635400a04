// SQL about the feed of vehicles: what coaches said last, and the tokens that open a feed. Nothing else.
import { type Actor, viewSet } from "@psp/contract/permission/can.ts";
import type { LivePosition } from "@psp/contract/device/live-level.ts";
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import { toStorableJson } from "../db/storable.ts";
import { ownerIn } from "../db/visible.ts";
import type { PlacedActor } from "../kit/caller.ts";
import type { Zones } from "./feed.tables.ts";

export type SaidLevel = { sensorId: string; zones: Zones; pos: LivePosition | null; at: Date };

/** Keeps what coaches said last; other sensors have levels, too, and nothing of a former owner's time is kept. */
export async function saveLevels(tx: Tx, levels: readonly SaidLevel[]): Promise<void> {
  if (levels.length === 0) return;
  const ids = levels.map((one) => one.sensorId);
  // In the order of their ids, as everybody locks them: who hands sensors over has them locked when their levels are deleted. And
  // apart: only a later statement sees what was done to a sensor that it had to wait for.
  await sql`select from sensor where id = any(${ids}::text[]) and type = 'ZOD' order by id for no key update`.execute(
    tx,
  );
  await sql`
    insert into vehicle_level (sensor_num, zones, pos, at)
    select s.num, u.zones::jsonb, u.pos::jsonb, u.at from unnest(${ids}::text[],
      ${levels.map((one) => toStorableJson(one.zones))}::text[],
      ${levels.map((one) => (one.pos === null ? null : toStorableJson(one.pos)))}::text[],
      ${levels.map((one) => one.at.toISOString())}::timestamptz[]) u (id, zones, pos, at)
    join sensor s on s.id = u.id
    where s.type = 'ZOD' and not s.is_deleted and u.at >= s.visible_from order by s.num
    on conflict (sensor_num) do update set zones = excluded.zones, pos = excluded.pos, at = excluded.at
      where vehicle_level.at <= excluded.at`.execute(tx);
}

/** `group` is the section as it was last read from the sensor; a coach whose sensor never answered has none and is not here. */
export type CoachRow = { group: unknown; zones: Zones | null; pos: LivePosition | null; at: Date | null };

/** Of the account and of all below it, those that it may view, in the order in which they came. */
export async function findCoaches(reader: Reader, account: FeedAccount, limit: number): Promise<CoachRow[]> {
  const { path } = account;
  const visible = ownerIn(viewSet(account, "sensor"), account, { id: "s.owner_id", path: "s.owner_path" });
  const { rows } = await sql<CoachRow>`
    select c.answer -> 'values' as "group", l.zones, l.pos, l.at
    from sensor s
    join sensor_section c on c.sensor_num = s.num and c.section = 'group'
    left join vehicle_level l on l.sensor_num = s.num and l.at >= s.visible_from
    -- A right may reach beyond the accounts below; what an index has in one range is asked for beside it.
    where s.type = 'ZOD' and not s.is_deleted and s.owner_path >= ${path} and s.owner_path < ${`${path}~`} and ${visible}
    order by s.num limit ${limit}`.execute(reader);
  return rows;
}

/** Since when the account has its present token; null without one. */
export async function findToken(reader: Reader, accountId: string): Promise<Date | null> {
  const row = await reader
    .selectFrom("feed_token")
    .select("created_at")
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row?.created_at ?? null;
}

export type FeedAccount = Actor & PlacedActor;

/** The living account whose feed this token opens, with its rights as they are, or null. */
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

/** Puts a token in the place of the one before, if there was one; whether there was. */
export async function putToken(tx: Tx, accountId: string, hash: Buffer, now: Date): Promise<boolean> {
  // Of two at once the later one replaces what the earlier one put.
  await tx.selectFrom("account").select("id").where("id", "=", accountId).forNoKeyUpdate().execute();
  const former = await deleteToken(tx, accountId);
  await tx.insertInto("feed_token").values({ account_id: accountId, token_hash: hash, created_at: now }).execute();
  return former;
}

/** False when there was none. */
export async function deleteToken(tx: Tx, accountId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom("feed_token").where("account_id", "=", accountId).executeTakeFirst();
  return numDeletedRows > 0n;
}
