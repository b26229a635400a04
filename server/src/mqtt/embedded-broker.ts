// The broker inside the process: aedes behind the port, with the limits and the late acknowledgement that it lacks.
import { readFileSync } from "node:fs";
import type { Server as HttpServer, IncomingMessage } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import { limits } from "@psp/contract/device/device-topics.ts";
import { Aedes, type AuthenticateError, type Client, type ConnectPacket, type PublishPacket } from "aedes";
import { createWebSocketStream, WebSocketServer } from "ws";
import type { Context } from "../context.ts";
import { type Broker, type BrokerGuard, propertiesOf, reasons } from "./broker.ts";
import { isWireId, mayLeaveWill, mayPublish, mayReceive, maySubscribe } from "./device-access.ts";
import { createTokenBucket, type TokenBucket } from "../kit/limits/rate-limit.ts";
import { createWeightedSemaphore, type WeightedSemaphore } from "../kit/limits/semaphores.ts";
import { announceMaximumQos } from "./connack.ts";
import { fitOutgoingWindow, type OutgoingWindow, type Receiver } from "./outgoing-window.ts";
import { createSessionMemory, maxQueue } from "./session-memory.ts";
import { fitValve, type Valve } from "./valve.ts";

type Link = { wireId: string; pace: TokenBucket; window: WeightedSemaphore; valve: Valve; offenses: number };

const handshakeTimeoutMs = 10_000;
/** A device that asks for no keep-alive gets this one (seconds). */
const maxKeepAliveS = 300;
const pace = { perSecond: 100, burst: 1000 };
/** Payload bytes of all devices that wait for their commit; beyond it, sockets are not read. */
const waitingBytes = 32 * 1024 * 1024;
/** Births and the like never wait behind other devices' backlogs. */
const smallBytes = 1024;
const maxOffenses = 50;
const nothing = Buffer.alloc(0);

/** `connectTimeoutMs`: how long a connection may take to introduce itself. */
export async function createEmbeddedBroker(ctx: Context, connectTimeoutMs = 10_000) {
  const { mqtt, host } = ctx.config;
  const links = new WeakMap<Client, Link>();
  const valves = new WeakMap<Client, Valve>();
  const addresses = new WeakMap<Client, string>();
  const clients = new Map<string, Client>();
  const refused = new WeakSet<Client>();
  const total = createWeightedSemaphore(waitingBytes);
  const servers: Server[] = [];
  let guard: BrokerGuard | null = null;
  let stopping = false;

  const windows = new WeakMap<object, OutgoingWindow>();
  const memory = createSessionMemory((client) => windows.get(client));
  const aedes = await Aedes.createBroker({
    persistence: memory.persistence,
    // No queue inside the broker: it empties one by nesting calls, and ten thousand sensors that all report on the full
    // five minutes would end the process with an overflowing stack.
    concurrency: 0,
    connectTimeout: connectTimeoutMs,
    keepaliveLimit: maxKeepAliveS,
    maximumPacketSize: limits.packetBytes,
    receiveMaximum: limits.receiveMaximum,
    sessionExpiryIntervalLimit: limits.sessionExpiryS,
    pendingSessionsLimit: 100_000,
    maxTopicLevels: 8,
    maxClientsIdLength: 12,
    preConnect,
    authenticate,
    authorizePublish,
    authorizeSubscribe(client, subscription, done) {
      // A kept session is restored before CONNACK, and so before there is a link; by then its id is proved.
      const link = links.get(client);
      const allowed = maySubscribe(client.id, subscription.topic);
      if (link && !allowed) offend(client, link, "subscribe");
      done(null, allowed ? subscription : null);
    },
    authorizeForward: (client, packet) => (mayReceive(client.id, packet.topic) ? packet : null),
  });

  function preConnect(client: Client, packet: ConnectPacket, done: (error: Error | null, ok: boolean) => void) {
    if (packet.protocolVersion !== 5) {
      client.conn.write(Buffer.from([0x20, 2, 0, 1]));
      return done(new Error("MQTT 5 only"), false);
    }
    const will = packet.will;
    if (will) {
      const payload = Buffer.from(will.payload);
      if (!mayLeaveWill(packet.clientId, { topic: will.topic, qos: will.qos ?? 0, payload })) refused.add(client);
      // The gateway sees the connection end and waits by itself: the broker need not publish the will.
      delete packet.will;
    }
    done(null, true);
  }

  function authenticate(
    client: Client,
    username: string | undefined,
    password: Buffer | undefined,
    answer: (error: AuthenticateError | null, ok: boolean | null) => void,
  ) {
    const refuse = (returnCode: number) => answer(Object.assign(new Error("refused"), { returnCode }), false);
    if (!guard || refused.has(client) || username !== client.id || !isWireId(client.id) || !password) {
      guard?.onOffense(null, "connect");
      return refuse(5);
    }
    guard.authenticate(client.id, password.toString("utf8")).then(
      (good) => {
        if (!good) return refuse(5);
        const former = clients.get(client.id);
        if (former && !former.closed) guard?.onTakeover(client.id, addressOf(former), addressOf(client));
        answer(null, true);
      },
      (error: unknown) => {
        ctx.log.warn({ err: error }, "a device could not be checked");
        refuse(3);
      },
    );
  }

  const addressOf = (client: Client) => addresses.get(client) ?? "unknown";

  function authorizePublish(client: Client | null, packet: PublishPacket, goOn: (error?: Error | null) => void) {
    const link = client && links.get(client);
    if (!client || !link) return goOn(new Error("not connected"));
    if (!mayPublish(link.wireId, packet.topic)) {
      offend(client, link, "publish");
      return goOn(new Error("not authorized"));
    }
    if (packet.qos === 2) return client.disconnect({ reasonCode: reasons.qosNotSupported });
    accept(client, link, packet).then(() => goOn(), goOn);
  }

  /**
   * Takes a message over. The broker acknowledges before it publishes, which is too early: so it gets to see an empty
   * message of QoS 0 without a receiver, and the PUBACK is written here after the commit.
   */
  async function accept(client: Client, link: Link, packet: PublishPacket): Promise<void> {
    const { qos, messageId, topic } = packet;
    const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
    const correlation = packet.properties?.correlationData ?? null;
    packet.qos = 0;
    packet.retain = false;
    packet.payload = nothing;
    const size = payload.length + 256;
    const turn = waitForTurn(link, size);
    if (turn) {
      link.valve.close();
      await turn;
      link.valve.open();
    }
    ctx.metrics.deviceWaiting.set(total.held);
    const free = () => {
      link.window.release(1);
      total.release(size);
      ctx.metrics.deviceWaiting.set(total.held);
    };
    if (client.closed || !guard) return free();
    guard
      .onMessage({ wireId: link.wireId, topic, payload, correlation })
      .then(
        () => {
          if (qos !== 1 || messageId === undefined || client.closed) return;
          client.conn.write(Buffer.from([0x40, 2, messageId >> 8, messageId & 0xff]));
        },
        (error: unknown) => {
          ctx.log.error({ err: error, topic }, "a device message failed");
          client.close();
        },
      )
      .finally(free);
  }

  /** Null when the message may pass at once; else when pace, window and memory have room for it. */
  function waitForTurn(link: Link, size: number): Promise<void> | null {
    const delay = link.pace.delayMs(performance.now());
    const space = () => (size <= smallBytes ? total.take(size) : total.acquire(size)) ?? undefined;
    if (delay > 0) {
      const later = new Promise((go) => setTimeout(go, delay).unref());
      return later.then(() => link.window.acquire(1)).then(space);
    }
    const window = link.window.acquire(1);
    return window ? window.then(space) : (space() ?? null);
  }

  function offend(client: Client, link: Link, what: string) {
    guard?.onOffense(link.wireId, what);
    link.offenses += 1;
    if (link.offenses === maxOffenses) client.disconnect({ reasonCode: reasons.notAuthorized });
  }

  aedes.on("connackSent", (packet, client) => {
    const valve = valves.get(client);
    if (packet.reasonCode !== 0 || client.closed || !valve) return;
    const wireId = client.id;
    links.set(client, {
      wireId,
      pace: createTokenBucket(pace.perSecond, pace.burst),
      window: createWeightedSemaphore(limits.receiveMaximum),
      valve,
      offenses: 0,
    });
    clients.set(wireId, client);
    ctx.metrics.devices.set(clients.size);
  });
  aedes.on("ack", (_packet, client) => windows.get(client)?.acknowledged());
  aedes.on("clientDisconnect", (client) => {
    if (clients.get(client.id) !== client) return;
    clients.delete(client.id);
    ctx.metrics.devices.set(clients.size);
    if (!stopping) guard?.onDisconnect(client.id);
  });
  const broken: (error: unknown) => void = (error) => ctx.log.error({ err: error }, "the embedded broker reports");
  // Not in the typings: failures of the broker's own memory. Without a listener they would end the process.
  (aedes as NodeJS.EventEmitter).on("error", broken);

  function listen(server: Server, port: number): Promise<void> {
    servers.push(server);
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, () => {
        server.off("error", reject);
        server.on("error", broken);
        resolve();
      });
    });
  }

  const handle = (socket: Socket) => {
    socket.setNoDelay(true);
    take(socket, socket);
  };
  function take(stream: Duplex, { remoteAddress }: Pick<Socket, "remoteAddress">) {
    const valve = fitValve(stream);
    announceMaximumQos(stream);
    const client = aedes.handle(stream);
    valves.set(client, valve);
    if (remoteAddress !== undefined) addresses.set(client, remoteAddress);
    const receiver = client as unknown as Receiver;
    windows.set(
      client,
      fitOutgoingWindow(receiver, (topic) => mayReceive(client.id, topic), maxQueue),
    );
  }

  return {
    async start(handler) {
      guard = handler;
      await listen(createServer({ backlog: 4096 } as object, handle), mqtt.port);
      if (!mqtt.tls) return;
      const secure = createTlsServer(
        {
          cert: readFileSync(mqtt.tls.cert),
          key: readFileSync(mqtt.tls.key),
          minVersion: "TLSv1.2",
          handshakeTimeout: handshakeTimeoutMs,
        },
        handle,
      );
      secure.on("tlsClientError", (_error, socket) => socket.destroy());
      await listen(secure, mqtt.tls.port);
    },
    /** Devices that can't open other ports connect with WebSocket at `/mqtt` of the HTTP server. */
    attach(server: HttpServer) {
      const sockets = new WebSocketServer({
        noServer: true,
        maxPayload: limits.packetBytes,
        perMessageDeflate: false,
        handleProtocols: (offered) => (offered.has("mqtt") ? "mqtt" : false),
      });
      server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
        if ((request.url ?? "").split("?")[0] !== "/mqtt") return;
        stream.on("error", () => stream.destroy());
        if (!guard || stopping) return void stream.destroy();
        sockets.handleUpgrade(request, stream, head, (socket) => take(createWebSocketStream(socket), request.socket));
      });
    },
    /** The port of plain TCP, for a configured 0. */
    port: () => {
      const address = servers[0]?.address();
      return typeof address === "object" && address !== null ? address.port : mqtt.port;
    },
    publish: (topic, payload, delivery) =>
      new Promise((resolve, reject) => {
        const { qos, retain = false } = delivery;
        const properties = propertiesOf(delivery);
        const packet: PublishPacket = {
          cmd: "publish",
          topic,
          payload: Buffer.from(payload),
          qos,
          retain,
          dup: false,
          properties,
        };
        aedes.publish(packet, (error) => (error ? reject(error) : resolve()));
      }),
    async disconnect(wireId, reasonCode) {
      const client = clients.get(wireId);
      if (client) await new Promise<void>((done) => client.disconnect({ reasonCode }, done));
      await memory.forget(wireId);
    },
    isConnected: (wireId) => clients.has(wireId),
    async stop() {
      stopping = true;
      const closed = servers.map((server) => new Promise((done) => server.close(done)));
      await new Promise<void>((done) => aedes.close(done));
      await Promise.all(closed);
      ctx.metrics.devices.set(0);
    },
  } satisfies Broker & Record<"attach" | "port", unknown>;
}
