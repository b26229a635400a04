// Turns a large default partition into the partition of everything before some day, without reading it under a lock (ADR 0020).
//
// PostgreSQL must know that no row starts later. So it validates a constraint while the table is in use, and a trigger keeps counts
// that would violate it in the next default partition. These are counts of wrong clocks, weeks ahead of their time, which are in no sum.
import { sql } from "kysely";
import type { Database, Reader, Tx } from "../../db/database.ts";
import { countHot, type Partition, type PartitionedTable } from "./partition.rules.ts";
import { boundsOf, changingPartitions, createTable, listPartitions, restOf } from "./partition.store.ts";

const nextOf = ({ name }: PartitionedTable) => `${name}_next`;

/** Does nothing if the table has other partitions. Completes a closing that was interrupted, whatever `past` is then. */
export async function closeRest(db: Database, table: PartitionedTable, past: Partition): Promise<void> {
  const closing = await begin(db, table, past);
  if (closing === null) return;
  if (!closing.isValidated) await db.transaction().execute((tx) => validate(tx, table, closing));
  await finish(db, table, closing);
}

type Closing = Partition & { constraint: string; isValidated: boolean };

/** The name of the constraint is that of the partition and its bound. */
async function findClosing(reader: Reader, table: PartitionedTable): Promise<Closing | null> {
  const { rows } = await sql<{ name: string; isValidated: boolean }>`
    select conname as name, convalidated as "isValidated" from pg_constraint where conrelid = ${restOf(table)}::regclass and contype = 'c'`.execute(
    reader,
  );
  for (const { name: constraint, isValidated } of rows) {
    const [, name, to] = /^(\w+) (\d+)$/.exec(constraint) ?? [];
    if (name !== undefined) return { constraint, isValidated, name, from: null, to: Number(to) };
  }
  return null;
}

export async function isClosing(reader: Reader, table: PartitionedTable): Promise<boolean> {
  return (await findClosing(reader, table)) !== null;
}

async function begin(db: Database, table: PartitionedTable, past: Partition): Promise<Closing | null> {
  return changingPartitions(db, table, async (tx) => {
    const begun = await findClosing(tx, table);
    if (begun !== null) return begun;
    if ((await listPartitions(tx, table)).length > 0) return null;
    const rest = sql.table(restOf(table));
    const constraint = `${past.name} ${past.to}`;
    await sql`lock table only ${rest} in access exclusive mode`.execute(tx);
    await createTable(tx, table, nextOf(table));
    if (table === countHot) await divertCountsAhead(tx, past.to);
    await sql`alter table ${rest} add constraint ${sql.id(constraint)}
      check (${sql.ref(table.key)} < ${sql.lit(past.to)}) not valid`.execute(tx);
    return { ...past, constraint, isValidated: false };
  });
}

async function divertCountsAhead(tx: Tx, fromMs: number): Promise<void> {
  const next = sql.table(nextOf(countHot));
  await sql`create or replace function divert_count_ahead() returns trigger language plpgsql as $$
    begin
      delete from ${next} where sensor_num = new.sensor_num and start_ms = new.start_ms and line_no = new.line_no;
      insert into ${next} select new.*;
      return null;
    end $$`.execute(tx);
  await sql`create trigger divert before insert on ${sql.table(restOf(countHot))} for each row
    when (new.is_ahead and new.start_ms >= ${sql.lit(fromMs)}) execute function divert_count_ahead()`.execute(tx);
}

/** Reads the table twice while it is in use, without a limit of time. */
async function validate(tx: Tx, table: PartitionedTable, { constraint, to }: Closing): Promise<void> {
  const rest = sql.table(restOf(table));
  await sql`set local statement_timeout = 0`.execute(tx);
  // A count that was diverted is newer.
  await sql`with moved as (delete from ${rest} where ${sql.ref(table.key)} >= ${sql.lit(to)} returning *)
    insert into ${sql.table(nextOf(table))} select * from moved on conflict do nothing`.execute(tx);
  await sql`alter table ${rest} validate constraint ${sql.id(constraint)}`.execute(tx);
}

async function finish(db: Database, table: PartitionedTable, closing: Closing): Promise<void> {
  await changingPartitions(db, table, async (tx) => {
    if ((await findClosing(tx, table)) === null) return;
    const [parent, rest, next, closed] = [table.name, restOf(table), nextOf(table), closing.name].map((name) =>
      sql.table(name),
    );
    await sql`lock table only ${parent} in access exclusive mode`.execute(tx);
    await sql`alter table ${parent} detach partition ${rest}`.execute(tx);
    await sql`drop trigger if exists divert on ${rest}`.execute(tx);
    if (table === countHot) await sql`drop function if exists divert_count_ahead()`.execute(tx);
    await sql`alter table ${rest} rename to ${sql.id(closing.name)}`.execute(tx);
    await sql`alter table ${parent} attach partition ${closed} ${boundsOf(closing)}`.execute(tx);
    await sql`alter table ${closed} drop constraint ${sql.id(closing.constraint)}`.execute(tx);
    await sql`alter table ${next} rename to ${sql.id(restOf(table))}`.execute(tx);
    await sql`alter table ${parent} attach partition ${rest} default`.execute(tx);
  });
}
