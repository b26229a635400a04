// A gateway with enrollment on its own database, used by real MQTT clients.
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EnrolReply } from "@psp/contract/device/device-messages.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import fastify, { type FastifyInstance } from "fastify";
import { sql } from "kysely";
import { connect, type IClientOptions, type MqttClient } from "mqtt";
import type { Clock } from "../../kit/clock.ts";
import { readConfig } from "../../config.ts";
import type { Context } from "../../context.ts";
import { migrate } from "../../db/migrate.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import { sendError } from "../../http/error-reply.ts";
import { brokerAuthRoutes } from "../../device/credential/broker-auth.ts";
import { enrollmentRoutes } from "../../device/credential/enrol.ts";
import { type GatewayOptions, type SensorGateway, startSensorGateway } from "../../device/sensor-gateway.ts";
import type { IncomingRecord, StoreRecords } from "../../device/capability.ts";
import { requestCredentialRenewal } from "../../device/credential/renewal.ts";
import { capabilities } from "../../process/nouns.ts";
import { createTestDatabase } from "../postgres.ts";
import { bridge, createProcessContext, type ProcessBeside, startBeside } from "./process-beside.ts";

export type { IncomingRecord, ProcessBeside };

export type ReceivedMessage = {
  topic: string;
  text: string;
  json: unknown;
  retain: boolean;
  correlation: Buffer | null;
  responseTopic: string | null;
};

export type Device = {
  id: string;
  wire: string;
  password: string;
  client: MqttClient;
  got: ReceivedMessage[];
  up(kind: string, message: unknown, qos?: 0 | 1): Promise<void>;
  /** Waits for the first matching message on `dn/{kind}`. */
  heard(kind: string, fits?: (json: never) => boolean): Promise<ReceivedMessage>;
  end(): Promise<void>;
};

export type DeviceWorld = Awaited<ReturnType<typeof createDeviceWorld>>;
type Options = {
  env?: Record<string, string>;
  gateway?: Partial<GatewayOptions>;
  clock?: Clock;
  /** Whether events reach the contexts of `startBeside`. */
  isBridged?: boolean;
  /** Runs before records are stored; may wait or throw. */
  beforeStore?: (records: readonly IncomingRecord[]) => Promise<void>;
};

/** Polls until `probe` returns something; fails with `what` after a long timeout. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false> | T | null | undefined | false,
): Promise<T> {
  const deadline = Date.now() + 100_000;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`not within 100 s: ${what}`);
    await new Promise((go) => setTimeout(go, 15));
  }
}

export async function createDeviceWorld(options: Options = {}) {
  const database = await createTestDatabase(migrate);
  const dataDir = mkdtempSync(join(tmpdir(), "psp-device-"));
  const config = readConfig({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    HOST: "127.0.0.1",
    MQTT_PORT: "0",
    LOG_LEVEL: process.env["TEST_LOG"] ?? "silent",
    ...options.env,
  });
  const ctx = createProcessContext(config, database.url, options.clock);
  const endBridge = options.isBridged ? await bridge(ctx, database.url, () => gateway) : () => undefined;
  const owner = await insertAccount(ctx, "Owner", "00001");
  const storeLater =
    (store: StoreRecords): StoreRecords =>
    async (tx, now, records) => {
      await options.beforeStore?.(records);
      return store(tx, now, records);
    };
  const start = (at = ctx) =>
    startSensorGateway(at, {
      capabilities: capabilities.map((one) => (one.onRecords ? { ...one, onRecords: storeLater(one.onRecords) } : one)),
      reconnectGraceMs: 60_000,
      pingTimeoutMs: 200,
      shortTimeoutMs: 25,
      ...options.gateway,
    });
  const beside = new Set<ProcessBeside>();
  let gateway: SensorGateway | null = null;
  const app = fastify();
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, ctx.log));
  enrollmentRoutes(app, ctx, capabilities, () => gateway?.port ?? null);
  brokerAuthRoutes(app, ctx);
  // The broker asks while the gateway connects.
  if (config.mqtt.auth?.by === "http") await app.listen({ host: config.host, port: config.port });
  gateway = await start();
  const devices: Device[] = [];
  let last = 0;

  const freshId = () => {
    last += 1;
    return toMac(0x0016_28fa_0000 + last);
  };
  const token = (ownerId = owner, firmwareId: string | null = null) => insertToken(ctx, ownerId, firmwareId);
  const running = () => {
    if (!gateway) throw new Error("no gateway runs");
    return gateway;
  };

  return {
    ctx,
    app,
    owner,
    running,
    port: () => running().port ?? 0,
    freshId,
    token,
    async restart() {
      await gateway?.stop();
      gateway = await start();
    },
    async stopGateway() {
      await gateway?.stop();
      gateway = null;
    },
    /** Another process on the same database, with its own clock; `hasGateway`: with a gateway of its own. */
    startBeside: (hasGateway = true) => startBeside(config, database.url, hasGateway ? start : null, beside),
    account: (name: string, path: string) => insertAccount(ctx, name, path),
    post: (body: unknown, from = "10.0.0.1") => post(app, body, from),
    async enrol(id = freshId(), extra: Record<string, unknown> = {}) {
      const body = { token: await token(), id, type: "APS", nonce: "n", time: Date.now(), ...extra };
      // The server takes 50 enrollments a second; a device tries again.
      const reply = await until("enrolled", async () => {
        const answered = await post(app, body, `10.1.0.${devices.length % 250}`);
        return answered.status === 503 ? null : answered;
      });
      if (reply.status !== 201) throw new Error(`enrollment answered ${reply.status}: ${JSON.stringify(reply.body)}`);
      return reply.body as EnrolReply;
    },
    /** Connects as this device and subscribes to its topics; sends nothing yet. */
    async connect(reply: EnrolReply, extra: IClientOptions = {}, port = running().port ?? 0): Promise<Device> {
      const device = await connectDevice(port, reply, extra);
      devices.push(device);
      return device;
    },
    /** Applies only the effects that a change of owner has on devices. */
    handOver: (...ids: string[]) =>
      ctx.db.transaction().execute(async (tx) => {
        await tx.selectFrom("sensor").select("num").where("id", "in", ids).orderBy("id").forNoKeyUpdate().execute();
        await requestCredentialRenewal(tx, ids);
      }),
    row: (id: string) => ctx.db.selectFrom("sensor").selectAll().where("id", "=", id).executeTakeFirstOrThrow(),
    async stop() {
      await Promise.all(devices.map((device) => device.end()));
      for (const one of beside) await one.stop();
      await gateway?.stop();
      await endBridge();
      await app.close();
      await ctx.db.destroy();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function post(app: FastifyInstance, body: unknown, remoteAddress: string) {
  const reply = await app.inject({ method: "POST", url: "/device/v1/enrol", payload: body as object, remoteAddress });
  return { status: reply.statusCode, headers: reply.headers, body: reply.json<Record<string, unknown>>() };
}

async function insertAccount(ctx: Context, name: string, path: string): Promise<string> {
  const id = uuidv7(Date.now());
  await ctx.db
    .insertInto("account")
    .values({ id, name, path, ancestor_ids: [], parent_id: null, role_id: null })
    .execute();
  return id;
}

async function insertToken(ctx: Context, ownerId: string, firmwareId: string | null): Promise<string> {
  const value = randomBytes(24).toString("base64url");
  const owner = await ctx.db.selectFrom("account").select("path").where("id", "=", ownerId).executeTakeFirstOrThrow();
  await ctx.db
    .insertInto("init_token")
    .values({
      id: uuidv7(Date.now()),
      owner_id: ownerId,
      owner_path: owner.path,
      name: "token",
      firmware_id: firmwareId,
      token_hash: createHash("sha256").update(value).digest(),
      token_sealed: Buffer.from("sealed"),
    })
    .execute();
  return value;
}

export async function connectDevice(
  port: number,
  { sensorId, mqtt }: EnrolReply,
  extra: IClientOptions = {},
): Promise<Device> {
  const got: ReceivedMessage[] = [];
  const wire = mqtt.clientId;
  const client = connect(`mqtt://127.0.0.1:${port}`, {
    protocolVersion: 5,
    username: mqtt.username,
    clientId: mqtt.clientId,
    password: mqtt.password,
    clean: true,
    reconnectPeriod: 0,
    keepalive: 60,
    ...extra,
  });
  client.on("error", () => undefined);
  client.on("message", (topic, payload, packet) => {
    const text = payload.toString();
    got.push({
      topic,
      text,
      json: text === "" ? null : JSON.parse(text),
      retain: packet.retain,
      correlation: packet.properties?.correlationData ?? null,
      responseTopic: packet.properties?.responseTopic ?? null,
    });
  });
  await new Promise<void>((resolve, reject) => {
    client.once("connect", () => resolve());
    client.once("error", reject);
    client.once("close", () => reject(new Error("refused")));
  });
  await client.subscribeAsync(`sdp/1/${wire}/dn/#`, { qos: 1 });
  return {
    id: sensorId,
    wire,
    password: mqtt.password,
    client,
    got,
    up: async (kind, message, qos = 1) =>
      void (await client.publishAsync(
        `sdp/1/${wire}/up/${kind}`,
        typeof message === "string" ? message : JSON.stringify(message),
        { qos },
      )),
    heard: (kind, fits = () => true) =>
      until(`dn/${kind}`, () => got.find((one) => one.topic === `sdp/1/${wire}/dn/${kind}` && fits(one.json as never))),
    end: () => client.endAsync(true),
  };
}

export function birth(sid: string, extra: Record<string, unknown> = {}) {
  return {
    online: true,
    sid,
    n: 1,
    type: "APS",
    fw: "1.18.0",
    proto: 1,
    ep: "e1",
    seq: { first: 1, next: 1 },
    caps: ["count"],
    ...extra,
  };
}

/** A count record of five minutes; `q` also determines its time. */
export function createCountRecord(q: number, extra: Record<string, unknown> = {}) {
  const s = 1_763_632_800_000 + q * 300_000;
  return { q, t: "count", s, e: s + 300_000, lines: [{ id: "l1", name: "Door", in: q % 7, out: q % 5 }], ...extra };
}

export function batch(recs: unknown[], ep = "e1") {
  return { v: 1, sid: "s1", ep, sent: Date.now(), recs };
}

/** Returns a sensor's visitors from its daily sums. Throws if they differ from the sum of its counts. */
export async function sumVisitors({ ctx }: DeviceWorld, id: string): Promise<number> {
  const { rows } = await sql<{ days: number; counts: number }>`
    select (select coalesce(sum(n_in), 0) from count_day where sensor_num = s.num)::int as days,
      (select coalesce(sum(n_in), 0) from count_hot where sensor_num = s.num and not is_ahead)::int as counts
    from sensor s where id = ${id}`.execute(ctx.db);
  const [sums] = rows;
  if (sums?.counts !== sums?.days) throw new Error(`the counts say ${sums?.counts}, the days ${sums?.days}`);
  return sums?.days ?? Number.NaN;
}
