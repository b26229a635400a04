// Tests that the tables of an older version become partitioned without losing a count, also if the job is killed (DE-01).
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "../../config.ts";
import { type Context, createContext } from "../../context.ts";
import { openDatabase } from "../../db/database.ts";
import { migrate } from "../../db/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { createStillClock } from "../../testing/snapshot.ts";
import { untilSomebodyWaits } from "../../testing/waiting.ts";
import { readCounts, type UnpackedCount, upsertUnpackedCounts } from "../count.store.ts";
import { utcMonth, utcMonthStart } from "../month.rules.ts";
import { partitionJob } from "./partition.job.ts";
import { countHot, countPack } from "./partition.rules.ts";
import { listPartitions } from "./partition.store.ts";

const before = "0060_count_partitions.sql";
let place: TestDatabase;
let ctx: Context;
let thisMonth: number;

beforeEach(async () => {
  place = await createTestDatabase(migrateToFormer);
  const log = pino({ level: "silent" });
  ctx = createContext({
    config: readConfig({ DATABASE_URL: place.url }),
    db: openDatabase(place.url, { pool: 6, log }),
    clock: createStillClock(),
    log,
  });
  thisMonth = utcMonth(ctx.clock.now());
});
afterEach(async () => {
  await ctx.db.destroy();
  await place.drop();
});

async function migrateToFormer(url: string): Promise<void> {
  const all = join(import.meta.dirname, "../../db/migrations");
  const folder = await mkdtemp(join(tmpdir(), "psp-former-"));
  for (const name of (await readdir(all)).filter((one) => one < before)) await cp(join(all, name), join(folder, name));
  await migrate(url, folder);
  await rm(folder, { recursive: true });
}

/** Long past, this month, and weeks ahead of its time, each at both ends of its month. */
const oldStarts = () =>
  [-30, -1, 0, 2, 5].flatMap((months) => {
    const month = thisMonth + months;
    return [utcMonthStart(month), utcMonthStart(month + 1) - 1];
  });

async function insertCounts(starts: readonly number[], people = 1): Promise<void> {
  const rows = starts.map((startMs): UnpackedCount => {
    const ahead = startMs > ctx.clock.now();
    const numbers = { durationMs: 1, knownMs: 1, in: people, out: 0, lineNo: 1, osd: 0, quality: 0 };
    return { startMs, sensorNum: 1, ...numbers, ahead, overPack: false, classes: null, origin: null };
  });
  await ctx.db.transaction().execute((tx) => upsertUnpackedCounts(tx, rows));
}

/** More than the job reads while it holds locks. */
async function insertManyCounts(): Promise<void> {
  await sql`
    insert into count_hot (start_ms, sensor_num, duration_ms, known_ms, n_in, n_out, line_no, osd, quality, is_ahead, over_pack, classes)
    select ${utcMonthStart(thisMonth)}::bigint + n, 2, 1, 1, 1, 0, 1, 0, 0, false, false, jsonb_build_object('padding', repeat('x', 1900))
    from generate_series(1, 18000) n`.execute(ctx.db);
}

async function insertPacks(): Promise<void> {
  await sql`insert into count_pack (sensor_num, month, day_points, body)
    select 3, month, '{1}', '\\x00' from generate_series(${thisMonth - 30}::int, ${thisMonth - 1}) month`.execute(
    ctx.db,
  );
}

const startsOf = async () =>
  [...((await readCounts(ctx.db, [1], 0, Date.UTC(2100))).get(1) ?? [])].map((one) => one.startMs);
const namesOf = async (table: typeof countHot) => (await listPartitions(ctx.db, table)).map(({ name }) => name);
const nameOf = (month: number) => new Date(utcMonthStart(month)).toISOString().slice(0, 7).replace("-", "_");
const lastMonth = () => utcMonth(ctx.clock.now() + 62 * 86_400_000);

async function placesOf(starts: readonly number[]): Promise<string[]> {
  const { rows } = await sql<{
    place: string;
    start: number;
  }>`select tableoid::regclass::text as place, start_ms as start
    from count_hot where sensor_num = 1`.execute(ctx.db);
  const places = new Map(rows.map(({ place: name, start }) => [start, name]));
  return starts.map((start) => places.get(start) ?? "nowhere");
}

test("a small database of the version before gets a partition for each month, whatever its rows are", async () => {
  await insertCounts(oldStarts());
  await insertPacks();
  expect(await migrate(place.url)).toContain(before);
  expect(await startsOf()).toEqual(oldStarts());
  await partitionJob(ctx).run();
  expect(await startsOf()).toEqual(oldStarts());
  const [rest, now, next] = ["count_hot_rest", `count_hot_${nameOf(thisMonth)}`, `count_hot_${nameOf(thisMonth + 2)}`];
  const nextHas = lastMonth() >= thisMonth + 2 ? next : rest;
  const places = await placesOf(oldStarts());
  expect(places.toSpliced(2, 2)).toEqual([rest, rest, now, now, nextHas, nextHas, rest, rest]);
  expect(await namesOf(countPack)).toEqual([
    `count_pack_to_${new Date(ctx.clock.now() + 62 * 86_400_000).getUTCFullYear() + 1}`,
  ]);
  const { rows } = await sql`select month from count_pack where sensor_num = 3`.execute(ctx.db);
  expect(rows).toHaveLength(30);
});

const holds = {
  "waits to begin": "lock table only count_hot_rest in access share mode",
  "moves counts":
    "select from count_hot_rest where start_ms > extract(epoch from now() + interval '100 days') * 1000 for update",
  "waits to finish": "lock table only count_hot in access share mode",
};

test.each(Object.entries(holds))(
  "DE-01 a job that is killed while it %s is completed by the next run, and no count is lost",
  async (_, hold) => {
    await insertCounts(oldStarts());
    await insertManyCounts();
    await migrate(place.url);
    const killed = openDatabase(place.url, { pool: 2, log: ctx.log });
    await ctx.db.transaction().execute(async (tx) => {
      await sql.raw(hold).execute(tx);
      const running = partitionJob({ ...ctx, db: killed }).run();
      const failed = expect(running).rejects.toThrow();
      await untilSomebodyWaits(ctx.db);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`.execute(ctx.db);
      await failed;
    });
    await killed.destroy();
    // A wrong clock repeats a count and sends a new one; another sensor counts as usual.
    const ahead = [utcMonthStart(thisMonth + 5), utcMonthStart(thisMonth + 5) + 1000];
    const usual = utcMonthStart(thisMonth) + 1000;
    await insertCounts([...ahead, usual], 2);
    await partitionJob(ctx).run();
    const expected = [...new Set([...oldStarts(), ...ahead, usual])].toSorted((a, b) => a - b);
    expect(await startsOf()).toEqual(expected);
    const found = (await readCounts(ctx.db, [1], 0, Date.UTC(2100))).get(1) ?? [];
    expect(found.filter((one) => one.in === 2).map(({ startMs }) => startMs)).toEqual([usual, ...ahead]);
    const closed = `count_hot_to_${nameOf(lastMonth() + 1)}`;
    expect(await namesOf(countHot)).toEqual([closed]);
    expect(await placesOf([usual, ...ahead])).toEqual([closed, "count_hot_rest", "count_hot_rest"]);
    // The next months have partitions of their own, and the closed one is dropped when it is empty.
    ctx.clock.moveTo(utcMonthStart(lastMonth() + 2));
    await sql`delete from count_hot where sensor_num = 2`.execute(ctx.db);
    await partitionJob(ctx).run();
    expect(await namesOf(countHot)).toEqual(expect.arrayContaining([closed, `count_hot_${nameOf(lastMonth())}`]));
    expect(await startsOf()).toEqual(expected);
    await sql`delete from ${sql.table(closed)}`.execute(ctx.db);
    await partitionJob(ctx).run();
    expect(await namesOf(countHot)).not.toContain(closed);
  },
);

test("counts are stored as usual while a large default partition is closed", async () => {
  await insertCounts(oldStarts());
  await insertManyCounts();
  await migrate(place.url);
  const ahead = utcMonthStart(thisMonth + 6);
  await ctx.db
    .transaction()
    .execute(async (tx) => {
      await sql.raw(holds["moves counts"]).execute(tx);
      const running = partitionJob(ctx).run();
      await untilSomebodyWaits(ctx.db);
      await insertCounts([utcMonthStart(thisMonth) + 1, ahead]);
      await insertCounts([ahead]);
      return { running };
    })
    .then(({ running }) => running);
  expect(await placesOf([ahead])).toEqual(["count_hot_rest"]);
  expect(await startsOf()).toHaveLength(oldStarts().length + 2);
});
