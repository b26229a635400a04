// The broker inside the process: aedes behind the port, with the limits and the late acknowledgement that it lacks.
import type { Server as HttpServer } from "node:http";
import type { Duplex } from "node:stream";
import { limits } from "@psp/contract/device/device-topics.ts";
import { Aedes, type Client, type PublishPacket } from "aedes";
import type { Context } from "../context.ts";
import { type Broker, type BrokerGuard, type Delivery, propertiesOf, reasons } from "./broker.ts";
import { announceMaximumQos } from "./connack.ts";
import { mayPublish, mayReceive, maySubscribe } from "./device-access.ts";
import { createDeviceListeners } from "./device-listeners.ts";
import { createDeviceLogin } from "./device-login.ts";
import { createLink, createMessageIntake, type Link } from "./message-intake.ts";
import { fitOutgoingWindow, type OutgoingWindow, type Receiver } from "./outgoing-window.ts";
import { createSessionMemory, maxQueue } from "./session-memory.ts";
import { fitValve, type Valve } from "./valve.ts";

const maxOffenses = 50;
const brokerLimits = {
  // No queue inside the broker: it empties one by nesting calls, and ten thousand sensors that all report on the full
  // five minutes would end the process with an overflowing stack.
  concurrency: 0,
  /** A device that asks for no keep-alive gets this one (seconds). */
  keepaliveLimit: 300,
  maximumPacketSize: limits.packetBytes,
  receiveMaximum: limits.receiveMaximum,
  sessionExpiryIntervalLimit: limits.sessionExpiryS,
  pendingSessionsLimit: 100_000,
  maxTopicLevels: 8,
  maxClientsIdLength: 12,
};

/** A client of the broker, with what the broker lacks. */
type Connection = { valve: Valve; window: OutgoingWindow; remoteAddress: string | undefined };

/** `connectTimeoutMs`: how long a connection may take to introduce itself. */
export async function createEmbeddedBroker(ctx: Context, connectTimeoutMs = 10_000) {
  const links = new WeakMap<Client, Link>();
  const connections = new WeakMap<object, Connection>();
  const clients = new Map<string, Client>();
  let guard: BrokerGuard | null = null;
  let stopping = false;

  const addressOf = (client: Client) => connections.get(client)?.remoteAddress ?? "unknown";
  function noteTakeover(client: Client) {
    const former = clients.get(client.id);
    if (former && !former.closed) guard?.onTakeover(client.id, addressOf(former), addressOf(client));
  }
  const intake = createMessageIntake(ctx);
  const memory = createSessionMemory((client) => connections.get(client)?.window);
  const aedes = await Aedes.createBroker({
    ...brokerLimits,
    ...createDeviceLogin(ctx, () => guard, noteTakeover),
    persistence: memory.persistence,
    connectTimeout: connectTimeoutMs,
    authorizePublish(client, packet, goOn) {
      const link = client && links.get(client);
      if (!client || !link || !guard) return goOn(new Error("not connected"));
      if (!mayPublish(link.wireId, packet.topic)) {
        offend(client, link, "publish");
        return goOn(new Error("not authorized"));
      }
      if (packet.qos === 2) return client.disconnect({ reasonCode: reasons.qosNotSupported });
      intake.accept(client, link, packet, guard).then(() => goOn(), goOn);
    },
    authorizeSubscribe(client, subscription, done) {
      // A kept session is restored before CONNACK, and so before there is a link; by then its id is proved.
      const link = links.get(client);
      const allowed = maySubscribe(client.id, subscription.topic);
      if (link && !allowed) offend(client, link, "subscribe");
      done(null, allowed ? subscription : null);
    },
    authorizeForward: (client, packet) => (mayReceive(client.id, packet.topic) ? packet : null),
  });

  function offend(client: Client, link: Link, what: string) {
    guard?.onOffense(link.wireId, what);
    link.offenses += 1;
    if (link.offenses === maxOffenses) client.disconnect({ reasonCode: reasons.notAuthorized });
  }

  aedes.on("connackSent", (packet, client) => {
    const connection = connections.get(client);
    if (packet.reasonCode !== 0 || client.closed || !connection) return;
    links.set(client, createLink(client.id, connection.valve));
    clients.set(client.id, client);
    ctx.metrics.devices.set(clients.size);
  });
  aedes.on("ack", (_packet, client) => connections.get(client)?.window.acknowledged());
  aedes.on("clientDisconnect", (client) => {
    if (clients.get(client.id) !== client) return;
    clients.delete(client.id);
    ctx.metrics.devices.set(clients.size);
    if (!stopping) guard?.onDisconnect(client.id);
  });
  const broken: (error: unknown) => void = (error) => ctx.log.error({ err: error }, "the embedded broker reports");
  // Not in the typings: failures of the broker's own memory. Without a listener they would end the process.
  (aedes as NodeJS.EventEmitter).on("error", broken);

  function take(stream: Duplex, remoteAddress: string | undefined) {
    const valve = fitValve(stream);
    announceMaximumQos(stream);
    const client = aedes.handle(stream);
    const receiver = client as unknown as Receiver;
    const window = fitOutgoingWindow(receiver, (topic) => mayReceive(client.id, topic), maxQueue);
    connections.set(client, { valve, window, remoteAddress });
  }
  const listeners = createDeviceListeners(ctx.config, take, broken);

  return {
    async start(handler) {
      guard = handler;
      await listeners.open();
    },
    /** Devices that can't open other ports connect with WebSocket at `/mqtt` of the HTTP server. */
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
    async stop() {
      stopping = true;
      const closed = listeners.close();
      await new Promise<void>((done) => aedes.close(done));
      await closed;
      ctx.metrics.devices.set(0);
    },
  } satisfies Broker & Record<"attach" | "port", unknown>;
}

function packetOf(topic: string, payload: string | Buffer, delivery: Delivery): PublishPacket {
  const { qos, retain = false } = delivery;
  const properties = propertiesOf(delivery);
  return { cmd: "publish", topic, payload: Buffer.from(payload), qos, retain, dup: false, properties };
}
