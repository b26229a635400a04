// Tests what a change of owner resets, over HTTP and with a connected device: location, code, credentials, session,
// audit log (SE-13).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { EnrolReply } from "@psp/contract/device/device-messages.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claim, makeClaimable } from "../testing/rights/claiming.ts";
import { birth, connectDevice, until } from "../testing/devices/device-world.ts";
import { connectSensor, requestInitToken, type RemoteSensor } from "../testing/devices/remote-sensor.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

const id = "02:0C:1A:2B:00:01";
let world: World;
let dealer: Person;
let former: Person;
let next: Person;
let sensor: RemoteSensor;
let formerShop: string;
let nextShop: string;
let dealerShop: string;

beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway" } });
  dealer = await world.account("Dealer", world.root, fullPermissions);
  former = await world.account("Former Owner", dealer, fullPermissions);
  next = await world.account("Next Owner", dealer, fullPermissions);
  sensor = await connectSensor(world, former, id);
  const shop = async (owner: Person, name: string) =>
    (await world.call(owner, "POST", "/api/measurement", { body: { name, owner: owner.id } })).id;
  formerShop = await shop(former, "Former Shop");
  nextShop = await shop(next, "Next Shop");
  dealerShop = await shop(dealer, "Dealer Shop");
});
afterAll(async () => {
  await sensor.end();
  await world.stop();
});

const path = `/api/sensor/${id}`;
const asDevice = (wire: string, password: string) =>
  ({ sensorId: id, mqtt: { host: "", port: 0, tls: false, username: wire, clientId: wire, password } }) as EnrolReply;
const isOrder = (said: { do?: unknown }) => said.do === "cred";
const put = (who: Person, body: JsonObject) => world.call(who, "PUT", path, { body });
const audit = async (who: Person) => (await world.call(who, "GET", `/api/v2/audit?objectID=${id}`)).list;
const stored = () => world.ctx.db.selectFrom("sensor").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

test("SE-13 T-13 a change of owner resets location, code, credentials and connections only", async () => {
  const firmware = await world.firmware(dealer, "APS", "1.19.0");
  await put(dealer, {
    measID: formerShop,
    groups: ["hall"],
    artifact: firmware,
    sensorFeatureCredentials: [{ feature: "restapi", username: "former-user", password: "former-password" }],
  });
  const code = await makeClaimable(world, former, id);
  await world.ctx.db
    .updateTable("sensor")
    .set({ monitoring_config: JSON.stringify({ toOther: ["former@example.com"] }) })
    .where("id", "=", id)
    .execute();
  const [theirs, ours] = [await world.live(former), await world.live(next)];
  const asked = world.call(former, "POST", `${path}/request`, { body: { func: "getSnapshot", timeout: 30_000 } });
  await until("the question at the sensor", () => sensor.asked.length > 0);
  const closed = new Promise<void>((resolve) => sensor.client.once("close", () => resolve()));

  expect((await put(dealer, { owner: next.id })).status).toBe(200);

  expect((await asked).code).toBe(509);
  await closed;
  await theirs.heard("sensor", "delete", id);
  expect((await ours.heard("sensor", "update", id)).obj).toMatchObject({ owner: { _id: next.id } });
  expect((await world.call(former, "GET", path)).code).toBe(105);
  const shown = await world.call(next, "GET", path);
  expect(shown.body).toMatchObject({
    owner: { _id: next.id },
    measurement: null,
    groups: ["hall"],
    claimable: false,
    sensorFeatureCredentials: [],
  });
  expect(await stored()).toMatchObject({ firmware_id: firmware, monitoring_config: null, rest_password_sealed: null });
  expect(shown.at("claimingCode")).toMatch(/^[2-9A-HJ-NP-Z]{8}$/);
  expect(shown.at("claimingCode")).not.toBe(code);
  // The former owner can't take the sensor back with the old code, even when it is claimable again.
  await makeClaimable(world, next, id);
  expect((await claim(world, former, [{ id, type: "APS", claimingCode: code }])).code).toBe(105);
});

test("SE-13 T-13 the device gets a new password, single or in a batch; the old one gets no other", async () => {
  const port = world.server.mqttPort ?? 0;
  const enter = (password: string) => connectDevice(port, asDevice(sensor.wire, password));
  const enrol = async (credential: string) =>
    world.call(null, "POST", "/device/v1/enrol", {
      body: { token: await requestInitToken(world, former), id, type: "APS", nonce: "n", time: Date.now(), credential },
    });
  const passwords = [sensor.password];
  for (const give of [
    async () => undefined,
    () =>
      world.call(dealer, "PUT", "/api/v2/sensor/batch-update", {
        body: { sensorIDs: [id], changes: { owner: dealer.id } },
      }),
    () => put(dealer, { owner: next.id }),
  ]) {
    await give();
    const old = passwords.at(-1) ?? "";
    expect((await enrol(old)).status).toBe(409);
    const device = await enter(old);
    await device.up("state", birth("again"));
    const order = (await device.heard("cmd", isOrder)).json as { password: string };
    expect(passwords).not.toContain(order.password);
    passwords.push(order.password);
    const cut = new Promise<void>((resolve) => device.client.once("close", () => resolve()));
    await (await enter(order.password)).end();
    await cut;
    await expect(enter(old)).rejects.toThrow();
    expect((await enrol(old)).status).toBe(409);
  }
});

test("SE-13 T-30 the former owner keeps the history; the new one sees nothing of it", async () => {
  const mine = (await audit(next)).filter(({ action }) => action === "update");
  expect(mine.at(-1)).toMatchObject({
    who: { _id: dealer.id },
    before: { owner: former.id, measID: null, restUsername: null },
    after: { owner: next.id, measID: null },
  });
  expect(JSON.stringify(await audit(next))).not.toMatch(new RegExp(`${formerShop}|former-user`));
  const theirs = await audit(former);
  expect(theirs.find(({ action }) => action === "release")).toMatchObject({
    before: { measID: formerShop, restUsername: "former-user" },
    after: null,
  });
  expect(theirs.map(({ action }) => action)).toContain("enrol");
  expect(JSON.stringify(theirs)).not.toContain(next.id);
});

test("SE-13 the call may name a location visible to the new owner only", async () => {
  const reason = "The new owner can't view this location.";
  const refused = await put(dealer, { owner: former.id, measID: nextShop });
  expect([refused.code, refused.at("details.reason")]).toEqual([105, reason]);
  expect((await put(dealer, { owner: former.id, measID: dealerShop })).code).toBe(105);
  const batch = await world.call(dealer, "PUT", "/api/v2/sensor/batch-update", {
    body: { sensorIDs: [id], changes: { owner: former.id, measID: dealerShop } },
  });
  expect(batch.body).toMatchObject({ success: 0, fail: [{ id, errMessage: "Not found.", details: { reason } }] });
  expect(await stored()).toMatchObject({ owner_id: next.id, location_id: null });
  const given = await put(dealer, { owner: former.id, measID: formerShop, claimable: true });
  expect(given.body).toMatchObject({ owner: { _id: former.id }, measurement: { _id: formerShop }, claimable: true });
});

test("SE-13 a sensor at a location of its new owner stays there", async () => {
  await put(dealer, { measID: nextShop });
  expect((await put(dealer, { owner: next.id })).at("measurement._id")).toBe(nextShop);
  const history = await world.ctx.db
    .selectFrom("sensor_location")
    .where("sensor_num", "=", (await stored()).num)
    .where("to_at", "=", "infinity" as never)
    .select("location_id")
    .execute();
  expect(history).toEqual([{ location_id: nextShop }]);
});
