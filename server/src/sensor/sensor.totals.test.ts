// Totals from the counters equal those of the oracle after creations, moves and deletions (SE-02).
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import { forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import { type AccountNode, mayDo } from "@psp/contract/permission/oracle.testing.ts";
import { type SensorType, sensorTypes } from "@psp/contract/device/sensor-type.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../db/database.ts";
import { type CountedKind, countOwnedObjects } from "../db/owned-count.ts";
import { plantForest, objectIdsOf } from "../testing/rights/account-forest.ts";
import { openTestDatabase } from "../testing/test-database.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => void ({ db, close } = await openTestDatabase(2)));
afterAll(() => close());

test("PE-01 each account's total counts its visible sensors and locations", { timeout: 300_000 }, async () => {
  const forests = fc.sample(forestArbitrary({ minAccounts: 50, maxAccounts: 100, maxRoles: 6 }), {
    seed: seedOf(11),
    numRuns: rounds(5, 30),
  });
  let visible = 0;
  for (const forest of forests) {
    const planted = await plantForest(db, forest);
    const sensorOwners: { owner: AccountNode; type: SensorType }[] = [];
    const locationOwners: AccountNode[] = [];
    for (const [n, node] of forest.accounts.entries()) {
      const { sensor, location } = objectIdsOf(n);
      const to = planted[n % 5 === 1 ? n - 1 : n];
      if (to === undefined) continue;
      if (to.node !== node) {
        await sql`update sensor set owner_id = ${to.caller.id}, owner_path = ${to.caller.path} where id = ${sensor}`.execute(
          db,
        );
      }
      const type = sensorTypes[n % 2] ?? "APS";
      await sql`update sensor set type = ${type} where id = ${sensor}`.execute(db);
      if (n % 3 === 0) await sql`update sensor set is_deleted = true where id = ${sensor}`.execute(db);
      else sensorOwners.push({ owner: to.node, type });
      if (n % 18 === 0) {
        await sql`update sensor set is_deleted = false, type = 'ZOD' where id = ${sensor}`.execute(db);
        sensorOwners.push({ owner: to.node, type: "ZOD" });
      }
      if (n % 4 === 0) await sql`update location set is_deleted = true where id = ${location}`.execute(db);
      else locationOwners.push(node);
    }
    for (const { node, caller } of planted) {
      const sensors = sensorOwners.filter(({ owner }) => mayDo(node, "view", "sensor", owner));
      const locations = locationOwners.filter((owner) => mayDo(node, "view", "measurement", owner)).length;
      const counted = (kinds: readonly CountedKind[]) =>
        countOwnedObjects(db, caller, kinds, resolveViewScope(caller, "sensor"));
      expect(await counted(["sensor"]), `sensors of ${node.id}`).toBe(sensors.length);
      for (const type of sensorTypes)
        expect(await counted([`sensor ${type}`]), `${type} of ${node.id}`).toBe(
          sensors.filter((sensor) => sensor.type === type).length,
        );
      expect(await counted(["sensor APS", "sensor ZOD"]), `two types of ${node.id}`).toBe(
        sensors.filter(({ type }) => type !== "PS.C1").length,
      );
      expect(
        await countOwnedObjects(db, caller, ["location"], resolveViewScope(caller, "measurement")),
        `locations of ${node.id}`,
      ).toBe(locations);
      visible += sensors.length + locations;
    }
  }
  expect(visible).toBeGreaterThan(rounds(300, 1000));
  await sql`delete from counter`.execute(db);
  await sql`delete from sensor`.execute(db);
  await sql`delete from location`.execute(db);
  expect((await sql`select kind from owned_count where n <> 0`.execute(db)).rows).toEqual([]);
});
