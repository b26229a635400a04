// Tests that a transaction sends its first statement with `begin`, and never commits without it.
import { Kysely, sql } from "kysely";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { createTestDatabase } from "../../testing/postgres.ts";
import { openDatabase } from "../database.ts";
import { migrate } from "../migrate.ts";
import { PipelinedDialect } from "./pipelined-driver.ts";

/** A connection that answers `begin` when the test says so, and all other statements at once. */
function createConnection() {
  const sent: string[] = [];
  const begun = Promise.withResolvers<unknown>();
  const done = { command: "SELECT", rowCount: 0, rows: [] };
  const client = {
    query(text: string) {
      sent.push(text);
      return text === "begin" ? begun.promise : Promise.resolve(done);
    },
    release: () => undefined,
  };
  const pool = { options: {}, connect: async () => client as never, end: async () => undefined };
  const db = new Kysely<unknown>({ dialect: new PipelinedDialect({ pool }) });
  const work = db.transaction().execute(async (tx) => {
    await sql`select 1`.execute(tx);
    return "result";
  });
  return { sent, work, begin: () => begun.resolve(done), refuse: () => begun.reject(new Error("refused")) };
}

test("the first statement does not wait for the answer to `begin`, but `commit` does", async () => {
  const { sent, work, begin } = createConnection();
  await vi.waitFor(() => expect(sent).toEqual(["begin", "select 1"]));
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).not.toContain("commit");
  begin();
  expect(await work).toBe("result");
  expect(sent).toEqual(["begin", "select 1", "commit"]);
});

test("a transaction whose `begin` fails is not committed", async () => {
  const { sent, work, refuse } = createConnection();
  refuse();
  await expect(work).rejects.toThrow("refused");
  expect(sent).not.toContain("commit");
});

test("after a refused `begin`, the connection is dropped instead of running statements without a transaction", async () => {
  const { url, drop } = await createTestDatabase(migrate);
  onTestFinished(drop);
  const db = openDatabase(url, { pool: 2, pooling: "none", log: pino({ level: "silent" }) });
  onTestFinished(() => db.destroy());
  const write = sql`insert into setting (name, value) values ('alone', '1')`;
  const count = async () => (await sql`select from setting where name = 'alone'`.execute(db)).rows.length;
  const work = db.connection().execute(async (one) => {
    await sql`begin`.execute(one);
    await expect(sql`select 1/0`.execute(one)).rejects.toThrow("division by zero");
    // PostgreSQL refuses it in a failed transaction.
    await expect(sql`begin`.execute(one)).rejects.toThrow("aborted");
    await sql`rollback`.execute(one);
    await write.execute(one);
  });
  await expect(work).rejects.toThrow(/connection/i);
  expect(await count()).toBe(0);
  await db.transaction().execute((tx) => write.execute(tx));
  expect(await count()).toBe(1);
});
