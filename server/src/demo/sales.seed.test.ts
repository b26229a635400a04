// The demo's sales: three shops, 14 months, a plausible conversion, and the same result each time.
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "../testing/world.ts";
import { seedSales } from "./sales.seed.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

const dayMs = 86_400_000;

test("three shops get sales of 14 months, with 15 to 35 % of their visitors, none on closed days", async () => {
  const { db, clock } = world.ctx;
  const owner = await world.account("Stores", world.root, fullPermissions);
  const body = { _id: "02:00:00:00:00:01", owner: owner.id, type: "APS" };
  await world.call(owner, "POST", "/api/sensor", { body });
  const { num } = await db.selectFrom("sensor").select("num").where("id", "=", body._id).executeTakeFirstOrThrow();
  const zone = zoneOf("Europe/Berlin");
  const today = zone.dayAt(clock.now());
  const counted = today - 7;
  const visitorsOn = (day: number) => (((day % 7) + 7) % 7) * 150;
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    const { id } = await world.call(owner, "POST", "/api/measurement", {
      body: { name: `Shop ${n}`, owner: owner.id },
    });
    ids.push(id);
    await db.updateTable("location").set({ timezone: "Europe/Berlin" }).where("id", "=", id).execute();
    await db
      .insertInto("count_day")
      .values(
        Array.from({ length: 440 }, (_, n) => ({
          sensor_num: num,
          day: counted - n,
          location_id: id,
          // The last day is incomplete.
          n_in: n === 0 ? 1 : visitorsOn(counted - n),
          n_out: 0,
          known_ms: dayMs,
        })),
      )
      .execute();
  }
  const seed = () => db.transaction().execute((tx) => seedSales(tx, zone.dayStart(counted) + 3_600_000, clock.now()));
  await seed();
  const read = () => db.selectFrom("sale").selectAll().orderBy("location_id").orderBy("start_ms").execute();
  const sales = await read();
  expect(new Set(sales.map(({ location_id }) => location_id))).toEqual(new Set(ids.slice(0, 3)));
  const openDays = Array.from({ length: 427 }, (_, n) => today - 427 + n).filter((day) => visitorsOn(day) > 0);
  for (const id of ids.slice(0, 3)) {
    const own = sales.filter((sale) => sale.location_id === id);
    expect(own.map(({ start_ms }) => zone.dayAt(start_ms))).toEqual(openDays);
    for (const { start_ms, end_ms, transactions, revenue } of own) {
      const conversion = transactions / visitorsOn(zone.dayAt(start_ms));
      expect(conversion).toBeGreaterThan(0.15);
      expect(conversion).toBeLessThan(0.35);
      expect(Number(revenue)).toBeGreaterThan(transactions);
      expect(end_ms).toBe(zone.dayStart(zone.dayAt(start_ms) + 1));
    }
  }
  const conversionOf = (id: string | undefined, from: number, to: number) => {
    const own = sales
      .map((sale) => ({ ...sale, day: zone.dayAt(sale.start_ms) }))
      .filter(({ location_id, day }) => location_id === id && day >= from && day < to);
    const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
    return sum(own.map(({ transactions }) => transactions)) / sum(own.map(({ day }) => visitorsOn(day)));
  };
  const growth = ids
    .slice(0, 3)
    .map((id) => conversionOf(id, today - 28, today) - conversionOf(id, today - 392, today - 364));
  expect(growth.filter((change) => change < 0)).toHaveLength(1);
  await db.deleteFrom("sale").execute();
  await seed();
  const same = (rows: typeof sales) => rows.map((row) => ({ ...row, write_num: 0 }));
  expect(same(await read())).toEqual(same(sales));
  await seed();
  expect(await read()).toHaveLength(sales.length);
});
