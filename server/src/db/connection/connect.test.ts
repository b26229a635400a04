// Tests how the database's URL is understood, and that the pool follows the host that accepts writes.
import { sql } from "kysely";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { createDatabaseWire } from "../../testing/database/database-wire.ts";
import { createTestDatabase } from "../../testing/postgres.ts";
import { type Database, isDatabaseUnavailable, isResponding, openDatabase } from "../database.ts";
import { migrate } from "../migrate.ts";
import { connect, listHosts } from "./connect.ts";

test("the database's URL names hosts, and TLS as PostgreSQL's documentation says", () => {
  const one = "postgres://u:p%40@db1:5432/psp";
  expect(listHosts(one)).toEqual({ urls: [one], isChecked: false });
  expect(listHosts("postgresql://u:p@[::1]:1,db2/psp?target_session_attrs=read-write&application_name=x")).toEqual({
    urls: ["postgresql://u:p@[::1]:1/psp?application_name=x", "postgresql://u:p@db2/psp?application_name=x"],
    isChecked: true,
  });
  expect(listHosts(`${one}?target_session_attrs=primary`)).toEqual({ urls: [one], isChecked: true });
  expect(listHosts(`${one}?sslmode=require`).urls).toEqual([`${one}?sslmode=require&uselibpqcompat=true`]);
  expect(listHosts(`${one}?sslmode=verify-full&sslrootcert=system`).urls).toEqual([
    `${one}?sslmode=verify-full&uselibpqcompat=true`,
  ]);
  for (const [query, message] of [
    ["sslmode=prefer", "sslmode of the database's URL must be disable, require, verify-ca or verify-full"],
    ["sslmode=verify-ca", "sslmode=verify-ca needs sslrootcert"],
    ["target_session_attrs=standby", "target_session_attrs of the database's URL must be"],
  ] as const)
    expect(() => listHosts(`${one}?${query}`), query).toThrow(message);
  expect(() => listHosts("db1:5432")).toThrow("should be like postgres://");
});

async function database() {
  const { url, drop } = await createTestDatabase(migrate);
  onTestFinished(drop);
  return url;
}

function open(url: string): Database {
  const db = openDatabase(url, { pool: 4, pooling: "none", log: pino({ level: "silent" }) });
  onTestFinished(() => db.destroy());
  return db;
}

test("behind one address, connections that the present server does not know are dropped, slow ones are not", async () => {
  const url = await database();
  const [gone, slow] = [await createDatabaseWire(url), await createDatabaseWire(url)];
  onTestFinished(() => [gone, slow].forEach(({ cut }) => cut()));
  const [db, other] = [open(gone.url), open(slow.url)];
  const direct = await connect(url);
  onTestFinished(() => direct.end());
  const hanging = sql`select pg_sleep(600)`.execute(db).catch((error: unknown) => isDatabaseUnavailable(error));
  const healthy = sql<{ is: boolean }>`select pg_sleep(9) is not null as is`.execute(other);
  const find = "select pid from pg_stat_activity where query = 'select pg_sleep(600)'";
  await expect.poll(async () => (await direct.query(find)).rows.length).toBe(1);
  gone.abandon();
  // As in a failover: the new server has no such session.
  await direct.query(`select pg_terminate_backend(pid) from (${find}) as at`);
  expect(await hanging).toBe(true);
  expect(await write(db, "after")).toBe("written");
  expect((await healthy).rows).toEqual([{ is: true }]);
});

const write = (db: Database, name: string) =>
  sql`insert into setting (name, value) values (${name}, '1')`.execute(db).then(
    () => "written",
    (error: unknown) => (isDatabaseUnavailable(error) ? "unavailable" : error),
  );

test("the pool and single connections use the host that answers, and follow it", async () => {
  const url = await database();
  const [one, two] = [await createDatabaseWire(url), await createDatabaseWire(url)];
  onTestFinished(() => [one, two].forEach(({ cut }) => cut()));
  one.cut();
  const both = one.url.replace(/@[^/]+/, `@${new URL(one.url).host},${new URL(two.url).host}`);
  const db = open(both);
  expect(await write(db, "a")).toBe("written");
  expect((await connect(both)).port).toBe(Number(new URL(two.url).port));
  two.cut();
  expect(await write(db, "b")).toBe("unavailable");
  await expect(connect(both)).rejects.toThrow(
    /^No host of the database accepts writes: .*ECONNREFUSED.*; .*ECONNREFUSED/,
  );
  await one.mend();
  expect(await write(db, "c")).toBe("written");
  // A host that accepts connections but never answers is given up while the other one answers.
  one.freeze();
  await two.mend();
  expect((await connect(both)).port).toBe(Number(new URL(two.url).port));
});

test("a connection that accepts no writes any more is dropped, and its call gets 'unavailable'", async () => {
  const url = await database();
  const db = open(url);
  const name = sql.id(new URL(url).pathname.slice(1));
  const admin = await connect(url);
  onTestFinished(() => admin.end());
  await sql`alter database ${name} set default_transaction_read_only = on`.execute(db);
  // These sessions began before the change.
  const sessions = () => sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.1)`.execute(db);
  await Promise.all([1, 2, 3].map(sessions));
  await admin.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await expect
    .poll(() =>
      sessions().then(
        ({ rows }) => rows.length,
        () => 0,
      ),
    )
    .toBe(1);
  await Promise.all([1, 2, 3].map(sessions));
  expect(await isResponding(db, 2000)).toBe(false);
  expect(await write(db, "d")).toBe("unavailable");
  await admin.query(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = off`);
  // The other idle sessions still accept no writes; none of them is used.
  expect(await write(db, "e")).toBe("written");
  expect(await isResponding(db, 2000)).toBe(true);
});

test("a statement on a host that is cut off ends when another host accepts writes", async () => {
  const url = await database();
  const [one, two] = [await createDatabaseWire(url), await createDatabaseWire(url)];
  onTestFinished(() => [one, two].forEach(({ cut }) => cut()));
  two.cut();
  const db = open(one.url.replace(/@[^/]+/, `@${new URL(one.url).host},${new URL(two.url).host}`));
  await Promise.all([1, 2, 3, 4].map((n) => write(db, `${n}`)));
  one.freeze();
  // All connections of the pool wait for answers that never come.
  const stuck = [5, 6, 7, 8].map((n) => write(db, `${n}`));
  await two.mend();
  expect(await Promise.all(stuck)).toEqual(stuck.map(() => "unavailable"));
  expect(await write(db, "9")).toBe("written");
});
