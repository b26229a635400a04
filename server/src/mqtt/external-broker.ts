// Connects to an external broker cluster as a client, shares device messages with other gateways, and acknowledges after the commit.
import { hostStateTopic, parseUpTopic, topicRoot, upKinds, upTopic } from "@psp/contract/device/device-topics.ts";
import { wireId as toWireId } from "@psp/contract/kit/ids.ts";
import type { IPublishPacket } from "mqtt";
import type { Context } from "../context.ts";
import { type Broker, type BrokerHandlers } from "./broker.ts";
import { brokerVersionTopic } from "./device-access.ts";
import type { Provisioner } from "./dynamic-security.ts";
import { delayAcknowledgements } from "./delayed-acknowledgements.ts";
import { type BrokerLink, createLinks, createPublisher, createRetainedReader, takeOver } from "./external-clients.ts";
import { parsePayload } from "./payload.ts";

const listeners = 16;
/** Maximum unacknowledged messages per client. Further messages wait in the broker, not in this process. */
const receiveMaximum = 20;
/** Responses to requests are not shared: the topic names the gateway that waits. */
const sharedFilters = upKinds.filter((kind) => kind !== "rpc").map((kind) => `$share/gw/${topicRoot}/+/up/${kind}`);

/** Only the embedded broker knows the sessions of devices. */
const deviceGauge = "psp_devices_connected";
/** How long publications wait for a broker that does not respond when the process stops. */
const lastPublishMs = 2_000;

/** `gatewayId` is unique among all gateways, and the end of the topics to which devices respond. */
export function createExternalBroker(ctx: Context, provisioner: Provisioner | null, gatewayId: string): Broker {
  const instance = `psp-gw-${gatewayId}`;
  const openLink = createLinks(ctx);
  const { publish, limitWait } = createPublisher(() => speaker);
  let own: BrokerLink[] = [];
  let all: BrokerLink[] = [];
  let speaker: BrokerLink | null = null;
  let handlers: BrokerHandlers | null = null;
  let wasUp = false;
  let hasBeenUp = false;

  async function receive(topic: string, payload: Buffer, packet?: IPublishPacket, isRetained = false): Promise<void> {
    const parsed = parseUpTopic(topic);
    // An empty message only deletes a retained one.
    if (!parsed || !handlers || payload.length === 0) return;
    const correlation = packet?.properties?.correlationData ?? null;
    await handlers.onMessage({ wireId: toWireId(parsed.sensorId), topic, payload, correlation, isRetained });
  }

  const retained = createRetainedReader(
    ctx,
    `${instance}-r`,
    (topic, payload) => void receive(topic, payload, undefined, true),
  );

  /** Opens a member of the shared subscriptions. */
  function listen(index: number): BrokerLink {
    const link = openLink("listener", sharedFilters, {
      clientId: `${instance}-${index}`,
      properties: { receiveMaximum },
    });
    delayAcknowledgements(
      link.client,
      async (topic, payload, packet) => {
        // Mosquitto before 2.0.13 repeats retained messages to shared subscriptions.
        if (packet.retain) return;
        await measureAcknowledgement(ctx, topic, packet, () => receive(topic, payload, packet));
      },
      (error, topic) => ctx.log.error({ err: error, topic }, "a device message failed"),
    );
    return link;
  }

  function onSpeakerMessage(topic: string, payload: Buffer, packet: IPublishPacket) {
    if (topic === brokerVersionTopic) return warnOfOldVersion(ctx, payload.toString());
    if (topic !== hostStateTopic) return void receive(topic, payload, packet);
    const state = parsePayload(payload)?.value as { online?: unknown } | null | undefined;
    if (state?.online === false) handlers?.onHostOffline();
  }

  /** Opens the link that publishes, and receives responses and the state of the host. */
  function speak(): BrokerLink {
    const link = openLink("speaker", [`${topicRoot}/+/up/rpc/${gatewayId}`, hostStateTopic], { clientId: instance });
    link.client.on("message", onSpeakerMessage);
    link.client.on("connect", () => link.client.subscribe(brokerVersionTopic, { qos: 0 }, () => undefined));
    return link;
  }

  const isUp = () => all.length > 0 && all.every((link) => link.isUp());

  /** Messages may have found no subscription until all links are up again. */
  function onLinkChange() {
    if (isUp() === wasUp) return;
    wasUp = !wasUp;
    ctx.metrics.brokerConnected.set({ broker: "external" }, wasUp ? 1 : 0);
    if (!wasUp) return;
    handlers?.onLink(!hasBeenUp);
    hasBeenUp = true;
  }

  return {
    async start(handler) {
      handlers = handler;
      ctx.metrics.brokerConnected.set({ broker: "external" }, 0);
      ctx.metrics.registry.removeSingleMetric(deviceGauge);
      speaker = speak();
      own = [speaker, ...Array.from({ length: listeners }, (_, index) => listen(index))];
      all = provisioner ? [...own, provisioner.link] : own;
      for (const link of all) link.watch(onLinkChange);
      await Promise.all(all.map((link) => link.tried));
    },
    publish,
    async disconnect(wireId) {
      await (provisioner ? provisioner.kick(wireId) : takeOver(ctx, wireId));
      if (speaker === null) return;
      for (const kind of ["state", "reported"] as const)
        await publish(upTopic(wireId, kind), "", { qos: 1, retain: true });
    },
    isConnected: () => null,
    addressOf: () => null,
    isReady: isUp,
    readRetained: retained.read,
    prepareStop: () => limitWait(speaker?.isUp() ? lastPublishMs : 0),
    async stop() {
      await retained.stop();
      await Promise.all(own.map((link) => link.stop()));
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
