// Records that a device sent and that could not be stored, each with the reason.
import { sql } from "kysely";
import type { Database, Tx } from "../../db/database.ts";
import { numbers } from "../../db/arrays.ts";
import { toStorableJson, toStorableText } from "../../db/storable.ts";

export type DeadLetter = { sensorNum: number; ep: string; q: number; reason: string; record: unknown };

/** Of one sensor at most; the oldest give way, so that a broken device costs no more than this. */
export const maxDeadLetters = 1_000;

/** Keeps what could not be stored; the same (sensor, ep, q) again is a no-op. */
export async function keepDeadLetters(tx: Tx, nowMs: number, letters: readonly DeadLetter[]): Promise<void> {
  if (letters.length === 0) return;
  await sql`
    insert into dead_letter (sensor_num, at, ep, q, reason, record)
    select num, ${new Date(nowMs)}, ep, q, reason, record from unnest(${numbers(letters.map((l) => l.sensorNum))}::int[],
      ${letters.map((l) => toStorableText(l.ep))}::text[], ${numbers(letters.map((l) => l.q))}::bigint[],
      ${letters.map((l) => l.reason)}::text[], ${letters.map((l) => toStorableJson(l.record))}::jsonb[]) l (num, ep, q, reason, record)
    on conflict (sensor_num, ep, q) do nothing`.execute(tx);
  await sql`
    delete from dead_letter d using unnest(${numbers([...new Set(letters.map((l) => l.sensorNum))])}::int[]) s (num)
      cross join lateral (
        select id from dead_letter where sensor_num = s.num order by at desc, id desc offset ${maxDeadLetters}
      ) old where d.id = old.id`.execute(tx);
}

export async function deleteDeadLetters(db: Database, until: Date): Promise<void> {
  await db.deleteFrom("dead_letter").where("at", "<=", until).execute();
}

export type KeptLetter = { at: Date; ep: string; q: number; reason: string; record: unknown };

export async function listDeadLetters(
  db: Database,
  sensorNum: number,
  page: { skip: number; limit: number; descending: boolean; since: number },
): Promise<{ letters: KeptLetter[]; total: number }> {
  const from = db
    .selectFrom("dead_letter")
    .where("sensor_num", "=", sensorNum)
    // What came or was measured before a claim is not the new owner's.
    .where("at", ">=", new Date(Math.max(0, page.since)))
    .where(
      sql<boolean>`case when jsonb_typeof(coalesce(record -> 's', record -> 'at')) = 'number'
        then coalesce(record -> 's', record -> 'at')::numeric >= ${Math.max(0, page.since)}::numeric else true end`,
    );
  const direction = page.descending ? "desc" : "asc";
  const letters = await from
    .select(["at", "ep", "q", "reason", "record"])
    .orderBy("at", direction)
    .orderBy("id", direction)
    .limit(page.limit)
    .offset(page.skip)
    .execute();
  const { total } = await from.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  return { letters, total };
}
