// A minimal cloud for tests: a real MQTT 5 broker that stores and acknowledges records, and an enrollment endpoint.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { connect, type ClientHttp2Session } from "node:http2";
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from "node:net";
import { randomBytes } from "node:crypto";
import { Aedes } from "aedes";
import { createWebSocketStream, WebSocketServer } from "ws";
import { downTopic, hostStateTopic, parseUpTopic } from "@psp/contract/device/device-topics.ts";
import {
  recordBatchSchema,
  birthSchema,
  enrolSchema,
  recordSchema,
  type Birth,
  type DeviceRecord,
  type EnrolReply,
} from "@psp/contract/device/device-messages.ts";
import { wireId } from "@psp/contract/kit/ids.ts";

type Heard = {
  sensorId: string;
  kind: string;
  replyTo: string | null;
  body: unknown;
  retain: boolean;
  correlation: Buffer | undefined;
};
type Batch = { sensorId: string; topic: string; ep: string; numbers: number[] };

export type Cloud = {
  url: string;
  mqttPort: number;
  fwKey: string;
  token: string;
  heard: Heard[];
  batches: Batch[];
  /** JSON records by sensor, epoch and number; a different record with the same number is an error. */
  stored: Map<string, DeviceRecord>;
  connects: {
    clientId: string;
    clean: boolean;
    keepalive: number;
    willDelayS: number | undefined;
    properties: object;
  }[];
  births: { sensorId: string; birth: Birth }[];
  deaths: { sensorId: string; body: unknown }[];
  refused: string[];
  enrollments: number;
  faults: { dropBatches: number; muteAcks: boolean; enrolStatus: number | null; retryAfterS: number | null };
  passwords: Map<string, string>;
  send(sensorId: string, kind: "ack" | "desired" | "rpc" | "cmd", body: unknown, properties?: object): Promise<void>;
  hostState(online: boolean): Promise<void>;
  acknowledge(sensorId: string): Promise<void>;
  countsOf(sensorId: string): DeviceRecord[];
  connected(): number;
  dropAll(): void;
  /** Cloud-side HTTP/2 sessions by wire id. */
  tunnels: Map<string, ClientHttp2Session>;
  /** Response of GET {url}/fw/…. */
  image: { bytes: Buffer; requests: string[] };
  close(): Promise<void>;
};

export async function openCloud(): Promise<Cloud> {
  const broker = await Aedes.createBroker();
  const tcp = createTcpServer({ noDelay: true }, (socket) => void broker.handle(socket));
  const http = createServer((request, response) => {
    void answerHttp(cloud, request).then(({ status, body, headers = {} }) =>
      response.writeHead(status, headers).end(body),
    );
  });
  await Promise.all([listen(tcp), listen(http)]);
  const acked = new Map<string, { ep: string; first: number; numbers: Set<number>; highest: number }>();

  const publish = (topic: string, body: unknown, retain: boolean, properties: object = {}): Promise<void> =>
    new Promise((resolve, reject) => {
      broker.publish(
        { cmd: "publish", topic, payload: Buffer.from(JSON.stringify(body)), qos: 1, retain, dup: false, properties },
        (error) => (error ? reject(error) : resolve()),
      );
    });

  const cloud: Cloud = {
    url: `http://127.0.0.1:${portOf(http)}`,
    mqttPort: portOf(tcp),
    fwKey: Buffer.alloc(32).toString("base64"),
    token: "open-sesame",
    heard: [],
    batches: [],
    stored: new Map(),
    connects: [],
    births: [],
    deaths: [],
    refused: [],
    enrollments: 0,
    faults: { dropBatches: 0, muteAcks: false, enrolStatus: null, retryAfterS: null },
    passwords: new Map(),
    tunnels: new Map(),
    image: { bytes: Buffer.alloc(0), requests: [] },
    send: (sensorId, kind, body, properties) =>
      publish(downTopic(sensorId, kind), body, kind === "desired", properties),
    hostState: (online) => publish(hostStateTopic, { online, ts: 1 }, true),
    async acknowledge(sensorId) {
      const state = acked.get(sensorId);
      if (!state || cloud.faults.muteAcks) return;
      await publish(downTopic(sensorId, "ack"), { ep: state.ep, upTo: state.highest, holes: holesOf(state) }, false);
    },
    countsOf: (sensorId) =>
      [...cloud.stored]
        .filter(([key, record]) => key.startsWith(sensorId) && record.t === "count")
        .map(([, record]) => record),
    connected: () => broker.connectedClients,
    dropAll: () => {
      for (const client of Object.values(Reflect.get(broker, "clients") ?? {})) {
        if (typeof client === "object" && client !== null && "conn" in client)
          (client.conn as { destroy(): void }).destroy();
      }
    },
    async close() {
      cloud.dropAll();
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      tcp.close();
      http.closeAllConnections();
      http.close();
    },
  };

  const sockets = new WebSocketServer({ noServer: true });
  http.on("upgrade", (request, stream, head) => {
    const login = Buffer.from(request.headers.authorization?.split(" ")[1] ?? "", "base64").toString();
    const [wire = "", password] = login.split(":");
    if (request.url !== "/device/tunnel" || cloud.passwords.get(wire) !== password) return void stream.destroy();
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const session = connect("http://sensor", { createConnection: () => createWebSocketStream(socket) });
      session.on("error", () => undefined);
      session.on("close", () => cloud.tunnels.delete(wire));
      cloud.tunnels.set(wire, session);
    });
  });

  broker.preConnect = (_client, packet, done) => {
    const { clientId, clean = false, keepalive = 0, will, properties = {} } = packet;
    cloud.connects.push({ clientId, clean, keepalive, willDelayS: will?.properties?.willDelayInterval, properties });
    // Wills are sent without delay, so that tests need not wait.
    if (will?.properties) will.properties.willDelayInterval = 0;
    done(null, true);
  };
  broker.authenticate = (client, username, password, done) => {
    const isKnown = username === client.id && password?.toString() === cloud.passwords.get(client.id);
    done(null, isKnown);
  };
  broker.on("publish", (packet, client) => {
    const at = parseUpTopic(packet.topic);
    if (!at || (!client && at.kind !== "state")) return;
    const body: unknown = JSON.parse(packet.payload.toString());
    const correlation = packet.properties?.correlationData;
    cloud.heard.push({ ...at, body, retain: packet.retain, correlation });
    if (at.kind === "state") onState(cloud, acked, at.sensorId, body);
    else if (["data", "fill", "health", "event"].includes(at.kind)) onBatch(cloud, acked, at.sensorId, at.kind, body);
    else return;
    // Publishing within the broker's event handler would recurse under load.
    setImmediate(() => void cloud.acknowledge(at.sensorId));
  });
  return cloud;
}

type Acked = Map<string, { ep: string; first: number; numbers: Set<number>; highest: number }>;

function onState(cloud: Cloud, acked: Acked, sensorId: string, body: unknown): void {
  const birth = birthSchema.safeParse(body);
  if (!birth.success) return void cloud.deaths.push({ sensorId, body });
  cloud.births.push({ sensorId, birth: birth.data });
  const { ep, seq } = birth.data;
  const known = acked.get(sensorId);
  if (known?.ep === ep) known.first = Math.min(known.first, seq.first);
  else acked.set(sensorId, { ep, first: seq.first, numbers: new Set(), highest: 0 });
}

function onBatch(cloud: Cloud, acked: Acked, sensorId: string, topic: string, body: unknown): void {
  const batch = recordBatchSchema.parse(body);
  const records = batch.recs.map((record) => recordSchema.parse(record));
  cloud.batches.push({ sensorId, topic, ep: batch.ep, numbers: records.map(({ q }) => q) });
  if (cloud.faults.dropBatches > 0) return void cloud.faults.dropBatches--;
  const state = acked.get(sensorId);
  for (const record of records) {
    const key = `${sensorId}/${batch.ep}/${record.q}`;
    const before = cloud.stored.get(key);
    if (before && JSON.stringify(before) !== JSON.stringify(record))
      cloud.refused.push(`${key} came with another content`);
    cloud.stored.set(key, record);
    if (state?.ep !== batch.ep) continue;
    state.numbers.add(record.q);
    state.highest = Math.max(state.highest, record.q);
  }
}

function holesOf({
  first,
  numbers,
  highest,
}: {
  first: number;
  numbers: Set<number>;
  highest: number;
}): [number, number][] {
  const holes: [number, number][] = [];
  for (let q = first; q <= highest; q++) {
    if (numbers.has(q)) continue;
    const last = holes.at(-1);
    if (last && last[1] === q - 1) last[1] = q;
    else holes.push([q, q]);
  }
  return holes;
}

type HttpAnswer = { status: number; body: string | Buffer; headers?: Record<string, string> };

async function answerHttp(cloud: Cloud, request: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (request.url?.startsWith("/fw/")) return answerImage(cloud, request.headers.range);
  if (request.url === "/upload") return { status: 200, body: String(body.length) };
  if (request.url !== "/device/v1/enrol") return { status: 404, body: "{}" };
  const enrollment = enrolSchema.safeParse(JSON.parse(body.toString()));
  if (!enrollment.success) return { status: 400, body: "{}" };
  cloud.enrollments++;
  const { enrolStatus, retryAfterS } = cloud.faults;
  if (enrolStatus)
    return {
      status: enrolStatus,
      body: JSON.stringify({ error: "not now" }),
      headers: retryAfterS ? { "retry-after": String(retryAfterS) } : {},
    };
  if (enrollment.data.token !== cloud.token) return { status: 401, body: "{}" };
  const wire = wireId(enrollment.data.id);
  const password = randomBytes(32).toString("base64url");
  cloud.passwords.set(wire, password);
  const reply: EnrolReply = {
    sensorId: enrollment.data.id,
    mqtt: { host: "127.0.0.1", port: cloud.mqttPort, tls: false, username: wire, clientId: wire, password },
    hostState: hostStateTopic,
    serverTime: enrollment.data.time,
    claimingCode: "ABCD2345",
    fwKey: cloud.fwKey,
  };
  return { status: 201, body: JSON.stringify(reply) };
}

function answerImage({ image }: Cloud, range: string | undefined): HttpAnswer {
  image.requests.push(range ?? "");
  const [, from = "0", to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  const part = image.bytes.subarray(Number(from), to === undefined ? undefined : Number(to) + 1);
  const headers = { "content-disposition": `attachment; filename="APS-1.19.0.bin"` };
  return { status: to === undefined ? 200 : 206, body: Buffer.from(part), headers };
}

async function listen(server: Server | TcpServer): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}

function portOf(server: Server | TcpServer): number {
  const address: string | AddressInfo | null = server.address();
  return typeof address === "object" && address ? address.port : 0;
}
