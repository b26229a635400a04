// Tests that undo restores both sensors, the location and its counts exactly, and when it is refused.
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import { occupancyAppTypes, occupancyAppVersion } from "@psp/contract/occupancy/occupancy-defaults.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { captureSnapshot, createStillClock } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";
import {
  check,
  count,
  newLocation,
  newSensor,
  createShop,
  readEverything,
  readPeople,
  replace,
  type Shop,
  show,
  undo,
} from "../testing/scenes/replacement-scene.ts";

const minuteMs = 60_000;
const clock = createStillClock();
let world: World;
let shop: Shop;
let owner: Person;
let first: string;
let second: string;
beforeAll(async () => {
  world = await createWorld({ clock });
  shop = await createShop(world, "Harbour Stores");
  owner = shop.owner;
  first = await world.firmware(owner, "APS", "1.19.0");
  second = await world.firmware(owner, "APS", "1.20.0");
});
afterAll(() => world.stop());

const placed = (more: JsonObject = {}) => newSensor(world, owner, { measID: shop.location, ...more });
const numOf = async (id: string) =>
  (await world.ctx.db.selectFrom("sensor").select("num").where("id", "=", id).executeTakeFirstOrThrow()).num;
const setTask = async (id: string, values: JsonObject) =>
  world.ctx.db
    .updateTable("update_task")
    .set(values as never)
    .where("sensor_num", "=", await numOf(id))
    .execute();
/** The occupancy app of the shop counts with this sensor only. */
async function nameInApp(id: string): Promise<void> {
  const app = { version: occupancyAppVersion, type: occupancyAppTypes[0], enabled: false, settings: { sensors: [id] } };
  const applications = JSON.stringify([app]);
  await world.ctx.db.updateTable("location").set({ applications }).where("id", "=", shop.location).execute();
}
const slot = () => Math.ceil(clock.now() / (5 * minuteMs)) * 5 * minuteMs;

const installations = [
  ["installations that wait", "waiting"],
  ["an installation that is done", "done"],
  ["a download that runs", "downloading"],
  ["an installation that runs", "running"],
] as const;
test.each(installations.slice(0, rounds(1, installations.length)))("undo restores everything: %s", async (_, state) => {
  const old = await placed({ groups: ["hall", "till"], artifact: first });
  const spare = await newSensor(world, owner, { groups: ["spare"], artifact: second });
  await setTask(old, { state, report_n: state === "waiting" ? null : 3 });
  await nameInApp(old);
  await count(world, old, slot() - 10 * minuteMs, slot() - 5 * minuteMs, 4);
  await count(world, spare, slot() - 10 * minuteMs, slot() - 5 * minuteMs, 2);
  const before = await readEverything(world, [old, spare], shop.location);
  const people = await readPeople(world, owner, shop.location);
  const done = await replace(world, owner, old, { sensorID: spare });
  expect(done.status).toBe(200);
  expect(await readEverything(world, [old, spare], shop.location)).not.toEqual(before);
  expect(
    (await world.call(owner, "GET", `/api/measurement/${shop.location}`)).at("applications.0.settings.sensors"),
  ).toEqual([spare]);
  clock.moveTo(clock.now() + 9_000);
  const live = await world.live(owner);
  expect((await undo(world, owner, old, done.at("replacement"))).body).toEqual({
    sensorID: spare,
    replacedSensorID: old,
  });
  await live.heard("sensor", "update", old);
  await live.heard("sensor", "update", spare);
  expect(await readEverything(world, [old, spare], shop.location)).toEqual(before);
  expect(await readPeople(world, owner, shop.location)).toEqual(people);
  for (const id of [old, spare]) expect((await world.trail(id)).at(-1)?.action).toBe("undoReplace");
});

test("both sensors change at one instant and are restored to it, although time passes", async () => {
  let now = Date.now();
  const ticking = () => (now += 1);
  const other = await createWorld({
    clock: { now: ticking, date: () => new Date(ticking()), moveTo: (ms) => void (now = Math.max(now, ms)) },
  });
  const { owner: person, location } = await createShop(other, "Ticking Stores");
  const old = await newSensor(other, person, { measID: location });
  const spare = await newSensor(other, person);
  const before = await readEverything(other, [old, spare], location);
  const done = await replace(other, person, old, { sensorID: spare });
  const { assignments } = await readEverything(other, [old, spare], location);
  expect(assignments.map((row) => [row["from_at"], row["to_at"], row["counts_from"]])).toEqual([
    [expect.any(String), assignments[1]?.["from_at"], expect.any(String)],
    [assignments[0]?.["to_at"], "infinity", assignments[0]?.["to_at"]],
  ]);
  expect((await undo(other, person, old, done.at("replacement"))).status).toBe(200);
  expect(await readEverything(other, [old, spare], location)).toEqual(before);
  await other.stop();
});

test("undo of a hand-over gives the sensor back with everything but codes and credentials", async () => {
  const dealer = await world.account("Dealer", world.root, fullPermissions);
  const customer = await world.account("Customer", dealer, fullPermissions);
  const location = await newLocation(world, customer, "Corner Shop");
  const old = await newSensor(world, customer, { measID: location });
  const spare = await newSensor(world, dealer, { groups: ["spare"] });
  await count(world, spare, slot() - 10 * minuteMs, slot() - 5 * minuteMs, 2);
  clock.moveTo(clock.now() + 1000);
  const before = await readEverything(world, [old, spare], location);
  const done = await replace(world, dealer, old, { sensorID: spare });
  expect((await undo(world, dealer, old, done.at("replacement"))).status).toBe(200);
  expect(await readEverything(world, [old, spare], location)).toEqual(before);
});

test("once the device has begun to install, undo withdraws the installation by the ordinary rules", async () => {
  const [old, spare] = [await placed({ artifact: first }), await newSensor(world, owner, { artifact: second })];
  const done = await replace(world, owner, old, { sensorID: spare });
  const num = await numOf(spare);
  await sql`update update_task set state = 'downloading', report_n = 1
    where sensor_num = ${num} and firmware_id = ${first}`.execute(world.ctx.db);
  expect((await undo(world, owner, old, done.at("replacement"))).status).toBe(200);
  const { rows } = await sql<{ firmware: string; state: string }>`select firmware_id as firmware, state from update_task
    where sensor_num = ${num} and state not in ('canceled', 'done') order by id`.execute(world.ctx.db);
  expect(rows).toEqual([
    { firmware: first, state: "withdrawn" },
    { firmware: second, state: "waiting" },
  ]);
  expect((await show(world, owner, spare)).body).toMatchObject({ artifact: { _id: second }, measurement: null });
  expect((await show(world, owner, old)).body).toMatchObject({ artifact: { _id: first } });
});

test("undo is refused for others, twice, too late, and after another change of either sensor", async () => {
  const other = await createShop(world, "Other");
  const make = async () => {
    const [old, spare] = [await placed(), await newSensor(world, owner)];
    return { old, spare, id: (await replace(world, owner, old, { sensorID: spare })).at("replacement") };
  };
  const a = await make();
  const b = await make();
  const c = await make();
  const colleague = await world.account("Colleague", owner, {
    ...fullPermissions,
    ownable: Object.fromEntries(
      Object.entries(fullPermissions.ownable ?? {}).map(([type, rights]) => [
        type,
        {
          ...rights,
          canViewObject: { me: true, relativeAncestorLevel: 1 },
          canEditObject: { me: true, relativeAncestorLevel: 1 },
        },
      ]),
    ),
  });
  await world.call(owner, "PUT", `/api/sensor/${b.old}`, { body: { groups: ["back"] } });
  await world.call(owner, "PUT", `/api/sensor/${c.spare}`, { body: { groups: ["back"] } });
  const before = await captureSnapshot(world.ctx.db);
  expect((await undo(world, other.owner, a.old, a.id)).code).toBe(105);
  expect((await undo(world, colleague, a.old, a.id)).code).toBe(105);
  expect((await undo(world, owner, b.old, a.id)).code).toBe(105);
  expect((await undo(world, owner, a.old, "no uuid")).code).toBe(102);
  for (const { old, id } of [b, c]) {
    const refused = await undo(world, owner, old, id);
    expect([refused.status, refused.at("details.reason")]).toEqual([
      409,
      "One of the sensors was changed in the meantime.",
    ]);
  }
  expect(await captureSnapshot(world.ctx.db)).toEqual(before);
  expect((await undo(world, owner, a.old, a.id)).status).toBe(200);
  expect((await undo(world, owner, a.old, a.id)).code).toBe(105);
  const late = await make();
  clock.moveTo(clock.now() + 60_001);
  expect((await undo(world, owner, late.old, late.id)).code).toBe(105);
});

test("the occupancy app gets the new sensor only if the location is editable and the type can count", async () => {
  const old = await placed();
  await nameInApp(old);
  const [spare, coach] = [await newSensor(world, owner), await newSensor(world, owner, {}, "ZOD")];
  expect((await check(world, owner, old, { sensorID: spare })).at("takenOver")).toEqual(["location", "occupancy"]);
  const keys = (body: unknown) => (body as { lost: { key: string }[] }).lost.map(({ key }) => key);
  expect(keys((await check(world, owner, old, { sensorID: coach })).body)).toEqual(["type", "occupancy"]);
  const clerk = await world.account("Clerk", owner, {
    ...fullPermissions,
    ownable: {
      ...fullPermissions.ownable,
      sensor: {
        ...fullPermissions.ownable?.sensor,
        canViewObject: { me: true, relativeAncestorLevel: 1 },
        canEditObject: { me: true, relativeAncestorLevel: 1 },
      },
      measurement: { canViewObject: { me: true, relativeAncestorLevel: 1 } },
    },
    other: { ...fullPermissions.other, canAssignSensors: { me: true, relativeAncestorLevel: 1 } },
  });
  expect(keys((await check(world, clerk, old, { sensorID: spare })).body)).toEqual(["occupancy"]);
});
