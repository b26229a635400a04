// Brings a database to the newest schema: numbered SQL files, each once, each in its own transaction, one process at a time.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";

const folder = join(import.meta.dirname, "migrations");
// Any constant does; it only has to be the same in every process of the product.
const lockKey = 7_305_112;

/** Applies what is missing and answers the names applied. An unknown newer migration stops the start. */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [lockKey]);
    await client.query(
      "create table if not exists schema_migration (name text primary key, applied_at timestamptz not null default now())",
    );
    const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
    const { rows } = await client.query<{ name: string }>("select name from schema_migration");
    const done = new Set(rows.map((row) => row.name));
    const unknown = [...done].find((name) => !files.includes(name));
    if (unknown) throw new Error(`The database is newer than this version of the product (it has ${unknown})`);
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
