// Extends aedes, the embedded broker, with the limits and the delayed acknowledgement that it lacks.
import type { Server as HttpServer } from "node:http";
import type { Duplex } from "node:stream";
import { protocolLimits } from "@psp/contract/device/device-topics.ts";
import { Aedes, type Client, type PublishPacket } from "aedes";
import type { Context } from "../context.ts";
import { type Broker, type BrokerHandlers, type Delivery, toMqttProperties, reasonCodes } from "./broker.ts";
import { announceMaximumQos } from "./connack.ts";
import { canPublish, canReceive, canSubscribe } from "./device-access.ts";
import { createDeviceListeners } from "./device-listeners.ts";
import { createDeviceLogin } from "./device-login.ts";
import { createDeviceConnection, createMessageIntake, type DeviceConnection } from "./message-intake.ts";
import { attachOutgoingWindow, type OutgoingWindow, type BrokerClient } from "./outgoing-window.ts";
import { createSessionMemory, maxQueuedMessages } from "./session-memory.ts";
import { attachReadControl, type ReadControl } from "./read-control.ts";

const maxOffenses = 50;
const brokerLimits = {
  // Disables the broker's queue: it drains by nested calls, and ten thousand simultaneous reports would overflow the stack.
  concurrency: 0,
  /** Seconds; also applies to devices without a keep-alive. */
  keepaliveLimit: 300,
  maximumPacketSize: protocolLimits.packetBytes,
  receiveMaximum: protocolLimits.receiveMaximum,
  sessionExpiryIntervalLimit: protocolLimits.sessionExpiryS,
  pendingSessionsLimit: 100_000,
  maxTopicLevels: 8,
  maxClientsIdLength: 12,
};

type Connection = { readControl: ReadControl; window: OutgoingWindow; remoteAddress: string | undefined };

/** `connectTimeoutMs`: time limit for the CONNECT packet. */
export async function createEmbeddedBroker(ctx: Context, connectTimeoutMs = 10_000) {
  const links = new WeakMap<Client, DeviceConnection>();
  const connections = new WeakMap<object, Connection>();
  const clients = new Map<string, Client>();
  let guard: BrokerHandlers | null = null;
  let stopping = false;

  const addressOf = (client: Client) => connections.get(client)?.remoteAddress ?? "unknown";
  function reportTakeover(client: Client) {
    const former = clients.get(client.id);
    if (former && !former.closed) guard?.onTakeover(client.id, addressOf(former), addressOf(client));
  }
  const intake = createMessageIntake(ctx);
  const memory = createSessionMemory((client) => connections.get(client)?.window);
  const aedes = await Aedes.createBroker({
    ...brokerLimits,
    ...createDeviceLogin(ctx, () => guard, addressOf, reportTakeover),
    persistence: memory.persistence,
    connectTimeout: connectTimeoutMs,
    authorizePublish(client, packet, goOn) {
      const link = client && links.get(client);
      if (!client || !link || !guard) return goOn(new Error("not connected"));
      if (!canPublish(link.wireId, packet.topic)) {
        countOffense(guard, client, link, "publish");
        return goOn(new Error("not authorized"));
      }
      if (packet.qos === 2) return client.disconnect({ reasonCode: reasonCodes.qosNotSupported });
      intake.accept(client, link, packet, guard).then(() => goOn(), goOn);
    },
    authorizeSubscribe(client, subscription, done) {
      // A persistent session is restored before the CONNACK, when there is no link yet. The client id is already authenticated.
      const link = links.get(client);
      const allowed = canSubscribe(client.id, subscription.topic);
      if (link && !allowed) countOffense(guard, client, link, "subscribe");
      done(null, allowed ? subscription : null);
    },
    authorizeForward: (client, packet) => (canReceive(client.id, packet.topic) ? packet : null),
  });

  aedes.on("connackSent", (packet, client) => {
    const connection = connections.get(client);
    if (packet.reasonCode !== 0 || client.closed || !connection) return;
    if (!guard?.isAdmitted(client.id)) return client.disconnect({ reasonCode: reasonCodes.sessionTakenOver });
    links.set(client, createDeviceConnection(client.id, connection.readControl));
    clients.set(client.id, client);
    ctx.metrics.devices.set(clients.size);
  });
  aedes.on("ack", (_packet, client) => connections.get(client)?.window.onPuback());
  aedes.on("clientDisconnect", (client) => {
    if (clients.get(client.id) !== client) return;
    clients.delete(client.id);
    ctx.metrics.devices.set(clients.size);
    if (!stopping) guard?.onDisconnect(client.id);
  });
  const logBrokerError = (err: unknown): void => ctx.log.error({ err }, "the embedded broker reports");
  // The type definitions lack this event, which reports errors of the broker's session memory. Without a listener, such an error would
  // end the process.
  (aedes as NodeJS.EventEmitter).on("error", logBrokerError);

  function acceptStream(stream: Duplex, remoteAddress: string | undefined) {
    const readControl = attachReadControl(stream);
    announceMaximumQos(stream);
    const client = aedes.handle(stream);
    const receiver = client as unknown as BrokerClient;
    const window = attachOutgoingWindow(receiver, (topic) => canReceive(client.id, topic), maxQueuedMessages);
    connections.set(client, { readControl, window, remoteAddress });
  }
  const listeners = createDeviceListeners(ctx.config, acceptStream, logBrokerError);

  return {
    async start(handler) {
      guard = handler;
      handler.onLink(true);
      await listeners.open();
    },
    attach: (server: HttpServer) => listeners.attach(server, () => guard !== null && !stopping),
    port: listeners.port,
    publish: (topic, payload, delivery) =>
      new Promise((resolve, reject) => {
        aedes.publish(packetOf(topic, payload, delivery), (error) => (error ? reject(error) : resolve()));
      }),
    async disconnect(wireId, reasonCode) {
      const client = clients.get(wireId);
      if (client) await new Promise<void>((done) => client.disconnect({ reasonCode }, done));
      await memory.forget(wireId);
    },
    isConnected: (wireId) => clients.has(wireId),
    addressOf: (wireId) => connections.get(clients.get(wireId) ?? {})?.remoteAddress ?? null,
    isReady: () => guard !== null && !stopping,
    async stop() {
      stopping = true;
      const closed = listeners.close();
      await new Promise<void>((done) => aedes.close(done));
      await closed;
      ctx.metrics.devices.set(0);
    },
  } satisfies Broker & Record<"attach" | "port", unknown>;
}

function countOffense(guard: BrokerHandlers | null, client: Client, link: DeviceConnection, what: string) {
  guard?.onOffense(link.wireId, what);
  link.offenses += 1;
  if (link.offenses === maxOffenses) client.disconnect({ reasonCode: reasonCodes.notAuthorized });
}

function packetOf(topic: string, payload: string | Buffer, delivery: Delivery): PublishPacket {
  const { qos, retain = false } = delivery;
  const properties = toMqttProperties(delivery);
  return { cmd: "publish", topic, payload: Buffer.from(payload), qos, retain, dup: false, properties };
}
