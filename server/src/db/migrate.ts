// Migrates a database to the newest schema. Runs each numbered SQL file once, in its own transaction, in one process at a time.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";

const ownFolder = join(import.meta.dirname, "migrations");
// Arbitrary, but must be the same in all processes.
const lockKey = 7_305_112;
/** Until 23 November 2026, the files from `first` to `last` built the schema that the files up to `same` build now. */
const formerChain = {
  first: "0001_accounts_and_things.sql",
  last: "0033_wire_ids_are_no_keys.sql",
  same: "0019_settings.sql",
};

/** Returns the names of the applied files. Throws if the database has a migration that this version does not know. */
export async function migrate(url: string, folder = ownFolder): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [lockKey]);
    await client.query(
      "create table if not exists schema_migration (name text primary key, applied_at timestamptz not null default now())",
    );
    const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
    await adoptFormerChain(client, files);
    const done = await namesDone(client);
    const unknown = [...done].find((name) => !files.includes(name));
    if (unknown) throw new Error(`The database was created by a newer version of PS.Platform (it has ${unknown})`);
    const applied: string[] = [];
    for (const name of files.filter((file) => !done.has(file))) {
      await client.query("begin");
      await client.query(await readFile(join(folder, name), "utf8"));
      await client.query("insert into schema_migration (name) values ($1)", [name]);
      await client.query("commit");
      applied.push(name);
    }
    return applied;
  } finally {
    await client.end();
  }
}

async function namesDone(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>("select name from schema_migration");
  return new Set(rows.map((row) => row.name));
}

/** If the database has the complete former chain, records the equivalent files as applied instead of running them. */
async function adoptFormerChain(client: pg.Client, files: readonly string[]): Promise<void> {
  const done = await namesDone(client);
  if (!done.has(formerChain.first)) return;
  if (!done.has(formerChain.last)) {
    throw new Error(
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
