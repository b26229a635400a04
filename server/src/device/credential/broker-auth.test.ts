// Connects devices through a broker that asks over HTTP who may do what, as EMQX does.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ack, EnrolReply } from "@psp/contract/device/device-messages.ts";
import { type AskingBroker, startAskingBroker } from "../../testing/devices/asking-broker.ts";
import {
  batch,
  birth,
  connectDevice,
  createCountRecord,
  createDeviceWorld,
  type Device,
  type DeviceWorld,
  sumVisitors,
  until,
} from "../../testing/devices/device-world.ts";
import { findFreePorts } from "../../testing/free-ports.ts";
import { createStillClock } from "../../testing/snapshot.ts";

const secret = randomBytes(24).toString("hex");
const password = randomBytes(16).toString("hex");
const clock = createStillClock();
let world: DeviceWorld;
let broker: AskingBroker;
let url: string;
const open: Device[] = [];

beforeAll(async () => {
  const [port = 0] = await findFreePorts(1);
  url = `http://127.0.0.1:${port}`;
  broker = await startAskingBroker(url, secret);
  world = await createDeviceWorld({
    clock,
    env: {
      PORT: String(port),
      MQTT_URL: `mqtt://gateway:${password}@127.0.0.1:${broker.port}`,
      MQTT_AUTH: "http",
      MQTT_AUTH_SECRET: secret,
    },
  });
});
afterAll(async () => {
  await Promise.all(open.map((device) => device.end()));
  await world.stop();
  await broker.stop();
});

const enter = async (reply: EnrolReply, extra = {}) => {
  const device = await connectDevice(broker.port, reply, extra);
  open.push(device);
  return device;
};
const withPassword = (reply: EnrolReply, given: string) => ({ ...reply, mqtt: { ...reply.mqtt, password: given } });
async function connected(sid: string) {
  const reply = await world.enrol();
  const device = await enter(reply);
  await device.up("state", birth(sid));
  await device.heard("desired");
  return { device, reply };
}
const closed = (device: Device) => new Promise<void>((done) => device.client.once("close", () => done()));

async function ask(path: string, body: unknown, given: string | null = secret) {
  const response = await fetch(`${url}/broker/v1/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(given === null ? {} : { authorization: `Bearer ${given}` }) },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const mayPublish = async (wire: string, topic = `sdp/1/${wire}/up/data`) =>
  (await ask("authorize", { clientid: wire, username: wire, topic, action: "publish" })).body["result"];

test("DE-01 a sensor enrolls, connects through a broker that asks over HTTP, and is acknowledged", async () => {
  const { device, reply } = await connected("s1");
  expect(reply.mqtt).toMatchObject({ host: "127.0.0.1", port: broker.port, tls: false });
  await device.up("data", batch([createCountRecord(1), createCountRecord(2), createCountRecord(4)]));
  await until("stored", async () => (await sumVisitors(world, device.id)) === 7);
  const ack = await until("acknowledged", () => {
    clock.moveTo(clock.now() + 1_001);
    return device.got.find(({ topic, json }) => topic.endsWith("/ack") && (json as Ack).upTo === 4);
  });
  expect(ack.json).toMatchObject({ ep: "e1", holes: [[3, 3]] });
  const answering = world.running().call(device.id, "ping", "", 60_000);
  const asked = await device.heard("rpc");
  await device.client.publishAsync(
    asked.responseTopic ?? "",
    JSON.stringify({ ok: true, func: "ping", data: "", timestamp: 1 }),
    { qos: 1, properties: { correlationData: asked.correlation ?? Buffer.alloc(0) } },
  );
  expect(await answering).toMatchObject({ ok: true, func: "ping" });
});

test("DE-01 foreign topics, wildcards, wills and logins are refused through HTTP, too", async () => {
  const { device: victim } = await connected("v1");
  const reply = await world.enrol();
  const foreign = `sdp/1/${victim.wire}/up/state`;
  const will = { topic: foreign, payload: Buffer.from(JSON.stringify({ online: false, sid: "v1", n: 1 })), qos: 1 };
  const refusedWills = () => broker.refused.filter((topic) => topic === foreign).length;
  const one = await enter(reply, { will });
  for (const filter of ["#", "sdp/1/+/dn/#", `sdp/1/${victim.wire}/dn/#`, "$share/gw/sdp/1/+/up/data", "$SYS/#"])
    await expect(one.client.subscribeAsync(filter, { qos: 1 }), filter).rejects.toThrow();
  for (const topic of [`sdp/1/${victim.wire}/dn/cmd`, "sdp/1/_host/state", `sdp/1/${one.wire}/dn/cmd`])
    await expect(one.client.publishAsync(topic, "{}", { qos: 1 }), topic).rejects.toMatchObject({ code: 135 });
  one.client.stream.destroy();
  await until("the will is refused", () => refusedWills() === 1);
  for (const mqtt of [
    { ...reply.mqtt, clientId: victim.wire },
    { ...reply.mqtt, username: victim.wire },
    { ...reply.mqtt, username: "gateway" },
    { ...reply.mqtt, clientId: "x", username: "x" },
  ])
    await expect(enter({ ...reply, mqtt })).rejects.toThrow();
  // The platform's own messages may still arrive; none of them is empty.
  expect(victim.got.map(({ json }) => json)).not.toContainEqual({});
  expect((await world.row(victim.id)).is_connected).toBe(true);
});

test("T-32 ten wrong passwords lock a sensor's login for a minute at their address only", async () => {
  const [tried, other] = [await world.enrol(), await world.enrol()];
  for (let n = 0; n < 10; n += 1) await expect(enter(withPassword(tried, `wrong ${n}`))).rejects.toThrow();
  await expect(enter(tried)).rejects.toThrow();
  await enter(other);
  const { clientId: clientid, username, password: right } = tried.mqtt;
  const login = { clientid, username, password: right };
  expect((await ask("authenticate", { ...login, peerhost: "192.0.2.7" })).body).toEqual({
    result: "allow",
    is_superuser: false,
  });
  clock.moveTo(clock.now() + 60_001);
  await enter(tried);
  // Right ones do not count.
  for (let n = 0; n < 15; n += 1)
    expect((await ask("authenticate", { ...login, peerhost: "192.0.2.8" })).body["result"]).toBe("allow");
});

test("T-28 deletion ends a sensor's session and refuses its next login and message", async () => {
  const { device, reply } = await connected("s1");
  expect(await mayPublish(device.wire)).toBe("allow");
  await world.ctx.db.updateTable("sensor").set({ is_deleted: true }).where("id", "=", device.id).execute();
  expect(await mayPublish(device.wire)).toBe("deny");
  await expect(device.up("data", batch([createCountRecord(1)]))).rejects.toMatchObject({ code: 135 });
  const end = closed(device);
  world.ctx.bus.emit({ name: "sensorsDropped", event: { sensorIds: [device.id] } });
  await end;
  await expect(enter(reply)).rejects.toThrow();
});

test("T-28 a sensor deleted while no gateway runs loses its session at the next start", async () => {
  const { device: gone, reply } = await connected("s1");
  const { device: kept } = await connected("s2");
  await world.stopGateway();
  await world.ctx.db
    .updateTable("sensor")
    .set({ is_deleted: true, updated_at: clock.date() })
    .where("id", "=", gone.id)
    .execute();
  const end = closed(gone);
  await world.restart();
  await end;
  await expect(enter(reply)).rejects.toThrow();
  expect(kept.client.connected).toBe(true);
});

test("T-13 after a hand-over the new password replaces the old one when it has connected", async () => {
  const { device: first, reply } = await connected("s1");
  const cut = closed(first);
  await world.handOver(first.id);
  world.ctx.bus.emit({ name: "sensorsDropped", event: { sensorIds: [first.id] } });
  await cut;
  const second = await enter(reply);
  await second.up("state", birth("s2"));
  const order = (await second.heard("cmd", (said: { do: string }) => said.do === "cred")).json as {
    id: string;
    password: string;
  };
  await second.up("reported", { rev: 1, cred: order.id });
  const replaced = closed(second);
  const third = await enter(withPassword(reply, order.password));
  await replaced;
  await third.up("state", birth("s3"));
  await third.heard("desired");
  await expect(enter(reply)).rejects.toThrow();
  expect(third.client.connected).toBe(true);
});

test("DE-01 a password renewed by enrollment leaves the previous one valid for ten minutes", async () => {
  const first = await world.enrol(undefined, { csr: "KEY" });
  const form = { token: await world.token(), id: first.sensorId, type: "APS", nonce: "n", time: 0, csr: "KEY" };
  const { status, body } = await world.post(form, "10.3.0.1");
  expect(status).toBe(200);
  await enter(body as EnrolReply);
  await enter(first);
  clock.moveTo(clock.now() + 600_001);
  await expect(enter(first)).rejects.toThrow();
  await enter(body as EnrolReply);
});

test("T-32 the broker's requests need its secret; invalid ones are denied", async () => {
  const { device, reply } = await connected("s1");
  const access = { clientid: device.wire, username: device.wire, topic: `sdp/1/${device.wire}/up/data` };
  const publish = { ...access, action: "publish" };
  expect(await ask("authorize", publish)).toEqual({ status: 200, body: { result: "allow" } });
  for (const wrong of [null, "", `${secret}x`, secret.slice(1), reply.mqtt.password])
    for (const path of ["authorize", "authenticate"])
      expect(await ask(path, publish, wrong)).toMatchObject({ status: 401, body: { code: 106 } });
  for (const body of ["[]", access, { ...publish, action: "all" }, { ...publish, topic: 7 }])
    expect(await ask("authorize", body)).toEqual({ status: 200, body: { result: "deny" } });
  const { password: _, ...login } = { ...reply.mqtt, clientid: device.wire, peerhost: "192.0.2.1" };
  expect((await ask("authenticate", login)).body).toEqual({ result: "deny", is_superuser: false });
});

test("T-32 the gateways' login is no superuser, and reaches nothing but the topics of the platform", async () => {
  const login = { clientid: "psp-gw-1", username: "gateway", password, peerhost: "192.0.2.1" };
  expect((await ask("authenticate", login)).body).toEqual({
    result: "allow",
    is_superuser: false,
    acl: [{ permission: "allow", action: "all", topic: "sdp/1/#" }],
  });
  expect((await ask("authenticate", { ...login, password: `${password}x` })).body["result"]).toBe("deny");
  const answers = async (topics: string[]) =>
    Promise.all(
      topics.map(async (topic) => (await ask("authorize", { ...login, topic, action: "subscribe" })).body["result"]),
    );
  expect(
    new Set(
      await answers(["$share/gw/sdp/1/+/up/data", "sdp/1/+/up/rpc/x", "sdp/1/_host/state", "$SYS/broker/version"]),
    ),
  ).toEqual(new Set(["allow"]));
  expect(new Set(await answers(["#", "sdp/#", "sdp/2/x", "$SYS/#", "$share/other/sdp/1/#", "other"]))).toEqual(
    new Set(["deny"]),
  );
});

test("without the database no login is decided", async () => {
  const { mqtt } = await world.enrol();
  const login = { clientid: mqtt.clientId, username: mqtt.username, password: mqtt.password, peerhost: "192.0.2.9" };
  await world.ctx.db.schema.alterTable("device_renewal").renameTo("device_renewal_away").execute();
  try {
    expect((await ask("authenticate", login)).status).toBeGreaterThanOrEqual(500);
  } finally {
    await world.ctx.db.schema.alterTable("device_renewal_away").renameTo("device_renewal").execute();
  }
  expect((await ask("authenticate", login)).body["result"]).toBe("allow");
});
