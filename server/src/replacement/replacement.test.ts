// Tests replacing a sensor over HTTP: what is taken over and lost, refusals, audit rows, live updates and repeats.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { enrollLabelled } from "../testing/rights/claiming.ts";
import { captureSnapshot, createStillClock } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";
import {
  check,
  newLocation,
  newSensor,
  createShop,
  replace,
  type Shop,
  show,
  undo,
} from "../testing/scenes/replacement-scene.ts";

const clock = createStillClock();
let world: World;
let shop: Shop;
let owner: Person;
let firmware: string;
beforeAll(async () => {
  world = await createWorld({ clock });
  shop = await createShop(world, "Harbour Stores");
  owner = shop.owner;
  firmware = await world.firmware(owner, "APS", "1.19.0");
});
afterAll(() => world.stop());

const monitoring = {
  alert: { email: { onWarning: true, onError: true, toOwner: true, toOther: [] } },
  activeWeekDays: { mo: true, tu: true, we: true, th: true, fr: true, sa: true, su: true },
  connection: { enabled: true, warningThreshold: 1, errorThreshold: 2 },
  dataplaus: { enabled: false, warningThreshold: 1, errorThreshold: 2, filterWindowInWeeks: 12 },
  uptime: {
    enabled: false,
    warningAverageTime: 5,
    warningRepeatingTime: 5,
    errorAverageTime: 3,
    errorRepeatingTime: 6,
  },
  osd: { enabled: false, warningThreshold: 0, errorThreshold: 3 },
  reboot: { enabled: false, warningThreshold: 3, errorThreshold: 5 },
  watchdog: { enabled: false, warningThreshold: 1, errorThreshold: 3 },
};
const placed = (more: JsonObject = {}) => newSensor(world, owner, { measID: shop.location, ...more });
const keysOf = (details: unknown) => (details as { lost: { key: string }[] }).lost.map(({ key }) => key);
const set = (id: string, values: JsonObject) =>
  world.ctx.db
    .updateTable("sensor")
    .set(values as never)
    .where("id", "=", id)
    .execute();

test("the new sensor takes location, groups, monitoring and firmware; the old one keeps none", async () => {
  const old = await placed({ groups: ["hall"], artifact: firmware, monitoringConfig: monitoring });
  const spare = await newSensor(world, owner, { groups: ["spare"] });
  const plan = await check(world, owner, old, { sensorID: spare });
  expect(plan.body).toEqual({
    sensor: { _id: spare, type: "APS" },
    location: { _id: shop.location, name: "Harbour Stores" },
    takenOver: ["location", "groups", "monitoring", "firmware"],
    lost: [],
    handsOver: false,
  });
  const live = await world.live(owner);
  const reply = await replace(world, owner, old, { sensorID: spare });
  expect(reply.body).toEqual({ replacement: expect.any(String), sensorID: spare, replacedSensorID: old, lost: [] });
  await live.heard("sensor", "update", old);
  await live.heard("sensor", "update", spare);
  expect((await show(world, owner, old)).body).toMatchObject({
    measurement: null,
    groups: [],
    artifact: null,
    monitoringConfig: null,
    replacedBy: { _id: spare, isDeleted: false },
    replaces: null,
  });
  expect((await show(world, owner, spare)).body).toMatchObject({
    measurement: { _id: shop.location },
    groups: ["hall"],
    artifact: { _id: firmware },
    monitoringConfig: monitoring,
    replacedBy: null,
    replaces: { _id: old, isDeleted: false },
    sensorUpdateTask: { artifactID: firmware, status: null },
  });
  const [oldRows, newRows] = [await world.trail(old), await world.trail(spare)];
  expect(oldRows.filter(({ action }) => action === "replace")).toMatchObject([
    { account_id: owner.id, before: { measID: shop.location }, after: { measID: null, replacedBy: spare } },
  ]);
  expect(newRows.filter(({ action }) => action === "replace")).toMatchObject([
    { account_id: owner.id, before: { measID: null }, after: { measID: shop.location, replaces: old } },
  ]);
  expect(oldRows.at(-1)?.action).toBe("replace");
  expect(newRows.at(-1)?.action).toBe("replace");
});

test("a sensor without firmware or groups of its own: the new one keeps its firmware and gets no groups", async () => {
  const [old, spare] = [await placed(), await newSensor(world, owner, { artifact: firmware, groups: ["spare"] })];
  expect((await replace(world, owner, old, { sensorID: spare })).status).toBe(200);
  expect((await show(world, owner, spare)).body).toMatchObject({ artifact: { _id: firmware }, groups: [] });
});

test("what another type loses must be accepted; nothing changes before", async () => {
  const old = await placed({
    artifact: firmware,
    sensorFeatureCredentials: [{ feature: "restapi", username: "user", password: "violet-harbour" }],
  });
  await set(old, { license_monitoring: true });
  const { num } = await world.ctx.db.selectFrom("sensor").select("num").where("id", "=", old).executeTakeFirstOrThrow();
  await world.ctx.db
    .insertInto("sensor_section")
    .values({ sensor_num: num, section: "general", answer: "{}", read_at: new Date() })
    .execute();
  const spare = await newSensor(world, owner, {}, "ZOD");
  await set(spare, { replaced_by: "02:00:00:00:00:99" });
  const all = ["type", "firmware", "license", "settings", "restCredentials", "replacedBefore"];
  expect(keysOf((await check(world, owner, old, { sensorID: spare })).body)).toEqual(all);
  const before = await captureSnapshot(world.ctx.db);
  const refused = await replace(world, owner, old, { sensorID: spare, accept: all.slice(1) });
  expect([refused.status, refused.code, keysOf(refused.at("details"))]).toEqual([409, 102, ["type"]]);
  expect(String(refused.at("details.lost.0.reason"))).toBe("The new sensor is of type ZOD, the old one of type APS.");
  expect(await captureSnapshot(world.ctx.db)).toEqual(before);
  expect((await replace(world, owner, old, { sensorID: spare, accept: ["nothing"] })).code).toBe(102);
  const done = await replace(world, owner, old, { sensorID: spare, accept: all });
  expect(done.status).toBe(200);
  expect((await show(world, owner, spare)).body).toMatchObject({
    measurement: { _id: shop.location },
    artifact: null,
    replacedBy: null,
    sensorFeatureCredentials: [],
  });
  expect((await show(world, owner, old)).body).toMatchObject({
    sensorFeatureCredentials: [{ username: "user" }],
    licenses: { monitoring: true },
  });
});

test("what always stays on a device is only reported if both sensors have the same type", async () => {
  const old = await placed({
    sensorFeatureCredentials: [{ feature: "restapi", username: "user", password: "violet-harbour" }],
  });
  await set(old, { license_monitoring: true });
  const spare = await newSensor(world, owner);
  const done = await replace(world, owner, old, { sensorID: spare });
  expect([done.status, done.at("lost")]).toEqual([
    200,
    [
      { key: "license", reason: expect.stringContaining("no monitoring license"), mustAccept: false },
      { key: "restCredentials", reason: expect.stringContaining("stay with the old sensor"), mustAccept: false },
    ],
  ]);
});

test("firmware that is deleted is lost, and the new sensor keeps its own", async () => {
  const gone = await world.firmware(owner, "APS", "1.0.1");
  const old = await placed({ artifact: gone });
  await world.call(owner, "DELETE", `/api/artifact/${gone}`);
  const spare = await newSensor(world, owner, { artifact: firmware });
  expect(keysOf((await replace(world, owner, old, { sensorID: spare })).at("details"))).toEqual(["firmware"]);
  expect((await replace(world, owner, old, { sensorID: spare, accept: ["firmware"] })).status).toBe(200);
  expect((await show(world, owner, spare)).at("artifact._id")).toBe(firmware);
});

test("refuses bodies and sensors that don't fit", async () => {
  const [old, spare] = [await placed(), await newSensor(world, owner)];
  const elsewhere = await newSensor(world, owner, { measID: await newLocation(world, owner, "Other Shop") });
  const stranger = await createShop(world, "Stranger");
  const theirs = await newSensor(world, stranger.owner);
  const deleted = await newSensor(world, owner);
  await world.call(owner, "DELETE", `/api/sensor/${deleted}`);
  const before = await captureSnapshot(world.ctx.db);
  const cases: [JsonObject, number, number, string?][] = [
    [{}, 400, 102],
    [{ sensorID: spare, claimingCode: "ABCD2345" }, 400, 102],
    [{ sensorID: 5 }, 400, 402],
    [{ sensorID: spare, accept: "type" }, 400, 402],
    [{ sensorID: old }, 400, 102, "A sensor can't replace itself. Choose another one."],
    [{ sensorID: theirs }, 404, 105],
    [{ sensorID: deleted }, 404, 105],
    [{ sensorID: "02:FF:FF:FF:FF:FF" }, 404, 105],
    [{ sensorID: elsewhere }, 409, 102, "The new sensor is at another location. Remove it from there first."],
  ];
  for (const [body, status, code, reason] of cases) {
    for (const reply of [await replace(world, owner, old, body), await check(world, owner, old, body)]) {
      if (body["accept"] !== undefined && reply.at("details.field") === undefined) continue;
      expect([body, reply.status, reply.code]).toEqual([body, status, code]);
      if (reason !== undefined) expect(reply.at("details.reason")).toBe(reason);
    }
  }
  expect((await replace(world, owner, spare, { sensorID: old })).at("details.reason")).toBe(
    "This sensor has no location that you can view, so it can't be replaced.",
  );
  expect((await replace(world, stranger.owner, old, { sensorID: theirs })).code).toBe(105);
  expect(await captureSnapshot(world.ctx.db)).toEqual(before);
  expect((await replace(world, owner, old, { sensorID: spare })).status).toBe(200);
  const third = await newSensor(world, owner);
  const again = await replace(world, owner, old, { sensorID: third });
  expect([again.status, again.at("details.reason")]).toEqual([409, "This sensor has already been replaced."]);
});

const upwards = { me: true, relativeAncestorLevel: 1 };
const [sees, edits] = [{ canViewObject: upwards }, { canViewObject: upwards, canEditObject: upwards }];
const uses = { canAssignSensors: upwards, canUseArtifact: upwards };

test.each([
  ["edit the sensors", 305, { sensor: sees, measurement: sees, artifact: sees }, uses],
  ["use the location", 301, { sensor: edits, measurement: sees, artifact: sees }, { ...uses, canAssignSensors: {} }],
  ["use the firmware", 309, { sensor: edits, measurement: sees, artifact: sees }, { ...uses, canUseArtifact: {} }],
  ["view the location", 102, { sensor: edits, artifact: sees }, uses],
  ["do less", undefined, { sensor: edits, measurement: sees, artifact: sees }, uses],
] as const)("who may not %s gets %s", async (_, code, ownable, other) => {
  const technician = await world.account(`Technician ${code}`, owner, { ownable, other });
  const [old, spare] = [await placed({ artifact: firmware }), await newSensor(world, owner)];
  const before = await captureSnapshot(world.ctx.db);
  const reply = await replace(world, technician, old, { sensorID: spare });
  expect(reply.code).toBe(code);
  if (code === undefined) return;
  expect((await check(world, technician, old, { sensorID: spare })).code).toBe(code);
  expect(reply.at("details.reason")).toEqual(expect.any(String));
  expect(await captureSnapshot(world.ctx.db)).toEqual(before);
});

test("a claimed sensor is claimed and replaces in one step, and stays claimed after undo", async () => {
  const maker = await world.account("Maker", world.root, fullPermissions);
  const label = await enrollLabelled(world, maker);
  const old = await placed({ groups: ["hall"] });
  const plan = await check(world, owner, old, { claimingCode: label.claimingCode.toLowerCase() });
  expect(plan.body).toMatchObject({ sensor: { _id: label.id, type: "APS" }, lost: [] });
  expect((await show(world, maker, label.id)).status).toBe(200);
  const done = await replace(world, owner, old, { claimingCode: label.claimingCode });
  expect(done.body).toMatchObject({ sensorID: label.id });
  expect((await show(world, maker, label.id)).status).toBe(404);
  expect((await world.trail(label.id)).map(({ action }) => action).slice(-3)).toEqual(["release", "claim", "replace"]);
  expect((await undo(world, owner, old, done.at("replacement"))).status).toBe(200);
  expect((await show(world, owner, label.id)).body).toMatchObject({
    owner: { _id: owner.id },
    measurement: null,
    groups: [],
    replaces: null,
  });
});

test("a failed replacement claims nothing; wrong codes count, and end with 429", async () => {
  const maker = await world.account("Maker of two", world.root, fullPermissions);
  const label = await enrollLabelled(world, maker);
  const customer = await createShop(world, "Wrong Codes");
  const gone = await world.firmware(customer.owner, "APS", "1.0.2");
  const old = await newSensor(world, customer.owner, { measID: customer.location, artifact: gone });
  await world.call(customer.owner, "DELETE", `/api/artifact/${gone}`);
  const refused = await replace(world, customer.owner, old, { claimingCode: label.claimingCode });
  expect([refused.status, keysOf(refused.at("details"))]).toEqual([409, ["firmware"]]);
  expect((await show(world, maker, label.id)).at("owner._id")).toBe(maker.id);
  for (let n = 0; n < 20; n += 1) {
    const call = n % 2 === 0 ? replace : check;
    const reply = await call(world, customer.owner, old, { claimingCode: `WRNG${String(n).padStart(4, "2")}` });
    expect([reply.status, reply.code, reply.at("details.field")]).toEqual([404, 105, "claimingCode"]);
  }
  const late = await replace(world, customer.owner, old, { claimingCode: label.claimingCode, accept: ["firmware"] });
  expect(late.status).toBe(429);
  expect((await show(world, maker, label.id)).at("owner._id")).toBe(maker.id);
});

test("a dealer's spare is handed over to the customer; without that right it is 302", async () => {
  const dealer = await world.account("Dealer", world.root, fullPermissions);
  const customer = await world.account("Customer", dealer, fullPermissions);
  const location = await newLocation(world, customer, "Corner Shop");
  const old = await newSensor(world, customer, { measID: location, groups: ["till"] });
  const spare = await newSensor(world, dealer);
  expect((await check(world, dealer, old, { sensorID: spare })).at("handsOver")).toBe(true);
  // The clerk below the customer has a sensor, but may give none away.
  const clerk = await world.account("Clerk", customer, {
    ownable: { sensor: { ...edits, canCreateObjectFor: { me: true } }, measurement: sees },
    other: uses,
  });
  const own = await newSensor(world, clerk);
  const denied = await replace(world, clerk, old, { sensorID: own });
  expect([denied.status, denied.code]).toEqual([403, 302]);
  expect(denied.at("details.reason")).toBe("You can't hand over the sensors of your own account.");
  const done = await replace(world, dealer, old, { sensorID: spare });
  expect(done.status).toBe(200);
  expect((await show(world, customer, spare)).body).toMatchObject({
    owner: { _id: customer.id },
    measurement: { _id: location },
    groups: ["till"],
    replaces: { _id: old },
  });
  expect((await undo(world, dealer, old, done.at("replacement"))).status).toBe(200);
  expect((await show(world, dealer, spare)).body).toMatchObject({ owner: { _id: dealer.id }, measurement: null });
  expect((await show(world, customer, spare)).status).toBe(404);
});

test("a repeat with the same key changes nothing and gets the same response", async () => {
  const [old, spare] = [await placed(), await newSensor(world, owner)];
  const headers = { "idempotency-key": `replace-${old}` };
  const first = await replace(world, owner, old, { sensorID: spare }, headers);
  const before = await captureSnapshot(world.ctx.db);
  expect((await replace(world, owner, old, { sensorID: spare }, headers)).body).toEqual(first.body);
  expect(await captureSnapshot(world.ctx.db)).toEqual(before);
});

test("a replacement whose connection is killed at its last step changes nothing; a repeat replaces once", async () => {
  const [old, spare] = [await placed({ groups: ["hall"] }), await newSensor(world, owner)];
  const headers = { "idempotency-key": `killed-${old}` };
  const before = await captureSnapshot(world.ctx.db);
  const killed = await world.ctx.db.transaction().execute(async (tx) => {
    await sql`lock table sensor_replacement in exclusive mode`.execute(tx);
    const call = replace(world, owner, old, { sensorID: spare }, headers);
    // Outside of the transaction, which would see the activity of its first query only.
    const pid = await until("the replacement at its last step", async () => {
      const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
        where wait_event_type = 'Lock' and query ~ 'insert into "sensor_replacement"'`.execute(world.ctx.db);
      return rows[0]?.pid;
    });
    await sql`select pg_terminate_backend(${pid})`.execute(tx);
    return call;
  });
  expect(killed.status).toBeGreaterThanOrEqual(500);
  expect(await captureSnapshot(world.ctx.db)).toEqual(before);
  const done = await replace(world, owner, old, { sensorID: spare }, headers);
  expect(done.status).toBe(200);
  expect((await replace(world, owner, old, { sensorID: spare }, headers)).body).toEqual(done.body);
  expect((await show(world, owner, spare)).body).toMatchObject({ groups: ["hall"], replaces: { _id: old } });
});

test("the marks end with a new location, a new owner, or a new life, and hide invisible sensors", async () => {
  const [old, spare] = [await placed(), await newSensor(world, owner)];
  await replace(world, owner, old, { sensorID: spare });
  await world.call(owner, "PUT", `/api/sensor/${old}`, { body: { measID: shop.location } });
  expect((await show(world, owner, old)).at("replacedBy")).toBe(null);
  const dealer = await world.account("Dealer of marks", world.root, fullPermissions);
  const customer = await world.account("Customer of marks", dealer, fullPermissions);
  const location = await newLocation(world, customer, "Mark Shop");
  const [a, b] = [await newSensor(world, customer, { measID: location }), await newSensor(world, customer)];
  await replace(world, customer, a, { sensorID: b });
  await world.call(dealer, "PUT", `/api/sensor/${a}`, { body: { owner: dealer.id } });
  expect((await show(world, dealer, a)).body).toMatchObject({ replacedBy: null });
  expect((await show(world, customer, b)).body).toMatchObject({ replaces: null });
  expect((await show(world, dealer, b)).body).toMatchObject({ replaces: { _id: a } });
  await world.call(dealer, "DELETE", `/api/sensor/${a}`);
  expect((await show(world, dealer, b)).body).toMatchObject({ replaces: { _id: a, isDeleted: true } });
});
