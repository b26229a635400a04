// Tests that births and deaths give the same result in any order and in any batches, as several gateways store them.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createDeviceWorld, type DeviceWorld } from "../../testing/devices/device-world.ts";
import type { FollowedChange } from "./presence.ts";
import type { PresenceChange } from "./presence.store.ts";
import { createPresenceWriter } from "./presence-writer.ts";
import { writeSessions } from "./session-order.store.ts";

let world: DeviceWorld;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());

const at = Date.now() + 60_000;
const born = (sensorId: string, sid: string): PresenceChange => ({
  sensorId,
  conAt: at,
  contactAt: at,
  connected: true,
  notResponding: false,
  birth: { sid, epoch: "e1", caps: [] },
});
const dead = (sensorId: string, sid: string): PresenceChange => ({
  sensorId,
  disconAt: at,
  connected: false,
  notResponding: false,
  deathOf: sid,
  deadSid: sid,
});
const store = (changes: readonly PresenceChange[]) =>
  world.ctx.db.transaction().execute((tx) => writeSessions(tx, changes));

function permutationsOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, n) => permutationsOf(items.toSpliced(n, 1)).map((rest) => [item, ...rest]));
}
/** All ways to cut the items into consecutive batches. */
function batchesOf<T>(items: readonly T[]): T[][][] {
  const [first, ...rest] = items;
  if (first === undefined) return [[]];
  if (rest.length === 0) return [[[first]]];
  return batchesOf(rest).flatMap(([head = [], ...tail]) => [
    [[first], head, ...tail],
    [[first, ...head], ...tail],
  ]);
}

const events = { "birth 1": born, "birth 2": born, "death 1": dead, "death 2": dead };
type Event = keyof typeof events;
const cases: [Event[], boolean][] = [
  [["birth 2"], true],
  [["death 1"], false],
  [["death 2"], true],
  [["birth 1"], true],
  [["birth 1", "death 1"], false],
  [["birth 2", "death 1"], true],
  [["birth 2", "death 2"], false],
  [["birth 2", "death 1", "death 2"], false],
];

test.each(cases)("DE-01 after session 1, %j in any order means connected: %s", async (names, expected) => {
  for (const order of permutationsOf(names))
    for (const batches of batchesOf(order)) {
      const { sensorId } = await world.enrol();
      await store([born(sensorId, "s1")]);
      for (const batch of batches) await store(batch.map((name) => events[name](sensorId, name.replace(/\w+ /, "s"))));
      const { is_connected } = await world.row(sensorId);
      expect([JSON.stringify(batches), is_connected]).toEqual([JSON.stringify(batches), expected]);
    }
});

/** Session 2 is alive in all of these. The database can't know that it is newer if its birth was stored first. */
const isKnownNewer = (order: readonly Event[]) => order.indexOf("birth 1") < order.indexOf("birth 2");

test("DE-01 a birth 1 that is repeated late never hides session 2, and never outlives it", async () => {
  const orders = new Map(
    permutationsOf<Event>(["birth 1", "birth 1", "birth 2", "death 1"]).map((order) => [order.join(), order]),
  );
  expect(orders.size).toBe(12);
  for (const order of orders.values())
    for (const batches of batchesOf(order)) {
      const { sensorId } = await world.enrol();
      const play = (names: readonly Event[]) =>
        store(names.map((name) => events[name](sensorId, name.replace(/\w+ /, "s"))));
      const isConnected = async () => (await world.row(sensorId)).is_connected;
      for (const batch of batches) await play(batch);
      const what = JSON.stringify(batches);
      if (isKnownNewer(order)) expect([what, await isConnected()]).toEqual([what, true]);
      // Gateways that hold no session request a birth at each of the sensor's messages.
      for (let message = 1; message <= 2 && !(await isConnected()); message += 1) await play(["birth 2"]);
      expect([what, await isConnected()]).toEqual([what, true]);
      await play(["death 2"]);
      expect([what, await isConnected()]).toEqual([what, false]);
    }
});

test("DE-01 after a late birth, gateways forget its session, or the sensor if its session is in doubt", async () => {
  const followed: FollowedChange[] = [];
  onTestFinished(world.ctx.bus.on("presencesChanged", ({ changes }) => void followed.push(...changes)));
  const writer = createPresenceWriter(world.ctx, "one-gateway");
  onTestFinished(() => writer.stop("all"));
  const follow = async (names: readonly Event[]) => {
    const { sensorId } = await world.enrol();
    for (const name of names) {
      followed.length = 0;
      await writer.add(events[name](sensorId, name.replace(/\w+ /, "s")));
    }
    return followed.map(({ sid, isConnected }) => ({ sid, isConnected }));
  };
  expect(await follow(["birth 1", "birth 2", "birth 1"])).toEqual([{ sid: "s1", isConnected: false }]);
  expect(await follow(["birth 2", "death 1", "birth 1"])).toEqual([{ sid: undefined, isConnected: false }]);
});

test("DE-01 a session whose death arrived first may send its birth again", async () => {
  const { sensorId } = await world.enrol();
  await store([dead(sensorId, "s1")]);
  await store([born(sensorId, "s1")]);
  expect((await world.row(sensorId)).is_connected).toBe(false);
  await store([born(sensorId, "s1")]);
  expect((await world.row(sensorId)).is_connected).toBe(true);
});

test("DE-01 a repeated birth of a connected session keeps the time of its connection", async () => {
  const { sensorId } = await world.enrol();
  await store([born(sensorId, "s1")]);
  await store([{ ...born(sensorId, "s1"), conAt: at + 5_000, contactAt: at + 5_000 }]);
  const row = await world.row(sensorId);
  expect([Number(row.con_at), Number(row.last_contact_at)]).toEqual([at, at + 5_000]);
});
