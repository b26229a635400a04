// What is stored, as one short text per table: equal snapshots mean that nothing was written in between.
import { exportAction, refusalActions } from "@psp/contract/audit/audit.ts";
import { sql } from "kysely";
import type { Clock } from "../kit/clock.ts";
import type { Reader } from "../db/database.ts";

export type Snapshot = Record<string, string>;

/**
 * Rows and checksum of every table of the database, in one statement. Left out are the audit rows that refused calls and
 * exports leave: they are written beside the call, and audit/trace.test.ts looks at them.
 */
export async function snapshot(db: Reader): Promise<Snapshot> {
  const { rows } = await (await statement(db)).execute(db);
  return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
}

const statements = new WeakMap<Reader, ReturnType<typeof statementOver>>();

async function statement(db: Reader): Promise<ReturnType<typeof statementOver>> {
  const known = statements.get(db);
  if (known) return known;
  const made = statementOver(await tableNames(db));
  statements.set(db, made);
  return made;
}

async function tableNames(db: Reader): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}

function statementOver(tables: string[]) {
  const parts = tables.map(
    (name) => sql`select ${name}::text as name,
      count(*) || ' rows, ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as state from ${sql.table(name)} t
      ${name === "audit" ? sql`where action <> all(${[...refusalActions, exportAction]}::text[])` : sql``}`,
  );
  return sql<{ name: string; state: string }>`${sql.join(parts, sql` union all `)}`;
}

/** A clock that stands still until it is moved, so that being seen leaves no trace in a snapshot. */
export function createStillClock(): Clock {
  let now = Date.now();
  return { now: () => now, date: () => new Date(now), moveTo: (ms) => void (now = Math.max(now, ms)) };
}

/** Everything that is stored, as the text of all rows of each table: what stands in none of them is not known any more. */
export async function storedTexts(db: Reader): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await tableNames(db)) {
    const { rows } = await sql<{ text: string | null }>`
      select string_agg(t::text, ${"\n"} order by t::text) as text from ${sql.table(name)} t`.execute(db);
    found[name] = rows[0]?.text ?? "";
  }
  return found;
}
