// Tests that reused statistics never lack a change by their reader.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let other: World;
beforeAll(async () => {
  world = await createWorld();
  other = await createWorld({ env: { DATABASE_URL: world.databaseUrl } });
});
afterAll(async () => {
  await other.stop();
  await world.stop();
});

const countAt = async (at: World, who: Person) => {
  const types = (await at.call(who, "GET", "/api/v2/sensor/stats")).at("totalByType") as { count: number }[];
  return types.reduce((sum, { count }) => sum + count, 0);
};

test("SE-12 an account sees its change at once at every process, even in reused statistics", async () => {
  const owner = await world.account("Owner", world.root, fullPermissions);
  await sql`insert into sensor (id, owner_id, owner_path, type)
    select '02:00:00:00:' || upper(regexp_replace(lpad(to_hex(n), 4, '0'), '(..)(..)', '\\1:\\2')), ${owner.id}, ${owner.path}, 'APS'
    from generate_series(1, 1001) n`.execute(world.ctx.db);
  let sensors = 1001;
  for (const n of [1, 2, 3, 4, 5]) {
    expect([await countAt(world, owner), await countAt(other, owner)]).toEqual([sensors, sensors]);
    const writer = n % 2 === 0 ? world : other;
    const reply = await writer.call(owner, "DELETE", `/api/sensor/02:00:00:00:00:0${n}`);
    expect(reply.status).toBe(200);
    sensors -= 1;
  }
});
