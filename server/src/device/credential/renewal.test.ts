// Checks that a sensor gets a new password after a change of owner, and that the old one, which the former owner may know, ends (T-13).
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { EnrolReply } from "@psp/contract/device/device-messages.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { claim, makeClaimable } from "../../testing/rights/claiming.ts";
import {
  birth,
  connectDevice,
  createDeviceWorld,
  type Device,
  type DeviceWorld,
  until,
} from "../../testing/devices/device-world.ts";
import { connectSensor, requestInitToken } from "../../testing/devices/remote-sensor.ts";
import { untilSomebodyWaits } from "../../testing/waiting.ts";
import { createWorld, type Person, type World } from "../../testing/world.ts";
import { requestCredentialRenewal } from "./renewal.ts";

type Order = { do: string; id: string; password: string };
let world: World;
let former: Person;
let claimer: Person;
/** A separate gateway that a test can stop and restart. */
let devices: DeviceWorld;
beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway" } });
  former = await world.account("Former Owner", world.root, fullPermissions);
  claimer = await world.account("Claimer", world.root, fullPermissions);
  devices = await createDeviceWorld();
});
afterAll(async () => {
  await world.stop();
  await devices.stop();
});

const asDevice = (sensorId: string, wire: string, password: string) =>
  ({ sensorId, mqtt: { host: "", port: 0, tls: false, username: wire, clientId: wire, password } }) as EnrolReply;
const isOrder = (said: Order) => said.do === "cred";
const orderOf = async (device: Device) => (await device.heard("cmd", isOrder)).json as Order;

async function enrolWith(token: string, id: string, credential: string) {
  const reply = await fetch(`${world.server.url}/device/v1/enrol`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, id, type: "APS", nonce: "n", time: Date.now(), credential }),
  });
  return { status: reply.status, body: (await reply.json()) as EnrolReply };
}

test("T-13 CL-04 a claimed sensor gets a new password; using it ends the old one", async () => {
  const id = "02:0C:1A:2A:01:01";
  const sensor = await connectSensor(world, former, id);
  const port = world.server.mqttPort ?? 0;
  const enter = (password: string) => connectDevice(port, asDevice(id, sensor.wire, password));
  const theirToken = await requestInitToken(world, former);
  const closed = new Promise<void>((resolve) => sensor.client.once("close", () => resolve()));
  const claimingCode = await makeClaimable(world, former, id);
  expect((await claim(world, claimer, [{ id, type: "APS", claimingCode }])).status).toBe(200);
  await closed;

  // Until the new password has been used, the old one keeps working, and the device is offered the same new password again.
  const first = await enter(sensor.password);
  await first.up("state", birth("s2"));
  const order = await orderOf(first);
  expect(Buffer.from(order.password, "base64url")).toHaveLength(32);
  expect(order.password).not.toBe(sensor.password);
  await first.end();
  const second = await enter(sensor.password);
  await second.up("state", birth("s3"));
  expect(await orderOf(second)).toEqual(order);
  const cut = new Promise<void>((resolve) => second.client.once("close", () => resolve()));

  const renewed = await enter(order.password);
  await cut;
  await renewed.up("state", birth("s4"));
  await renewed.heard("desired");
  expect(renewed.got.filter(({ topic }) => topic.endsWith("/dn/cmd"))).toEqual([]);
  await expect(enter(sensor.password)).rejects.toThrow();
  for (const token of [theirToken, await requestInitToken(world, claimer)])
    expect((await enrolWith(token, id, sensor.password)).status).toBe(409);
  expect(renewed.client.connected).toBe(true);

  const rows = (await world.call(claimer, "GET", `/api/v2/audit?objectID=${id}`)).list;
  expect(rows.find(({ action }) => action === "renewCredential")).toMatchObject({
    who: null,
    before: null,
    after: null,
  });
  expect(JSON.stringify(rows)).not.toContain(order.password);
  expect(
    (await world.call(former, "GET", `/api/v2/audit?objectID=${id}`)).list.map(({ action }) => action),
  ).not.toContain("renewCredential");
  const again = await enrolWith(theirToken, id, order.password);
  expect(again.status).toBe(200);
  await renewed.end();
  await (await enter(again.body.mqtt.password)).end();
});

test("T-13 docs/device-example.mjs takes its new password and uses it alone", async () => {
  const id = "02:0C:1A:2A:01:02";
  const program = spawn(process.execPath, ["docs/device-example.mjs"], {
    cwd: join(import.meta.dirname, "../../../.."),
    env: { ...process.env, TOKEN: await requestInitToken(world, former), ID: id, URL: world.server.url },
    stdio: "ignore",
  });
  onTestFinished(() => void program.kill());
  const isOnline = async (who: Person) =>
    (await world.call(who, "GET", `/api/sensor/${id}`)).at("scomState.isConnected") === true;
  await until("the program online", () => isOnline(former));
  const claimingCode = await makeClaimable(world, former, id);
  expect((await claim(world, claimer, [{ id, type: "APS", claimingCode }])).status).toBe(200);
  await until("its new password in use", async () => {
    const rows = (await world.call(claimer, "GET", `/api/v2/audit?objectID=${id}`)).list;
    return rows.some(({ action }) => action === "renewCredential");
  });
  await until("the program online again", () => isOnline(claimer));
});

async function handedOverOffline() {
  const reply = await devices.enrol();
  await devices.handOver(reply.sensorId);
  const first = await devices.connect(reply);
  await first.up("state", birth("s1"));
  return { reply, first };
}

test("T-13 an offline sensor gets its password at the next connection, at any process", async () => {
  const { reply, first } = await handedOverOffline();
  const order = await orderOf(first);
  await first.end();
  await devices.restart();
  const renewed = await devices.connect(asDevice(reply.sensorId, first.wire, order.password));
  await expect(devices.connect(reply)).rejects.toThrow();
  await renewed.end();
});

test("T-13 a second change of owner invalidates an unused password", async () => {
  const { reply, first } = await handedOverOffline();
  const lost = await orderOf(first);
  await first.end();
  await devices.handOver(reply.sensorId);
  await expect(devices.connect(asDevice(reply.sensorId, first.wire, lost.password))).rejects.toThrow();
  const second = await devices.connect(reply);
  await second.up("state", birth("s2"));
  const order = await orderOf(second);
  expect(order.id).not.toBe(lost.id);
  await second.end();
  const renewed = await devices.connect(asDevice(reply.sensorId, first.wire, order.password));
  await devices.handOver(reply.sensorId);
  await renewed.up("state", birth("s3"));
  expect((await orderOf(renewed)).password).not.toBe(order.password);
  await renewed.end();
});

test("T-13 a new password is refused if the sensor changes owner once more meanwhile", async () => {
  const { reply, first } = await handedOverOffline();
  const { password } = await orderOf(first);
  await first.end();
  const { db } = devices.ctx;
  const { coming } = await db.transaction().execute(async (tx) => {
    await tx.selectFrom("sensor").select("num").where("id", "=", reply.sensorId).forNoKeyUpdate().execute();
    const knocking = devices.connect(asDevice(reply.sensorId, first.wire, password)).then(
      () => "let in",
      () => "refused",
    );
    await untilSomebodyWaits(db);
    await requestCredentialRenewal(tx, [reply.sensorId]);
    return { coming: knocking };
  });
  expect(await coming).toBe("refused");
  await (await devices.connect(reply)).end();
});

test("T-13 using the new password at enrollment ends the old one as well", async () => {
  const { reply, first } = await handedOverOffline();
  const { password } = await orderOf(first);
  await first.end();
  const form = { token: await devices.token(), id: reply.sensorId, type: "APS", nonce: "n", time: 0 };
  const enrolled = await devices.post({ ...form, credential: password }, "10.7.0.1");
  expect(enrolled.status).toBe(200);
  await expect(devices.connect(reply)).rejects.toThrow();
  expect((await devices.post({ ...form, credential: reply.mqtt.password }, "10.7.0.1")).status).toBe(409);
  const renewed = await devices.connect(enrolled.body as EnrolReply);
  await renewed.up("state", birth("s2"));
  await renewed.heard("desired");
  expect(renewed.got.filter(({ topic }) => topic.endsWith("/dn/cmd"))).toEqual([]);
  await renewed.end();
});

test("T-13 thousands of sensors change owner in one statement; those without devices are skipped", async () => {
  const { db } = devices.ctx;
  await sql`
    insert into sensor (id, owner_id, owner_path, type)
    select upper('02:00:00:00:' || lpad(to_hex(n / 256), 2, '0') || ':' || lpad(to_hex(n % 256), 2, '0')), ${devices.owner}, '00001', 'APS'
    from generate_series(0, 4999) n`.execute(db);
  await sql`
    insert into device (sensor_num, secret_hash, enrolled_at)
    select num, sha256(id::bytea), now() from sensor where id like '02:00:00:00:%' and num % 5 <> 0`.execute(db);
  const ids = (await db.selectFrom("sensor").select("id").where("id", "like", "02:00:00:00:%").execute()).map(
    (row) => row.id,
  );
  await devices.handOver(...ids);
  const { rows } = await sql<{ due: number; enrolled: number }>`
    select count(r.sensor_num) as due, count(d.sensor_num) as enrolled
    from sensor s left join device d on d.sensor_num = s.num left join device_renewal r on r.sensor_num = s.num
    where s.id like '02:00:00:00:%'`.execute(db);
  expect(rows).toEqual([{ due: 4000, enrolled: 4000 }]);
});
