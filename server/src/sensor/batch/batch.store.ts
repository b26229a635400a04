// Queries for the selection, progress and failures of batches. Changes of sensors are in change/change.store.ts.
import { type Expression, type Selectable, type SqlBool, sql } from "kysely";
import type { Caller } from "../../kit/caller.ts";
import type { Reader, Tx } from "../../db/database.ts";
import { conjunction } from "../../db/list.ts";
import type { Tables } from "../../db/tables.ts";
import { whereViewable } from "../../db/visible.ts";
import { toJsonb } from "../../db/storable.ts";

type Batch = Selectable<Tables["sensor_batch"]>;
type NewBatch = Pick<Batch, "id" | "account_id" | "request_id" | "key" | "kind" | "changes" | "asked_mark"> & {
  at: Date;
};

/** Draws the number of a new batch: changes with higher numbers are newer than the batch (ADR 0015). */
export async function drawBatchNumber(db: Reader): Promise<string> {
  const { rows } = await sql<{ mark: string }>`select nextval('change_order')::text as mark`.execute(db);
  return rows[0]?.mark ?? "0";
}

/** Sensors by id, or by conditions that are evaluated when the batch is inserted. */
export type SensorSelection = { ids: readonly string[] } | { where: Expression<SqlBool>[] };

/** Inserts a batch with its sensors and returns their number. An empty batch is finished at once. */
export async function insertBatch(tx: Tx, batch: NewBatch, chosen: SensorSelection): Promise<number> {
  // The conditions refer to the table `sensor`. Ids are selected in SQL, so that a million of them are never loaded.
  const from =
    "ids" in chosen
      ? sql`select ${[...chosen.ids]}::text[] as ids, ${chosen.ids.length}::int as total`
      : sql`select coalesce(array_agg(sensor.id order by sensor.id), '{}') as ids, count(*)::int as total
            from sensor where ${conjunction(chosen.where)}`;
  const { rows } = await sql<{ total: number }>`
    insert into sensor_batch (id, account_id, request_id, key, kind, changes, asked_mark, ids, total, started_at, touched_at, finished_at)
    select ${batch.id}::uuid, ${batch.account_id}::uuid, ${batch.request_id}::text, ${batch.key}::text, ${batch.kind}::text,
      ${batch.changes === null ? null : toJsonb(batch.changes)}::jsonb, ${batch.asked_mark}::bigint, c.ids, c.total,
      ${batch.at}::timestamptz, ${batch.at}::timestamptz, case when c.total = 0 then ${batch.at}::timestamptz end
    from (${from}) c returning total`.execute(tx);
  return rows[0]?.total ?? 0;
}

export function excludeSensors(ids: readonly string[]): Expression<SqlBool> {
  return sql<boolean>`sensor.id <> all(${[...ids]}::text[])`;
}

export type BatchPart = Pick<
  Batch,
  "account_id" | "request_id" | "kind" | "changes" | "asked_mark" | "done" | "total" | "ids"
> & { is_canceled: boolean; is_finished: boolean };

/** Locks the batch, so that concurrent workers take turns, and returns its next sensors, at most `size`. */
export async function lockNextPart(tx: Tx, id: string, size: number): Promise<BatchPart | null> {
  const { rows } = await sql<BatchPart>`
    select account_id, request_id, kind, changes, asked_mark::text, done, total, canceled_at is not null as is_canceled,
      finished_at is not null as is_finished, case when finished_at is null then ids[done + 1:done + ${size}::int] else '{}' end as ids
    from sensor_batch where id = ${id} for update`.execute(tx);
  return rows[0] ?? null;
}

export type SensorFailure = { id: string; code: number };

/** Stores the result of a part; call it in the transaction that changed the sensors. */
export async function saveProgress(
  tx: Tx,
  id: string,
  at: Date,
  part: { count: number; failures: readonly SensorFailure[] },
): Promise<void> {
  await insertFailures(tx, id, part.failures);
  const changed = part.count - part.failures.length;
  await sql`update sensor_batch set done = done + ${part.count}, success = success + ${changed}, touched_at = ${at},
    finished_at = case when done + ${part.count} >= total then ${at}::timestamptz end where id = ${id}`.execute(tx);
}

async function insertFailures(tx: Tx, id: string, failures: readonly SensorFailure[]): Promise<void> {
  if (failures.length === 0) return;
  await sql`insert into sensor_batch_fail (batch_id, sensor_id, code)
    select ${id}::uuid, f.sensor_id, f.code
    from unnest(${failures.map((one) => one.id)}::text[], ${failures.map((one) => one.code)}::smallint[]) f (sensor_id, code)`.execute(
    tx,
  );
}

export const canceledCode = 0;

export async function failRemainingSensors(tx: Tx, id: string, at: Date, code: number): Promise<void> {
  await sql`insert into sensor_batch_fail (batch_id, sensor_id, code)
    select b.id, s.sensor_id, ${code}::smallint from sensor_batch b, unnest(b.ids[b.done + 1:]) s (sensor_id)
      where b.id = ${id}`.execute(tx);
  await sql`update sensor_batch set done = total, touched_at = ${at}, finished_at = ${at} where id = ${id}`.execute(tx);
}

const maxListed = 50;

export async function findBatches(db: Reader, accountId: string, by: { id?: string; key?: string | undefined }) {
  return db
    .selectFrom("sensor_batch")
    .select(["id", "request_id", "key", "kind", "changes", "total", "done", "success"])
    .select(["started_at", "finished_at", "canceled_at"])
    .where("account_id", "=", accountId)
    .$if(by.id !== undefined, (query) => query.where("id", "=", by.id ?? ""))
    .$if(by.key !== undefined, (query) => query.where("key", "=", by.key ?? ""))
    .orderBy("started_at", "desc")
    .orderBy("id", "desc")
    .limit(maxListed)
    .execute();
}
export type BatchRow = Awaited<ReturnType<typeof findBatches>>[number];

export type VisibleFailure = SensorFailure & { type: string | null; owner_id: string | null };

export async function findFailures(db: Reader, caller: Caller, id: string): Promise<VisibleFailure[]> {
  const visible = whereViewable(caller, "sensor", "s");
  const { rows } = await sql<VisibleFailure>`
    select f.sensor_id as id, f.code, s.type, s.owner_id
    from sensor_batch_fail f left join sensor s on s.id = f.sensor_id and not s.is_deleted and ${visible}
    where f.batch_id = ${id} order by f.sensor_id`.execute(db);
  return rows;
}

export async function cancelBatch(db: Reader, id: string, at: Date): Promise<boolean> {
  const row = await db
    .updateTable("sensor_batch")
    .set({ canceled_at: at })
    .where("id", "=", id)
    .where("finished_at", "is", null)
    .where("canceled_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Counts unfinished batches of the account. Takes a lock per account, so that concurrent new batches wait. */
export async function countRunningBatches(tx: Tx, accountId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`psp batches ${accountId}`}, 0))`.execute(tx);
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from sensor_batch where account_id = ${accountId} and finished_at is null`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Finds batches without progress since `untouchedSince`, whose worker must be gone. */
export async function findAbandonedBatches(db: Reader, untouchedSince: Date): Promise<{ id: string }[]> {
  return db
    .selectFrom("sensor_batch")
    .select("id")
    .where("finished_at", "is", null)
    .where("touched_at", "<=", untouchedSince)
    .orderBy("started_at")
    .execute();
}

export async function deleteOldBatches(db: Reader, startedBefore: Date): Promise<void> {
  await db.deleteFrom("sensor_batch").where("started_at", "<=", startedBefore).execute();
}

export async function countSuccesses(db: Reader, id: string): Promise<number> {
  const row = await db.selectFrom("sensor_batch").select("success").where("id", "=", id).executeTakeFirst();
  return row?.success ?? 0;
}
