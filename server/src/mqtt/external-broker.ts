// Connects to an external broker cluster as a client, shares device messages with other processes, and acknowledges after the commit.
import { hostname } from "node:os";
import { hostStateTopic, parseUpTopic, topicRoot, upTopic } from "@psp/contract/device/device-topics.ts";
import { wireId as toWireId } from "@psp/contract/kit/ids.ts";
import { connect, type IClientOptions, type MqttClient } from "mqtt";
import type { Context } from "../context.ts";
import { type Broker, type BrokerHandlers, toMqttProperties } from "./broker.ts";
import type { Provisioner } from "./dynamic-security.ts";

/** The client library processes one message at a time until it is acknowledged, so this many clients share the work. */
const listeners = 32;
/** Maximum unacknowledged messages per client. Further messages wait in the broker, not in this process. */
const receiveMaximum = 20;
const retainedMs = 10_000;

export function createExternalBroker(ctx: Context, provisioner: Provisioner | null): Broker {
  const url = ctx.config.mqtt.url ?? "";
  const instance = `psp-gw-${hostname()
    .replaceAll(/[^\w-]/g, "")
    .slice(0, 20)}-${process.pid}-${Date.now().toString(36)}`;
  const members: MqttClient[] = [];
  let client: MqttClient | null = null;
  let snapshot: MqttClient | null = null;

  const base: IClientOptions = { protocolVersion: 5, clean: true, reconnectPeriod: 1000, connectTimeout: 10_000 };

  function watch(one: MqttClient, what: string) {
    one.on("error", (error) => ctx.log.warn({ err: error }, `${what}: the outside broker refuses`));
    one.on("offline", () => ctx.log.warn(`${what}: the outside broker is away`));
  }

  function receive(
    handlers: BrokerHandlers,
    topic: string,
    payload: Buffer,
    correlation: Buffer | undefined,
  ): Promise<void> {
    const parsed = parseUpTopic(topic);
    if (!parsed) return Promise.resolve();
    return handlers.onMessage({ wireId: toWireId(parsed.sensorId), topic, payload, correlation: correlation ?? null });
  }

  /** Connects a member of the shared subscription. `answer` sends the PUBACK after the commit. */
  async function listen(handlers: BrokerHandlers, index: number): Promise<MqttClient> {
    const one = connect(url, {
      ...base,
      clientId: `${instance}-${index}`,
      properties: { receiveMaximum },
      customHandleAcks: (topic, message, packet, answer) => {
        receive(handlers, topic, message, packet.properties?.correlationData).then(
          () => answer(0),
          (error: unknown) => {
            ctx.log.error({ err: error, topic }, "a device message failed");
            // 0x80 means an unspecified error, so the device sends these records again.
            answer(0x80);
          },
        );
      },
    });
    one.on("message", (topic, message, packet) => {
      // `customHandleAcks` is not called for QoS 0 messages.
      if (packet.qos === 0) void receive(handlers, topic, message, packet.properties?.correlationData);
    });
    watch(one, "gateway");
    members.push(one);
    await connected(one);
    await one.subscribeAsync(`$share/gw/${topicRoot}/+/up/#`, { qos: 1 });
    return one;
  }

  return {
    async start(handlers) {
      const offline = JSON.stringify({ online: false, ts: ctx.clock.now() });
      const speaker = connect(url, {
        ...base,
        clientId: instance,
        will: { topic: hostStateTopic, payload: Buffer.from(offline), qos: 1, retain: true },
      });
      watch(speaker, "gateway");
      client = speaker;
      await connected(speaker);
      await Promise.all(Array.from({ length: listeners }, (_, index) => listen(handlers, index)));
      snapshot = readRetainedBirths(handlers);
    },
    async publish(topic, payload, delivery) {
      if (!client) throw new Error("not started");
      const { qos, retain = false } = delivery;
      await client.publishAsync(topic, Buffer.from(payload), { qos, retain, properties: toMqttProperties(delivery) });
    },
    async disconnect(wireId) {
      await provisioner?.kick(wireId);
      for (const kind of ["state", "reported"] as const) {
        await client?.publishAsync(upTopic(wireId, kind), "", { qos: 1, retain: true });
      }
    },
    isConnected: () => null,
    async stop() {
      await snapshot?.endAsync(true);
      await Promise.all(members.map((one) => one.endAsync()));
      await client?.endAsync();
    },
  };

  /** Shared subscriptions get no retained messages, so a separate client reads the retained births of connected devices once. */
  function readRetainedBirths(handlers: BrokerHandlers): MqttClient {
    const reader = connect(url, { ...base, clientId: `${instance}-r`, reconnectPeriod: 0 });
    watch(reader, "retained births");
    reader.on("connect", () => reader.subscribe(`${topicRoot}/+/up/state`, { qos: 0 }, () => undefined));
    reader.on("message", (topic, payload, packet) => {
      if (packet.retain && payload.length > 0) void receive(handlers, topic, payload, undefined);
    });
    setTimeout(() => void reader.endAsync(true), retainedMs).unref();
    return reader;
  }
}

function connected(client: MqttClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once("connect", () => resolve());
    client.once("error", reject);
  });
}
