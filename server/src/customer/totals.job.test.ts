// Tests the job that keeps the totals: it drains marks in turns, and loses nothing when its process is killed.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tx } from "../db/database.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";
import { customerTotalsJob } from "./totals.job.ts";

let world: World;
let customer: Person;
let location: string;
const sensor = "02:00:00:00:2A:01";
beforeAll(async () => {
  world = await createWorld({ clock: createStillClock() });
  customer = await world.account("Customer", world.root, fullPermissions);
  const make = (path: string, body: object) => world.call(customer, "POST", path, { body });
  await make("/api/sensor", { _id: sensor, owner: customer.id, type: "APS" });
  location = (await make("/api/measurement", { name: "Shop", owner: customer.id })).id;
  await run();
});
afterAll(() => world.stop());

/** As after a start of the process. */
const run = (stopping?: AbortSignal) => customerTotalsJob(world.ctx).run(stopping);
const count = async (table: "sensor_mark" | "location_mark") =>
  (await world.ctx.db.selectFrom(table).select("id").execute()).length;
const stored = async () => {
  const { rows } = await sql<JsonObject>`select v.version, t.offline from owner_total t
    join owner_version o on o.owner_num = t.num and o.sensors > 0 join reported_version v on v.num = o.version_num
    where t.owner_path = ${customer.path}`.execute(world.ctx.db);
  return rows;
};
const report = (version: string) =>
  world.ctx.db.updateTable("sensor").set({ running_version: version }).where("id", "=", sensor).execute();

/** Ends the connection of the job once it waits for what `hold` has locked. */
async function killDuring(hold: (tx: Tx) => Promise<unknown>): Promise<void> {
  const { db } = world.ctx;
  await db.transaction().execute(async (tx) => {
    await hold(tx);
    const killed = expect(run()).rejects.toThrow();
    await untilSomebodyWaits(db);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    await killed;
  });
}

test("many marks of sensors and locations are drained in turns, up to the step in which the process stops", async () => {
  const { db } = world.ctx;
  await sql`insert into sensor_mark (sensor_num) select -n from generate_series(1, 25000) n`.execute(db);
  await sql`insert into location_mark (location_id) select gen_random_uuid() from generate_series(1, 1100)`.execute(db);
  let asked = 0;
  const afterOneStep = {
    get aborted() {
      return (asked += 1) > 1;
    },
  } as AbortSignal;
  await run(afterOneStep);
  expect([await count("sensor_mark"), await count("location_mark")]).toEqual([15_000, 600]);
  await run();
  expect([await count("sensor_mark"), await count("location_mark")]).toEqual([0, 0]);
});

test("a change that commits after later marks were taken is added next time", async () => {
  const { db } = world.ctx;
  await db.transaction().execute(async (tx) => {
    await tx.updateTable("sensor").set({ running_version: "1.0.0" }).where("id", "=", sensor).execute();
    await sql`insert into sensor_mark (sensor_num) values (-1)`.execute(db);
    await run();
    expect(await count("sensor_mark")).toBe(0);
  });
  expect(await count("sensor_mark")).toBe(1);
  await run();
  expect(await stored()).toEqual([{ version: "1.0.0", offline: 1 }]);
});

test("a kill while sensors are added keeps their marks; the next start adds them once", async () => {
  await report("2.0.0");
  const before = await count("sensor_mark");
  await killDuring((tx) => sql`select from counted_sensor for update`.execute(tx));
  expect(await count("sensor_mark")).toBe(before);
  expect(await stored()).toEqual([{ version: "1.0.0", offline: 1 }]);
  for (const _ of [1, 2]) {
    await run();
    expect(await stored()).toEqual([{ version: "2.0.0", offline: 1 }]);
  }
});

test("a kill while a new version is listed keeps the marks; the next start lists it", async () => {
  const { db } = world.ctx;
  const known = async () =>
    (await db.selectFrom("reported_version").select("version").where("version", "=", "3.0.0").execute()).length;
  await report("3.0.0");
  await killDuring((tx) => sql`lock table reported_version in share mode`.execute(tx));
  expect([await stored(), await count("sensor_mark"), await known()]).toEqual([
    [{ version: "2.0.0", offline: 1 }],
    1,
    0,
  ]);
  await run();
  expect([await stored(), await known()]).toEqual([[{ version: "3.0.0", offline: 1 }], 1]);
});

test("a kill while completeness is added keeps the mark of the location", async () => {
  const { db } = world.ctx;
  await db.updateTable("location").set({ timezone: "Asia/Tokyo" }).where("id", "=", location).execute();
  expect(await count("location_mark")).toBe(1);
  await killDuring((tx) => sql`select from counted_location for update`.execute(tx));
  expect(await count("location_mark")).toBe(1);
  await run();
  expect(await count("location_mark")).toBe(0);
});
