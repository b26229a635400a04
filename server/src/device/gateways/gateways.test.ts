// Tests several gateways with embedded brokers on one database: takeovers, presence, commands and killed processes.
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { EnrolReply } from "@psp/contract/device/device-messages.ts";
import { announceAll } from "../../db/write.ts";
import {
  birth,
  createDeviceWorld,
  type Device,
  type DeviceWorld,
  type ProcessBeside,
  until,
} from "../../testing/devices/device-world.ts";
import { createRelayedCalls, serveRelayedCalls } from "../command/command-relay.ts";
import { writePresence } from "../presence/presence.store.ts";

const minute = 60_000;
let world: DeviceWorld;
let other: ProcessBeside;
const ends: (() => unknown)[] = [];
beforeAll(async () => {
  world = await createDeviceWorld({ isBridged: true });
  other = await world.startBeside();
  ends.push(serveRelayedCalls(world.ctx, world.running()), serveRelayedCalls(other.ctx, gatewayOf(other)));
});
afterAll(async () => {
  for (const end of ends) end();
  await world.stop();
});
const open: Device[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((device) => device.end()));
});

function gatewayOf({ gateway }: ProcessBeside) {
  if (!gateway) throw new Error("This process has no gateway");
  return gateway;
}
async function connectAt(reply: EnrolReply, port: number) {
  const codes: number[] = [];
  const device = await world.connect(reply, {}, port);
  device.client.on("disconnect", ({ reasonCode = -1 }) => codes.push(reasonCode));
  open.push(device);
  return { ...device, codes };
}
const isConnected = async (id: string) => (await world.row(id)).is_connected;
const isOnline = (id: string) => until("connected", () => isConnected(id));
async function pass(at: { ctx: DeviceWorld["ctx"] }, gateway: ReturnType<typeof gatewayOf>, ms: number) {
  at.ctx.clock.moveTo(at.ctx.clock.now() + ms);
  await gateway.tick();
}
const numberOf = async (id: string) =>
  (
    await world.ctx.db
      .selectFrom("device_connection")
      .innerJoin("sensor", "sensor.num", "device_connection.sensor_num")
      .where("sensor.id", "=", id)
      .select("number")
      .executeTakeFirstOrThrow()
  ).number;
const answerPings = (device: Device) =>
  device.client.on("message", (topic, payload, { properties }) => {
    if (!topic.endsWith("/dn/rpc")) return;
    const { func } = JSON.parse(payload.toString()) as { func: string };
    device.client.publish(properties?.responseTopic ?? "", JSON.stringify({ ok: true, func, data: "", timestamp: 1 }), {
      qos: 1,
      properties: { correlationData: properties?.correlationData ?? Buffer.alloc(0) },
    });
  });
const countOf = (device: Device, kind: string) =>
  device.got.filter(({ topic }) => topic.endsWith(`/dn/${kind}`)).length;

test("DE-01 a sensor that connects to another gateway takes its session over", async () => {
  const reply = await world.enrol();
  const first = await connectAt(reply, world.port());
  await first.up("state", birth("s1"));
  await isOnline(first.id);
  const second = await connectAt(reply, other.port);
  await until("the first is closed", () => !first.client.connected);
  expect(first.codes).toEqual([142]);
  await second.up("state", birth("s2"));
  await second.heard("desired");
  await pass(world, world.running(), 2 * minute);
  await pass(other, gatewayOf(other), 2 * minute);
  expect(await isConnected(first.id)).toBe(true);
  expect([world.running().isConnected(first.id), gatewayOf(other).isConnected(first.id)]).toEqual([false, true]);
  // And back again.
  const third = await connectAt(reply, world.port());
  await until("the second is closed", () => !second.client.connected);
  await third.up("state", birth("s3"));
  expect(second.codes).toEqual([142]);
  third.client.stream.destroy();
  await until("disconnected", async () => {
    await pass(world, world.running(), 31_000);
    return !(await isConnected(first.id));
  });
});

test("DE-01 a sensor that moves while its connection counts as lost stays connected", async () => {
  const reply = await world.enrol();
  const first = await connectAt(reply, world.port());
  await first.up("state", birth("s1"));
  await isOnline(first.id);
  first.client.stream.destroy();
  await until("lost", () => world.running().isConnected(first.id) === false);
  await pass(world, world.running(), 10_000);
  const second = await connectAt(reply, other.port);
  await second.up("state", birth("s2"));
  await second.heard("desired");
  await pass(world, world.running(), 5 * minute);
  expect(await isConnected(first.id)).toBe(true);
});

test("DE-01 a sensor that takes over its session and never sends a birth is reported lost", async () => {
  const reply = await world.enrol();
  const first = await connectAt(reply, world.port());
  await first.up("state", birth("s1"));
  await isOnline(first.id);
  const second = await connectAt(reply, other.port);
  await until("the first is closed", () => !first.client.connected);
  second.client.stream.destroy();
  await until("disconnected", async () => {
    await pass(other, gatewayOf(other), 31_000);
    return !(await isConnected(first.id));
  });
});

test("DE-01 a notification about an older connection that arrives late ends nothing", async () => {
  const reply = await world.enrol();
  await connectAt(reply, other.port);
  const newest = await connectAt(reply, world.port());
  await newest.up("state", birth("s2"));
  await isOnline(newest.id);
  const number = await numberOf(newest.id);
  const event = (n: number) => ({
    gatewayId: gatewayOf(other).gatewayId,
    connections: [{ sensorId: newest.id, number: n, address: null }],
  });
  other.ctx.bus.send({ name: "sensorsConnected", event: event(number - 1) });
  other.ctx.bus.send({ name: "sensorsConnected", event: event(number) });
  await newest.up("reported", { rev: 1 });
  expect(newest.client.connected).toBe(true);
  other.ctx.bus.send({ name: "sensorsConnected", event: event(number + 1) });
  await until("closed", () => !newest.client.connected);
});

test("DE-01 a presence write of a replaced connection changes nothing, one of the same does", async () => {
  const reply = await world.enrol();
  const one = await connectAt(reply, world.port());
  await one.up("state", birth("s1"));
  await isOnline(one.id);
  const number = await numberOf(one.id);
  const die = (connection: number) =>
    world.ctx.db.transaction().execute((tx) => writePresence(tx, [{ sensorId: one.id, connected: false, connection }]));
  expect(await die(number - 1)).toEqual([]);
  expect(await isConnected(one.id)).toBe(true);
  expect(await die(number)).toHaveLength(1);
  expect(await isConnected(one.id)).toBe(false);
});

test("DE-01 the last contact of a connected sensor is stored without a notification", async () => {
  const one = await connectAt(await world.enrol(), world.port());
  await one.up("state", birth("s1"));
  await isOnline(one.id);
  let changes = 0;
  const off = world.ctx.bus.on("entityChanged", ({ id }) => {
    if (id === one.id) changes += 1;
  });
  const before = (await world.row(one.id)).last_contact_at;
  await pass(world, world.running(), 2 * minute);
  await one.up("data", { v: 1, sid: "s1", ep: "e1", sent: world.ctx.clock.now(), recs: [] });
  await until("stored", async () => Number((await world.row(one.id)).last_contact_at) > Number(before));
  // A later batch of changes has been announced, so the earlier one would have been too.
  await one.up("state", birth("s2"));
  await until("the birth", () => changes > 0);
  expect(changes).toBe(1);
  off();
});

test("DE-01 a takeover whose notification is lost is caught up", async () => {
  const reply = await world.enrol();
  const one = await connectAt(reply, world.port());
  await one.up("state", birth("s1"));
  await isOnline(one.id);
  await sql`update device_connection c set number = number + 1, gateway_id = ${gatewayOf(other).gatewayId}::uuid
    from sensor s where s.num = c.sensor_num and s.id = ${one.id}`.execute(world.ctx.db);
  await world.running().missed();
  await until("closed", () => !one.client.connected);
  expect(one.codes).toEqual([142]);
});

test("DE-01 commands, desired states and new passwords reach a sensor at any gateway once", async () => {
  const api = await world.startBeside(false);
  const relay = createRelayedCalls(api.ctx, null);
  const reply = await world.enrol();
  await connectAt(reply, world.port());
  const one = await connectAt(reply, other.port);
  answerPings(one);
  await one.up("state", birth("s1"));
  await one.heard("desired");
  await isOnline(one.id);
  for (let n = 0; n < 5; n += 1) {
    await relay.send(one.id, "resetNetworkConfig", "", 5_000);
    expect(await relay.call(one.id, "ping", "", 5_000)).toMatchObject({ ok: true });
    // A process with a gateway of its own that does not hold the connection.
    const local = createRelayedCalls(world.ctx, world.running());
    await local.send(one.id, "resetNetworkConfig", "", 5_000);
    local.stop();
  }
  await until("15 requests", () => countOf(one, "rpc") >= 15);
  const before = countOf(one, "desired");
  await world.ctx.db.updateTable("device").set({ desired: null }).execute();
  await announceAll(world.ctx, [{ name: "desiredChanged", event: { sensorIds: [one.id] } }]);
  await until("another state", () => countOf(one, "desired") > before);
  expect(await relay.call(one.id, "ping", "", 5_000)).toMatchObject({ ok: true });
  expect([countOf(one, "rpc"), countOf(one, "desired")]).toEqual([16, before + 1]);
  await world.handOver(one.id);
  await announceAll(world.ctx, [{ name: "sensorsDropped", event: { sensorIds: [one.id] } }]);
  await until("dropped", () => !one.client.connected);
  const again = await connectAt(reply, world.port());
  await again.up("state", birth("s2"));
  await again.heard("desired");
  expect(countOf(again, "cmd")).toBe(1);
  relay.stop();
  await api.stop();
});

test("DE-01 a gateway that starts neither claims nor pings sensors of another one", async () => {
  const one = await connectAt(await world.enrol(), other.port);
  await one.up("state", birth("s1"));
  await isOnline(one.id);
  await world.restart();
  ends.push(serveRelayedCalls(world.ctx, world.running()));
  for (let n = 0; n < 3; n += 1) await pass(world, world.running(), 5 * minute);
  expect(await isConnected(one.id)).toBe(true);
  await one.up("reported", { rev: 1 });
  expect(countOf(one, "rpc")).toBe(0);
});

test("DE-01 sensors of a killed gateway that do not come back are reported lost by another one", async () => {
  const killed = await world.startBeside();
  const [lost, moved] = [
    await connectAt(await world.enrol(), killed.port),
    await connectAt(await world.enrol(), killed.port),
  ];
  for (const one of [lost, moved]) {
    await one.up("state", birth("s1"));
    await isOnline(one.id);
  }
  // As after kill -9: nothing is written, and the lease ends.
  await killed.kill();
  const leave = sql`update gateway set alive_until = now() where id = ${gatewayOf(killed).gatewayId}::uuid`;
  await leave.execute(world.ctx.db);
  const back = await world.connect({ sensorId: moved.id, mqtt: credentialOf(moved) } as EnrolReply, {}, other.port);
  open.push(back);
  await back.up("state", birth("s2"));
  await Promise.all([world.running().renewLease(), gatewayOf(other).renewLease()]);
  await pass(world, world.running(), 30_000);
  await pass(other, gatewayOf(other), 30_000);
  expect([await isConnected(lost.id), await isConnected(moved.id)]).toEqual([true, true]);
  await pass(world, world.running(), 31_000);
  await pass(other, gatewayOf(other), 31_000);
  expect([await isConnected(lost.id), await isConnected(moved.id)]).toEqual([false, true]);
});

test("DE-01 a gateway whose lease ended while it hung keeps its sensors", async () => {
  const one = await connectAt(await world.enrol(), other.port);
  await one.up("state", birth("s1"));
  await isOnline(one.id);
  const number = await numberOf(one.id);
  await sql`update gateway set alive_until = now() where id = ${gatewayOf(other).gatewayId}::uuid`.execute(
    world.ctx.db,
  );
  await world.running().renewLease();
  await gatewayOf(other).renewLease();
  expect(await numberOf(one.id)).toBe(number + 1);
  await until("the other forgot it", async () => {
    await pass(world, world.running(), 2 * minute);
    return isConnected(one.id);
  });
  await pass(world, world.running(), 2 * minute);
  expect([await isConnected(one.id), one.client.connected]).toEqual([true, true]);
});

test("DE-01 devices learn that the platform is away only from the last gateway", async () => {
  const stopping = await world.startBeside();
  const one = await connectAt(await world.enrol(), stopping.port);
  await one.client.subscribeAsync("sdp/1/_host/state", { qos: 1 });
  const states = () => one.got.filter(({ topic }) => topic.endsWith("_host/state")).map(({ json }) => json);
  await until("the state", () => states().length === 1);
  await stopping.stop();
  await until("closed", () => !one.client.connected);
  expect(states()).toMatchObject([{ online: true }]);
});

function credentialOf(device: Device): EnrolReply["mqtt"] {
  return { clientId: device.wire, username: device.wire, password: device.password } as EnrolReply["mqtt"];
}
