// Statements of the log of announcements. A position in it is a snapshot, so that no commit is skipped or read twice.
import { type Selectable, sql } from "kysely";
import { clusterName, shareEpoch } from "../replica/position.ts";
import { type Database, type Reader, prepare, runPrepared, type Tx } from "../database.ts";
import { toJsonb } from "../storable.ts";
import type { Tables } from "../tables.ts";

/** All events of transactions that are visible in `snapshot`. `epoch` names the log. */
export type Position = { epoch: string; snapshot: string };

/** Events of one name that one transaction announced. `origin`: the process. */
export type Entry = { origin: string; name: string; events: readonly unknown[] };

/** A row of the audit log. `before` and `after` are JSON texts. */
export type AuditRow = Record<"before" | "after", string | null> &
  Omit<Selectable<Tables["audit"]>, "before" | "after">;

const insertAnnouncements = `insert into announcement (origin, name, amount, events)
  select $1::uuid, * from unnest($2::text[], $3::int[], $4::jsonb[])`;
const insertEntries = prepare("insert announcements", insertAnnouncements);
const insertBoth = prepare(
  "insert audit and announcements",
  `with audited as (
    insert into audit (id, at, account_id, request_id, action, object_type, object_id, owner_id, owner_path, before, after)
    select * from unnest($5::uuid[], $6::timestamptz[], $7::uuid[], $8::text[], $9::text[], $10::text[], $11::text[],
      $12::uuid[], $13::text[], $14::jsonb[], $15::jsonb[])
  ) ${insertAnnouncements}`,
);
/** Rows of the audit log in one statement. */
const maxAudited = 1000;

/** Stores what a transaction leaves behind: announcements for all processes, and rows of the audit log. */
export async function appendTrail(
  tx: Tx,
  origin: string,
  announced: readonly Pick<Entry, "name" | "events">[],
  audited: readonly AuditRow[],
): Promise<void> {
  const last = Math.floor(Math.max(0, audited.length - 1) / maxAudited) * maxAudited;
  for (let from = 0; from < last; from += maxAudited)
    await insertTrail(tx, origin, [], audited.slice(from, from + maxAudited));
  await insertTrail(tx, origin, announced, audited.slice(last));
}

async function insertTrail(
  tx: Tx,
  origin: string,
  announced: readonly Pick<Entry, "name" | "events">[],
  audited: readonly AuditRow[],
): Promise<void> {
  const entries = [
    origin,
    announced.map(({ name }) => name),
    announced.map(({ events }) => events.length),
    announced.map(({ events }) => toJsonb(events)),
  ];
  if (audited.length > 0) {
    const columns = [
      audited.map((row) => row.id),
      audited.map((row) => row.at),
      audited.map((row) => row.account_id),
      audited.map((row) => row.request_id),
      audited.map((row) => row.action),
      audited.map((row) => row.object_type),
      audited.map((row) => row.object_id),
      audited.map((row) => row.owner_id),
      audited.map((row) => row.owner_path),
      audited.map((row) => row.before),
      audited.map((row) => row.after),
    ];
    await runPrepared(tx, insertBoth, [...entries, ...columns]);
  } else if (announced.length > 0) await runPrepared(tx, insertEntries, entries);
}

/** Returns the end of the log. Starts a new log if the database lost it in a crash, or is a copy. */
export async function openLog(db: Database): Promise<Position> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql`
      insert into announcement_log as l (cluster, floor) values (${sql.raw(clusterName)}, pg_snapshot_xmin(pg_current_snapshot()))
      on conflict (is_only) do update set epoch = gen_random_uuid(), cluster = excluded.cluster, floor = excluded.floor
        where l.cluster <> excluded.cluster
      returning epoch`.execute(tx);
    if (rows.length > 0) await sql`delete from announcement`.execute(tx);
    await shareEpoch(tx);
    return findEnd(tx);
  });
}

async function findEnd(tx: Tx): Promise<Position> {
  const end = sql<Position>`select epoch, pg_current_snapshot()::text as snapshot from announcement_log`;
  const [position] = (await end.execute(tx)).rows;
  if (!position) throw new Error("There is no log of announcements");
  return position;
}

type Row = {
  epoch: string;
  snapshot: string;
  is_gone: boolean;
  amount: number;
  origin: string | null;
  name: string | null;
  events: unknown[] | null;
};

// Ordered by id: of two transactions that change the same row, the later one has the higher id.
const selectEntries = prepare<Row>(
  "select announcements",
  `with fresh as materialized (
    select id, origin, name, events, amount from announcement
    where xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(xid, $1::pg_snapshot)
      and ($2::pg_snapshot is null or pg_visible_in_snapshot(xid, $2::pg_snapshot)) and name = any($4::text[])
  ), total as (select coalesce(sum(amount), 0) as amount from fresh)
  select l.epoch, pg_current_snapshot()::text as snapshot, t.amount,
    l.floor > pg_snapshot_xmin($1::pg_snapshot) or pg_snapshot_xmax($1::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot()) as is_gone,
    f.origin, f.name, f.events
  from announcement_log l cross join total t left join fresh f on t.amount <= $3::int
  order by f.id`,
);

/**
 * Reads the announcements of these names after a position, up to another one or the end. Returns null if some were deleted, if the log
 * is another one, or if there are more than `most` events.
 */
export async function readAnnouncements(
  reader: Reader,
  { from, to, names, most }: { from: Position; to: Position | null; names: readonly string[]; most: number },
): Promise<{ entries: Entry[]; end: Position } | null> {
  const rows = await runPrepared(reader, selectEntries, [from.snapshot, to?.snapshot ?? null, most, names]);
  const [first] = rows;
  if (!first || first.epoch !== from.epoch || (to !== null && to.epoch !== from.epoch)) return null;
  if (first.is_gone || Number(first.amount) > most) return null;
  const entries = rows.flatMap(({ origin, name, events }) =>
    origin === null || name === null || events === null ? [] : [{ origin, name, events }],
  );
  return { entries, end: { epoch: first.epoch, snapshot: first.snapshot } };
}

/** Deletes announcements that were committed more than `keptS` seconds ago. Call it about once a minute. */
export async function deleteOldAnnouncements(db: Database, keptS: number): Promise<void> {
  const kept = sql`make_interval(secs => ${keptS})`;
  await sql`insert into announcement_mark values (clock_timestamp(), pg_snapshot_xmin(pg_current_snapshot()))`.execute(
    db,
  );
  await sql`
    with old as (delete from announcement_mark where at <= clock_timestamp() - ${kept} returning oldest)
    update announcement_log set floor = old.oldest from (select oldest from old order by oldest desc limit 1) old
    where old.oldest > floor`.execute(db);
  await sql`delete from announcement where xid < (select floor from announcement_log)`.execute(db);
}
