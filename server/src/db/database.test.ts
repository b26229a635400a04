// Tests statements that are prepared per form: values, limit of names, and migrations under an open connection.
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../testing/postgres.ts";
import { type Database, hasKey, openDatabase, runByKey } from "./database.ts";

let place: TestDatabase;
let db: Database;
beforeAll(async () => {
  place = await createTestDatabase();
  // One connection, so that each statement finds what the one before it prepared.
  db = openDatabase(place.url, { pool: 1, log: pino({ level: "silent" }) });
  await sql`create table thing (id int primary key, name text not null unique)`.execute(db);
  await sql`insert into thing select n, 'thing ' || n from generate_series(1, 1000) n`.execute(db);
  await sql`analyze thing`.execute(db);
});
afterAll(async () => {
  await db.destroy();
  await place.drop();
});

const find = (id: number, more = sql`true`) =>
  runByKey(
    db,
    "thing_by_id",
    sql<{ id: number; name: string }>`select id, name from thing where id = ${id} and ${more}`,
  );

async function preparedNames(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements order by name`.execute(db);
  return rows.map(({ name }) => name);
}

test("each form is prepared once, and its values are those of the call", async () => {
  for (const id of [1, 2, 3, 40]) expect(await find(id)).toEqual([{ id, name: `thing ${id}` }]);
  expect(await find(1001)).toEqual([]);
  expect(await find(2, sql`name = ${"thing 2"}`)).toEqual([{ id: 2, name: "thing 2" }]);
  expect(await find(2, sql`name = ${"thing 3"}`)).toEqual([]);
  expect(await preparedNames()).toEqual(["thing_by_id_0", "thing_by_id_1"]);
});

test("a statement with one key, or with many, gets a generic plan after five calls", async () => {
  const findAll = (ids: number[]) =>
    runByKey(
      db,
      "things",
      sql<{ id: number }>`select id from thing where ${hasKey(
        "name",
        "text",
        ids.map((id) => `thing ${id}`),
      )} order by id`,
    );
  const many = Array.from({ length: 30 }, (_, n) => n + 1);
  for (let id = 1; id <= 12; id += 1) expect(await findAll([id])).toEqual([{ id }]);
  for (let n = 0; n < 12; n += 1) expect(await findAll(many)).toEqual(many.map((id) => ({ id })));
  expect(await findAll([])).toEqual([]);
  const { rows } = await sql<{ custom: number }>`select custom_plans as custom from pg_prepared_statements
    where name like 'things%'`.execute(db);
  expect(rows).toEqual([{ custom: 5 }, { custom: 5 }]);
});

test("a prepared statement survives a migration that adds a column", async () => {
  await find(1);
  await sql`alter table thing add column note text`.execute(db);
  expect(await find(1)).toEqual([{ id: 1, name: "thing 1" }]);
});

test("only the first 24 forms of a statement are prepared; the others work as well", async () => {
  for (let form = 0; form < 40; form += 1)
    expect(await find(7, sql.raw(`id <> ${100 + form}`))).toEqual([{ id: 7, name: "thing 7" }]);
  expect((await preparedNames()).filter((name) => name.startsWith("thing_by_id"))).toHaveLength(24);
});
