// Tests that counts are found in every partition, and that none is lost while partitions are made and dropped (DE-01).
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countRecord, createSite, type Site } from "../../datapoint/site.testing.ts";
import { openDatabase } from "../../db/database.ts";
import type { RecordSensor } from "../../device/capability.ts";
import { untilSomebodyWaits } from "../../testing/waiting.ts";
import { utcMonth, utcMonthStart } from "../month.rules.ts";
import { packOldMonths } from "../pack.store.ts";
import { findWrongDaySums } from "../rollup.store.ts";
import { partitionJob } from "./partition.job.ts";
import { countHot, findMissing } from "./partition.rules.ts";
import { listPartitions, makePartition } from "./partition.store.ts";

const dayMs = 86_400_000;
let site: Site;
beforeAll(async () => {
  site = await createSite();
  // The clock moves by years.
  await sql`update session set expires_at = '2100-01-01', last_used_at = '2100-01-01'`.execute(site.ctx.db);
});
afterAll(() => site.stop());

const nowMs = () => site.ctx.clock.now();
const runJob = () => partitionJob(site.ctx).run();
const month = (ms: number) => new Date(ms).toISOString().slice(0, 7).replace("-", "_");

/** Moves the clock to the 10th of a month for which there is no partition yet. */
function skipMonths(): number {
  const startMs = utcMonthStart(utcMonth(nowMs()) + 5);
  site.ctx.clock.moveTo(startMs + 9 * dayMs);
  return startMs;
}

/** Where the counts of a sensor are, oldest first. */
async function placesOf({ num }: RecordSensor): Promise<string[]> {
  const { rows } = await sql<{ place: string }>`select tableoid::regclass::text as place from count_hot
    where sensor_num = ${num} order by start_ms`.execute(site.ctx.db);
  return rows.map(({ place }) => place);
}

async function totalOf({ id }: RecordSensor): Promise<unknown> {
  return (await site.call(site.root, `/api/sensor/${id}/datapoints?limit=1`)).body;
}

test("DS-01 counts of the last and the first millisecond of a month are found by every reader", async () => {
  const startMs = skipMonths();
  await runJob();
  const locationId = await site.location("UTC");
  const sensor = await site.sensor({ locationId });
  const stored = await site.store(sensor, [
    countRecord(startMs - 1, 0.001, { door: [1, 10] }),
    countRecord(startMs, 300, { door: [2, 20] }),
  ]);
  expect(stored.map(({ outcome }) => outcome)).toEqual(["stored", "stored"]);
  // The month before is over for more than five days, so it has no partition of its own.
  expect(await placesOf(sensor)).toEqual(["count_hot_rest", `count_hot_${month(startMs)}`]);
  await expectReaders(sensor, locationId, startMs);
  // At most one of both months is in a pack, then both.
  for (const packed of [1, 1]) {
    expect(await packOldMonths(site.ctx.db, nowMs())).toBe(packed);
    await expectReaders(sensor, locationId, startMs);
    site.ctx.clock.moveTo(utcMonthStart(utcMonth(startMs) + 1) + 9 * dayMs);
  }
});

async function expectReaders(sensor: RecordSensor, locationId: string, startMs: number): Promise<void> {
  const iso = (ms: number) => new Date(ms).toISOString();
  const range = `from=${iso(startMs - dayMs)}&to=${iso(startMs + dayMs)}`;
  for (const path of [`measurement/${locationId}`, `sensor/${sensor.id}`]) {
    const { body } = await site.call(site.root, `/api/${path}/datapoints?type=counting&sortBy=startUTC&${range}`);
    expect(body).toMatchObject({ total: 2, objects: [{ data: { in: 1 } }, { data: { in: 2 } }] });
  }
  const oneSide = await site.call(
    site.root,
    `/api/sensor/${sensor.id}/datapoints?from=${iso(startMs)}&to=${iso(startMs + 1)}`,
  );
  expect(oneSide.body).toMatchObject({ total: 1, objects: [{ data: { in: 2 } }] });
  const filter = `filter=meas:${locationId}:counting&${range}`;
  for (const acc of ["hour", "day", "month"]) {
    const { body } = await site.call(site.root, `/data/v2/aggregate/json?${filter}&acc=${acc}`);
    const sums = (body as { data: { in: number | null } }[]).flatMap(({ data }) => data.in ?? []);
    expect(sums, acc).toEqual([1, 2]);
  }
  const { text } = await site.call(site.root, `/data/v2/download/csv?${filter}`);
  expect(text.trim().split("\n")).toHaveLength(3);
  const day = (ms: number) => iso(ms).slice(0, 10);
  const file = await site.call(
    site.root,
    `/data/v2/counts/file?format=csv&by=hour&range=${day(startMs - 1)},${day(startMs)}`,
  );
  const rows = file.text.split("\n").filter((line) => line.includes(locationId) && /,[12],[12]0,/.test(line));
  expect(rows).toHaveLength(2);
  expect(await findWrongDaySums(site.ctx.db, [sensor.num])).toEqual([]);
}

test("a read of one month does not touch the partitions of other months", async () => {
  const startMs = skipMonths() + 2 * dayMs;
  await runJob();
  const locationId = await site.location("UTC");
  const sensor = await site.sensor({ locationId });
  const early = [countRecord(startMs, 300, { door: [1, 0] })];
  await site.store(sensor, early);
  await site.ctx.db.transaction().execute(async (tx) => {
    for (const name of [`count_hot_${month(startMs + 40 * dayMs)}`, "count_hot_rest", "count_pack_rest"])
      await sql`lock table only ${sql.table(name)} in access exclusive mode`.execute(tx);
    const more = await site.store(sensor, [...early, countRecord(startMs + 300_000, 300, { door: [2, 0] })]);
    expect(more.map(({ outcome }) => outcome)).toEqual(["same", "stored"]);
    await expectReadersOfDay(sensor, locationId, startMs);
  });
});

async function expectReadersOfDay({ id }: RecordSensor, locationId: string, startMs: number): Promise<void> {
  const iso = (ms: number) => new Date(ms).toISOString();
  const range = `from=${iso(startMs)}&to=${iso(startMs + dayMs)}`;
  const listed = await site.call(site.root, `/api/sensor/${id}/datapoints?${range}`);
  expect(listed.body).toMatchObject({ total: 2, objects: [{}, {}] });
  const summed = await site.call(site.root, `/data/v2/aggregate/json?filter=meas:${locationId}&acc=hour&${range}`);
  expect((summed.body as { data: object }[])[0]).toMatchObject({ data: { in: 3 } });
  const day = iso(startMs).slice(0, 10);
  const file = await site.call(site.root, `/data/v2/counts/file?format=csv&by=hour&range=${day},${day}`);
  expect(file.text.split("\n").some((line) => line.startsWith(locationId) && line.includes(",3,0,"))).toBe(true);
}

test("DE-01 counts that are stored while their partition is made are neither lost nor counted twice", async () => {
  const startMs = skipMonths();
  const sensors = await Promise.all(Array.from({ length: 4 }, () => site.sensor({ since: startMs })));
  const strays = [countRecord(startMs - 7_200_000, 300, { door: [5, 0] })];
  for (const sensor of sensors) await site.store(sensor, strays);
  const perSensor = 40;
  const made = Promise.withResolvers<void>();
  const write = async (sensor: RecordSensor) => {
    for (let n = 0; n < perSensor; n += 1) {
      // Every second message is sent twice.
      const records = [countRecord(startMs + n * 300_000, 300, { door: [n, 1] })];
      for (let times = n % 2; times < 2; times += 1)
        expect(await site.store(sensor, records)).toMatchObject([{ outcome: times === n % 2 ? "stored" : "same" }]);
      if (n === 5) made.resolve();
    }
  };
  await Promise.all([...sensors.map(write), made.promise.then(runJob)]);
  expect((await listPartitions(site.ctx.db, countHot)).map(({ name }) => name)).toContain(
    `count_hot_${month(startMs)}`,
  );
  for (const sensor of sensors) {
    const moved = Array.from({ length: perSensor }, () => `count_hot_${month(startMs)}`);
    expect(await placesOf(sensor)).toEqual(["count_hot_rest", ...moved]);
    expect(await totalOf(sensor)).toMatchObject({ total: perSensor + 1 });
  }
  expect(
    await findWrongDaySums(
      site.ctx.db,
      sensors.map(({ num }) => num),
    ),
  ).toEqual([]);
});

test("a list of counts that waits while they are moved to a new partition has them", async () => {
  const startMs = skipMonths();
  const sensor = await site.sensor({ since: startMs });
  await site.store(sensor, [countRecord(startMs, 300, { door: [1, 0] })]);
  const made = sql.table(`count_hot_${month(startMs)}`);
  const [from, to] = [startMs, utcMonthStart(utcMonth(startMs) + 1)].map((ms) => sql.lit(ms));
  const { listed } = await site.ctx.db.transaction().execute(async (tx) => {
    await sql`lock table only count_hot in access exclusive mode`.execute(tx);
    const range = [startMs, startMs + dayMs].map((ms) => new Date(ms).toISOString());
    const waiting = site.call(site.root, `/api/sensor/${sensor.id}/datapoints?from=${range[0]}&to=${range[1]}`);
    await untilSomebodyWaits(site.ctx.db);
    await sql`create table ${made} (like count_hot including all)`.execute(tx);
    await sql`with moved as (delete from count_hot_rest where start_ms >= ${from} returning *)
      insert into ${made} select * from moved`.execute(tx);
    await sql`alter table count_hot attach partition ${made} for values from (${from}) to (${to})`.execute(tx);
    return { listed: waiting };
  });
  expect((await listed).body).toMatchObject({ total: 1, objects: [{ data: { in: 1 } }] });
});

test("processes that make the same partitions at once make each of them once", async () => {
  const startMs = skipMonths();
  const sensor = await site.sensor({ since: startMs });
  await site.store(sensor, [countRecord(startMs, 300, { door: [1, 0] })]);
  const others = [1, 2, 3].map(() => openDatabase(site.ctx.config.database.url ?? "", { pool: 2, log: site.ctx.log }));
  const missing = findMissing(countHot, await listPartitions(site.ctx.db, countHot), startMs, nowMs());
  expect(missing.length).toBeGreaterThan(2);
  for (const partition of missing)
    await Promise.all([site.ctx.db, ...others].map((db) => makePartition(db, countHot, partition)));
  await Promise.all(others.map((db) => partitionJob({ ...site.ctx, db }).run()));
  expect(findMissing(countHot, await listPartitions(site.ctx.db, countHot), startMs, nowMs())).toEqual([]);
  expect(await placesOf(sensor)).toEqual([`count_hot_${month(startMs)}`]);
  await Promise.all(others.map((db) => db.destroy()));
});

test("DE-01 a correction that arrives while its emptied month is dropped is kept", async () => {
  const startMs = skipMonths();
  await runJob();
  const name = `count_hot_${month(startMs)}`;
  const sensor = await site.sensor({ since: startMs });
  const record = (people: number) => [countRecord(startMs, 300, { door: [people, 0] }, { cor: true })];
  await site.store(sensor, record(1));
  expect(await placesOf(sensor)).toEqual([name]);
  site.ctx.clock.moveTo(utcMonthStart(utcMonth(startMs) + 1) + 9 * dayMs);
  const has = async () => (await listPartitions(site.ctx.db, countHot)).some((one) => one.name === name);

  await runJob();
  expect(await has()).toBe(true);
  await packOldMonths(site.ctx.db, nowMs());
  // The correction came first: the month is not empty any more when the job gets its lock.
  const { db } = site.ctx;
  const dropping = await db.transaction().execute(async (tx) => {
    await sql`lock table only ${sql.table(name)} in access share mode`.execute(tx);
    const running = runJob();
    await untilSomebodyWaits(db);
    const storing = site.store(sensor, record(2));
    await untilSomebodyWaits(db, 2);
    return { running, storing };
  });
  expect(await dropping.storing).toMatchObject([{ outcome: "corrected" }]);
  await dropping.running;
  expect(await totalOf(sensor)).toMatchObject({ total: 1 });
  const { body } = await site.call(site.root, `/api/sensor/${sensor.id}/datapoints`);
  expect(body).toMatchObject({ objects: [{ data: { in: 2 } }] });
  expect(await findWrongDaySums(db, [sensor.num])).toEqual([]);
  await packOldMonths(db, nowMs());
  await runJob();
  expect(await has()).toBe(false);
  // Now the month has no partition.
  await site.store(sensor, record(3));
  expect(await placesOf(sensor)).toEqual(["count_hot_rest"]);
  await runJob();
  expect(await has()).toBe(false);
});
