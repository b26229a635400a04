// Tests that births and deaths give the same result in any order and in any batches, as several gateways store them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDeviceWorld, type DeviceWorld } from "../../testing/devices/device-world.ts";
import type { PresenceChange } from "./presence.store.ts";
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
