// Positions in the write-ahead log: how far the primary has committed, and how far a replica has replayed it.
import { sql } from "kysely";
import type pg from "pg";
import { processIdOf } from "../connection/pool-client.ts";
import { type Database, prepare, runPrepared, type Tx } from "../database.ts";

/**
 * All transactions that were committed when it was read. Positions are comparable if `epoch` and `cluster` are the same: the epoch is that of
 * the log of announcements, which every failover and every crash of the primary ends.
 */
export type WalPosition = { epoch: string; cluster: string; bytes: number };

/** Names the server and the database; the same on replicas. */
export const clusterName = `(select system_identifier from pg_control_system())
  || '/' || (select oid from pg_database where datname = current_database())`;

const epochSetting = "announcement_epoch";

// With asynchronous commits, a client is answered before its commit is flushed.
const selectCommitted = prepare<WalPosition>(
  "select committed",
  `select epoch, cluster, pg_wal_lsn_diff(
    case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end,
    '0/0')::int8 as bytes
  from announcement_log`,
);

/** Null if the database was just promoted or restarted after a crash, until a process opens its log of announcements. */
export async function findCommitted(primary: Database): Promise<WalPosition | null> {
  const [position] = await runPrepared(primary, selectCommitted, []);
  return position ?? null;
}

/** Replicas learn the epoch from this row, because the log of announcements is not replicated. */
export async function shareEpoch(tx: Tx): Promise<void> {
  await sql`insert into setting as s (name, value) select ${epochSetting}, to_jsonb(epoch) from announcement_log
    on conflict (name) do update set value = excluded.value where s.value <> excluded.value`.execute(tx);
}

const selectReplayed = {
  name: "select replayed",
  text: `select ${clusterName} as cluster, pg_backend_pid() as pid,
    case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::int8 end as bytes`,
  query_timeout: 2000,
};
const selectEpoch = {
  name: "select epoch",
  text: `select value #>> '{}' as epoch from setting where name = '${epochSetting}'`,
  query_timeout: 2000,
};

type Replayed = { cluster: string; bytes: number | null; pid: number };

/**
 * Later statements of this connection see at least this position. Returns a reason if they may not be used: the connection leads to no
 * replica, or through a pooler, so that it is not the same server each time.
 */
export async function findReplayed(client: pg.ClientBase): Promise<WalPosition | "no replica" | "pooler"> {
  const [row] = (await client.query<Replayed>(selectReplayed)).rows;
  if (row?.pid !== processIdOf(client)) return "pooler";
  const { cluster, bytes } = row;
  if (bytes === null) return "no replica";
  // In the same statement, the epoch could be older than the position, which is read later than the statement's snapshot.
  const [known] = (await client.query<{ epoch: string }>(selectEpoch)).rows;
  return { epoch: known?.epoch ?? "", cluster, bytes };
}

export function includes(replayed: WalPosition, position: WalPosition): boolean {
  const { epoch, cluster, bytes } = position;
  return replayed.epoch === epoch && replayed.cluster === cluster && replayed.bytes >= bytes;
}

export async function findCluster(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ cluster: string }>(`select ${clusterName} as cluster`);
  return rows[0]?.cluster ?? "";
}
