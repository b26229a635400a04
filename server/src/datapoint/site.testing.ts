// Test fixture: locations, sensors, stored records, and the datapoint calls over HTTP.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastifyCookie from "@fastify/cookie";
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import type { CountRecord, DeviceRecord } from "@psp/contract/device/device-messages.ts";
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import { sql } from "kysely";
import { pino } from "pino";
import type { Caller } from "../kit/caller.ts";
import { readConfig } from "../config.ts";
import { type Context, createContext } from "../context.ts";
import { openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { allocatePathLabels } from "../db/account-path.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { createBinder } from "../http/bind.ts";
import { createHeavyReads } from "../http/heavy-reads.ts";
import { sendError } from "../http/error-reply.ts";
import { createLongCalls } from "../http/long-calls.ts";
import { createLeases } from "../open/lease.ts";
import { createAuthenticate } from "../http/session.ts";
import { createSessionService } from "../credential/session.service.ts";
import { createTestDatabase } from "../testing/postgres.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { hashToken } from "../kit/tokens.ts";
import { countsRoutes } from "../counts/counts.routes.ts";
import { countsFileRoutes } from "../counts/file/file.routes.ts";
import { datapointRoutes } from "./datapoint.routes.ts";
import type { RecordOutcome, RecordSensor } from "../device/capability.ts";
import { storeRecords } from "../count/record/record.store.ts";
import { partitionJob } from "../count/partition/partition.job.ts";
import { type DaySumScope, rebuildDaySums } from "../count/rollup.store.ts";

export type ApiResponse = {
  status: number;
  body: unknown;
  text: string;
  bytes: Uint8Array;
  type: string | null;
  disposition: string | null;
};
export type Person = Caller & { token: string };

export type Site = {
  ctx: Context;
  url: string;
  root: Person;
  person(permissions: Permissions | null): Promise<Person>;
  location(timezone: string | null, owner?: Person): Promise<string>;
  /** `since` (ms) is when the device enrolled and the sensor was assigned to the location. */
  sensor(options?: { owner?: Person; locationId?: string; since?: number }): Promise<RecordSensor>;
  assign(sensor: RecordSensor, locationId: string | null, atMs: number): Promise<void>;
  setZone(locationId: string, timezone: string): Promise<void>;
  setHours(locationId: string, hours: OpeningHours | null): Promise<void>;
  store(
    sensor: RecordSensor,
    records: DeviceRecord[],
    options?: { via?: "live" | "fill"; nowMs?: number },
  ): Promise<RecordOutcome[]>;
  call(who: Person | null, path: string, body?: unknown): Promise<ApiResponse>;
  stop(): Promise<void>;
};

export async function createSite(): Promise<Site> {
  const place = await createTestDatabase(migrate);
  const dataDir = mkdtempSync(join(tmpdir(), "psp-site-"));
  const log = pino({ level: "silent" });
  const db = openDatabase(place.url, { pool: 6, log });
  const config = readConfig({ DATABASE_URL: place.url, DATA_DIR: dataDir });
  const ctx = createContext({
    config,
    db,
    // Stopped, so that no midnight falls between two reads of "today".
    clock: createStillClock(),
    log,
  });
  await partitionJob(ctx).run();
  const app = await openApp(ctx);
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const root = await plant(ctx, null, fullPermissions);
  let macs = 0;

  return {
    ctx,
    url,
    root,
    person: (permissions) => plant(ctx, root, permissions),
    async location(timezone, owner = root) {
      const id = uuidv7(Date.now());
      await db
        .insertInto("location")
        .values({ id, name: "A place", timezone, owner_id: owner.id, owner_path: owner.path })
        .execute();
      return id;
    },
    async sensor({ owner = root, locationId, since = Date.UTC(2026, 0, 1) } = {}) {
      macs += 1;
      const id = toMac(0x0200_0000_0000 + macs);
      const { num } = await db
        .insertInto("sensor")
        .values({ id, type: "APS", owner_id: owner.id, owner_path: owner.path, location_id: locationId ?? null })
        .returning("num")
        .executeTakeFirstOrThrow();
      const device = { sensor_num: num, secret_hash: Buffer.from(id), enrolled_at: new Date(since) };
      await db.insertInto("device").values(device).execute();
      const sensor = { num, id, ownerId: owner.id, locationId: locationId ?? null };
      if (locationId) await assign(ctx, sensor, locationId, since);
      return sensor;
    },
    assign: (sensor, locationId, atMs) => assign(ctx, sensor, locationId, atMs),
    setZone: (locationId, timezone) =>
      db.transaction().execute(async (tx) => {
        await tx.updateTable("location").set({ timezone }).where("id", "=", locationId).execute();
        await rebuildDaySums(tx, { locationId });
      }),
    async setHours(locationId, hours) {
      const opening_hours = hours && JSON.stringify(hours);
      await db.updateTable("location").set({ opening_hours }).where("id", "=", locationId).execute();
    },
    async store(sensor, records, { via = "live", nowMs = ctx.clock.now() } = {}) {
      const incoming = records.map((record) => ({ sensor, record, via }));
      return (await db.transaction().execute((tx) => storeRecords(tx, nowMs, incoming))).outcomes;
    },
    async call(who, path, body) {
      const response = await fetch(url + path, {
        headers: {
          ...(who ? { authorization: `Bearer ${who.token}` } : {}),
          ...(body ? { "content-type": "application/json" } : {}),
        },
        ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const text = new TextDecoder().decode(bytes);
      const type = response.headers.get("content-type");
      return {
        status: response.status,
        text,
        bytes,
        type,
        disposition: response.headers.get("content-disposition"),
        body: type?.includes("json") ? (JSON.parse(text) as unknown) : text,
      };
    },
    async stop() {
      await app.close();
      await db.destroy();
      await place.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function assign(ctx: Context, sensor: RecordSensor, locationId: string | null, atMs: number): Promise<void> {
  const concerned: DaySumScope = { sensorNums: [sensor.num] };
  await ctx.db.transaction().execute(async (tx) => {
    const at = new Date(atMs);
    await sql`delete from sensor_location where sensor_num = ${sensor.num} and from_at >= ${at}`.execute(tx);
    await sql`update sensor_location set to_at = ${at} where sensor_num = ${sensor.num} and to_at > ${at}`.execute(tx);
    if (locationId) {
      await tx
        .insertInto("sensor_location")
        .values({
          sensor_num: sensor.num,
          from_at: at,
          location_id: locationId,
          counts_from: sql`case when exists (select from sensor_location where sensor_num = ${sensor.num})
            then ${at}::timestamptz else '-infinity' end`,
        })
        .execute();
    }
    await tx.updateTable("sensor").set({ location_id: locationId }).where("num", "=", sensor.num).execute();
    await rebuildDaySums(tx, concerned);
  });
}

async function openApp(ctx: Context): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = ctx.log;
  const app: FastifyInstance = fastify({
    loggerInstance,
    genReqId: () => uuidv7(Date.now()),
  });
  await app.register(fastifyCookie);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, ctx.log));
  const leases = createLeases(ctx);
  const sessions = createSessionService(ctx, leases);
  const bind = createBinder(app, createAuthenticate(ctx, sessions.byToken), createLongCalls(leases, sessions));
  const heavy = createHeavyReads(ctx);
  datapointRoutes(bind, ctx, heavy);
  countsRoutes(bind, heavy);
  countsFileRoutes(bind, ctx, heavy);
  return app;
}

async function plant(ctx: Context, parent: Person | null, permissions: Permissions | null): Promise<Person> {
  const now = ctx.clock.now();
  const id = uuidv7(now);
  const [label = ""] = await allocatePathLabels(ctx.db, 1);
  const path = (parent?.path ?? "") + label;
  const parentAccounts = parent ? [...parent.parentAccounts, parent.id] : [];
  const roleId = permissions ? uuidv7(now) : null;
  const token = randomBytes(32).toString("base64url");
  const credentialId = uuidv7(now);
  const sessionId = uuidv7(now);
  await ctx.db.transaction().execute(async (tx) => {
    if (roleId) {
      const role = {
        id: roleId,
        owner_id: id,
        owner_path: path,
        name: `Role of ${id}`,
        permissions: JSON.stringify(permissions),
      };
      await tx.insertInto("role").values(role).execute();
    }
    const account = {
      id,
      name: id,
      parent_id: parent?.id ?? null,
      ancestor_ids: parentAccounts,
      path,
      role_id: roleId,
    };
    await tx.insertInto("account").values(account).execute();
    await tx
      .insertInto("credential")
      .values({ id: credentialId, account_id: id, email: `${id}@example.com`, step: 2 })
      .execute();
    const times = { created_at: new Date(now), last_used_at: new Date(now), expires_at: new Date(now + 86_400_000) };
    await tx
      .insertInto("session")
      .values({ id: sessionId, token_hash: hashToken(token), account_id: id, credential_id: credentialId, ...times })
      .execute();
  });
  const request = { id: "", idempotency: null, ifMatch: null };
  return {
    id,
    name: id,
    path,
    parentAccounts,
    roleId,
    permissions,
    sessionId,
    credentialId,
    email: "",
    request,
    token,
  };
}

export function countRecord(
  s: number,
  durationS: number,
  lines: Record<string, [number, number]>,
  more: Partial<CountRecord> = {},
): CountRecord {
  const list = Object.entries(lines).map(([id, [ins, outs]]) => ({ id, in: ins, out: outs }));
  return { q: 1, t: "count", s, e: s + durationS * 1000, ck: "ok", osd: 0, lines: list, ...more };
}
