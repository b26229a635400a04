// Makes and drops partitions of the tables of counts, in short transactions that can be killed at any time (ADR 0020).
import { sql } from "kysely";
import type { Database, Reader, Tx } from "../../db/database.ts";
import { lockTimeoutMs } from "../../db/lock-retry.ts";
import type { Partition, PartitionedTable } from "./partition.rules.ts";

/** A statement that waits for strong locks or holds them is canceled after this time. */
const maxHeldMs = 3000;
/** The default partition is read while it is locked only if it is not larger. */
const maxReadBytes = 32 * 2 ** 20;
/** More rows are not moved to another partition while both are locked. */
const maxMovedRows = 20_000;

/** The default partition, which takes what no other one does. */
export const restOf = ({ name }: PartitionedTable) => `${name}_rest`;

/** All but the default one, oldest first. */
export async function listPartitions(reader: Reader, { name }: PartitionedTable): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; bound: string }>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${name}::regclass`.execute(reader);
  return rows
    .flatMap((row) => {
      const [, from, to] = /FROM \('?(\w+)'?\) TO \('?(\d+)'?\)/.exec(row.bound) ?? [];
      return to === undefined
        ? []
        : [{ name: row.name, from: from === "MINVALUE" ? null : Number(from), to: Number(to) }];
    })
    .toSorted((a, b) => a.to - b.to);
}

export async function isRestSmall(reader: Reader, table: PartitionedTable): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select pg_relation_size(${restOf(table)}::regclass) <= ${maxReadBytes} as is`.execute(reader);
  return rows[0]?.is === true;
}

/** Whether the default partition holds so many rows of that time that moving them would block others for long. */
export async function hasManyRows(reader: Reader, table: PartitionedTable, partition: Partition): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select count(*) > ${maxMovedRows} as is from (
      select from ${sql.table(restOf(table))} where ${within(table, partition)} limit ${maxMovedRows + 1}
    ) s`.execute(reader);
  return rows[0]?.is === true;
}

function within({ key }: PartitionedTable, { from, to }: Partition) {
  const lower = from === null ? sql`true` : sql`${sql.ref(key)} >= ${sql.lit(from)}`;
  return sql`${lower} and ${sql.ref(key)} < ${sql.lit(to)}`;
}

/** Moves the rows of that time from the default partition into a new one. Does nothing if another process has made it. */
export async function makePartition(db: Database, table: PartitionedTable, partition: Partition): Promise<void> {
  const [parent, rest, made] = [table.name, restOf(table), partition.name].map((name) => sql.table(name));
  await changingPartitions(db, table, async (tx) => {
    if ((await listPartitions(tx, table)).some(({ name }) => name === partition.name)) return;
    // Also the parent: a statement that knows its present partitions only would not find the moved rows.
    await sql`lock table only ${parent} in access exclusive mode`.execute(tx);
    await sql`lock table only ${rest} in access exclusive mode`.execute(tx);
    await createTable(tx, table, partition.name);
    await sql`with moved as (delete from ${rest} where ${within(table, partition)} returning *)
      insert into ${made} select * from moved`.execute(tx);
    await sql`alter table ${parent} attach partition ${made} ${boundsOf(partition)}`.execute(tx);
  });
}

export const boundsOf = ({ from, to }: Partition) =>
  sql`for values from (${from === null ? sql`minvalue` : sql.lit(from)}) to (${sql.lit(to)})`;

/**
 * Keeps counts from being moved to another partition until the transaction ends. A transaction with one snapshot must call it first,
 * or it could look for a moved count in the new partition only, where its snapshot does not see it.
 */
export async function keepPartitions(tx: Tx): Promise<void> {
  await sql`lock table only count_hot in access share mode`.execute(tx);
}

/** Drops the partition if it is empty. Rows that come later go to the default one. Returns whether it was dropped. */
export async function dropEmptyPartition(db: Database, table: PartitionedTable, { name }: Partition): Promise<boolean> {
  const isEmpty = async (tx: Tx) => {
    const { rows } = await sql<{ is: boolean }>`
      select not exists (select from ${sql.table(name)}) as is`.execute(tx);
    return rows[0]?.is === true;
  };
  return changingPartitions(db, table, async (tx) => {
    if (!(await listPartitions(tx, table)).some((one) => one.name === name) || !(await isEmpty(tx))) return false;
    await sql`lock table only ${sql.table(table.name)} in access exclusive mode`.execute(tx);
    if (!(await isEmpty(tx))) return false;
    await sql`drop table ${sql.table(name)}`.execute(tx);
    return true;
  });
}

/** Only one process at a time changes the partitions of a table. Fails if a lock or a statement takes too long. */
export async function changingPartitions<Result>(
  db: Database,
  { name }: PartitionedTable,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (tx) => {
    await sql`select set_config('lock_timeout', ${String(lockTimeoutMs)}, true),
      set_config('statement_timeout', ${String(maxHeldMs)}, true)`.execute(tx);
    await sql`lock table only ${sql.table(name)} in share update exclusive mode`.execute(tx);
    return work(tx);
  });
}

export async function createTable(tx: Tx, table: PartitionedTable, name: string): Promise<void> {
  await sql`create table ${sql.table(name)} (like ${sql.table(table.name)} including all)
    with (${sql.raw(table.options)})`.execute(tx);
}
