// Tests sensors that were registered by hand and never enrolled: refused devices, cleanup, and leftovers of broken
// devices.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newSensorId, enrollLabelled } from "../../testing/rights/claiming.ts";
import { batch } from "../../testing/devices/device-world.ts";
import { connectSensor, requestInitToken } from "../../testing/devices/remote-sensor.ts";
import { createStillClock } from "../../testing/snapshot.ts";
import { createWorld, type Person, type World } from "../../testing/world.ts";

const dayMs = 86_400_000;
const clock = createStillClock();
let world: World;
let squatter: Person;
let maker: Person;
beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway,worker", TEST_CLOCK: "on" }, clock });
  squatter = await world.account("Squatter Ltd", world.root, fullPermissions);
  maker = await world.account("Maker Inc", world.root, fullPermissions);
});
afterAll(() => world.stop());

const byHand = async (who: Person, _id: string) =>
  world.call(who, "POST", "/api/sensor", { body: { _id, type: "APS", owner: who.id } });
const enrol = (token: string, id: string) =>
  world.call(null, "POST", "/device/v1/enrol", { body: { token, id, type: "APS", nonce: "n", time: clock.now() } });
const passDays = async (days: number) => {
  await world.call(null, "PUT", "/dev/clock", { body: { now: clock.now() + days * dayMs } });
  for (const one of [squatter, maker]) one.token = await world.token(one);
};
const rows = async (who: Person, id: string) => (await world.call(who, "GET", `/api/v2/audit?objectID=${id}`)).list;
const shown = async (who: Person, id: string) => (await world.call(who, "GET", `/api/sensor/${id}`)).code ?? "shown";

test("T-14 IT-02 an id held by another account is audited on both sides, without names", async () => {
  const id = newSensorId();
  expect((await byHand(squatter, id)).status).toBe(200);
  const token = await requestInitToken(world, maker);
  for (let i = 0; i < 3; i += 1) expect((await enrol(token, id)).status).toBe(409);
  const [mine] = await rows(maker, id);
  expect(await rows(maker, id)).toHaveLength(1);
  expect(mine).toMatchObject({ action: "enrol-refused", who: null, before: null, object: { type: "sensor", _id: id } });
  const theirs = (await rows(squatter, id)).filter(({ action }) => action === "enrol-refused");
  expect(theirs).toMatchObject([{ who: null, before: null, after: null }]);
  expect(JSON.stringify(await rows(maker, id))).not.toMatch(new RegExp(`Squatter|${squatter.id}`));
  expect(JSON.stringify(await rows(squatter, id))).not.toMatch(new RegExp(`Maker|${maker.id}`));

  clock.moveTo(clock.now() + 61_000);
  const enrolled = await enrollLabelled(world, squatter, false);
  expect((await enrol(token, enrolled.id)).status).toBe(409);
  expect((await rows(maker, enrolled.id)).map(({ action }) => action)).toEqual(["enrol-refused"]);
  expect(new Set((await rows(squatter, enrolled.id)).map(({ action }) => action))).toEqual(
    new Set(["enrol", "enrol-refused"]),
  );
});

test("T-14 SE-03 a sensor registered by hand is released after thirty days without its device", async () => {
  const [held, used, again] = [newSensorId(), newSensorId(), newSensorId()];
  for (const id of [held, used, again]) expect((await byHand(squatter, id)).status).toBe(200);
  expect((await enrol(await requestInitToken(world, squatter), used)).status).toBe(201);
  expect((await world.call(squatter, "DELETE", `/api/sensor/${again}`)).status).toBe(200);
  await passDays(20);
  expect((await byHand(squatter, again)).status).toBe(200);
  await passDays(9);
  expect(await shown(squatter, held)).toBe("shown");
  await passDays(1);
  expect(await shown(squatter, held)).toBe(105);
  expect(await shown(squatter, used)).toBe("shown");
  expect(await shown(squatter, again)).toBe("shown");
  expect((await rows(squatter, held)).map(({ action, who }) => [action, who === null])).toEqual([
    ["delete", true],
    ["create", false],
  ]);
  expect((await enrol(await requestInitToken(world, maker), held)).status).toBe(201);
  await passDays(31);
  expect(await shown(maker, held)).toBe("shown");
  expect(await shown(squatter, again)).toBe(105);
});

test("DE-01 a sensor keeps its newest thousand dead letters for thirty days", async () => {
  const sensor = await connectSensor(world, maker, newSensorId());
  const other = await connectSensor(world, maker, newSensorId());
  const bad = (from: number, n: number) => Array.from({ length: n }, (_, i) => ({ q: from + i, t: "nonsense" }));
  const letters = async (id: string, extra = "") =>
    (await world.call(maker, "GET", `/api/v2/dead-letter?sens=${id}&sortBy=at${extra}`)).body as {
      total: number;
      objects: { q: number }[];
    };
  await other.up("data", batch(bad(1, 5)));
  for (let part = 0; part < 6; part += 1) await sensor.up("data", batch(bad(1 + part * 200, 200)));
  expect((await letters(sensor.id)).total).toBe(1_000);
  expect((await letters(sensor.id, "&limit=1")).objects).toMatchObject([{ q: 201 }]);
  expect((await letters(other.id)).total).toBe(5);
  await sensor.end();
  await other.end();
  await passDays(29);
  expect((await letters(other.id)).total).toBe(5);
  await passDays(1);
  expect((await letters(other.id)).total).toBe(0);
  expect((await letters(sensor.id)).total).toBe(0);
});
