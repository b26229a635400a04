// SQL of received records: which numbers of which buffer are stored, locked in one order; and those that could not be stored,
// each with the reason.
import { sql } from "kysely";
import type { Database, Tx } from "../../db/database.ts";
import { formatRanges, type Range } from "./received.ts";
import type { StoringSensor } from "../capability.ts";
import { numbers } from "../../db/arrays.ts";
import { toStorableJson, toStorableText } from "../../db/storable.ts";

export type Transaction = Tx;
export type Epoch = { ranges: Range[]; firstQ: number };
type EpochRow = { sensor_num: number; epoch: string; stored: string; first_q: number };

/** A device that makes up new buffers all the time is not followed further than this. */
const maxEpochs = 32;

export async function findStoringSensors(tx: Tx, ids: string[]): Promise<Map<string, StoringSensor>> {
  const rows = await tx
    .selectFrom("sensor")
    .where("id", "in", ids)
    .where("is_deleted", "=", false)
    .select(["id", "num"])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Rows of these buffers, made where missing and locked by sensor and epoch. The key is `{num}/{epoch}`. */
export async function lockEpochs(
  tx: Tx,
  now: Date,
  wanted: { sensorNum: number; ep: string }[],
): Promise<Map<string, EpochRow>> {
  if (wanted.length === 0) return new Map();
  const nums = wanted.map((one) => one.sensorNum);
  const eps = wanted.map((one) => one.ep);
  const made = await sql<{ sensor_num: number }>`
    insert into device_epoch (sensor_num, epoch, touched_at)
    select num, ep, ${now} from unnest(${nums}::int[], ${eps}::text[]) as u (num, ep) order by num, ep collate "C"
    on conflict do nothing returning sensor_num`.execute(tx);
  const { rows } = await sql<EpochRow>`
    select e.sensor_num, e.epoch, e.stored::text as stored, e.first_q from device_epoch e
    join unnest(${nums}::int[], ${eps}::text[]) as u (num, ep) on e.sensor_num = u.num and e.epoch = u.ep
    order by e.sensor_num, e.epoch for update of e`.execute(tx);
  const grown = new Set(made.rows.map((row) => row.sensor_num));
  if (grown.size > 0)
    await forgetOldEpochs(
      tx,
      wanted.filter((one) => grown.has(one.sensorNum)),
    );
  return new Map(rows.map((row) => [`${row.sensor_num}/${row.epoch}`, row]));
}

/** The oldest beyond the limit go; those in hand stay, also when the clock stepped back and they look old. */
async function forgetOldEpochs(tx: Tx, inHand: { sensorNum: number; ep: string }[]): Promise<void> {
  await sql`
    delete from device_epoch e using (
      select e.sensor_num, e.epoch,
        row_number() over (partition by e.sensor_num order by (u.ep is null), e.touched_at desc, e.epoch) as age
      from device_epoch e
      left join unnest(
        ${inHand.map((one) => one.sensorNum)}::int[], ${inHand.map((one) => one.ep)}::text[]
      ) as u (num, ep) on u.num = e.sensor_num and u.ep = e.epoch
      where e.sensor_num = any(${inHand.map((one) => one.sensorNum)}::int[])
    ) old where old.age > ${maxEpochs} and e.sensor_num = old.sensor_num and e.epoch = old.epoch`.execute(tx);
}

export async function saveEpochs(
  tx: Tx,
  now: Date,
  epochs: { sensorNum: number; ep: string; ranges: Range[] }[],
): Promise<void> {
  if (epochs.length === 0) return;
  await sql`
    update device_epoch e set stored = u.stored::int8multirange, touched_at = ${now}
    from unnest(
      ${epochs.map((one) => one.sensorNum)}::int[], ${epochs.map((one) => one.ep)}::text[],
      ${epochs.map((one) => formatRanges(one.ranges))}::text[]
    ) as u (num, ep, stored)
    where e.sensor_num = u.num and e.epoch = u.ep`.execute(tx);
}

/** At birth the device says from which record on it still holds something. Returns what is stored of its buffer. */
export async function noteBirth(
  tx: Tx,
  now: Date,
  births: { sensorId: string; ep: string; firstQ: number }[],
): Promise<(EpochRow & { sensor_id: string })[]> {
  const { rows: numbered } = await sql<{ num: number; id: string; ep: string; first_q: number }>`
    select s.num, s.id, u.ep, u.first_q
    from unnest(
      ${births.map((one) => one.sensorId)}::text[], ${births.map((one) => one.ep)}::text[],
      ${births.map((one) => one.firstQ)}::int8[]
    ) as u (id, ep, first_q) join sensor s on s.id = u.id and not s.is_deleted`.execute(tx);
  if (numbered.length === 0) return [];
  // In the same way as the records: a statement that made rows and locked others at once would deadlock with them.
  await lockEpochs(
    tx,
    now,
    numbered.map((one) => ({ sensorNum: one.num, ep: one.ep })),
  );
  const { rows } = await sql<EpochRow & { sensor_id: string }>`
    update device_epoch e set first_q = u.first_q
    from unnest(
      ${numbered.map((one) => one.num)}::int[], ${numbered.map((one) => one.id)}::text[],
      ${numbered.map((one) => one.ep)}::text[], ${numbered.map((one) => one.first_q)}::int8[]
    ) as u (num, id, ep, first_q)
    where e.sensor_num = u.num and e.epoch = u.ep
    returning e.sensor_num, e.epoch, e.stored::text as stored, e.first_q, u.id as sensor_id`.execute(tx);
  return rows;
}

export type DeadLetter = { sensorNum: number; ep: string; q: number; reason: string; record: unknown };

/** Of one sensor at most; the oldest give way, so that a broken device costs no more than this. */
const maxDeadLetters = 1_000;

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
