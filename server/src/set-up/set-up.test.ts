// Tests the set-up card's facts as an account grows, their visibility, and dismissal per login.
import { monitoringDefaults } from "@psp/contract/monitoring/limits.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidv7 } from "../kit/uuid.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

const get = async (who: Person) => (await world.call(who, "GET", "/api/auth/set-up")).body;
const nothing = {
  hasSensor: false,
  hasLocation: false,
  unplacedSensor: null,
  placedAt: null,
  hasCounts: false,
  licensedAt: null,
  isMonitored: false,
  hasColleague: false,
};

test("the facts follow the account's own objects step by step", async () => {
  const newcomer = await world.account("Newcomer", world.root, fullPermissions);
  const stranger = await world.account("Stranger", world.root, fullPermissions);
  const id = "02:00:00:00:69:01";
  expect(await get(newcomer)).toEqual({ dismissed: false, facts: nothing });
  await world.call(newcomer, "POST", "/api/sensor", { body: { _id: id, type: "APS", owner: newcomer.id } });
  const withSensor = { ...nothing, hasSensor: true, unplacedSensor: id };
  expect(await get(newcomer)).toEqual({ dismissed: false, facts: withSensor });
  const body = { name: "Shop", owner: newcomer.id };
  const shop = (await world.call(newcomer, "POST", "/api/measurement", { body })).id;
  expect(await get(newcomer)).toEqual({ dismissed: false, facts: { ...withSensor, hasLocation: true } });
  await world.call(newcomer, "PUT", `/api/sensor/${id}`, { body: { measID: shop } });
  const placed = { ...withSensor, hasLocation: true, unplacedSensor: null, placedAt: shop };
  expect(await get(newcomer)).toEqual({ dismissed: false, facts: placed });
  const { num } = await world.ctx.db.selectFrom("sensor").select("num").where("id", "=", id).executeTakeFirstOrThrow();
  await world.ctx.db.updateTable("counter").set({ first_ms: 1 }).where("sensor_num", "=", num).execute();
  expect(await get(newcomer)).toEqual({ dismissed: false, facts: { ...placed, hasCounts: true } });
  const licensed = { ...placed, hasCounts: true, licensedAt: shop };
  await world.call(world.root, "PUT", `/api/sensor/${id}/licenses`, { body: { monitoring: true } });
  expect(await get(newcomer)).toEqual({ dismissed: false, facts: licensed });
  await world.call(newcomer, "PUT", `/api/measurement/${shop}`, { body: { monitoringConfig: monitoringDefaults } });
  expect(await get(newcomer)).toEqual({ dismissed: false, facts: { ...licensed, isMonitored: true } });
  await world.call(newcomer, "PUT", `/api/measurement/${shop}`, { body: { monitoringConfig: null } });
  await world.call(newcomer, "PUT", `/api/sensor/${id}`, { body: { monitoringConfig: monitoringDefaults } });
  const watched = { ...licensed, isMonitored: true };
  expect(await get(newcomer)).toEqual({ dismissed: false, facts: watched });
  await world.account("Colleague", newcomer, null);
  expect(await get(newcomer)).toEqual({ dismissed: false, facts: { ...watched, hasColleague: true } });
  expect(await get(stranger)).toEqual({ dismissed: false, facts: nothing });
});

test("without rights over sensors or locations the card reveals nothing", async () => {
  const owner = await world.account("Owner", world.root, fullPermissions);
  const blind = await world.account("Blind", owner, { ownable: { role: { canViewObject: { me: true } } } });
  await world.call(owner, "POST", "/api/sensor", { body: { _id: "02:00:00:00:69:02", type: "APS", owner: blind.id } });
  await world.call(owner, "POST", "/api/measurement", { body: { name: "Hidden", owner: blind.id } });
  expect(await get(blind)).toEqual({ dismissed: false, facts: nothing });
  expect(await get(owner)).toMatchObject({ facts: { hasSensor: true, hasLocation: true } });
  await world.account("Hidden Branch", blind, null);
  expect(await get(blind)).toEqual({ dismissed: false, facts: nothing });
});

test("dismissal applies to the login on every device until it is undone", async () => {
  const { db, clock } = world.ctx;
  const newcomer = await world.account("Dismissing", world.root, fullPermissions);
  const elsewhere = { ...newcomer, token: await world.token(newcomer) };
  const put = (dismissed: unknown) => world.call(newcomer, "PUT", "/api/auth/set-up", { body: { dismissed } });
  expect((await put("yes")).status).toBe(400);
  for (let twice = 0; twice < 2; twice += 1) {
    expect(await put(true)).toMatchObject({ status: 200, body: { dismissed: true, facts: null } });
    expect(await get(elsewhere)).toEqual({ dismissed: true, facts: null });
  }
  // Another login of the same account, which counts as a colleague.
  const email = `colleague-of-${newcomer.email}`;
  const id = uuidv7(clock.now());
  await db.insertInto("credential").values({ id, account_id: newcomer.id, email, step: 2, position: 1 }).execute();
  const first = (gone: boolean) =>
    db.updateTable("credential").set({ is_deleted: gone }).where("email", "=", newcomer.email).execute();
  await first(true);
  const colleague = { ...newcomer, token: await world.token(newcomer) };
  await first(false);
  expect(await get(colleague)).toEqual({ dismissed: false, facts: { ...nothing, hasColleague: true } });
  expect(await put(true)).toMatchObject({ body: { dismissed: true } });
  expect(await put(false)).toMatchObject({ status: 200, body: { dismissed: false, facts: { hasColleague: true } } });
  expect(await get(newcomer)).toMatchObject({ dismissed: false });
});
