// Tests the embedded broker with hostile, broken and very fast devices (T-15).
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { type IClientOptions, connect, type MqttClient } from "mqtt";
import { protocolLimits } from "@psp/contract/device/device-topics.ts";
import type { EnrolReply } from "@psp/contract/device/device-messages.ts";
import {
  batch,
  birth,
  createCountRecord,
  createDeviceWorld,
  type Device,
  type DeviceWorld,
  until,
  type IncomingRecord,
} from "../testing/devices/device-world.ts";
import { openRawSocket, rawPackets } from "../testing/devices/raw-mqtt.ts";

let world: DeviceWorld;
let storing: { before: (records: readonly IncomingRecord[]) => Promise<void> } = { before: async () => undefined };
const web = createServer();
beforeAll(async () => {
  await new Promise<void>((done) => web.listen(0, "127.0.0.1", done));
  world = await createDeviceWorld({
    gateway: { http: web },
    beforeStore: (records) => storing.before(records),
  });
});
afterAll(async () => {
  await world.stop();
  web.close();
});

const open: { end(): Promise<void> }[] = [];
afterEach(async () => {
  storing = { before: async () => undefined };
  await Promise.all(open.splice(0).map((one) => one.end()));
});

const device = (extra: IClientOptions = {}) => someDevice(extra);
async function someDevice(extra: IClientOptions = {}): Promise<Device> {
  const made = await world.connect(await world.enrol(), extra);
  open.push(made);
  return made;
}
const again = async (one: Device, extra: IClientOptions = {}): Promise<Device> => {
  const made = await world.connect(credentialOf(one), extra);
  open.push(made);
  return made;
};
const credentialOf = ({ id, wire, password }: Device) =>
  ({ sensorId: id, mqtt: { clientId: wire, username: wire, password } }) as EnrolReply;

async function knock(options: IClientOptions): Promise<{ code: number; properties: Record<string, unknown> }> {
  const client: MqttClient = connect(`mqtt://127.0.0.1:${world.port()}`, {
    protocolVersion: 5,
    reconnectPeriod: 0,
    ...options,
  });
  open.push({ end: () => client.endAsync(true) });
  return new Promise((resolve, reject) => {
    client.on("error", () => undefined);
    client.on("packetreceive", (packet) => {
      if (packet.cmd === "connack") resolve({ code: packet.reasonCode ?? -1, properties: { ...packet.properties } });
    });
    client.on("close", () => reject(new Error("closed without an answer")));
  });
}

test("DE-01 only the right secret with the device's own name is accepted; 135 for others", async () => {
  const { mqtt } = await world.enrol();
  const other = await world.enrol();
  const good = { username: mqtt.username, clientId: mqtt.clientId, password: mqtt.password };
  expect((await knock(good)).code).toBe(0);
  for (const bad of [
    { ...good, password: `${mqtt.password}x` },
    { ...good, password: other.mqtt.password },
    { ...good, password: "" },
    { ...good, clientId: other.mqtt.clientId },
    { ...good, username: other.mqtt.username },
    { ...good, username: "001628fa9999", clientId: "001628fa9999" },
    { ...good, username: mqtt.username.toUpperCase(), clientId: mqtt.clientId.toUpperCase() },
    { clientId: mqtt.clientId },
    { ...good, clientId: "" },
  ]) {
    expect((await knock(bad)).code).toBe(135);
  }
});

test("DE-01 MQTT over WebSocket works at /mqtt", async () => {
  const { port } = web.address() as AddressInfo;
  const reply = await world.enrol();
  const client = connect(`ws://127.0.0.1:${port}/mqtt`, {
    protocolVersion: 5,
    reconnectPeriod: 0,
    username: reply.mqtt.username,
    clientId: reply.mqtt.clientId,
    password: reply.mqtt.password,
  });
  open.push({ end: () => client.endAsync(true) });
  await new Promise<void>((done) => client.once("connect", () => done()));
  await client.publishAsync(`sdp/1/${reply.mqtt.clientId}/up/state`, JSON.stringify(birth("w1")), { qos: 1 });
  expect((await world.row(reply.sensorId)).is_connected).toBe(true);
});

test("DE-01 CONNACK announces keep-alive, session, packet and flow limits", async () => {
  const { mqtt } = await world.enrol();
  const { code, properties } = await knock({
    username: mqtt.username,
    clientId: mqtt.clientId,
    password: mqtt.password,
    keepalive: 0,
    clean: false,
    properties: { sessionExpiryInterval: 0xff_ff_ff_ff },
  });
  expect(code).toBe(0);
  expect(properties).toMatchObject({
    serverKeepAlive: 300,
    sessionExpiryInterval: 604_800,
    maximumPacketSize: 1_048_576,
    receiveMaximum: 20,
    sharedSubscriptionAvailable: false,
  });
});

test("DE-01 a will on another device's topic is refused with 135", async () => {
  const { mqtt } = await world.enrol();
  const victim = await world.enrol();
  const good = { username: mqtt.username, clientId: mqtt.clientId, password: mqtt.password };
  for (const topic of [
    `sdp/1/${victim.mqtt.clientId}/up/state`,
    `sdp/1/${mqtt.clientId}/up/data`,
    `sdp/1/${mqtt.clientId}/dn/cmd`,
    "sdp/1/_host/state",
    "$SYS/x",
  ]) {
    expect((await knock({ ...good, will: { topic, payload: Buffer.from("{}"), qos: 1, retain: true } })).code).toBe(
      135,
    );
  }
  const own = { topic: `sdp/1/${mqtt.clientId}/up/state`, payload: Buffer.from("{}"), qos: 1 as const, retain: true };
  expect((await knock({ ...good, will: own })).code).toBe(0);
});

test("DE-01 foreign and wildcard subscriptions are refused, also in a kept session", async () => {
  const kept: IClientOptions = { clean: false, properties: { sessionExpiryInterval: 3_600 } };
  const spy = await device(kept);
  const victim = await device();
  for (const filter of [
    "#",
    "+",
    "+/#",
    "sdp/#",
    "sdp/1/#",
    "sdp/1/+/dn/#",
    "sdp/1/+/dn/cmd",
    "+/dn/cmd",
    `sdp/1/${victim.wire}/dn/#`,
    `sdp/1/${victim.wire}/up/#`,
    `sdp/1/${spy.wire}/up/#`,
    `sdp/1/${spy.wire}/#`,
    "$SYS/#",
    `$share/gw/sdp/1/+/up/#`,
    `$share/x/sdp/1/${victim.wire}/dn/#`,
  ]) {
    const granted = await spy.client
      .subscribeAsync([`sdp/1/${spy.wire}/dn/cmd`, filter], { qos: 1 })
      .catch((error: unknown) => (error as { packet?: { granted: number[] } }).packet?.granted ?? []);
    expect(JSON.stringify(granted)).toMatch(/135|158/);
  }
  await spy.client.endAsync(true);
  await victim.up("state", birth("v1"));
  await victim.up("data", batch([createCountRecord(1)]));
  await victim.heard("ack");
  world.ctx.bus.emit({ name: "desiredChanged", event: { sensorIds: [victim.id] } });
  const back = await again(spy, kept);
  await victim.up("data", batch([createCountRecord(2)]));
  await back.up("state", birth("s1"));
  await back.heard("desired");
  const foreign = [...spy.got, ...back.got].filter((got) => !got.topic.startsWith(`sdp/1/${spy.wire}/dn/`));
  expect(foreign).toEqual([]);
});

test("DE-01 publishing to other topics is refused with 135 and changes nothing", async () => {
  const one = await device();
  const victim = await device();
  await victim.up("state", birth("v1"));
  await victim.heard("ack");
  await victim.heard("desired");
  await victim.client.subscribeAsync("sdp/1/_host/state", { qos: 1 });
  await until("the host's word", () => victim.got.some((got) => got.topic === "sdp/1/_host/state"));
  const before = await world.row(victim.id);
  victim.got.length = 0;
  for (const topic of [
    `sdp/1/${victim.wire}/up/state`,
    `sdp/1/${victim.wire}/up/data`,
    `sdp/1/${victim.wire}/dn/cmd`,
    `sdp/1/${one.wire}/dn/cmd`,
    `sdp/1/${one.wire}/up/nothing`,
    `sdp/1/${one.wire}/up/rpc`,
    `sdp/1/${one.wire.toUpperCase()}/up/state`,
    "sdp/1/_host/state",
    "$SYS/x",
    "a/b",
  ]) {
    const refused = one.client.publishAsync(topic, JSON.stringify({ online: false, sid: "v1" }), {
      qos: 1,
      retain: true,
    });
    await expect(refused).rejects.toMatchObject({ code: 135 });
  }
  expect(victim.got).toEqual([]);
  expect(await world.row(victim.id)).toEqual(before);
  await one.up("data", { ...batch([createCountRecord(1)]), id: victim.id, sensorId: victim.id });
  expect(
    await world.ctx.db
      .selectFrom("device_epoch")
      .innerJoin("sensor", "sensor.num", "device_epoch.sensor_num")
      .where("sensor.id", "=", victim.id)
      .where("stored", "<>", "{}")
      .select("epoch")
      .execute(),
  ).toEqual([]);
});

test("DE-01 a device that keeps using foreign topics is disconnected", async () => {
  const one = await device();
  const codes: (number | undefined)[] = [];
  one.client.on("disconnect", (packet) => codes.push(packet.reasonCode));
  for (let i = 0; i < 80; i += 1) one.client.publish("a/b", "x", { qos: 0 });
  await until("disconnected", () => codes.length);
  expect(codes).toEqual([135]);
});

test("DE-01 QoS 2 is refused with 155, and MQTT 3.1.1 can't connect", async () => {
  const one = await device();
  const codes: (number | undefined)[] = [];
  one.client.on("disconnect", (packet) => codes.push(packet.reasonCode));
  one.client.publish(`sdp/1/${one.wire}/up/data`, "{}", { qos: 2 });
  await until("disconnected", () => codes.length);
  expect(codes).toEqual([155]);
  const old = connect(`mqtt://127.0.0.1:${world.port()}`, {
    protocolVersion: 4,
    reconnectPeriod: 0,
    username: one.wire,
    clientId: one.wire,
    password: one.password,
  });
  const error = await new Promise<Error>((done) => old.once("error", done));
  expect(error.message).toMatch(/protocol version/i);
});

test("DE-01 oversized packets end the connection, announced or sent, with or without login", async () => {
  const one = await device();
  const codes: (number | undefined)[] = [];
  one.client.on("disconnect", (packet) => codes.push(packet.reasonCode));
  one.client.on("error", () => undefined);
  const socket = one.client.stream as unknown as { write(bytes: Buffer): void };
  socket.write(rawPackets.publish(`sdp/1/${one.wire}/up/data`, Buffer.alloc(1_100_000, 32)));
  await until("closed", () => !one.client.connected);
  expect(codes).toEqual([149]);
  const stranger = await openRawSocket(world.port());
  stranger.send(rawPackets.head(0x10, 268_435_455));
  stranger.send(Buffer.alloc(65_536));
  await stranger.closed;
});

test("DE-01 connections without a complete CONNECT are closed", async () => {
  // A separate server, because such a short timeout could disconnect devices of other tests.
  const hasty = await createDeviceWorld({ gateway: { connectTimeoutMs: 300 } });
  onTestFinished(() => hasty.stop());
  const silent = await openRawSocket(hasty.port());
  const slow = await openRawSocket(hasty.port());
  slow.send(rawPackets.connect("001628fa8e68", "x".repeat(43)).subarray(0, 20));
  const chatty = await openRawSocket(hasty.port());
  chatty.send(rawPackets.publish("sdp/1/001628fa8e68/up/data", "{}"));
  await Promise.all([silent.closed, slow.closed, chatty.closed]);
  expect(silent.received()).toHaveLength(0);
});

test("DE-01 invalid messages are dropped and counted, and block nothing", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  const bombs = [
    "",
    "null",
    "[]",
    "{",
    '{"ep":"e1","recs":"none"}',
    '{"ep":"e1"}',
    "[".repeat(100_000),
    `{"ep":"e1","recs":[${'{"detail":'.repeat(5_000)}1${"}".repeat(5_000)}]}`,
    '{"__proto__":{"polluted":true},"ep":"e1","recs":[]}',
    '{"online":true,"sid":7}',
    JSON.stringify({ ep: "e1", recs: Array.from({ length: 201 }, (_, i) => createCountRecord(i + 1)) }),
  ];
  for (const bomb of bombs)
    for (const kind of ["data", "state", "reported", "job", "live", "health"]) await one.up(kind, bomb);
  await one.client.publishAsync(`sdp/1/${one.wire}/up/data`, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), { qos: 1 });
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  await one.up("data", batch([createCountRecord(1)]));
  expect((await one.heard("ack", (ack: { upTo: number }) => ack.upTo === 1)).json).toMatchObject({ holes: [] });
  const metric = await world.ctx.metrics.deviceMessages.get();
  expect(
    metric.values.find((one) => one.labels.kind === "data" && one.labels.outcome === "invalid")?.value,
  ).toBeGreaterThan(5);
});

test("DE-01 nothing is acknowledged while the database is unavailable; afterwards all is, once", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  let failures = 0;
  storing.before = async () => {
    failures += 1;
    if (failures <= 3) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  };
  const acked = one.up("data", batch([createCountRecord(1), createCountRecord(2)])).then(() => failures);
  expect(await acked).toBe(4);
  const rows = await world.ctx.db
    .selectFrom("count_hot")
    .innerJoin("sensor", "sensor.num", "count_hot.sensor_num")
    .where("sensor.id", "=", one.id)
    .select("start_ms")
    .execute();
  expect(rows).toHaveLength(2);
});

test("the acknowledged delay of a record is measured when it is acknowledged", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  const gate = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  storing.before = () => {
    began.resolve();
    return gate.promise;
  };
  const measured = async () =>
    (await world.ctx.metrics.acknowledgedSeconds.get()).values.find(
      ({ metricName, labels }) => metricName === "psp_ingest_acknowledged_seconds_count" && labels.kind === "data",
    )?.value ?? 0;
  const before = await measured();
  const acknowledged = one.up("data", batch([createCountRecord(1)]));
  await began.promise;
  expect(await measured()).toBe(before);
  gate.resolve();
  await acknowledged;
  expect(await measured()).toBe(before + 1);
});

test("DE-01 a refused record becomes a dead letter; the others of its batch are stored", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  storing.before = async (records) => {
    if (records.some(({ record }) => record.q === 2)) throw Object.assign(new Error("refused"), { code: "22P02" });
  };
  await one.up("data", batch([createCountRecord(1), createCountRecord(2), createCountRecord(3)]));
  const letters = await world.ctx.db
    .selectFrom("dead_letter")
    .innerJoin("sensor", "sensor.num", "dead_letter.sensor_num")
    .where("sensor.id", "=", one.id)
    .select(["q"])
    .execute();
  expect(letters).toEqual([{ q: 2 }]);
  expect((await one.heard("ack", (ack: { upTo: number }) => ack.upTo === 3)).json).toMatchObject({ holes: [] });
});

test("DE-01 live records are stored while a backlog is waiting", async () => {
  let release = () => {};
  const gate = new Promise<void>((go) => (release = go));
  storing.before = (records) => (records.some(({ via }) => via === "fill") ? gate : Promise.resolve());
  const one = await device();
  const late = await device();
  let isFilled = false;
  const filling = late.up("fill", batch([createCountRecord(1)])).then(() => (isFilled = true));
  await until(
    "the backlog waits",
    async () => ((await world.ctx.metrics.deviceWaiting.get()).values[0]?.value ?? 0) > 0,
  );
  await one.up("state", birth("s1"));
  await one.up("data", batch([createCountRecord(2)]));
  await late.up("data", batch([createCountRecord(3)], "e2"));
  expect(isFilled).toBe(false);
  release();
  await filling;
});

test("DE-01 a slow database slows devices down: queued memory is bounded", async () => {
  let release = () => {};
  const gate = new Promise<void>((go) => (release = go));
  storing.before = () => gate;
  const { mqtt } = await world.enrol();
  const device = await openRawSocket(world.port());
  open.push({ end: async () => void device.socket.destroy() });
  device.send(rawPackets.connect(mqtt.clientId, mqtt.password));
  await until("let in", () => device.received().length > 0);
  const connack = device.received().length;
  const pad = "x".repeat(100_000);
  const messages = 600;
  for (let q = 1; q <= messages; q += 1) {
    device.send(
      rawPackets.publish(
        `sdp/1/${mqtt.clientId}/up/data`,
        JSON.stringify({ ...batch([createCountRecord(q)]), pad }),
        q,
      ),
    );
  }
  const waiting = async () => (await world.ctx.metrics.deviceWaiting.get()).values[0]?.value ?? 0;
  await until("the window is full", async () => (await waiting()) >= protocolLimits.receiveMaximum * pad.length);
  // Without backpressure, the server would read more from the first device before it acknowledges the messages of this one.
  const other = await someDevice();
  for (let i = 0; i < 100; i += 1) await other.up("log", "{}");
  expect(await waiting()).toBeLessThan(protocolLimits.receiveMaximum * (pad.length + 2_000) + 10_000);
  expect(device.socket.writableLength).toBeGreaterThan(40_000_000);
  expect(device.received()).toHaveLength(connack);
  release();
  await until("all are acknowledged", () => device.received().length - connack === messages * 4);
});

test("DE-01 chunks received while the window was full are processed", async () => {
  const { mqtt } = await world.enrol();
  let release = () => {};
  const gate = new Promise<void>((go) => (release = go));
  storing.before = () => gate;
  const device = await openRawSocket(world.port());
  open.push({ end: async () => void device.socket.destroy() });
  device.send(rawPackets.connect(mqtt.clientId, mqtt.password));
  await until("let in", () => device.received().length > 0);
  const connack = device.received().length;
  const data = (q: number, pad = "") =>
    rawPackets.publish(`sdp/1/${mqtt.clientId}/up/data`, JSON.stringify({ ...batch([createCountRecord(q)]), pad }), q);
  const small = protocolLimits.receiveMaximum + 1;
  for (let q = 1; q <= small; q += 1) device.send(data(q));
  const waiting = async () => (await world.ctx.metrics.deviceWaiting.get()).values[0]?.value ?? 0;
  await until("the window is full", async () => (await waiting()) > protocolLimits.receiveMaximum * 256);
  const large = data(small + 1, "x".repeat(40_000));
  for (let from = 0; from < large.length; from += 7_000) {
    device.send(large.subarray(from, from + 7_000));
    await knock({ clientId: "someone", username: "someone", password: "x" });
  }
  release();
  const expected = Array.from({ length: small + 1 }, (_, index) => [0x40, 2, 0, index + 1]).flat();
  await until("all are acknowledged", () => device.received().length - connack >= expected.length);
  expect([...device.received().subarray(connack)]).toEqual(expected);
});

test("DE-01 a device that never acknowledges is disconnected before its queue grows", async () => {
  const deaf = await device({
    clean: false,
    properties: { sessionExpiryInterval: 3_600 },
    customHandleAcks: () => undefined,
  });
  await deaf.up("state", birth("d1"));
  // Changes during a publication are combined, so this emits one at a time until the broker disconnects the device.
  await until("disconnected", () => {
    world.ctx.bus.emit({ name: "desiredChanged", event: { sensorIds: [deaf.id] } });
    return !deaf.client.connected;
  });
  const healthy = await device();
  await healthy.up("state", birth("h1"));
  await healthy.heard("desired");
});
