// Tests that each migration runs once on an empty database, and that databases built by the former migration files keep their data.
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../testing/postgres.ts";
import { createWorld } from "../testing/world.ts";
import { migrate } from "./migrate.ts";

const formerNames = `
  0001_accounts_and_things 0002_datapoints 0003_devices 0004_tickets 0005_password_reset 0006_registration_notices
  0007_bulk_mails 0009_sensor_batches 0010_firmware_packages 0011_update_tasks 0012_claiming 0014_tunnels 0015_waiting_tasks
  0017_deleted_in_reach 0018_former_zones 0019_sums_from_the_index 0020_living_from_the_index 0021_totals_of_one_type
  0022_change_order 0024_device_credentials 0025_dead_letters_and_awaited_sensors 0026_firmware_order 0027_invited_logins
  0028_personal_data 0029_what_roles_gave 0032_hand_over 0033_wire_ids_are_no_keys`
  .trim()
  .split(/\s+/)
  .map((name) => `${name}.sql`);

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

async function database(prepare?: (url: string) => Promise<unknown>): Promise<TestDatabase> {
  const place = await createTestDatabase(prepare);
  cleanups.push(() => place.drop());
  return place;
}

async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text, values);
    return rows;
  } finally {
    await client.end();
  }
}

async function namesIn(url: string): Promise<unknown[]> {
  return (await query(url, `select name from schema_migration order by name collate "C"`)).map((row) => row["name"]);
}

const ownFolder = join(import.meta.dirname, "migrations");
const sameAsFormer = "0019_settings.sql";
const later = (await readdir(ownFolder)).filter((name) => name > sameAsFormer).toSorted();

async function formerDatabase(names: readonly string[]): Promise<string> {
  const folder = await folderOf((name) => name <= sameAsFormer);
  const { url } = await database((empty) => migrate(empty, folder));
  await query(url, "insert into setting (name, value) values ('kept', '1')");
  await query(url, "delete from schema_migration");
  await query(
    url,
    "insert into schema_migration (name, applied_at) select unnest($1::text[]), timestamptz '2026-11-01'",
    [names],
  );
  return url;
}

async function folderOf(isWanted: (name: string) => boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "psp-migrations-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  for (const name of (await readdir(ownFolder)).filter(isWanted)) await cp(join(ownFolder, name), join(folder, name));
  return folder;
}

async function folderWithOneMore(text = "create table more (id integer);"): Promise<string> {
  const folder = await folderOf(() => true);
  await writeFile(join(folder, "0999_more.sql"), text);
  return folder;
}

const newestNumber = later.at(-1)?.slice(0, 4) ?? "";

test("an empty database gets every migration once, numbered without holes", async () => {
  const { url } = await database();
  const applied = await migrate(url);
  expect(applied.map((name) => Number(name.slice(0, 4)))).toEqual(applied.map((_, index) => index + 1));
  expect(await namesIn(url)).toEqual(applied);
  expect(await migrate(url)).toEqual([]);
});

test("a database with a migration that is not known is refused, unless that one serves this version", async () => {
  const { url } = await database(migrate);
  expect(await migrate(url, await folderWithOneMore())).toEqual(["0999_more.sql"]);
  await expect(migrate(url)).rejects.toThrow(
    /^The database was created by a newer version of PS.Platform \(it has 0999_more.sql\), .* Start the newer version$/,
  );
  const { url: expanded } = await database(migrate);
  const expand = await folderWithOneMore(`-- serves from: ${newestNumber}\ncreate table more (id integer);`);
  expect(await migrate(expanded, expand)).toEqual(["0999_more.sql"]);
  expect(await migrate(expanded)).toEqual([]);
  // Two versions back is too old.
  const older = await folderOf((name) => name !== later.at(-1));
  await expect(migrate(expanded, older)).rejects.toThrow("does not serve this one");
  await writeFile(join(expand, "1000_contract.sql"), "-- serves from: 0999\ndrop table more;");
  expect(await migrate(expanded, expand)).toEqual(["1000_contract.sql"]);
  await expect(migrate(expanded)).rejects.toThrow("(it has 1000_contract.sql)");
});

test("two processes of the older version serve while the newer one has expanded the schema", async () => {
  const world = await createWorld();
  cleanups.push(() => world.stop());
  const create = (of: string, name: string) =>
    fetch(`${of}/api/measurement`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.root.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name, owner: world.root.id }),
    }).then(({ status }) => status);
  const expand = `-- serves from: ${newestNumber}\nalter table location add column more text;`;
  await migrate(world.databaseUrl, await folderWithOneMore(expand));
  const second = await createWorld({ env: { DATABASE_URL: world.databaseUrl } });
  cleanups.push(() => second.stop());
  for (const { url } of [world, second]) expect(await create(url, `Shop at ${url}`)).toBe(200);
  expect(await query(world.databaseUrl, "select more from location")).toEqual([{ more: null }, { more: null }]);
});

test("a migration that can't get its lock lets others pass and tries again", async () => {
  const { url } = await database(migrate);
  const folder = await folderWithOneMore("alter table setting add column more text;");
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  await reader.query("begin; select from setting");
  const gaveUp = Promise.withResolvers<unknown>();
  const migrated = migrate(url, folder, { warn: gaveUp.resolve });
  // A statement that came later queues behind the migration. Without a limit it would wait until the reader ends.
  await gaveUp.promise;
  expect(await query(url, "select count(*)::int as n from setting")).toEqual([{ n: expect.any(Number) as number }]);
  await reader.query("commit");
  await reader.end();
  expect(await migrated).toEqual(["0999_more.sql"]);
});

test("a process starts while a dump locks all tables", async () => {
  const { url } = await database(migrate);
  const dump = new pg.Client({ connectionString: url });
  await dump.connect();
  await dump.query("begin; lock table schema_migration, setting in access share mode");
  expect(await migrate(url)).toEqual([]);
  await dump.end();
});

test("an index is built concurrently, again after a failed try, while another process waits for its turn", async () => {
  const { url } = await database(migrate);
  await query(url, "create table twice (id integer)");
  await query(url, "insert into twice values (1), (1)");
  const text = "-- not in a transaction\ncreate unique index concurrently if not exists twice_id on twice (id);";
  const folder = await folderWithOneMore(text);
  await expect(migrate(url, folder)).rejects.toThrow("could not create unique index");
  expect(await query(url, "select indisvalid from pg_index where indexrelid = 'twice_id'::regclass")).toEqual([
    { indisvalid: false },
  ]);
  await query(url, "delete from twice");
  const results = await Promise.all([migrate(url, folder), migrate(url, folder)]);
  expect(results.flat()).toEqual(["0999_more.sql"]);
  expect(await query(url, "select indisvalid from pg_index where indexrelid = 'twice_id'::regclass")).toEqual([
    { indisvalid: true },
  ]);
});

test("a database with the whole former chain only gets what came later, and keeps its data", async () => {
  const url = await formerDatabase(formerNames);
  expect(await migrate(url)).toEqual(later);
  const { url: fresh } = await database(migrate);
  expect(await namesIn(url)).toEqual(await namesIn(fresh));
  expect(await query(url, "select distinct applied_at from schema_migration where name <= $1", [sameAsFormer])).toEqual(
    [{ applied_at: new Date("2026-11-01T00:00:00Z") }],
  );
  expect(await query(url, "select name, value from setting")).toEqual([{ name: "kept", value: 1 }]);
  expect(await migrate(url)).toEqual([]);
});

test("what came after the former chain is applied to a database of it", async () => {
  const url = await formerDatabase(formerNames);
  expect(await migrate(url, await folderWithOneMore())).toEqual([...later, "0999_more.sql"]);
  expect(await query(url, "select * from more")).toEqual([]);
});

test("a database that stopped half-way in the former chain is refused and stays as it is", async () => {
  const url = await formerDatabase(formerNames.slice(0, -1));
  await expect(migrate(url)).rejects.toThrow(
    "it lacks 0033_wire_ids_are_no_keys.sql): first start the last version that has this migration, then this one",
  );
  expect(await namesIn(url)).toEqual(formerNames.slice(0, -1));
});
