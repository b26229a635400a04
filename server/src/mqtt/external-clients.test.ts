// Connects a gateway to a scripted broker that refuses, goes away, or does not respond.
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mqttPacket, { type IConnectPacket, type Packet } from "mqtt-packet";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { readConfig } from "../config.ts";
import type { Context } from "../context.ts";
import { createMetrics } from "../kit/metrics.ts";
import { until } from "../testing/devices/device-world.ts";
import type { BrokerHandlers } from "./broker.ts";
import { createProvisioner } from "./dynamic-security.ts";
import { createExternalBroker } from "./external-broker.ts";
import { type BrokerLink, createPublisher } from "./external-clients.ts";

type Script = {
  /** Reason code of the CONNACK. */
  refuse?: (login: IConnectPacket) => number;
  /** Whether a packet is left without a response. */
  ignore?: (packet: Packet) => boolean;
};
type Session = { login: IConnectPacket; socket: Socket };

async function startBroker(script: Script) {
  const logins: IConnectPacket[] = [];
  const sessions = new Set<Session>();
  const version = { protocolVersion: 5 };
  const server = createServer((socket) => {
    const parser = mqttPacket.parser(version);
    const send = (packet: Packet) => void socket.write(mqttPacket.generate(packet, version));
    parser.on("packet", (packet: Packet) => {
      if (script.ignore?.(packet)) return;
      if (packet.cmd === "connect") {
        logins.push(packet);
        const reasonCode = script.refuse?.(packet) ?? 0;
        send({ cmd: "connack", reasonCode, sessionPresent: false });
        if (reasonCode !== 0) return void socket.end();
        const session = { login: packet, socket };
        sessions.add(session);
        socket.on("close", () => sessions.delete(session));
      }
      const messageId = packet.messageId ?? 0;
      if (packet.cmd === "subscribe") send({ cmd: "suback", messageId, granted: packet.subscriptions.map(() => 1) });
      if (packet.cmd === "publish" && packet.qos === 1) send({ cmd: "puback", messageId, reasonCode: 0 });
      if (packet.cmd === "disconnect") socket.end();
    });
    socket.on("data", (bytes: Buffer) => void parser.parse(bytes));
    socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((go) => server.listen(0, "127.0.0.1", go));
  onTestFinished(() => {
    server.close();
    for (const { socket } of sessions) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, logins, sessions };
}

async function createGateway(script: Script, env: Record<string, string> = {}) {
  const broker = await startBroker(script);
  const dataDir = mkdtempSync(join(tmpdir(), "psp-links-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const config = readConfig({
    DATABASE_URL: "postgres://someone@127.0.0.1/none",
    DATA_DIR: dataDir,
    MQTT_URL: `mqtt://gateway:0123456789abcdef@127.0.0.1:${broker.port}`,
    ...env,
  });
  const metrics = createMetrics();
  const ctx = { config, log: pino({ level: "silent" }), metrics } as Context;
  const provisioner = createProvisioner(ctx);
  const gateway = createExternalBroker(ctx, provisioner, "test");
  onTestFinished(async () => {
    gateway.prepareStop?.();
    await gateway.stop();
    await provisioner?.stop();
  });
  const links: boolean[] = [];
  const start = () => gateway.start({ onLink: (isFirst) => void links.push(isFirst) } as BrokerHandlers);
  const connected = async () => (await metrics.brokerConnected.get()).values.map(({ value }) => value);
  return { ...broker, gateway, start, links, connected };
}

const overHttp = { MQTT_AUTH: "http", MQTT_AUTH_SECRET: "s".repeat(32) };
const control = 1;
const gatewayLinks = 17;

test("a broker that is cut off is noticed within 15 s by every connection of a gateway", async () => {
  const { gateway, start, logins, links } = await createGateway({});
  await start();
  expect(gateway.isReady()).toBe(true);
  expect(links).toEqual([true]);
  gateway.readRetained?.();
  await until("the reader", () => logins.length === gatewayLinks + control + 1);
  expect(new Set(logins.map(({ keepalive }) => keepalive))).toEqual(new Set([10]));
});

test.each([0x84, 0x85, 0x86, 0x87, 0x8a, 0x8c])("a login that is refused with %i stops the start", async (reason) => {
  const { gateway, start } = await createGateway({ refuse: () => reason });
  await expect(start()).rejects.toThrow("MQTT_URL can't be used: Connection refused");
  expect(gateway.isReady()).toBe(false);
});

test.each([
  [0x88, {}],
  [0x89, {}],
  [0x97, {}],
  // The broker asks this product, whose database may be away.
  [0x87, overHttp],
])("a login that is refused with %i for now does not stop the start: %j", async (reason, env) => {
  let isRefusing = true;
  const { gateway, start, links, connected } = await createGateway({ refuse: () => (isRefusing ? reason : 0) }, env);
  await start();
  expect(gateway.isReady()).toBe(false);
  expect(await connected()).toEqual([0]);
  isRefusing = false;
  await until("ready", () => gateway.isReady());
  expect(links).toEqual([true]);
  expect(await connected()).toEqual([1]);
});

test.each([
  ["a listener", (id: string) => id === "psp-gw-test-7"],
  ["the one that publishes", (id: string) => id === "psp-gw-test"],
  ["the control connection", (id: string) => !id.startsWith("psp-gw-")],
])("a gateway without one of its connections is not ready: %s", async (_, isIt) => {
  const refused = new Set<string>();
  const { gateway, start, links, connected, sessions } = await createGateway({
    refuse: ({ clientId }) => (refused.has(clientId) ? 0x88 : 0),
  });
  await start();
  const [lost] = [...sessions].filter(({ login }) => isIt(login.clientId));
  refused.add(lost?.login.clientId ?? "");
  lost?.socket.destroy();
  await until("not ready", () => !gateway.isReady());
  expect(await connected()).toEqual([0]);
  refused.clear();
  await until("ready again", () => gateway.isReady());
  expect(await connected()).toEqual([1]);
  expect(links).toEqual([true, false]);
});

test("a gateway is not ready before it has subscribed", async () => {
  let isSilent = true;
  const { gateway, start, sessions } = await createGateway({ ignore: ({ cmd }) => isSilent && cmd === "subscribe" });
  const starting = start();
  await until("connected", () => sessions.size === gatewayLinks + control);
  expect(gateway.isReady()).toBe(false);
  isSilent = false;
  for (const { socket } of sessions) socket.destroy();
  await starting;
  await until("ready", () => gateway.isReady());
});

const message = ["sdp/1/0016280a0001/dn/desired", "{}", { qos: 1, retain: true }] as const;

test("a gateway whose broker is away stops, and its publications fail", async () => {
  let isAway = false;
  const { gateway, start, sessions } = await createGateway({ refuse: () => (isAway ? 0x88 : 0) });
  await start();
  isAway = true;
  for (const { socket } of sessions) socket.destroy();
  await until("not ready", () => !gateway.isReady());
  const sent = gateway.publish(...message).catch((error: Error) => error.message);
  gateway.prepareStop?.();
  expect(await sent).toBe("the outside broker is away");
  await expect(gateway.publish(...message)).rejects.toThrow("the outside broker is away");
  await gateway.stop();
});

test("a gateway that stops slowly still publishes while its broker responds", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const client = { publish: (...[, , , respond]: [unknown, unknown, unknown, () => void]) => respond() };
  const { publish, limitWait } = createPublisher(() => ({ client }) as unknown as BrokerLink);
  limitWait(2_000);
  await publish(...message);
  vi.advanceTimersByTime(10_000);
  await publish(...message);
});

test("a gateway whose broker does not respond stops, and its publications fail", async () => {
  let isFrozen = false;
  const { gateway, start } = await createGateway({ ignore: () => isFrozen });
  await start();
  isFrozen = true;
  const sent = gateway.publish(...message).catch((error: Error) => error.message);
  gateway.prepareStop?.();
  expect(await sent).toBe("the outside broker is away");
  await gateway.stop();
});
