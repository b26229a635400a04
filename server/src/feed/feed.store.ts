// SQL about the feed of vehicles: what coaches said last, and the tokens that open a feed. Nothing else.
import type { LivePosition } from "@psp/contract/sensor/sensor.device.ts";
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import { toStorableJson } from "../db/storable.ts";
import type { Zones } from "./feed.tables.ts";

export type SaidLevel = { sensorId: string; zones: Zones; pos: LivePosition | null; at: Date };

/** Keeps what coaches said last; other sensors have levels, too, and nothing of a former owner's time is kept. */
export async function saveLevels(reader: Reader, levels: readonly SaidLevel[]): Promise<void> {
  if (levels.length === 0) return;
  await sql`
    insert into vehicle_level (sensor_num, zones, pos, at)
    select s.num, u.zones::jsonb, u.pos::jsonb, u.at from unnest(${levels.map((one) => one.sensorId)}::text[],
      ${levels.map((one) => toStorableJson(one.zones))}::text[],
      ${levels.map((one) => (one.pos === null ? null : toStorableJson(one.pos)))}::text[],
      ${levels.map((one) => one.at.toISOString())}::timestamptz[]) u (id, zones, pos, at)
    join sensor s on s.id = u.id
    where s.type = 'ZOD' and not s.is_deleted and u.at >= s.visible_from order by s.num
    on conflict (sensor_num) do update set zones = excluded.zones, pos = excluded.pos, at = excluded.at
      where vehicle_level.at <= excluded.at`.execute(reader);
}

/** `group` is the section as it was last read from the sensor; a coach whose sensor never answered has none and is not here. */
export type CoachRow = { group: unknown; zones: Zones | null; pos: LivePosition | null; at: Date | null };

/** Coaches of the account at this place of the tree and of all below it, in the order in which they came. */
export async function findCoaches(reader: Reader, path: string, limit: number): Promise<CoachRow[]> {
  const { rows } = await sql<CoachRow>`
    select c.answer -> 'values' as "group", l.zones, l.pos, l.at
    from sensor s
    join sensor_section c on c.sensor_num = s.num and c.section = 'group'
    left join vehicle_level l on l.sensor_num = s.num and l.at >= s.visible_from
    where s.type = 'ZOD' and not s.is_deleted and s.owner_path >= ${path} and s.owner_path < ${`${path}~`}
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

export type FeedAccount = { id: string; path: string };

/** The living account whose feed this token opens, or null. */
export async function findAccountByToken(reader: Reader, hash: Buffer): Promise<FeedAccount | null> {
  const row = await reader
    .selectFrom("feed_token as t")
    .innerJoin("account as a", "a.id", "t.account_id")
    .select(["a.id", "a.path"])
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
