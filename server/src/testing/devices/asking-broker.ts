// A small MQTT 5 broker that asks over HTTP about each login, message and subscription, as EMQX does. Has no QoS 2, no queues, and no
// sessions that outlive a connection.
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import mqttPacket, {
  type IConnectPacket,
  type IDisconnectPacket,
  type IPublishPacket,
  type ISubscribePacket,
  type Packet,
} from "mqtt-packet";

type Rule = { permission: string; action: string; topic: string };
type Action = "publish" | "subscribe";
type Client = {
  id: string;
  username: string;
  /** Rules of the response to the login; they come before requests. */
  acl: Rule[];
  filters: Map<string, 0 | 1>;
  will: IConnectPacket["will"] | null;
  socket: Socket;
  send(packet: Packet): void;
};

const notAuthorized = 0x87;
const takenOver = 0x8e;
const version = { protocolVersion: 5 };

export type AskingBroker = Awaited<ReturnType<typeof startAskingBroker>>;

/** `url` answers at `/broker/v1/authenticate` and `/broker/v1/authorize`. */
export async function startAskingBroker(url: string, secret: string, tls?: TlsOptions) {
  const clients = new Map<string, Client>();
  const retained = new Map<string, IPublishPacket>();
  const turns = new Map<string, number>();
  const sockets = new Set<Socket>();
  const refused: string[] = [];
  let lastMessageId = 0;

  /** Like EMQX, treats a failed request as no opinion. */
  async function ask(path: string, body: object): Promise<{ result: string; acl?: Rule[] }> {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const response = await fetch(`${url}/broker/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (response.status === 204) return { result: "allow" };
    return response.status === 200 ? ((await response.json()) as { result: string }) : { result: "ignore" };
  }
  /** Denies what the service does not allow. */
  async function isAllowed({ id, username, acl }: Client, action: Action, topic: string): Promise<boolean> {
    const rule = acl.find((one) => ["all", action].includes(one.action) && doesMatch(one.topic, topic));
    if (rule) return rule.permission === "allow";
    const { result } = await ask("authorize", { clientid: id, username, topic, action });
    if (result !== "allow") refused.push(topic);
    return result === "allow";
  }

  function deliver(to: Client, packet: IPublishPacket, filterQos: 0 | 1, retain: boolean) {
    const qos = Math.min(packet.qos, filterQos) as 0 | 1;
    lastMessageId = (lastMessageId % 65_535) + 1;
    to.send({ ...packet, qos, retain, dup: false, ...(qos === 0 ? {} : { messageId: lastMessageId }) });
  }

  function route(packet: IPublishPacket) {
    if (packet.retain && packet.payload.length === 0) retained.delete(packet.topic);
    else if (packet.retain) retained.set(packet.topic, packet);
    const shared = new Map<string, [Client, 0 | 1][]>();
    for (const client of clients.values())
      for (const [filter, qos] of client.filters)
        if (doesMatch(toRealFilter(filter), packet.topic)) {
          if (!filter.startsWith("$share/")) deliver(client, packet, qos, false);
          else shared.set(filter, [...(shared.get(filter) ?? []), [client, qos]]);
        }
    for (const [filter, members] of shared) {
      const turn = turns.get(filter) ?? 0;
      turns.set(filter, turn + 1);
      const [client, qos] = members[turn % members.length] ?? [];
      if (client && qos !== undefined) deliver(client, packet, qos, false);
    }
  }

  async function publish(client: Client, packet: IPublishPacket) {
    const allowed = await isAllowed(client, "publish", packet.topic);
    if (allowed) route(packet);
    const { messageId } = packet;
    if (packet.qos === 1 && messageId !== undefined)
      client.send({ cmd: "puback", messageId, reasonCode: allowed ? 0 : notAuthorized });
  }

  async function subscribe(client: Client, { messageId, subscriptions }: ISubscribePacket) {
    const granted: number[] = [];
    for (const { topic, qos } of subscriptions) {
      const allowed = await isAllowed(client, "subscribe", toRealFilter(topic));
      granted.push(allowed ? Math.min(qos, 1) : notAuthorized);
      if (allowed) client.filters.set(topic, Math.min(qos, 1) as 0 | 1);
    }
    client.send({ cmd: "suback", messageId: messageId ?? 0, granted });
    for (const [at, { topic }] of subscriptions.entries())
      if ((granted[at] ?? notAuthorized) < 2 && !topic.startsWith("$share/"))
        for (const one of retained.values()) if (doesMatch(topic, one.topic)) deliver(client, one, 1, true);
  }

  async function publishWill(client: Client) {
    const { will } = client;
    client.will = null;
    if (!will || !(await isAllowed(client, "publish", will.topic))) return;
    const { topic, qos = 0, retain = false } = will;
    route({ cmd: "publish", topic, payload: Buffer.from(will.payload), qos: qos === 0 ? 0 : 1, retain, dup: false });
  }

  async function connect(socket: Socket, packet: IConnectPacket): Promise<Client | null> {
    const send = (out: Packet) => void (socket.writable && socket.write(mqttPacket.generate(out, version)));
    const { clientId: id, username = "", password = Buffer.alloc(0), will = null } = packet;
    const login = { clientid: id, username, password: password.toString(), peerhost: socket.remoteAddress ?? "" };
    const { result, acl = [] } = await ask("authenticate", login);
    if (result !== "allow") {
      send({ cmd: "connack", reasonCode: notAuthorized, sessionPresent: false });
      socket.end();
      return null;
    }
    const client: Client = { id, username, acl, filters: new Map(), will, socket, send };
    const former = clients.get(id);
    clients.set(id, client);
    if (former) {
      former.send({ cmd: "disconnect", reasonCode: takenOver });
      former.socket.end();
      await publishWill(former);
    }
    send({ cmd: "connack", reasonCode: 0, sessionPresent: false, properties: { sessionExpiryInterval: 0 } });
    return client;
  }

  function disconnect(client: Client, { reasonCode = 0 }: IDisconnectPacket) {
    if (reasonCode !== 4) client.will = null;
    client.socket.end();
  }

  async function handle(client: Client, packet: Packet): Promise<void> {
    if (packet.cmd === "publish") return publish(client, packet);
    if (packet.cmd === "subscribe") return subscribe(client, packet);
    if (packet.cmd === "pingreq") client.send({ cmd: "pingresp" });
    if (packet.cmd === "disconnect") disconnect(client, packet);
  }

  function accept(socket: Socket) {
    sockets.add(socket);
    const parser = mqttPacket.parser(version);
    let client: Client | null = null;
    // One packet at a time, in order.
    let last: Promise<unknown> = Promise.resolve();
    parser.on("packet", (packet: Packet) => {
      last = last
        .then(async () => {
          if (client) await handle(client, packet);
          else if (packet.cmd === "connect") client = await connect(socket, packet);
        })
        .catch(() => socket.destroy());
    });
    socket.on("data", (bytes: Buffer) => void parser.parse(bytes));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      void last.then(async () => {
        if (!client) return;
        if (clients.get(client.id) === client) clients.delete(client.id);
        await publishWill(client).catch(() => undefined);
      });
    });
  }

  const server = tls ? createTlsServer(tls, accept) : createServer(accept);
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    /** Topics and filters that were denied. */
    refused,
    isConnected: (id: string) => clients.has(id),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => void server.close(done));
    },
  };
}

/** Like EMQX, asks about a shared subscription without its group. */
const toRealFilter = (filter: string) => filter.replace(/^\$share\/[^/]+\//, "");

function doesMatch(filter: string, topic: string): boolean {
  const levels = topic.split("/");
  const wanted = filter.split("/");
  const rest = wanted.indexOf("#");
  if (rest === -1 ? wanted.length !== levels.length : levels.length < rest) return false;
  return wanted.slice(0, rest === -1 ? wanted.length : rest).every((one, at) => one === "+" || one === levels[at]);
}
