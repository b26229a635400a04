// Checks that the embedded broker announces its own limits and respects those of the device (MQTT 5, 3.2.2 and 4.9).
import { downFilter, downTopic } from "@psp/contract/device/device-topics.ts";
import { connect } from "mqtt";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import type { Context } from "../context.ts";
import { createMetrics } from "../kit/metrics.ts";
import { openRawSocket, packetsIn, rawPackets, type RawSocket } from "../testing/devices/raw-mqtt.ts";
import { createEmbeddedBroker } from "./embedded-broker.ts";

type Broker = Awaited<ReturnType<typeof createEmbeddedBroker>>;
let broker: Broker;
const open: RawSocket[] = [];

beforeAll(async () => {
  const config = readConfig({
    HOST: "127.0.0.1",
    PORT: "0",
    MQTT_PORT: "0",
    DEMO: "off",
    DATA_DIR: "/nowhere",
    ...secrets,
  });
  const ctx = { config, metrics: createMetrics(), log: pino({ level: "silent" }) } as unknown as Context;
  broker = await createEmbeddedBroker(ctx);
  await broker.start({
    authenticate: async () => true,
    isAdmitted: () => true,
    onLink: () => undefined,
    onHostOffline: () => undefined,
    onMessage: async () => undefined,
    onDisconnect: () => undefined,
    onTakeover: () => undefined,
    onOffense: () => undefined,
  });
});
afterAll(async () => {
  for (const { socket } of open) socket.destroy();
  await broker.stop();
});

const secrets = Object.fromEntries(
  ["SESSION_SECRET", "FIRMWARE_SIGNING_KEY", "DISPLAY_PRIVATE_KEY"].map((name) => [name, "0123456789abcdef".repeat(4)]),
);
let last = 0;
const freshId = () => (last += 1).toString(16).padStart(12, "0");
const keptHour = [0x11, 0, 0, 0x0e, 0x10];
const receiveMaximum = (n: number) => [0x21, n >> 8, n & 255];

async function device(id: string, options: Parameters<typeof rawPackets.connect>[2]): Promise<RawSocket> {
  const socket = await openRawSocket(broker.port());
  open.push(socket);
  socket.send(rawPackets.connect(id, "x", options));
  await expect.poll(() => packetsIn(socket.received()).length).toBeGreaterThan(0);
  return socket;
}
async function subscribe(socket: RawSocket, filter: string): Promise<void> {
  socket.send(rawPackets.subscribe(filter));
  await expect.poll(() => packetsIn(socket.received()).some(({ head }) => head === 0x90)).toBe(true);
}
function messages(socket: RawSocket): { id: number; payload: string }[] {
  return packetsIn(socket.received())
    .filter(({ head }) => (head & 0xf6) === 0x32)
    .map(({ body }) => {
      const at = 2 + body.readUInt16BE(0);
      const propertiesLength = body[at + 2] ?? 0;
      return { id: body.readUInt16BE(at), payload: body.subarray(at + 3 + propertiesLength).toString() };
    });
}
const send = async (id: string, names: readonly string[], retain = false) => {
  for (const name of names) await broker.publish(downTopic(id, "cmd"), name, { qos: 1, retain });
};
/** Waits for a QoS 0 message, which arrives after everything that may be sent. */
async function settled(socket: RawSocket, id: string): Promise<void> {
  const name = `barrier ${(last += 1)}`;
  await broker.publish(downTopic(id, "desired"), name, { qos: 0 });
  await expect.poll(() => socket.received().includes(name)).toBe(true);
}
const names = ["a", "b", "c", "d", "e", "f"];
const payloads = (socket: RawSocket) => messages(socket).map(({ payload }) => payload);
/** Acknowledges message by message, and checks that each acknowledgement releases the next message. */
async function takeAll(socket: RawSocket, id: string, inFlight: number): Promise<void> {
  for (let taken = 0; taken < names.length; taken += 1) {
    const due = Math.min(names.length, taken + inFlight);
    await expect.poll(() => messages(socket).length).toBe(due);
    await settled(socket, id);
    expect(payloads(socket)).toEqual(names.slice(0, due));
    socket.send(rawPackets.acknowledge(messages(socket)[taken]?.id ?? 0));
  }
}

test.each([1, 2, 5])("DE-01 a device with a window of %i never has more unacknowledged messages", async (max) => {
  for (const isKept of [false, true]) {
    const id = freshId();
    const properties = [...receiveMaximum(max), ...(isKept ? keptHour : [])];
    const socket = await device(id, { isKept, properties });
    await subscribe(socket, downFilter(id));
    await send(id, names);
    await takeAll(socket, id, max);
  }
});

test("DE-01 queued messages of a returning device come before new ones, within its window", async () => {
  const id = freshId();
  const options = { isKept: true, properties: [...receiveMaximum(1), ...keptHour] };
  const before = await device(id, options);
  await subscribe(before, downFilter(id));
  before.socket.destroy();
  await before.closed;
  await expect.poll(() => broker.isConnected(id)).toBe(false);
  await send(id, names.slice(0, 4));
  const socket = await device(id, options);
  await expect.poll(() => messages(socket).length).toBe(1);
  await send(id, names.slice(4));
  await takeAll(socket, id, 1);
});

test.each([false, true])("DE-01 a message that matches three subscriptions is sent once (kept: %s)", async (isKept) => {
  const id = freshId();
  const options = { isKept, properties: [...receiveMaximum(1), ...(isKept ? keptHour : [])] };
  const socket = await device(id, options);
  await subscribe(socket, downFilter(id));
  socket.send(rawPackets.subscribe(downTopic(id, "cmd"), 2));
  socket.send(rawPackets.subscribe(`sdp/1/${id}/dn/+`, 3));
  await expect.poll(() => packetsIn(socket.received()).filter(({ head }) => head === 0x90).length).toBe(3);
  await send(id, names);
  await takeAll(socket, id, 1);
  await settled(socket, id);
  socket.socket.destroy();
  await expect.poll(() => broker.isConnected(id)).toBe(false);
  const again = await device(id, options);
  await subscribe(again, downFilter(id));
  await settled(again, id);
  expect(payloads(again)).toEqual([]);
});

test("DE-01 retained messages count, and a device that never acknowledges is disconnected", async () => {
  const id = freshId();
  await send(id, ["kept"], true);
  const socket = await device(id, { properties: receiveMaximum(1) });
  await subscribe(socket, downFilter(id));
  await expect.poll(() => payloads(socket)).toEqual(["kept"]);
  await send(
    id,
    Array.from({ length: 64 }, (_, n) => `m${n}`),
  );
  await settled(socket, id);
  expect(payloads(socket)).toEqual(["kept"]);
  await send(id, ["one too many"]);
  await socket.closed;
});

test("DE-01 CONNACK announces Maximum QoS 1, as a stock client reads it", async () => {
  const id = freshId();
  const client = connect(`mqtt://127.0.0.1:${broker.port()}`, {
    protocolVersion: 5,
    reconnectPeriod: 0,
    clientId: id,
    username: id,
    password: "x",
  });
  const properties = await new Promise((resolve) =>
    client.once("connect", (connack) => resolve({ ...connack.properties })),
  );
  expect(properties).toMatchObject({ maximumQoS: 1, receiveMaximum: 20, sharedSubscriptionAvailable: false });
  await client.endAsync(true);
  const stranger = await openRawSocket(broker.port());
  open.push(stranger);
  stranger.send(rawPackets.connect("NO", "x"));
  await stranger.closed;
  expect([...stranger.received().subarray(0, 1)]).toEqual([0x20]);
});
