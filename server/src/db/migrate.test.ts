// Tests that each migration runs once on an empty database, and that databases built by the former migration files keep their data.
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../testing/postgres.ts";
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

async function folderWithOneMore(): Promise<string> {
  const folder = await folderOf(() => true);
  await writeFile(join(folder, "0999_more.sql"), "create table more (id integer);");
  return folder;
}

test("an empty database gets every migration once, numbered without holes", async () => {
  const { url } = await database();
  const applied = await migrate(url);
  expect(applied.map((name) => Number(name.slice(0, 4)))).toEqual(applied.map((_, index) => index + 1));
  expect(await namesIn(url)).toEqual(applied);
  expect(await migrate(url)).toEqual([]);
});

test("a database with a migration that is not known is refused", async () => {
  const { url } = await database(migrate);
  await query(url, "insert into schema_migration (name) values ('9999_later.sql')");
  await expect(migrate(url)).rejects.toThrow(
    "The database was created by a newer version of PS.Platform (it has 9999_later.sql)",
  );
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
