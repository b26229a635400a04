// Queries of a base backup, over connections of the superuser.
import type pg from "pg";
import type { TableSum } from "./manifest.rules.ts";

/** Kept while other tables are hashed, so that all belong to one moment. */
const exactText = ["timezone = 'UTC'", "datestyle = 'ISO'", "bytea_output = 'hex'", "extra_float_digits = 1"];

async function one<Row extends object>(client: pg.Client, text: string, values: unknown[] = []): Promise<Row> {
  const { rows } = await client.query<Row>(text, values);
  if (rows[0] === undefined) throw new Error("PostgreSQL returned no row");
  return rows[0];
}

export type Cluster = { systemId: string; timeline: number; segmentBytes: number; settings: Record<string, string> };

export async function readCluster(client: pg.Client): Promise<Cluster> {
  return one<Cluster>(
    client,
    `select system_identifier::text as "systemId",
       ('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::int as timeline,
       (select setting::int from pg_settings where name = 'wal_segment_size') as "segmentBytes",
       (select jsonb_object_agg(name, setting) from pg_settings where name in
         ('max_connections', 'max_worker_processes', 'max_wal_senders', 'max_prepared_transactions', 'max_locks_per_transaction')
       ) as settings
     from pg_control_system()`,
  );
}

export async function hasTablespaces(client: pg.Client): Promise<boolean> {
  const { found } = await one<{ found: boolean }>(client, "select count(*) > 2 as found from pg_tablespace");
  return found;
}

/** The slot of this connection keeps the WAL of the backup. */
export async function beginBackup(client: pg.Client, label: string): Promise<string> {
  await client.query("select pg_create_physical_replication_slot($1, true, true)", [`psp_base_${process.pid}`]);
  const { lsn } = await one<{ lsn: string }>(client, "select pg_backup_start($1, true)::text as lsn", [label]);
  return lsn;
}

export async function endBackup(client: pg.Client): Promise<{ label: string }> {
  return one(client, "select labelfile as label from pg_backup_stop(false)");
}

export async function isFlushed(client: pg.Client, lsn: string): Promise<boolean> {
  const { done } = await one<{ done: boolean }>(client, "select pg_current_wal_flush_lsn() >= $1::pg_lsn as done", [
    lsn,
  ]);
  return done;
}

/** Tables with durable rows, partitions included. Unlogged ones are not part of a backup. `kinds`: r are tables, p partitioned ones. */
async function listTables(client: pg.Client, kinds: readonly ("r" | "p")[] = ["r"]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind = any($1) and c.relpersistence = 'p' order by c.relname`,
    [kinds],
  );
  return rows.map(({ name }) => name);
}

/** The lock took too long, a writer waits for it while it holds another table, or a partition was dropped before it was locked. */
const lockFailures = new Set(["55P03", "40P01", "42P01"]);

/**
 * Creates a restore point at a moment without open writes, and returns it with a snapshot of the same moment, which stays valid until
 * the transaction of `client` ends. Null if writers did not finish in time; others wait at most as long for this lock.
 */
export async function markQuietMoment(
  client: pg.Client,
  name: string,
  lockLimitMs: number,
): Promise<{ lsn: string; snapshot: string; at: Date } | null> {
  // The locks of partitioned tables also prevent new partitions.
  const tables = await listTables(client, ["r", "p"]);
  await client.query("begin isolation level repeatable read");
  try {
    await client.query(`set local lock_timeout = ${lockLimitMs}`);
    // PostgreSQL cancels an autovacuum in the way of a lock after this time.
    await client.query(`set local deadlock_timeout = ${Math.floor(lockLimitMs / 5)}`);
    await client.query(`lock table ${tables.join(", ")} in share mode`);
    return await one(
      client,
      "select pg_create_restore_point($1)::text as lsn, pg_export_snapshot() as snapshot, clock_timestamp() as at",
      [name],
    );
  } catch (error) {
    await client.query("rollback");
    if (error instanceof Error && "code" in error && lockFailures.has(String(error.code))) return null;
    throw error;
  }
}

/** Opens a transaction on another connection with the same view of the data. Until it ends, no table can be dropped. */
export async function adoptSnapshot(client: pg.Client, snapshot: string): Promise<void> {
  await client.query("begin isolation level repeatable read read only");
  await client.query(`set transaction snapshot '${snapshot.replaceAll("'", "")}'`);
  await client.query(`lock table ${(await listTables(client)).join(", ")} in access share mode`);
}

/** Counts the rows of each table, and adds up the hashes of their texts, which does not depend on their order. */
export async function sumTables(client: pg.Client): Promise<TableSum[]> {
  for (const setting of exactText) await client.query(`set ${setting}`);
  const sums: TableSum[] = [];
  for (const name of await listTables(client)) {
    const { count, hash } = await one<{ count: number; hash: string }>(
      client,
      `select count(*)::float8 as count, coalesce(sum(hashtextextended(t::text, 0)), 0)::text as hash from ${name} t`,
    );
    sums.push({ name, count, hash });
  }
  return sums;
}

/** As `readInstallationNumber`, for a database that may have an older schema. */
export async function readInstallation(client: pg.Client): Promise<number> {
  const { number } = await one<{ number: number }>(
    client,
    "select coalesce((select (value #>> '{}')::int from setting where name = 'installation'), 0) as number",
  );
  return number;
}
