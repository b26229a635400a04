// Connects to an external broker cluster as a client, shares device messages with other gateways, and acknowledges after the commit.
import { hostStateTopic, parseUpTopic, topicRoot, upKinds, upTopic } from "@psp/contract/device/device-topics.ts";
import { wireId as toWireId } from "@psp/contract/kit/ids.ts";
import { connect, type IClientOptions, type IPublishPacket, type MqttClient } from "mqtt";
import type { Context } from "../context.ts";
import { type Broker, type BrokerHandlers, toMqttProperties } from "./broker.ts";
import { brokerVersionTopic } from "./device-access.ts";
import type { Provisioner } from "./dynamic-security.ts";
import { delayAcknowledgements } from "./delayed-acknowledgements.ts";
import { parsePayload } from "./payload.ts";
import { createRetainedReader } from "./retained-states.ts";

const listeners = 16;
/** Maximum unacknowledged messages per client. Further messages wait in the broker, not in this process. */
const receiveMaximum = 20;
/** Responses to requests are not shared: the topic names the gateway that waits. */
const sharedFilters = upKinds.filter((kind) => kind !== "rpc").map((kind) => `$share/gw/${topicRoot}/+/up/${kind}`);

const commonOptions = { protocolVersion: 5, clean: true, reconnectPeriod: 1000, connectTimeout: 10_000 } as const;

/** `gatewayId` is unique among all gateways, and the end of the topics to which devices respond. */
export function createExternalBroker(ctx: Context, provisioner: Provisioner | null, gatewayId: string): Broker {
  const url = ctx.config.mqtt.url ?? "";
  const instance = `psp-gw-${gatewayId}`;
  const members: MqttClient[] = [];
  let client: MqttClient | null = null;
  let handlers: BrokerHandlers | null = null;
  let isStopping = false;
  const base: IClientOptions = { ...commonOptions, ...ctx.config.mqtt.urlTls };
  const connectOnce = (clientId: string) => connect(url, { ...base, clientId, reconnectPeriod: 0 });

  function watch(one: MqttClient, what: string) {
    one.on("error", (error) => ctx.log.warn({ err: error }, `${what}: the outside broker refuses`));
    one.on("offline", () => ctx.log.warn(`${what}: the outside broker is away`));
  }

  async function receive(topic: string, payload: Buffer, packet?: IPublishPacket, isRetained = false): Promise<void> {
    const parsed = parseUpTopic(topic);
    if (!parsed || !handlers) return;
    const correlation = packet?.properties?.correlationData ?? null;
    await handlers.onMessage({ wireId: toWireId(parsed.sensorId), topic, payload, correlation, isRetained });
  }

  const retained = createRetainedReader(
    () => {
      const reader = connectOnce(`${instance}-r`);
      watch(reader, "retained states");
      return reader;
    },
    (topic, payload) => void receive(topic, payload, undefined, true),
  );

  /** Connects a member of the shared subscriptions. */
  async function listen(index: number): Promise<MqttClient> {
    const one = connect(url, { ...base, clientId: `${instance}-${index}`, properties: { receiveMaximum } });
    delayAcknowledgements(
      one,
      async (topic, payload, packet) => {
        // Mosquitto before 2.0.13 repeats retained messages to shared subscriptions.
        if (packet.retain) return;
        await measureAcknowledgement(ctx, topic, packet, () => receive(topic, payload, packet));
      },
      (error, topic) => ctx.log.error({ err: error, topic }, "a device message failed"),
    );
    watch(one, "gateway");
    members.push(one);
    await connected(one);
    await one.subscribeAsync(sharedFilters, { qos: 1 });
    return one;
  }

  function onSpeakerMessage(topic: string, payload: Buffer, packet: IPublishPacket) {
    if (topic === brokerVersionTopic) return warnOfOldVersion(ctx, payload.toString());
    if (topic !== hostStateTopic) return void receive(topic, payload, packet);
    const state = parsePayload(payload)?.value as { online?: unknown } | null | undefined;
    if (state?.online === false) handlers?.onHostOffline();
  }

  /** Connects the client that publishes, and receives responses and the state of the host. */
  async function speak(): Promise<void> {
    const speaker = reportConnection(ctx, connect(url, { ...base, clientId: instance }));
    client = speaker;
    watch(speaker, "gateway");
    speaker.on("message", onSpeakerMessage);
    await connected(speaker);
    await speaker.subscribeAsync([`${topicRoot}/+/up/rpc/${gatewayId}`, hostStateTopic], { qos: 1 });
    speaker.subscribe(brokerVersionTopic, { qos: 0 }, () => undefined);
  }

  return {
    async start(handler) {
      handlers = handler;
      await speak();
      await Promise.all(Array.from({ length: listeners }, (_, index) => listen(index)));
      handler.onLink(true);
      const all = [...members, ...(client ? [client] : [])];
      // Messages may have found no subscription until all are connected again.
      for (const one of all) one.on("connect", () => void (all.every(isConnected) && handler.onLink(false)));
    },
    async publish(topic, payload, delivery) {
      if (!client) throw new Error("not started");
      const { qos, retain = false } = delivery;
      await client.publishAsync(topic, Buffer.from(payload), { qos, retain, properties: toMqttProperties(delivery) });
    },
    async disconnect(wireId) {
      await (provisioner ? provisioner.kick(wireId) : takeOver(connectOnce(wireId)));
      for (const kind of ["state", "reported"] as const)
        await client?.publishAsync(upTopic(wireId, kind), "", { qos: 1, retain: true });
    },
    isConnected: () => null,
    addressOf: () => null,
    isReady: () => !isStopping && client?.connected === true && members.some((one) => one.connected),
    readRetained: retained.read,
    async stop() {
      isStopping = true;
      await retained.stop();
      await Promise.all(members.map((one) => one.endAsync()));
      await client?.endAsync();
    },
  };
}

async function measureAcknowledgement(
  { metrics }: Context,
  topic: string,
  { qos }: IPublishPacket,
  handle: () => Promise<void>,
): Promise<void> {
  const done = metrics.acknowledgedSeconds.startTimer({ kind: parseUpTopic(topic)?.kind ?? "other" });
  await handle();
  if (qos === 1) done();
}

/** Any MQTT 5 broker ends the session of a client when another one connects with the same client id (3.1.4). */
async function takeOver(other: MqttClient): Promise<void> {
  try {
    await connected(other);
  } finally {
    await other.endAsync();
  }
}

function reportConnection({ metrics }: Context, client: MqttClient): MqttClient {
  const set = (value: 0 | 1) => metrics.brokerConnected.set({ broker: "external" }, value);
  set(0);
  client.on("connect", () => set(1));
  client.on("close", () => set(0));
  return client;
}

function connected(client: MqttClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once("connect", () => resolve());
    client.once("error", reject);
    if (client.options.reconnectPeriod === 0)
      client.once("close", () => reject(new Error("no connection to the broker")));
  });
}

const isConnected = ({ connected: is }: MqttClient) => is;

function warnOfOldVersion({ log }: Context, version: string) {
  if (repeatsRetained(version))
    log.warn({ version }, "this Mosquitto repeats retained messages; update it to 2.0.13 or newer");
}

/** Whether this version of Mosquitto repeats retained messages to shared subscriptions. False for other brokers. */
export function repeatsRetained(version: string): boolean {
  const match = /mosquitto version (\d+)\.(\d+)\.(\d+)/i.exec(version);
  if (!match) return false;
  const [major = 0, minor = 0, patch = 0] = match.slice(1).map(Number);
  return major < 2 || (major === 2 && minor === 0 && patch < 13);
}
