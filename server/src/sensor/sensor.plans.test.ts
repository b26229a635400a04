// A small account among many: whatever it asks, PostgreSQL finds its sensors by an index and never reads the whole table.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../caller.ts";
import { conjunction } from "../db/list.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { sensorConditions, type SensorFilter } from "./sensor.store.ts";

let world: World;
let small: Person;

beforeAll(async () => {
  world = await createWorld();
  small = await world.account("Small", world.root, fullPermissions);
  const rest = await world.account("Rest", world.root, null);
  await sql`insert into sensor (id, owner_id, owner_path, type, is_deleted, is_connected, groups)
    select '02:' || regexp_replace(lpad(upper(to_hex(n)), 10, '0'), '(..)(..)(..)(..)(..)', '\\1:\\2:\\3:\\4:\\5'),
      case when n % 500 = 0 then ${small.id}::uuid else ${rest.id}::uuid end,
      case when n % 500 = 0 then ${small.path} else ${rest.path} end,
      (array['APS', 'PS.C1', 'ZOD'])[n % 3 + 1], n % 10 = 0, n % 2 = 0, array['entrance']
    from generate_series(1, 20000) n`.execute(world.ctx.db);
  await sql`analyze sensor`.execute(world.ctx.db);
});
afterAll(() => world.stop());

const filters: SensorFilter[] = [
  {},
  { sensorType: ["APS"] },
  { connected: "connected" },
  { connected: "disconnected" },
  { groups: ["entrance"] },
  { claimable: "disabled" },
  { sensorID: "00" },
  { artifactRunningID: ["0190a000-0000-7000-8000-000000000001"] },
];

test.for([false, true])(
  "SE-02 a small view is never a walk through all sensors (with the deleted: %s)",
  async (includeDeleted) => {
    const caller = { ...small, permissions: fullPermissions } as unknown as Caller;
    for (const filter of filters) {
      const where = conjunction(
        sensorConditions(caller, filter, { includeDeleted, now: world.ctx.clock.date(), timeoutHours: 24 }),
      );
      for (const question of [
        sql`select id from sensor where ${where} order by id limit 50`,
        sql`select count(*) from sensor where ${where}`,
      ]) {
        const { rows } = await sql<Record<string, string>>`explain ${question}`.execute(world.ctx.db);
        const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
        expect(plan, JSON.stringify(filter)).not.toContain("Seq Scan");
        expect(plan, JSON.stringify(filter)).toContain("Index Cond");
      }
    }
  },
);

test("SE-02 a deep page of the whole fleet is found in the index alone, without reading the rows before it", async () => {
  const everything = { ...world.root, permissions: fullPermissions } as unknown as Caller;
  // As autovacuum leaves it.
  await sql`vacuum (analyze) sensor`.execute(world.ctx.db);
  const where = conjunction(
    sensorConditions(everything, {}, { includeDeleted: false, now: world.ctx.clock.date(), timeoutHours: 24 }),
  );
  const { rows } = await sql<Record<string, string>>`
    explain select sensor.id from sensor where ${where} order by sensor.id limit 50 offset 9000`.execute(world.ctx.db);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toContain("Index Only Scan using sensor_pkey");
});
