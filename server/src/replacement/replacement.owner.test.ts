// Tests that a replacement and its undo give a sensor only to an account that is not deleted, and at its present place in the tree.
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { moveSubtree, type TreePosition } from "../owned/tree.store.ts";
import { newLocation, newSensor, replace, check, undo } from "../testing/scenes/replacement-scene.ts";
import { captureSnapshot, createStillClock } from "../testing/snapshot.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let dealer: Person;
beforeAll(async () => {
  world = await createWorld({ clock: createStillClock() });
  dealer = await world.account("Dealer", world.root, fullPermissions);
});
afterAll(() => world.stop());

const customer = (name: string, permissions: Permissions = fullPermissions) => world.account(name, dealer, permissions);
const remove = async ({ id }: Person) =>
  expect((await world.call(dealer, "DELETE", `/api/account/${id}`)).status).toBe(200);

test("a sensor can't be replaced once its owner is deleted and would get the new one", async () => {
  const shop = await customer("Closed Shop");
  const old = await newSensor(world, shop, { measID: await newLocation(world, shop, "Closed Shop") });
  const spare = await newSensor(world, dealer);
  await remove(shop);
  const before = await captureSnapshot(world.ctx.db);
  for (const reply of [
    await check(world, dealer, old, { sensorID: spare }),
    await replace(world, dealer, old, { sensorID: spare }),
  ])
    expect([reply.code, reply.at("details.reason")]).toEqual([
      103,
      "The account that would get the sensor was deleted.",
    ]);
  expect(await captureSnapshot(world.ctx.db)).toEqual(before);
});

test("undo does not give a sensor back to a deleted account", async () => {
  const [shop, lender] = [await customer("Open Shop"), await customer("Lender")];
  const old = await newSensor(world, shop, { measID: await newLocation(world, shop, "Open Shop") });
  const spare = await newSensor(world, lender);
  const done = await replace(world, dealer, old, { sensorID: spare });
  expect(done.status).toBe(200);
  await remove(lender);
  const before = await captureSnapshot(world.ctx.db);
  expect((await undo(world, dealer, old, done.at("replacement"))).code).toBe(103);
  expect(await captureSnapshot(world.ctx.db)).toEqual(before);
});

const positionOf = ({ id }: Person): Promise<TreePosition> =>
  world.ctx.db
    .selectFrom("account")
    .select(["id", "path", "ancestor_ids"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();

/** Moves the account while `call` waits with its sensors locked, and lets both finish. Returns the rows with a wrong path. */
async function findWrongPathsAfter(moved: Person, to: Person, call: () => Promise<{ status: number }>) {
  const { db } = world.ctx;
  const [account, parent] = [await positionOf(moved), await positionOf(to)];
  const [called, moving] = await db.transaction().execute(async (tx) => {
    await sql`lock table counter in exclusive mode`.execute(tx);
    const running = call();
    await untilSomebodyWaits(db);
    const move = db.transaction().execute((other) => moveSubtree(other, account, parent));
    await Promise.race([move, untilSomebodyWaits(db, 2)]);
    return [running, move] as const;
  });
  expect((await called).status).toBe(200);
  await moving;
  const { rows } =
    await sql`select s.id from sensor s join account a on a.id = s.owner_id where s.owner_path <> a.path`.execute(db);
  return rows;
}

const upwards = { me: true, relativeAncestorLevel: 1 };

test("a sensor that is handed over while its new owner moves in the tree moves with it", async () => {
  const region = await customer("North");
  const tenant = await customer("Tenant", { ownable: { measurement: { canViewObject: upwards } } });
  const measID = await newLocation(world, dealer, "Shared Hall");
  const old = await newSensor(world, dealer);
  const placed = await world.call(dealer, "PUT", `/api/sensor/${old}`, { body: { owner: tenant.id, measID } });
  expect(placed.status).toBe(200);
  const spare = await newSensor(world, dealer);
  const replaced = () => replace(world, dealer, old, { sensorID: spare });
  expect(await findWrongPathsAfter(tenant, region, replaced)).toEqual([]);
});

test("a sensor that is given back while its former owner moves in the tree moves with it", async () => {
  const [shop, lender, region] = [await customer("Shop"), await customer("Lender"), await customer("Region")];
  const old = await newSensor(world, shop, { measID: await newLocation(world, shop, "Shop") });
  const spare = await newSensor(world, lender);
  const done = await replace(world, dealer, old, { sensorID: spare });
  const undone = () => undo(world, dealer, old, done.at("replacement"));
  expect(await findWrongPathsAfter(lender, region, undone)).toEqual([]);
});
