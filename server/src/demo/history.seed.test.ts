// Checks that the generation of the demo's past resumes after a kill, that the sums are exact, and that counts during a power outage
// are unknown.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { updateCompleteness } from "../customer/completeness.service.ts";
import { countsOf, findWrongSums } from "../testing/scenes/counted.ts";
import { createWorld, type World } from "../testing/world.ts";
import { seedDemo } from "./demo.seed.ts";
import { countMonths, startHistoryJob } from "./history.service.ts";
import { findHistory } from "./history.store.ts";
import { computeHistoryEnd, historyCredentialsPath } from "./story.seed.ts";

let world: World;
const seededAt: number[] = [];
const dayMs = 86_400_000;
const quarterMs = 900_000;

beforeAll(async () => {
  world = await createWorld({ env: { DEMO: "on", DEMO_SENSORS: "12" } });
  seededAt.push(Date.now());
  await seedDemo(world.ctx);
  seededAt.push(Date.now());
});
afterAll(() => world.stop());

const progress = async () => Number((await world.call(world.root, "GET", "/api/demo")).at("progress"));

async function sensors() {
  const past = JSON.parse(await readFile(historyCredentialsPath(world.ctx), "utf8")) as {
    sensors: { id: string; zone: string }[];
  };
  const rows = await world.ctx.db.selectFrom("sensor").select(["id", "num", "location_id"]).execute();
  return past.sensors.map(({ id, zone }) => {
    const row = rows.find((one) => one.id === id);
    if (!row?.location_id) throw new Error(`${id} has no location`);
    return { id, zone, num: row.num, locationId: row.location_id };
  });
}

test(
  "DB-01 the past is completed once after a kill; a later start does nothing",
  { timeout: 300_000, tags: "prove" },
  async () => {
    expect(await progress()).toBe(0);
    const { db, config } = world.ctx;
    const history = await findHistory(db);
    const months = history ? countMonths(history) : 0;
    const quarter = Math.round(months / 4);
    // Blocks the generation after a quarter of the months, until the test releases the lock.
    await sql`create function wait_at_quarter() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(1); return new; end $$`.execute(db);
    await sql`create trigger wait_at_quarter before update on setting for each row
      when (new.name = 'demo_history' and (new.value ->> 'done')::int = ${sql.lit(quarter)})
      execute function wait_at_quarter()`.execute(db);
    await db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(1)`.execute(tx);
      // Runs in a separate process, because the test kills it. Without sensors, it starts no fleet.
      const own = { DATABASE_URL: world.databaseUrl, DATA_DIR: config.dataDir, PORT: "0", MQTT_PORT: "0" };
      const victim = spawn(process.execPath, [join(import.meta.dirname, "../main.ts")], {
        env: { ...own, DEMO: "on", DEMO_SENSORS: "0", LOG_LEVEL: "silent" },
        stdio: "ignore",
      });
      const gone = once(victim, "exit");
      await expect.poll(progress, { timeout: 120_000, interval: 20 }).toBe((quarter - 1) / months);
      victim.kill("SIGKILL");
      await gone;
    });
    const reached = await progress();
    expect(reached).toBeGreaterThan(0.1);
    expect(reached).toBeLessThan(0.9);
    const second = await startHistoryJob(world.ctx);
    await second?.finished;
    expect(await progress()).toBe(1);
    expect(await updateCompleteness(world.ctx, 1000)).toBeGreaterThan(0);
    expect(await startHistoryJob(world.ctx)).toBeNull();
  },
);

test("it ends where the fleet begins, without duplicate intervals", { tags: "prove" }, async () => {
  const history = await findHistory(world.ctx.db);
  const ends = seededAt.map(computeHistoryEnd);
  expect(ends).toContain(history?.toMs);
  expect(((history?.toMs ?? 0) - (history?.fromMs ?? 0)) / dayMs).toBeGreaterThan(420);
  const all = await sensors();
  expect(all).toHaveLength(12);
  for (const { num } of all) {
    const counts = await countsOf(world.ctx.db, num);
    const starts = new Set(counts.map(({ startMs }) => startMs));
    const lines = new Set(counts.map(({ lineNo }) => lineNo)).size;
    expect(counts).toHaveLength(starts.size * lines);
    expect(Math.max(...starts) + quarterMs).toBe(history?.toMs);
    const firstMs = Math.min(...starts);
    expect(firstMs - (history?.fromMs ?? 0)).toBeLessThan(dayMs);
    const missing = ((history?.toMs ?? 0) - firstMs) / quarterMs - starts.size;
    // The second location had no power for a week of 672 quarter hours, four more or fewer if the clocks changed.
    expect([0, 671.5, 668, 672, 676].includes(missing) || missing === 0, `${missing} are missing`).toBe(true);
  }
});

test("the sums of every day are those of its counts, by another calculation", { tags: "prove" }, async () => {
  const all = await sensors();
  expect(
    await findWrongSums(
      world.ctx.db,
      all.map(({ num }) => num),
    ),
  ).toEqual([]);
  const [one] = all;
  if (!one) throw new Error("no sensor");
  const counts = await countsOf(world.ctx.db, one.num);
  const format = new Intl.DateTimeFormat("en-CA", { timeZone: one.zone, dateStyle: "short" });
  const byDate = Map.groupBy(counts, ({ startMs }) => format.format(startMs));
  const rows = await world.ctx.db.selectFrom("count_day").selectAll().where("sensor_num", "=", one.num).execute();
  expect(rows).toHaveLength(byDate.size);
  for (const { day, n_in, n_out, location_id } of rows) {
    const of = byDate.get(new Date(day * dayMs).toISOString().slice(0, 10)) ?? [];
    const sum = (pick: "in" | "out") => of.reduce((total, count) => total + count[pick], 0);
    expect([Number(n_in), Number(n_out)]).toEqual([sum("in"), sum("out")]);
    expect(location_id).toBe(one.locationId);
  }
});

type Day = { start: string; data: { in: number | null; out: number | null }; completeness: number };

test("the week without power is unknown, and the weeks beside it are known", { tags: "prove" }, async () => {
  const all = await sensors();
  const dark = all[4];
  const history = await findHistory(world.ctx.db);
  const from = new Date((history?.toMs ?? 0) - 60 * dayMs).toISOString();
  const to = new Date((history?.toMs ?? 0) - 2 * dayMs).toISOString();
  const query = `filter=meas:${dark?.locationId}:counting&acc=day&from=${from}&to=${to}`;
  const { list } = await world.call(world.root, "GET", `/data/v2/aggregate/json?${query}`);
  const days = (list as unknown as Day[]).slice(1, -1);
  const unknown = days.filter(({ completeness }) => completeness === 0);
  expect(unknown).toHaveLength(7);
  expect(new Date(unknown[0]?.start.slice(0, 10) ?? "").getUTCDay()).toBe(1);
  for (const { data } of unknown) expect(data).toEqual({ in: null, out: null });
  for (const { completeness } of days.filter((day) => !unknown.includes(day))) expect(completeness).toBe(1);
  const known = days.filter(({ data }) => (data.in ?? 0) > 0);
  expect(known.length).toBeGreaterThan(40);
  // Entries and exits balance by closing time.
  for (const { data } of known) expect(data.out).toBe(data.in);
});

test("stopping cancels the month that is being stored, and the next start makes it", async () => {
  const shop = await createWorld({ env: { DEMO: "on", DEMO_SENSORS: "12" } });
  await seedDemo(shop.ctx);
  const { db } = shop.ctx;
  await db.transaction().execute(async (tx) => {
    // The first month waits for this row, as it would for a slow disk.
    await sql`select from setting where name = 'demo_history' for update`.execute(tx);
    const job = await startHistoryJob(shop.ctx);
    const isWaiting = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await isWaiting.execute(tx)).rows[0]?.n).toBe(1);
    await job?.stop();
  });
  expect(await findHistory(db)).toMatchObject({ done: 0 });
  const again = await startHistoryJob(shop.ctx);
  await expect.poll(async () => (await findHistory(db))?.done).toBeGreaterThan(0);
  await again?.stop();
  // Customers have no completeness yet, instead of 0 %.
  expect(await updateCompleteness(shop.ctx, 1000)).toBe(0);
  await shop.stop();
});

test("without the demo nothing is generated", async () => {
  const plain = await createWorld();
  expect(await plain.call(plain.root, "GET", "/api/demo")).toMatchObject({ status: 200, body: { progress: 1 } });
  expect(await plain.call(null, "GET", "/api/demo")).toMatchObject({ status: 401 });
  await plain.stop();
});
