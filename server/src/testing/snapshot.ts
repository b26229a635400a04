// What is stored, as one short text per table: equal snapshots mean that nothing was written in between.
import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Reader } from "../db/database.ts";

export type Snapshot = Record<string, string>;

/** Rows and checksum of every table of the database, in one statement. */
export async function snapshot(db: Reader): Promise<Snapshot> {
  const { rows } = await (await statement(db)).execute(db);
  return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
}

const statements = new WeakMap<Reader, ReturnType<typeof statementOver>>();

async function statement(db: Reader): Promise<ReturnType<typeof statementOver>> {
  const known = statements.get(db);
  if (known) return known;
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`.execute(
    db,
  );
  const made = statementOver(rows.map(({ name }) => name));
  statements.set(db, made);
  return made;
}

function statementOver(tables: string[]) {
  const parts = tables.map(
    (name) => sql`select ${name}::text as name,
      count(*) || ' rows, ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as state from ${sql.table(name)} t`,
  );
  return sql<{ name: string; state: string }>`${sql.join(parts, sql` union all `)}`;
}

/** A clock that stands still until it is moved, so that being seen leaves no trace in a snapshot. */
export function createStillClock(): Clock {
  let now = Date.now();
  return { now: () => now, date: () => new Date(now), moveTo: (ms) => void (now = Math.max(now, ms)) };
}
