// The database as one short text per table: equal snapshots mean that nothing was written.
import { auditExportAction, refusalActions } from "@psp/contract/audit/audit.ts";
import { sql } from "kysely";
import type { Clock } from "../kit/clock.ts";
import type { Reader } from "../db/database.ts";

export type Snapshot = Record<string, string>;

/**
 * Describes each table by its number of rows and the sum of the transaction ids that wrote them, so that rewriting the
 * same values is noticed, too. Excludes what running processes write periodically. Also excludes audit rows of refused calls and
 * exports and their announcements, which are written asynchronously; audit/trace.hook.test.ts covers them.
 */
export async function captureSnapshot(db: Reader): Promise<Snapshot> {
  if (!prepared.has(db)) prepared.set(db, prepare(db));
  await prepared.get(db);
  const { rows } = await sql<{ name: string; state: string }>`select name, state from testing.tables()`.execute(db);
  return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
}

const writtenPeriodically = new Set([
  "announcement",
  "announcement_log",
  "announcement_mark",
  "gateway",
  "tunnel_host",
]);
const prepared = new WeakMap<Reader, Promise<void>>();

/** Creates an SQL function, because PostgreSQL caches its plan. Planning a query of so many tables takes longer than running it. */
async function prepare(db: Reader): Promise<void> {
  const parts = (await tableNames(db))
    .filter((name) => !writtenPeriodically.has(name))
    .map(
      (name) => sql`select ${sql.lit(name)}::text, count(*) || ' rows, ' || coalesce(sum(xmin::text::bigint), 0)
      from ${sql.table(name)} ${name === "audit" ? sql`where action not in (${beside})` : sql``}`,
    );
  await sql`create schema testing`.execute(db);
  await sql`create function testing.tables() returns table (name text, state text) language plpgsql as
    $$ begin return query ${sql.join(parts, sql` union all `)}; end $$`.execute(db);
}

const beside = sql.join([...refusalActions, auditExportAction].map((action) => sql.lit(action)));

async function tableNames(db: Reader): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}

/** A stopped clock, so that contact times do not change a snapshot. */
export function createStillClock(): Clock {
  let now = Date.now();
  return { now: () => now, date: () => new Date(now), moveTo: (ms) => void (now = Math.max(now, ms)) };
}

/** All rows of each table as text, to prove that a value is not stored. */
export async function readStoredTexts(db: Reader): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await tableNames(db)) {
    const { rows } = await sql<{ text: string | null }>`
      select string_agg(t::text, ${"\n"} order by t::text) as text from ${sql.table(name)} t`.execute(db);
    found[name] = rows[0]?.text ?? "";
  }
  return found;
}
