// Migrates a database to the newest schema. Runs each numbered SQL file once, in its own transaction, in one process at a time.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { ConfigError } from "../environment.ts";
import { connect } from "./connection/connect.ts";
import { lockTimeoutMs, retryLocked } from "./lock-retry.ts";

const ownFolder = join(import.meta.dirname, "migrations");
// Arbitrary, but must be the same in all processes.
const lockKey = 7_305_112;
/** Until 23 November 2026, the files from `first` to `last` built the schema that the files up to `same` build now. */
const formerChain = {
  first: "0001_accounts_and_things.sql",
  last: "0033_wire_ids_are_no_keys.sql",
  same: "0019_settings.sql",
};

const turnMs = 100;

type Migrations = ReadonlyMap<string, { text: string; servesFrom: string | null; isAlone: boolean }>;

/**
 * Returns the names of the applied files. Throws if the database has a migration that this version does not know, unless that one
 * serves processes of this version (docs/rules/start-and-configuration.md#schema).
 */
export async function migrate(url: string, folder = ownFolder, log?: Pick<Logger, "warn">): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  const client = await connect(url);
  try {
    const done = await findDone(client);
    if (done !== null && names.every((name) => done.has(name))) {
      refuseNewer(done, names);
      return [];
    }
    return await migrateAlone(client, await readMigrations(folder, names), log);
  } finally {
    await client.end();
  }
}

async function readMigrations(folder: string, names: readonly string[]): Promise<Migrations> {
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return new Map(
    names.map((name, index) => {
      const text = texts[index] ?? "";
      const servesFrom = /^-- serves from: (\d{4})$/m.exec(text)?.[1] ?? null;
      return [name, { text, servesFrom, isAlone: /^-- not in a transaction$/m.test(text) }];
    }),
  );
}

async function migrateAlone(client: pg.Client, migrations: Migrations, log?: Pick<Logger, "warn">): Promise<string[]> {
  // Polled, because a statement that waits would keep an index from being built concurrently.
  while (!(await isLocked(client))) await delay(turnMs);
  const names = [...migrations.keys()];
  // The role may have a limit for statements, which is no limit for migrations.
  await client.query(
    `set statement_timeout = 0;
     create table if not exists schema_migration
       (name text primary key, applied_at timestamptz not null default now(), serves_from text)`,
  );
  const { rows } = await client.query(
    "select from pg_attribute where attrelid = 'schema_migration'::regclass and attname = 'serves_from' and not attisdropped",
  );
  // Not with `if not exists`, which locks the table, so that no process could start during a dump.
  if (rows.length === 0) await client.query("alter table schema_migration add column serves_from text");
  await adoptFormerChain(client, names);
  const done = (await findDone(client)) ?? new Map<string, string | null>();
  refuseNewer(done, names);
  const applied = names.filter((name) => !done.has(name));
  for (const name of applied) await applyRetrying(client, name, migrations, log);
  return applied;
}

async function isLocked(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ is: boolean }>("select pg_try_advisory_lock($1) as is", [lockKey]);
  return rows[0]?.is === true;
}

async function applyRetrying(
  client: pg.Client,
  name: string,
  migrations: Migrations,
  log?: Pick<Logger, "warn">,
): Promise<void> {
  await retryLocked(
    () =>
      apply(client, name, migrations).catch(async (error: unknown) => {
        await client.query("rollback");
        throw error;
      }),
    (pauseMs) => log?.warn({ migration: name, pauseMs }, "a migration could not get its locks and will try again"),
  );
}

async function apply(client: pg.Client, name: string, migrations: Migrations): Promise<void> {
  const { text = "", servesFrom = null, isAlone = false } = migrations.get(name) ?? {};
  const note = () =>
    client.query("insert into schema_migration (name, serves_from) values ($1, $2)", [name, servesFrom]);
  if (isAlone) {
    await dropInvalidIndexes(client);
    await client.query(text);
    await note();
    return;
  }
  await client.query(`begin; set local lock_timeout = ${lockTimeoutMs}`);
  await client.query(text);
  await note();
  await client.query("commit");
}

/** An index that was not built to its end is never used, but would be taken for the finished one. */
async function dropInvalidIndexes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_index join pg_class on pg_class.oid = indexrelid
      where not indisvalid and relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of rows) await client.query(`drop index concurrently if exists ${name}`);
}

/** Applied migrations, each with the number of the oldest migration whose processes it serves. Null before the first migration. */
async function findDone(client: pg.Client): Promise<Map<string, string | null> | null> {
  try {
    const { rows } = await client.query<{ name: string; serves_from: string | null }>(
      "select name, serves_from from schema_migration",
    );
    return new Map(rows.map((row) => [row.name, row.serves_from]));
  } catch (error) {
    // The table or its newest column is missing.
    if (error instanceof pg.DatabaseError && /^42(P01|703)$/.test(error.code ?? "")) return null;
    throw error;
  }
}

function refuseNewer(done: ReadonlyMap<string, string | null>, names: readonly string[]): void {
  const newest = names.at(-1) ?? "";
  const refused = [...done].find(
    ([name, servesFrom]) => !names.includes(name) && (servesFrom === null || servesFrom > newest.slice(0, 4)),
  );
  if (refused)
    throw new ConfigError(
      `The database was created by a newer version of PS.Platform (it has ${refused[0]}), which does not serve this one ` +
        `(its newest is ${newest}). Start the newer version`,
    );
}

/** If the database has the complete former chain, records the equivalent files as applied instead of running them. */
async function adoptFormerChain(client: pg.Client, files: readonly string[]): Promise<void> {
  const done = (await findDone(client)) ?? new Map<string, null>();
  if (!done.has(formerChain.first)) return;
  if (!done.has(formerChain.last)) {
    throw new ConfigError(
      `The database stopped half-way in the migrations of a former version of the product (it lacks ${formerChain.last}): ` +
        "first start the last version that has this migration, then this one",
    );
  }
  await client.query(
    `with former as (delete from schema_migration where name collate "C" <= $1 returning applied_at)
     insert into schema_migration (name, applied_at)
     select file, (select max(applied_at) from former) from unnest($2::text[]) file`,
    [formerChain.last, files.filter((name) => name <= formerChain.same)],
  );
}
