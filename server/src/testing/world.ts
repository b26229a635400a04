// A running server on its own database, with accounts, rights and sessions, used over HTTP.
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refusalActions } from "@psp/contract/audit/audit.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { type Logger, pino } from "pino";
import { type Clock, createClock } from "../kit/clock.ts";
import { readConfig } from "../config.ts";
import type { Context } from "../context.ts";
import { migrate } from "../db/migrate.ts";
import { allocatePathLabels } from "../db/account-path.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { semverKey } from "@psp/contract/firmware/semver.ts";
import { type Server, startServer } from "../process/server.ts";
import { type Live, listen } from "./live-socket.ts";
import { createTestDatabase } from "./postgres.ts";

export type Person = {
  id: string;
  name: string;
  email: string;
  path: string;
  parentAccounts: string[];
  roleId: string | null;
  token: string;
};

export type JsonObject = Record<string, unknown>;
export type Reply = {
  status: number;
  headers: Headers;
  body: unknown;
  code: unknown;
  /** `_id` of the response; throws without one. */
  id: string;
  list: JsonObject[];
  /** A value by its path, e.g. `objects.0.owner.name`. */
  at(path: string): unknown;
};
export type CallOptions = { body?: unknown; headers?: Record<string, string> };

export type World = {
  ctx: Context;
  server: Server;
  url: string;
  databaseUrl: string;
  root: Person;
  /** A new account below `parent` with exactly these rights, or without a role if null. */
  account(name: string, parent: Person, permissions: Permissions | null): Promise<Person>;
  /** Firmware of this owner as after an upload, without its file. */
  firmware(owner: Person, type: string, version: string): Promise<string>;
  /** Uploads firmware as that person, owned by them by default. */
  upload(
    who: Person | null,
    fields: Record<string, string>,
    file: Uint8Array | null,
    headers?: Record<string, string>,
  ): Promise<Reply>;
  token(person: Person): Promise<string>;
  /** A call as that person (null: no one); `path` is below the server's root, e.g. `/api/v2/sensor`. */
  call(who: Person | null, method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Opens the live socket of that person; closed by the test or by `stop`. */
  live(who: Person): Promise<Live>;
  /** Audit rows of one object, oldest first, without refusals, which are written asynchronously. */
  trail(objectId: string): Promise<{ action: string; account_id: string | null; before: unknown; after: unknown }[]>;
  stop(): Promise<void>;
};

/** Starts the server like main.ts, on free ports; call `stop` in `afterAll`. `env` overrides the configuration. */
export async function createWorld(
  options: { env?: Record<string, string>; clock?: Clock; log?: Logger } = {},
): Promise<World> {
  const place = await createTestDatabase(migrate);
  const dataDir = mkdtempSync(join(tmpdir(), "psp-world-"));
  const config = readConfig({
    DATABASE_URL: place.url,
    DATABASE_POOL: "8",
    DATA_DIR: dataDir,
    HOST: "127.0.0.1",
    PORT: "0",
    MQTT_PORT: "0",
    PARTS: "api",
    LOG_LEVEL: "silent",
    TEST_HASHING: "on",
    ...options.env,
  });
  const log = options.log ?? pino({ level: config.logLevel });
  const server = await startServer(config, log, { clock: options.clock ?? createClock() });
  const { ctx } = server;
  const root = await signInRoot(ctx);
  const sockets: WebSocket[] = [];

  return {
    ctx,
    server,
    url: server.url,
    databaseUrl: place.url,
    root,
    account: (name, parent, permissions) => plantAccount(ctx, name, parent, permissions, root),
    firmware: (owner, type, version) => plantFirmware(ctx, owner, type, version),
    async upload(who, fields, file, headers = {}) {
      const form = new FormData();
      for (const [name, value] of Object.entries({ ...(who ? { owner: who.id } : {}), ...fields }))
        form.append(name, value);
      if (file) form.append("file", new Blob([Uint8Array.from(file)]), "firmware.bin");
      const response = await fetch(`${server.url}/api/artifact`, {
        method: "POST",
        headers: { ...(who ? { authorization: `Bearer ${who.token}` } : {}), ...headers },
        body: form,
      });
      return toReply(response, JSON.parse(await response.text()));
    },
    token: async (person) => openSession(ctx, person.id, await credentialOf(ctx, person.id)),
    async call(who, method, path, { body, headers = {} } = {}) {
      const response = await fetch(server.url + path, {
        method,
        headers: {
          ...(who ? { authorization: `Bearer ${who.token}` } : {}),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = /json/.test(response.headers.get("content-type") ?? "");
      return toReply(response, isJson && text !== "" ? JSON.parse(text) : text);
    },
    async live(who) {
      const socket = new WebSocket(`${server.url.replace("http", "ws")}/live?token=${who.token}`);
      sockets.push(socket);
      return listen(socket);
    },
    trail: (objectId) =>
      ctx.db
        .selectFrom("audit")
        .select(["action", "account_id", "before", "after"])
        .where("object_id", "=", objectId)
        .where("action", "not in", [...refusalActions])
        .orderBy("at")
        .orderBy("id")
        .execute(),
    async stop() {
      for (const socket of sockets) socket.close();
      await server.stop();
      await place.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function toReply(response: Response, body: unknown): Reply {
  const at = (path: string) =>
    path.split(".").reduce<unknown>((value, key) => (value as JsonObject | null | undefined)?.[key], body);
  return {
    status: response.status,
    headers: response.headers,
    body,
    at,
    get code() {
      return at("code");
    },
    get id() {
      const id = at("_id");
      if (typeof id !== "string") throw new Error(`No _id in ${response.status} ${JSON.stringify(body)}`);
      return id;
    },
    get list() {
      const rows = Array.isArray(body) ? body : at("objects");
      if (!Array.isArray(rows)) throw new Error(`No list in ${response.status} ${JSON.stringify(body)}`);
      return rows as JsonObject[];
    },
  };
}

async function signInRoot(ctx: Context): Promise<Person> {
  const row = await ctx.db.selectFrom("account").selectAll().where("parent_id", "is", null).executeTakeFirstOrThrow();
  const token = await openSession(ctx, row.id, await credentialOf(ctx, row.id));
  return {
    id: row.id,
    name: row.name,
    email: ctx.config.admin.email,
    path: row.path,
    parentAccounts: [],
    roleId: row.role_id,
    token,
  };
}

async function credentialOf(ctx: Context, accountId: string): Promise<string> {
  const { id } = await ctx.db
    .selectFrom("credential")
    .select("id")
    .where("account_id", "=", accountId)
    .where("is_deleted", "=", false)
    .executeTakeFirstOrThrow();
  return id;
}

async function openSession(ctx: Context, accountId: string, credentialId: string): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const now = ctx.clock.now();
  await ctx.db
    .insertInto("session")
    .values({
      id: uuidv7(now),
      token_hash: createHash("sha256").update(token).digest(),
      account_id: accountId,
      credential_id: credentialId,
      created_at: new Date(now),
      last_used_at: new Date(now),
      expires_at: new Date(now + 30 * 86_400_000),
    })
    .execute();
  return token;
}

async function plantAccount(
  ctx: Context,
  name: string,
  parent: Person,
  permissions: Permissions | null,
  root: Person,
): Promise<Person> {
  const now = ctx.clock.now();
  const id = uuidv7(now);
  const roleId = permissions && uuidv7(now);
  const [label] = await allocatePathLabels(ctx.db, 1);
  const person = {
    id,
    name,
    email: `${id}@example.com`,
    path: parent.path + label,
    parentAccounts: [...parent.parentAccounts, parent.id],
    roleId,
  };
  const credentialId = uuidv7(now);
  await ctx.db.transaction().execute(async (tx) => {
    if (roleId) {
      const role = { id: roleId, owner_id: root.id, owner_path: root.path, name: `role of ${name} ${id}` };
      await tx
        .insertInto("role")
        .values({ ...role, permissions: JSON.stringify(permissions) })
        .execute();
    }
    await tx
      .insertInto("account")
      .values({
        id,
        name,
        parent_id: parent.id,
        ancestor_ids: person.parentAccounts,
        path: person.path,
        role_id: roleId,
      })
      .execute();
    await tx
      .insertInto("credential")
      .values({ id: credentialId, account_id: id, email: person.email, step: 2 })
      .execute();
  });
  return { ...person, token: await openSession(ctx, id, credentialId) };
}

async function plantFirmware(ctx: Context, owner: Person, type: string, version: string): Promise<string> {
  const id = uuidv7(ctx.clock.now());
  await ctx.db
    .insertInto("firmware")
    .values({ id, owner_id: owner.id, owner_path: owner.path, type, name: version, precedence: semverKey(version) })
    .execute();
  return id;
}
