// Tests that a claimed sensor reveals nothing of its former owner, who keeps the counts of their own locations (T-13).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claim, makeClaimable } from "../testing/rights/claiming.ts";
import { batch, birth, connectDevice, until } from "../testing/devices/device-world.ts";
import { connectSensor, type RemoteSensor } from "../testing/devices/remote-sensor.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

const id = "02:0C:1A:2A:00:01";
const slotMs = 300_000;
const clock = createStillClock();
/** Start of the first record; others follow in slots of five minutes. */
const firstMs = Math.floor(clock.now() / slotMs) * slotMs;
let world: World;
let former: Person;
let claimer: Person;
let sensor: RemoteSensor;
let shop: string;
let ours: string;

beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway" }, clock });
  former = await world.account("Former Owner", world.root, fullPermissions);
  claimer = await world.account("Claimer", world.root, fullPermissions);
  sensor = await connectSensor(world, former, id);
  shop = await location(former, "Former Shop");
  ours = await location(claimer, "Our Shop");
});
afterAll(async () => {
  await sensor.end();
  await world.stop();
});

const place = { geo: { type: "Point", coordinates: [0, 51.4779] } };
async function location(owner: Person, name: string): Promise<string> {
  const body = { name, owner: owner.id, location: place };
  return (await world.call(owner, "POST", "/api/measurement", { body })).id;
}
async function change(who: Person, body: JsonObject): Promise<void> {
  const reply = await world.call(who, "PUT", `/api/sensor/${id}`, { body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
}
const record = (q: number, n: number) => {
  const s = firstMs + q * slotMs;
  return { q, t: "count", s, e: s + slotMs, lines: [{ id: "door", name: "Front door", in: n, out: 0 }] };
};
/** Sends records and waits for the acknowledgement, after which they are stored. */
const send = (records: object[], kind = "data") => sensor.up(kind, batch(records));
const upTo = (q: number) => clock.moveTo(firstMs + (q + 1) * slotMs);
const read = (who: Person, path: string) => world.call(who, "GET", path);
const total = async (who: Person, path: string) => (await read(who, `${path}?type=counting`)).at("total");
const sumOf = async (who: Person, filter: string) => {
  const from = new Date(firstMs - slotMs).toISOString();
  const to = new Date(firstMs + 400 * slotMs).toISOString();
  const rows = (await read(who, `/data/v2/aggregate/json?filter=${filter}&acc=total&from=${from}&to=${to}`)).list;
  return rows.reduce((sum, row) => sum + Number((row["data"] as JsonObject)["in"]), 0);
};

test("T-13 CL-04 data, location, groups, credentials, session and requests are not handed over", async () => {
  await change(former, {
    measID: shop,
    groups: ["former group"],
    sensorFeatureCredentials: [{ feature: "restapi", username: "former-user", password: "former-password" }],
  });
  clock.moveTo(firstMs + 4 * slotMs - 1);
  await send([record(1, 10), record(2, 20), record(3, 30)]);
  await send([{ ...record(4, 1), s: firstMs + 3 * slotMs + 1000 }]);
  await world.ctx.db
    .updateTable("sensor")
    .set({ monitoring_config: JSON.stringify({ toOther: ["former@example.com"] }) })
    .where("id", "=", id)
    .execute();
  expect(await total(former, `/api/sensor/${id}/datapoints`)).toBe(3);
  expect(await sumOf(former, `meas:${shop}:counting`)).toBe(60);
  expect((await read(former, `/api/v2/dead-letter?sens=${id}`)).at("total")).toBe(1);

  upTo(3);
  const claimingCode = await makeClaimable(world, former, id);
  const [theirs, mine] = [await world.live(former), await world.live(claimer)];
  const asked = world.call(former, "POST", `/api/sensor/${id}/request`, {
    body: { func: "getSnapshot", data: "", timeout: 60_000 },
  });
  // The clock has moved, so the sensor may have been pinged, too.
  await until("the question at the sensor", () => sensor.asked.some(({ func }) => func === "getSnapshot"));
  const closed = new Promise<void>((resolve) => sensor.client.once("close", () => resolve()));
  expect((await claim(world, claimer, [{ id, type: "APS", claimingCode }])).status).toBe(200);

  expect((await asked).code).toBe(509);
  await closed;
  await theirs.heard("sensor", "delete", id);
  expect((await mine.heard("sensor", "update", id)).obj).toMatchObject({ owner: { _id: claimer.id }, groups: [] });
  theirs.close();
  mine.close();

  const shown = await read(claimer, `/api/sensor/${id}`);
  expect(shown.body).toMatchObject({
    owner: { _id: claimer.id },
    measurement: null,
    artifact: null,
    groups: [],
    claimable: false,
    sensorFeatureCredentials: [],
    sensorUpdateTask: null,
    artifactInstallationState: null,
    monitoringConfig: null,
    scomState: { conAt: null, lastContactAt: null },
    info: { software: { firmware: { version: "1.18.0" } } },
  });
  const replies = [
    shown,
    await read(claimer, `/api/sensor/${id}/datapoints`),
    await read(claimer, `/data/v2/download/json?filter=sens:${id}`),
    await read(claimer, `/api/v2/dead-letter?sens=${id}`),
    await read(claimer, `/api/v2/audit?objectID=${id}`),
  ];
  for (const reply of replies)
    expect(JSON.stringify(reply.body)).not.toMatch(new RegExp(`former|${former.id}|${shop}`, "i"));
  expect(replies[1]?.at("total")).toBe(0);
  expect(replies[3]?.at("total")).toBe(0);
  expect(await sumOf(claimer, `sens:${id}:counting`)).toBe(0);

  const refused = [
    `/api/sensor/${id}`,
    `/api/sensor/${id}/datapoints`,
    `/data/v2/download/json?filter=sens:${id}`,
    `/data/v2/aggregate/json?filter=sens:${id}&acc=day`,
  ];
  for (const path of refused) expect((await read(former, path)).code, path).toBe(105);
  expect((await read(former, `/api/v2/sensor?sensorID=${id}`)).list).toEqual([]);
  expect((await read(former, `/api/v2/dead-letter?sens=${id}`)).list).toEqual([]);
  expect(await total(former, `/api/measurement/${shop}/datapoints`)).toBe(3);
  expect(await sumOf(former, `meas:${shop}:counting`)).toBe(60);
});

test("T-13 T-30 the claim is audited on both sides, without the other's name", async () => {
  const [mine] = (await read(claimer, `/api/v2/audit?objectID=${id}`)).list;
  expect(mine).toMatchObject({ action: "claim", who: { _id: claimer.id }, before: null });
  const rows = (await read(former, `/api/v2/audit?objectID=${id}`)).list;
  expect(rows.find(({ action }) => action === "release")).toMatchObject({
    who: null,
    before: { groups: ["former group"], measID: shop },
    after: null,
  });
  expect(JSON.stringify(rows)).not.toContain(claimer.id);
  const everything = (await read(world.root, `/api/v2/audit?objectID=${id}`)).list;
  const both = everything.filter(({ requestId }) => requestId === mine?.["requestId"]);
  expect(new Set(both.map(({ action }) => action))).toEqual(new Set(["claim", "release"]));
});

test("T-13 the device reconnects with its old credential; retained messages and old data are gone", async () => {
  const retained = (await connectAgain()).got.filter(({ retain }) => retain);
  expect(retained).toEqual([]);
  await sensor.up("state", birth("s2"));
  const desired = (await sensor.heard("desired")).json as { fw: unknown; cfg: { liveFlow: boolean } };
  expect(desired).toMatchObject({ fw: null, cfg: { liveFlow: false } });
  upTo(4);
  await send([{ ...record(20, 4), s: firstMs + 4 * slotMs, e: firstMs + 5 * slotMs }]);
  const unplaced = (await read(claimer, `/api/sensor/${id}/datapoints?type=counting`)).list;
  expect(unplaced).toMatchObject([{ measID: null, data: { in: 4 } }]);
  expect(await sumOf(former, `meas:${shop}:counting`)).toBe(60);
  await change(claimer, { measID: ours });
  upTo(9);
  // Record four was refused and is not expected again; record five was counted before the claim but arrives now.
  await send([{ ...record(5, 500), s: firstMs, e: firstMs + slotMs }], "fill");
  await send([{ ...record(6, 1), s: firstMs + 1000 }], "fill");
  await send([record(7, 7), record(8, 8)]);
  expect(await total(claimer, `/api/sensor/${id}/datapoints`)).toBe(3);
  expect(await sumOf(claimer, `sens:${id}:counting`)).toBe(19);
  expect(await sumOf(claimer, `meas:${ours}:counting`)).toBe(15);
  expect((await read(claimer, `/api/v2/dead-letter?sens=${id}`)).list).toEqual([]);
  expect(await sumOf(former, `meas:${shop}:counting`)).toBe(560);
});

test("T-13 a sensor claimed back shows only the counts of its owner's locations", async () => {
  const claimingCode = await makeClaimable(world, claimer, id);
  expect((await claim(world, former, [{ id, type: "APS", claimingCode }])).status).toBe(200);
  expect((await read(claimer, `/api/sensor/${id}`)).code).toBe(105);
  expect(await total(former, `/api/sensor/${id}/datapoints`)).toBe(4);
  expect(await sumOf(former, `sens:${id}:counting`)).toBe(560);
  expect(await sumOf(former, `meas:${shop}:counting`)).toBe(560);
  expect(await sumOf(claimer, `meas:${ours}:counting`)).toBe(15);
});

test("CL-04 claiming one's own sensor changes only the code", async () => {
  await connectAgain();
  await sensor.up("state", birth("s3"));
  await change(former, { measID: shop, groups: ["kept"] });
  upTo(14);
  await send([record(13, 13)]);
  const claimingCode = await makeClaimable(world, former, id);
  expect((await claim(world, former, [{ id, type: "APS", claimingCode }])).status).toBe(200);
  const shown = await read(former, `/api/sensor/${id}`);
  expect(shown.body).toMatchObject({ groups: ["kept"], measurement: { _id: shop }, claimable: false });
  expect(shown.at("claimingCode")).not.toBe(claimingCode);
  expect(await total(former, `/api/sensor/${id}/datapoints`)).toBe(5);
});

async function connectAgain(): Promise<RemoteSensor> {
  const { wire, password, asked, onAsked } = sensor;
  const mqtt = { host: "", port: 0, tls: false, username: wire, clientId: wire, password };
  const device = await connectDevice(world.server.mqttPort ?? 0, { sensorId: id, mqtt } as never);
  sensor = { ...device, asked, onAsked };
  return sensor;
}
