// Tests batches over HTTP: their effects, refusals and results (SE-03, T-07).
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../db/database.ts";
import { sensorBatchJob } from "./batch.job.ts";
import { until } from "../../testing/devices/device-world.ts";
import { untilSomebodyWaits } from "../../testing/waiting.ts";
import { createWorld, type JsonObject, type Person, type World } from "../../testing/world.ts";

let world: World;
let customer: Person;
let branch: Person;
let stranger: Person;
let shop = "";
let branchShop = "";

const mac = (n: number) => toMac(0x001e_c030_0000 + n);
const all = { me: true, myChildren: true };

async function stored(id: string) {
  return world.ctx.db.selectFrom("sensor").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}
async function sensor(n: number, owner: Person, facts: JsonObject = {}): Promise<string> {
  const { type = "APS" } = facts;
  const reply = await world.call(world.root, "POST", "/api/sensor", { body: { _id: mac(n), owner: owner.id, type } });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  if (Object.keys(facts).length > 0)
    await world.ctx.db.updateTable("sensor").set(facts).where("id", "=", mac(n)).execute();
  return mac(n);
}
async function location(owner: Person, name: string): Promise<string> {
  return (await world.call(owner, "POST", "/api/measurement", { body: { name, owner: owner.id } })).id;
}
const update = (who: Person, body: JsonObject, headers: Record<string, string> = {}) =>
  world.call(who, "PUT", "/api/v2/sensor/batch-update", { body, headers });
const remove = (who: Person, body: JsonObject) => world.call(who, "PUT", "/api/v2/sensor/batch-delete", { body });
const now = sql<string>`nextval('change_order')`;
const fails = (id: string, errMessage: string) => ({ id, errMessage });

beforeAll(async () => {
  world = await createWorld();
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  branch = await world.account("Harbour Branch", customer, fullPermissions);
  stranger = await world.account("Other Customer", world.root, fullPermissions);
  shop = await location(customer, "Shop");
  branchShop = await location(branch, "Branch");
});
afterAll(() => world.stop());

test("SE-03 by ids: permitted sensors change, others fail with reasons, foreign like missing ones", async () => {
  const [a, b, foreign] = [await sensor(1, customer), await sensor(2, branch), await sensor(3, stranger)];
  const sensorIDs = [a, b.toLowerCase().replaceAll(":", ""), b, foreign, mac(9999), "no sensor's id"];
  const reply = await update(customer, { sensorIDs, changes: { groups: ["hall", "hall", "north"] } });
  expect(reply.status).toBe(200);
  expect(reply.at("success")).toBe(2);
  expect(reply.at("fail")).toEqual(
    [foreign, mac(9999), "no sensor's id"].toSorted().map((id) => fails(id, "Not found.")),
  );
  expect((await stored(a)).groups).toEqual(["hall", "north"]);
  expect((await stored(b)).groups).toEqual(["hall", "north"]);
  expect((await stored(foreign)).groups).toEqual([]);
});

test("SE-03 groups are added and removed; a sensor with too many fails with a reason", async () => {
  const many = Array.from({ length: 99 }, (_, n) => `group ${n}`);
  const [few, full, none] = [
    await sensor(5, customer, { groups: ["north", "hall"] }),
    await sensor(6, customer, { groups: many }),
    await sensor(7, customer),
  ];
  const sensorIDs = [few, full, none];
  const added = await update(customer, { sensorIDs, changes: { groups: { add: ["hall", "south", "east", "south"] } } });
  const reason = "A sensor can have at most 100 groups.";
  expect(added.body).toEqual({
    success: 2,
    fail: [{ ...fails(full, "An invalid argument was given."), details: { reason } }],
  });
  expect((await stored(few)).groups).toEqual(["north", "hall", "south", "east"]);
  expect((await stored(full)).groups).toEqual(many);
  expect((await stored(none)).groups).toEqual(["hall", "south", "east"]);
  const last = await update(customer, { sensorIDs: [full], changes: { groups: { add: ["south", "group 0"] } } });
  expect(last.at("success")).toBe(1);
  expect((await stored(full)).groups).toEqual([...many, "south"]);
  const removed = await update(customer, { sensorIDs, changes: { groups: { remove: ["hall", "south", "west"] } } });
  expect(removed.body).toEqual({ success: 3, fail: [] });
  expect((await stored(few)).groups).toEqual(["north", "east"]);
  expect((await stored(none)).groups).toEqual(["east"]);
  const [row] = await world.ctx.db
    .selectFrom("audit")
    .select(["before", "after"])
    .where("object_id", "=", few)
    .orderBy("id", "desc")
    .limit(1)
    .execute();
  expect(row).toMatchObject({
    before: { groups: ["north", "hall", "south", "east"] },
    after: { groups: ["north", "east"] },
  });
  for (const groups of [{ add: [] }, { remove: [] }, {}, { add: ["a"], remove: ["b"] }, { add: ["<b>"] }]) {
    const reply = await update(customer, { sensorIDs, changes: { groups } });
    expect(reply.status, JSON.stringify(groups)).toBe(400);
  }
});

test("SE-03 a query matches the list, without the excluded ones", async () => {
  const ids = [await sensor(10, customer), await sensor(11, customer), await sensor(12, branch)];
  const foreign = await sensor(13, stranger);
  await world.ctx.db
    .updateTable("sensor")
    .set({ groups: ["query"] })
    .where("id", "in", [...ids, foreign])
    .execute();
  const sensorQuery = { groups: "query", exclude: [ids[1] ?? "", foreign, "someone"] };
  const reply = await update(customer, { sensorQuery, expectedCount: 2, changes: { measID: shop } });
  expect(reply.body).toEqual({ success: 2, fail: [] });
  expect(await Promise.all([...ids, foreign].map(async (id) => (await stored(id)).location_id))).toEqual([
    shop,
    null,
    shop,
    null,
  ]);
  expect((await update(customer, { sensorQuery, changes: { measID: null, groups: [] } })).at("success")).toBe(2);
  expect((await stored(ids[0] ?? "")).location_id).toBe(null);
  expect((await stored(ids[0] ?? "")).groups).toEqual([]);
});

test("SE-03 T-07 invalid forms: both, neither, all implicit, no changes, unknown fields, wrong number", async () => {
  const id = await sensor(20, customer);
  const refused = async (body: JsonObject) => {
    const reply = await update(customer, { changes: { groups: ["x"] }, ...body });
    return [reply.status, reply.code, reply.at("details.field")];
  };
  expect(await refused({ sensorIDs: [id], sensorQuery: { sensorID: id } })).toEqual([400, 102, "sensorQuery"]);
  expect(await refused({})).toEqual([400, 104, "sensorIDs"]);
  const noKey = await world.call(customer, "GET", "/api/v2/sensor/batches?key=%00");
  expect([noKey.status, noKey.code]).toEqual([400, 102]);
  expect(await refused({ sensorQuery: {} })).toEqual([400, 104, "all"]);
  expect(await refused({ sensorQuery: { exclude: [id] } })).toEqual([400, 104, "all"]);
  expect(await refused({ sensorQuery: { sensorID: "" } })).toEqual([400, 104, "all"]);
  expect(await refused({ sensorQuery: { sensorID: "  ", exclude: [] } })).toEqual([400, 104, "all"]);
  expect(await refused({ sensorQuery: { color: "red" }, all: true })).toEqual([400, 402, "sensorQuery.color"]);
  expect(await refused({ sensorIDs: [id], changes: {} })).toEqual([400, 104, "changes"]);
  expect(await refused({ sensorIDs: [id], changes: { version: 1 } })).toEqual([400, 402, "changes.version"]);
  expect(await refused({ sensorIDs: [id], changes: { groups: ["<b>"] } })).toEqual([400, 400, "changes.groups"]);
  expect(await refused({ sensorIDs: [id], changes: { claimable: "yes" } })).toEqual([400, 402, "changes.claimable"]);
  expect((await refused({ sensorIDs: [id], changes: { owner: "someone" } }))[1]).toBe(103);
  expect((await refused({ sensorIDs: [id], changes: { owner: world.root.id } }))[1]).toBe(103);
  const theirs = await location(stranger, "Elsewhere");
  expect((await refused({ sensorIDs: [id], changes: { measID: theirs } })).slice(0, 2)).toEqual([404, 105]);
  expect((await refused({ sensorIDs: [id, id, mac(9998)], expectedCount: 3 })).slice(0, 2)).toEqual([409, 102]);
  const differs = await update(customer, {
    sensorQuery: { sensorID: id },
    expectedCount: 7,
    changes: { groups: ["x"] },
  });
  expect([differs.status, differs.code, differs.at("details.count")]).toEqual([409, 102, 1]);
  expect(differs.at("details.reason")).toBe("Selection changed: 1 sensor now matches.");
  expect((await stored(id)).groups).toEqual([]);
  expect((await stored(id)).version).toBe(1);
  expect((await update(customer, { sensorIDs: [], changes: { groups: ["x"] } })).body).toEqual({
    success: 0,
    fail: [],
  });
});

test("SE-03 SE-13 every field needs its own right, per sensor, with the catalog's message", async () => {
  const up = { me: true, relativeAncestorLevel: 1 };
  const sees = { canViewObject: up };
  const someone = (name: string, sensorRights: object, other: object = {}) =>
    world.account(name, customer, {
      owner: { canViewOwner: { ...all, relativeAncestorLevel: 1 } },
      other,
      ownable: { sensor: { ...sees, ...sensorRights }, measurement: sees, artifact: sees },
    });
  const viewer = await someone("Viewer", {});
  const editor = await someone("Editor", { canEditObject: up });
  const giver = await someone("Giver", { canEditObject: up, canChangeOwner: { from: { me: true }, to: up } });
  const placer = await someone(
    "Placer",
    { canEditObject: up, canChangeOwner: { from: up, to: { me: true } } },
    { canAssignSensors: { me: true } },
  );
  const [aps, zod] = [await sensor(30, customer), await sensor(31, customer, { type: "ZOD" })];
  const own = await sensor(32, giver);
  const firmware = await world.firmware(customer, "APS", "3.0.0");
  const sensorIDs = [aps, zod];
  const both = async (who: Person, changes: JsonObject) => {
    const reply = await update(who, { sensorIDs, changes });
    expect(reply.at("success")).toBe(2 - (reply.at("fail") as unknown[]).length);
    return (reply.at("fail") as { id: string; errMessage: string }[]).map(({ errMessage }) => errMessage);
  };
  const [edit, assign, change] = [
    "No permission to edit the given entity.",
    "No permission to assign the given sensor.",
    "No permission to change the owner.",
  ];
  expect(await both(viewer, { groups: ["x"] })).toEqual([edit, edit]);
  expect(await both(editor, { owner: editor.id })).toEqual([change, change]);
  expect(await both(editor, { measID: shop })).toEqual([assign, assign]);
  expect(await both(placer, { measID: shop })).toEqual([assign, assign]);
  expect(await both(editor, { artifact: firmware })).toEqual([
    "No permission to use the given artifact.",
    "An invalid argument was given.",
  ]);
  expect(await both(editor, { claimable: true })).toEqual(Array(2).fill("An invalid argument was given."));
  const mixed = await update(giver, { sensorIDs: [aps, own], changes: { owner: giver.id } });
  const reason = "The sensor belongs to Harbour Stores, whose sensors you can't hand over.";
  const object = { type: "account", id: customer.id, name: customer.name };
  expect(mixed.body).toEqual({ success: 1, fail: [{ ...fails(aps, change), details: { reason, object } }] });
  expect((await update(giver, { sensorIDs: [own], changes: { owner: customer.id } })).at("fail.0.errMessage")).toBe(
    assign,
  );
  expect(await both(editor, { groups: ["x"], measID: shop })).toEqual([assign, assign]);
  for (const id of sensorIDs) expect(await stored(id)).toMatchObject({ version: 1, groups: [], location_id: null });
  expect((await remove(editor, { sensorIDs })).at("fail.1.errMessage")).toBe(
    "No permission to delete the given entity.",
  );
  expect((await update(placer, { sensorIDs, changes: { owner: placer.id } })).body).toEqual({ success: 2, fail: [] });
  expect((await stored(aps)).owner_id).toBe(placer.id);
  expect(await both(customer, { artifact: firmware })).toEqual(["An invalid argument was given."]);
  expect((await stored(aps)).firmware_id).toBe(firmware);
  expect(await both(customer, { artifact: "" })).toEqual([]);
  expect((await stored(aps)).firmware_id).toBe(null);
});

test("SE-03 PE-04 each failed sensor has its reason, without invisible names", async () => {
  const up = { me: true, relativeAncestorLevel: 1 };
  const rights = (owners: object, sensors: object) => ({
    owner: { canViewOwner: owners },
    other: { canAssignSensors: { me: true }, canUseArtifact: { me: true } },
    ownable: {
      artifact: { canViewObject: up },
      measurement: { canViewObject: up },
      sensor: { canViewObject: up, canEditObject: up, canChangeOwner: { from: up, to: up }, ...sensors },
    },
  });
  const clerk = await world.account("Clerk", customer, rights(up, {}));
  const blind = await world.account("Blind", customer, rights({}, {}));
  const looker = await world.account("Looker", customer, rights(up, { canEditObject: { me: true } }));
  const [aps, zod] = [await sensor(600, customer), await sensor(601, customer, { type: "ZOD" })];
  const firmware = await world.firmware(customer, "APS", "6.0.0");
  const inUse = await world.firmware(clerk, "APS", "6.1.0");
  const harbour = { type: "account", id: customer.id, name: "Harbour Stores" };
  const detailsFor = async (who: Person, changes: JsonObject | null) => {
    const body = { sensorIDs: [aps, zod, mac(9997)] };
    const reply = changes === null ? await remove(who, body) : await update(who, { ...body, changes });
    const fail = reply.at("fail") as { id: string; errMessage: string; details?: JsonObject }[];
    expect(fail.find(({ id }) => id === mac(9997))).toEqual(fails(mac(9997), "Not found."));
    return fail.filter(({ id }) => id !== mac(9997)).map(({ details }) => details);
  };
  const other = {
    reason: "Firmware 6.0.0 is for APS; this sensor is a ZOD.",
    object: { type: "artifact", id: firmware, name: "6.0.0" },
  };
  const unusable = { reason: "Firmware 6.0.0 belongs to Harbour Stores, which you can't use.", object: harbour };
  expect(await detailsFor(clerk, { artifact: firmware })).toEqual([unusable, other]);
  const place = { reason: "The location belongs to Harbour Stores, which you can't use.", object: harbour };
  expect(await detailsFor(clerk, { measID: shop })).toEqual([place, place]);
  const noCode = "You can't enable re-registration: this sensor has no registration code.";
  expect(await detailsFor(clerk, { claimable: true })).toEqual([{ reason: noCode }, { reason: noCode }]);
  const edit = { reason: "The sensor belongs to Harbour Stores, whose sensors you can't edit.", object: harbour };
  expect(await detailsFor(looker, { groups: ["x"] })).toEqual([edit, edit]);
  const gone = { reason: "The sensor belongs to Harbour Stores, whose sensors you can't delete.", object: harbour };
  expect(await detailsFor(clerk, null)).toEqual([gone, gone]);
  expect((await detailsFor(clerk, { artifact: inUse })).at(-1)).toMatchObject({
    reason: "Firmware 6.1.0 is for APS; this sensor is a ZOD.",
  });

  const unseen = { reason: "The location belongs to an account which you can't use." };
  expect(await detailsFor(blind, { measID: shop })).toEqual([unseen, unseen]);
  expect(await detailsFor(blind, { artifact: firmware })).toEqual([
    { reason: "Firmware 6.0.0 belongs to an account which you can't use." },
    other,
  ]);
  expect(await detailsFor(blind, null)).toEqual(
    Array(2).fill({ reason: "The sensor belongs to an account whose sensors you can't delete." }),
  );
  const [last] = (await world.call(clerk, "GET", "/api/v2/sensor/batches")).list;
  const again = await world.call(clerk, "GET", `/api/v2/sensor/batches/${String(last?.["_id"])}`);
  expect(again.at("fail.0.details.reason")).toBe("Firmware 6.1.0 is for APS; this sensor is a ZOD.");
});

test("SE-03 a batch leaves the same as single calls: audit rows, versions, totals, events", async () => {
  const ids = await Promise.all([40, 41, 42].map((n) => sensor(n, customer)));
  const single = await sensor(43, customer);
  const heard = await world.live(customer);
  const total = async (who: Person) =>
    (await world.call(who, "GET", "/api/v2/sensor?includeTotals=true&limit=1")).at("total") as number;
  const [mine, theirs] = [await total(customer), await total(branch)];
  const changes = { owner: branch.id, measID: branchShop, groups: ["hall"] };
  expect((await update(customer, { sensorIDs: ids, changes })).body).toEqual({ success: 3, fail: [] });
  await world.call(customer, "PUT", `/api/sensor/${single}`, { body: changes });
  const byAction = async (id: string) =>
    (await world.trail(id)).slice(1).toSorted((a, b) => (a.action < b.action ? -1 : 1));
  const both = await byAction(single);
  for (const id of ids) {
    expect(await byAction(id)).toEqual(both);
    expect(both.map(({ action }) => action)).toEqual(["release", "update"]);
    expect(await stored(id)).toMatchObject({ version: 2, owner_path: branch.path, location_id: branchShop });
    expect((await heard.heard("sensor", "update", id)).obj).toMatchObject({
      groups: ["hall"],
      measurement: { _id: branchShop },
    });
  }
  expect([await total(customer), await total(branch)]).toEqual([mine, theirs + 4]);
  const history = await world.ctx.db
    .selectFrom("sensor_location")
    .innerJoin("sensor", "sensor.num", "sensor_location.sensor_num")
    .where("sensor.id", "in", ids)
    .select(["sensor.id", "sensor_location.location_id", "to_at"])
    .execute();
  expect(history.length).toBe(3);
  expect(history.every((row) => row.location_id === branchShop && row.to_at === Infinity)).toBe(true);
  expect((await remove(customer, { sensorIDs: ids })).body).toEqual({ success: 3, fail: [] });
  for (const id of ids) {
    expect((await world.trail(id)).slice(-1)[0]).toMatchObject({
      action: "delete",
      account_id: customer.id,
      after: null,
    });
    expect((await world.call(customer, "GET", `/api/sensor/${id}`)).status).toBe(404);
    await heard.heard("sensor", "delete", id);
  }
  expect(await total(customer)).toBe(mine - 3);
});

test("SE-03 a batch sent twice with one key runs once, also concurrently or half done", async () => {
  const ids = await Promise.all([50, 51, 52].map((n) => sensor(n, customer)));
  const body = { sensorIDs: [...ids, mac(9990)], changes: { groups: ["once"] } };
  const headers = { "idempotency-key": "batch-one" };
  const replies = await Promise.all([update(customer, body, headers), update(customer, body, headers)]);
  for (const reply of replies) expect(reply.body).toEqual({ success: 3, fail: [fails(mac(9990), "Not found.")] });
  expect((await update(customer, body, headers)).body).toEqual(replies[0]?.body);
  for (const id of ids) expect((await stored(id)).version).toBe(2);
  const other = await update(customer, { ...body, changes: { groups: ["twice"] } }, headers);
  expect(other.status).toBe(409);
  const [run] = (await world.call(customer, "GET", "/api/v2/sensor/batches?key=batch-one")).list;
  expect(run).toMatchObject({ key: "batch-one", kind: "update", total: 4, done: 4, success: 3, isCanceled: false });

  // The state after a kill: the sensors are selected, and only the first part is done. `asked_mark` is
  // current, because otherwise the batch's own changes would count as newer.
  await world.ctx.db
    .updateTable("sensor_batch")
    .set({ done: 1, success: 1, finished_at: null, touched_at: new Date(0), asked_mark: now })
    .where("id", "=", String(run?.["_id"]))
    .execute();
  await world.ctx.db.deleteFrom("sensor_batch_fail").where("batch_id", "=", String(run?.["_id"])).execute();
  expect((await update(customer, body, headers)).body).toEqual(replies[0]?.body);
  const ordered = ids.toSorted();
  expect(await Promise.all(ordered.map(async (id) => (await stored(id)).version))).toEqual([2, 3, 3]);
});

test("SE-03 only its account sees a batch's progress, and a canceled one stops", async () => {
  const ids = await Promise.all([60, 61].map((n) => sensor(n, customer)));
  await update(customer, { sensorIDs: ids, changes: { groups: ["mine"] } }, { "idempotency-key": "mine" });
  const [run] = (await world.call(customer, "GET", "/api/v2/sensor/batches?key=mine")).list;
  const path = `/api/v2/sensor/batches/${String(run?.["_id"])}`;
  expect((await world.call(customer, "GET", path)).body).toMatchObject({ success: 2, fail: [], total: 2 });
  for (const other of [branch, stranger, world.root]) {
    expect((await world.call(other, "GET", path)).code).toBe(105);
    expect((await world.call(other, "POST", `${path}/cancel`)).code).toBe(105);
    expect((await world.call(other, "GET", "/api/v2/sensor/batches?key=mine")).list).toEqual([]);
  }
  await world.ctx.db
    .updateTable("sensor_batch")
    .set({ done: 1, success: 1, finished_at: null, touched_at: new Date(0) })
    .where("id", "=", String(run?.["_id"]))
    .execute();
  for (let times = 0; times < 2; times += 1)
    expect((await world.call(customer, "POST", `${path}/cancel`)).at("isCanceled")).toBe(true);
  const trail = await world.call(customer, "GET", "/api/v2/audit?objectType=sensor-batch");
  expect(trail.list).toMatchObject([
    { action: "cancel", object: { _id: run?.["_id"] }, who: { _id: customer.id }, after: { kind: "update", total: 2 } },
  ]);
  const again = await update(
    customer,
    { sensorIDs: ids, changes: { groups: ["mine"] } },
    { "idempotency-key": "mine" },
  );
  expect(again.body).toEqual({ success: 1, fail: [fails(ids.toSorted()[1] ?? "", "Canceled.")] });
});

test("T-18 an account has ten running batches; the next gets Retry-After", async () => {
  const busy = await world.account("busy", world.root, fullPermissions);
  const ids = [await sensor(80, busy)];
  const change = () => update(busy, { sensorIDs: ids, changes: { groups: ["x"] } });
  for (let n = 0; n < 10; n += 1) expect((await change()).status).toBe(200);
  const set = (finished_at: Date | null, id?: string) =>
    world.ctx.db
      .updateTable("sensor_batch")
      .set({ finished_at })
      .where("account_id", "=", busy.id)
      .$if(id !== undefined, (query) => query.where("id", "=", id ?? ""))
      .execute();
  await set(null);
  const refused = await change();
  expect([refused.status, refused.code, refused.headers.get("retry-after")]).toEqual([429, 306, "10"]);
  expect((await world.call(busy, "GET", "/api/v2/sensor/batches")).list).toHaveLength(10);
  const [one] = (await world.call(busy, "GET", "/api/v2/sensor/batches")).list;
  await set(world.ctx.clock.date(), String(one?.["_id"]));
  expect((await change()).status).toBe(200);
  await set(world.ctx.clock.date());
});

test("SE-03 a crashed process's batch is finished by the next, and deleted after a day", async () => {
  const ids = await Promise.all([70, 71].map((n) => sensor(n, customer)));
  await update(customer, { sensorIDs: ids, changes: { groups: ["left"] } }, { "idempotency-key": "left" });
  const look = async () => (await world.call(customer, "GET", "/api/v2/sensor/batches?key=left")).list[0];
  const id = String((await look())?.["_id"]);
  const { db, clock } = world.ctx;
  const unfinished = { done: 1, success: 1, finished_at: null, asked_mark: now };
  await db
    .updateTable("sensor_batch")
    .set({ ...unfinished, touched_at: clock.date() })
    .where("id", "=", id)
    .execute();
  const job = sensorBatchJob(world.ctx);
  await job.run();
  expect(await look()).toMatchObject({ done: 1, finishedAt: null });
  await db
    .updateTable("sensor_batch")
    .set({ touched_at: new Date(clock.now() - 61_000) })
    .where("id", "=", id)
    .execute();
  // An older batch that fails must not block the others.
  await update(customer, { sensorIDs: ids, changes: { claimable: false } }, { "idempotency-key": "poison" });
  await db
    .updateTable("sensor_batch")
    .set({
      ...unfinished,
      changes: JSON.stringify({ owner: "someone" }),
      started_at: new Date(clock.now() - 120_000),
      touched_at: new Date(clock.now() - 61_000),
    })
    .where("key", "=", "poison")
    .execute();
  await job.run();
  expect(await look()).toMatchObject({ done: 2, success: 2 });
  expect((await stored(ids.toSorted()[1] ?? "")).version).toBe(4);
  await db
    .updateTable("sensor_batch")
    .set({ started_at: new Date(clock.now() - 86_400_001) })
    .where("id", "=", id)
    .execute();
  await job.run();
  expect(await look()).toBe(undefined);
});

test(
  "SE-03 a stopping server answers 503 after the current part, and the next one resumes",
  { tags: "prove" },
  async () => {
    const short = await createWorld();
    const owner = await short.account("Harbour Stores", short.root, fullPermissions);
    const next = openDatabase(short.databaseUrl, { pool: 1, log: short.ctx.log });
    try {
      const progress = () =>
        next.selectFrom("sensor_batch").select(["done", "total", "finished_at"]).executeTakeFirst();
      await short.call(owner, "POST", "/api/sensor", { body: { _id: mac(1), owner: owner.id, type: "APS" } });
      const sensorIDs = [mac(1), ...Array.from({ length: 99_999 }, (_, n) => `none-${n}`)];
      expect(await progress()).toBe(undefined);
      const { call, closed } = await short.ctx.db.transaction().execute(async (tx) => {
        await tx.selectFrom("sensor").select("id").where("id", "=", mac(1)).forUpdate().execute();
        const asked = short.call(owner, "PUT", "/api/v2/sensor/batch-update", {
          body: { sensorIDs, changes: { groups: ["x"] } },
        });
        await untilSomebodyWaits(next);
        const stopped = short.server.app.close();
        await until("it stops", () => !short.server.app.server.listening);
        return { call: asked, closed: stopped };
      });
      const reply = await call;
      expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "10"]);
      await closed;
      const left = await progress();
      expect(left?.finished_at).toBeNull();
      expect(left?.done).toBeGreaterThan(0);
      expect(left?.done).toBeLessThan(100_000);
      short.ctx.clock.moveTo(short.ctx.clock.now() + 120_000);
      await sensorBatchJob({ ...short.ctx, db: next }).run();
      expect(await progress()).toMatchObject({ done: 100_000, total: 100_000 });
    } finally {
      await next.destroy();
      await short.stop();
    }
  },
);
