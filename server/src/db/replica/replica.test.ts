// Tests which reads a replica answers, with a real one: caught up, behind, canceled, killed, cut off, and after a change of the primary.
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createDatabaseWire } from "../../testing/database/database-wire.ts";
import { createTransactionPooler } from "../../testing/database/transaction-pooler.ts";
import { until } from "../../testing/devices/device-world.ts";
import { createReplicaWorld, type ReplicaWorld } from "../../testing/database/replica-world.ts";
import type { Database, Reader } from "../database.ts";
import { createReplica } from "./replica.ts";

let at: ReplicaWorld;
beforeAll(async () => {
  // Replay never waits for a statement of the replica.
  at = await createReplicaWorld({ settings: ["max_standby_streaming_delay=0"] });
});
afterAll(() => at.stop());

const isReplica = async (reader: Reader) =>
  (await sql<{ is: boolean }>`select pg_is_in_recovery() as is`.execute(reader)).rows[0]?.is;
const read = <T>(work: (db: Database) => Promise<T>, signal?: AbortSignal) => at.world.ctx.replica.read(work, signal);
const untilReplicaAnswers = () => until("the replica answers", () => read(isReplica));

const note = (name: string) => sql`insert into setting (name, value) values (${name}, '1')`.execute(at.world.ctx.db);
const hasNote = (name: string) => async (reader: Reader) =>
  (await sql`select from setting where name = ${name}`.execute(reader)).rows.length === 1;

test("a caught-up replica answers, and sees what was committed before", async () => {
  await untilReplicaAnswers();
  for (let n = 0; n < 20; n += 1) {
    await note(`seen ${n}`);
    const answer = await read(async (db) => [await isReplica(db), await hasNote(`seen ${n}`)(db)]);
    expect(answer).toEqual([true, true]);
  }
});

test("all statements of a read see what its first one had to see, also in a transaction", async () => {
  await untilReplicaAnswers();
  const inTransaction = await read((db) =>
    db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute(async (tx) => [await isReplica(tx), await isReplica(tx)]),
  );
  expect(inTransaction).toEqual([true, true]);
});

test("while the replica is behind, the primary answers, and then the replica again", async () => {
  await untilReplicaAnswers();
  await at.pause();
  await note("missing");
  expect(await read(async (db) => [await hasNote("missing")(db), await isReplica(db)])).toEqual([true, false]);
  await at.resume();
  await untilReplicaAnswers();
  expect(await read(async (db) => [await hasNote("missing")(db), await isReplica(db)])).toEqual([true, true]);
});

/** Runs until it is canceled, but only on the replica. */
const slow = (reader: Reader, what = "lag") =>
  sql<{
    is: boolean;
  }>`select case when pg_is_in_recovery() then pg_sleep(100) end, pg_is_in_recovery() as is, ${what}::text
    from (select count(*) from setting) as counted`.execute(reader);
const running = (what: string) => until(`${what} runs`, async () => (await sleeping()) > 0);
const sleeping = async () =>
  (
    await at.onReplica(
      "select from pg_stat_activity where state = 'active' and query like '%pg_sleep(100)%' and pid <> pg_backend_pid()",
    )
  ).length;

test("a statement that replay cancels is answered by the primary", async () => {
  await untilReplicaAnswers();
  const answers = [
    read((db) => slow(db)),
    read((db) => db.transaction().execute((tx) => slow(tx))),
    slow(at.world.ctx.replica.open()),
  ];
  await until("all run", async () => (await sleeping()) === answers.length);
  await at.world.ctx.db.transaction().execute((tx) => sql`lock table setting in access exclusive mode`.execute(tx));
  const rows = (await Promise.all(answers)).map((answer) => answer.rows[0]?.is);
  expect(rows).toEqual([false, false, false]);
  expect(await sleeping()).toBe(0);
  // The connection of the failed transaction is not used again.
  const aborted = "select from pg_stat_activity where state like 'idle in transaction%'";
  await until("it is closed", async () => (await at.onReplica(aborted)).length === 0);
});

test("an abandoned read is canceled on the replica", async () => {
  await untilReplicaAnswers();
  const left = new AbortController();
  const answer = read((db) => slow(db), left.signal);
  await running("the statement");
  left.abort(new Error("left"));
  await expect(answer).rejects.toThrow(/canceling statement due to user request|left/);
  await until("it is canceled", async () => (await sleeping()) === 0);
});

test("an error of the statement itself is no failure of the replica", async () => {
  await untilReplicaAnswers();
  await expect(read((db) => sql`select 1 / 0`.execute(db))).rejects.toThrow("division by zero");
  expect(await read(isReplica)).toBe(true);
});

test("a statement that writes is answered by the primary", async () => {
  await untilReplicaAnswers();
  await read((db) => sql`insert into setting (name, value) values ('written', '1')`.execute(db));
  expect(await hasNote("written")(at.world.ctx.db)).toBe(true);
});

test("reads of a killed replica are answered by the primary, and by the replica once it is back", async () => {
  await untilReplicaAnswers();
  const during = [read((db) => slow(db)), read((db) => db.transaction().execute((tx) => slow(tx)))];
  await running("a statement");
  await at.postgres.killSecond();
  expect((await Promise.all(during)).map(({ rows }) => rows[0]?.is)).toEqual([false, false]);
  expect(await read(isReplica)).toBe(false);
  await at.postgres.startSecond();
  await untilReplicaAnswers();
});

test("a server on which the log of announcements has another epoch, as after a split, is not used", async () => {
  await untilReplicaAnswers();
  await sql`update setting set value = '"other"' where name = 'announcement_epoch'`.execute(at.world.ctx.db);
  expect(await read(isReplica)).toBe(false);
});

test("after the log is lost, as in a failover, the primary answers until the replica knows the new one", async () => {
  await at.pause();
  await sql`truncate announcement, announcement_log`.execute(at.world.ctx.db);
  const seen: unknown[] = [];
  await until("a new log is open", async () => {
    seen.push(await read(isReplica));
    return (await sql`select from announcement_log`.execute(at.world.ctx.db)).rows.length === 1;
  });
  seen.push(await read(isReplica));
  expect(new Set(seen)).toEqual(new Set([false]));
  await at.resume();
  await untilReplicaAnswers();
});

/** Another reader of the same primary. */
async function startReading(url: string) {
  const { db, metrics } = at.world.ctx;
  const replica = createReplica({ db, url, max: 4, log: pino({ level: "silent" }), metrics });
  await replica.start();
  onTestFinished(replica.stop);
  return replica;
}

test("reads of a replica that is cut off are answered by the primary", async () => {
  const wire = await createDatabaseWire(at.env.DATABASE_READ_URL);
  onTestFinished(wire.cut);
  const replica = await startReading(wire.url);
  const answer = replica.read((db) => slow(db));
  await running("the statement");
  wire.freeze();
  expect((await answer).rows[0]?.is).toBe(false);
  expect(await replica.read(isReplica)).toBe(false);
  wire.thaw();
  await until("the replica answers", () => replica.read(isReplica));
});

test("of several hosts, a replica is chosen; a primary is never taken for one", async () => {
  const { DATABASE_URL: primary, DATABASE_READ_URL: replica } = at.env;
  const both = primary.replace(/@([^/]+)/, `@$1,${new URL(replica).host}`);
  expect(await (await startReading(both)).read(isReplica)).toBe(true);
  expect(await (await startReading(primary)).read(hasNote("written"))).toBe(true);
  expect(await at.reasons()).toContain("no replica");
});

test("a pooler in front of the replica is not used", async () => {
  const pooler = await createTransactionPooler(at.env.DATABASE_READ_URL);
  onTestFinished(pooler.close);
  expect(await (await startReading(pooler.url)).read(isReplica)).toBe(false);
});
