// Queries for dead letters: records that could not be stored, each with the reason.
import { sql } from "kysely";
import { toPgColumn, toPgArray } from "../../db/arrays.ts";
import type { Database, Tx } from "../../db/database.ts";
import { toJsonb, toStorableJson, toStorableText } from "../../db/storable.ts";
import type { RefusedRecord } from "../capability.ts";

/** Per sensor; the oldest are deleted first. */
const maxDeadLetters = 1_000;

/** Characters kept of a refused record. */
const maxRecord = 8_192;
const maxReason = 300;

/**
 * Stores dead letters. A record that is already stored is skipped, and a different one with the same number replaces it. Records
 * without a number are always added.
 */
export async function saveDeadLetters(tx: Tx, nowMs: number, letters: readonly RefusedRecord[]): Promise<void> {
  if (letters.length === 0) return;
  const latest = [...new Map(letters.map((one, index) => [one.q === null ? index : keyOf(one), one])).values()];
  await sql`
    insert into dead_letter as d (sensor_num, at, ep, q, reason, record)
    select num, ${new Date(nowMs)}, ep, q, reason, record from ${letterRows(latest)}
    on conflict (sensor_num, ep, q) do update set at = excluded.at, reason = excluded.reason, record = excluded.record
      where d.record is distinct from excluded.record`.execute(tx);
  const nums = [...new Set(latest.map(({ sensor }) => sensor.num))];
  await sql`
    delete from dead_letter d using unnest(${toPgArray(nums)}::int[]) s (num)
      cross join lateral (
        select id from dead_letter where sensor_num = s.num order by at desc, id desc offset ${maxDeadLetters}
      ) old where d.id = old.id`.execute(tx);
}

const keyOf = ({ sensor, ep, q }: RefusedRecord) => `${sensor.num}/${ep}/${q}`;

export async function findStoredDeadLetters(tx: Tx, letters: readonly RefusedRecord[]): Promise<Set<number>> {
  const { rows } = await sql<{ index: number }>`
    select (l.place - 1)::int as index from ${letterRows(letters)}
    join dead_letter d on d.sensor_num = l.num and d.ep = l.ep and d.q = l.q and d.record = l.record`.execute(tx);
  return new Set(rows.map(({ index }) => index));
}

function letterRows(letters: readonly RefusedRecord[]) {
  return sql`unnest(${toPgColumn(letters, ({ sensor }) => sensor.num)}::int[], ${letters.map(({ ep }) => toStorableText(ep))}::text[],
    ${toPgColumn(letters, ({ q }) => q)}::bigint[], ${letters.map(({ reason }) => reason.slice(0, maxReason))}::text[],
    ${letters.map(({ record }) => toStorableJson(keptOf(record)))}::jsonb[]) with ordinality l (num, ep, q, reason, record, place)`;
}

function keptOf(record: unknown): unknown {
  const text = toJsonb(record);
  return text.length <= maxRecord ? record : { truncated: text.slice(0, maxRecord) };
}

export async function deleteDeadLetters(db: Database, until: Date): Promise<void> {
  await db.deleteFrom("dead_letter").where("at", "<=", until).execute();
}

export type DeadLetter = { at: Date; ep: string; q: number | null; reason: string; record: unknown };

export async function listDeadLetters(
  db: Database,
  sensorNum: number,
  page: { skip: number; limit: number; descending: boolean; since: number },
): Promise<{ letters: DeadLetter[]; total: number }> {
  const from = db
    .selectFrom("dead_letter")
    .where("sensor_num", "=", sensorNum)
    // Data from before a claim does not belong to the new owner.
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
