// Tests the first login of an empty database: it is created once, strong, and shown once.
import { randomBytes } from "node:crypto";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { createClock } from "../kit/clock.ts";
import { readConfig } from "../config.ts";
import { type Context, createContext } from "../context.ts";
import { openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../testing/postgres.ts";
import { createWorld } from "../testing/world.ts";
import { startServer } from "../process/server.ts";
import { bootstrapRoot } from "./bootstrap.service.ts";

const random = () => randomBytes(32).toString("hex");
const secrets = { SESSION_SECRET: random(), DISPLAY_PRIVATE_KEY: random(), FIRMWARE_SIGNING_KEY: random() };
const open: { ctx: Context; place: TestDatabase }[] = [];
afterEach(async () => {
  for (const { ctx, place } of open.splice(0)) {
    await ctx.db.destroy();
    await place.drop();
  }
});

async function emptyProduct(env: Record<string, string> = {}): Promise<Context> {
  const place = await createTestDatabase(migrate);
  const log = pino({ level: "silent" });
  const ctx = createContext({
    config: readConfig({ ...secrets, ...env }),
    db: openDatabase(place.url, { pool: 4, log }),
    clock: createClock(),
    log,
  });
  open.push({ ctx, place });
  return ctx;
}
const accounts = (ctx: Context) => ctx.db.selectFrom("account").select(["id", "parent_id", "ancestor_ids"]).execute();

test("concurrent starts create one root account with a random password", async () => {
  const ctx = await emptyProduct();
  const logins = await Promise.all([bootstrapRoot(ctx), bootstrapRoot(ctx), bootstrapRoot(ctx)]);
  expect(logins.filter((login) => login !== null)).toHaveLength(1);
  const [login] = logins.filter((one) => one !== null);
  expect(login?.email).toBe("admin@example.com");
  expect(login?.password).toMatch(/^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/);
  expect(await accounts(ctx)).toMatchObject([{ parent_id: null, ancestor_ids: [] }]);
  expect(await bootstrapRoot(ctx)).toBeNull();
  const again = await bootstrapRoot(await emptyProduct());
  expect(again?.password).not.toBe(login?.password);
});

test("a configured password is never repeated", async () => {
  const strong = await emptyProduct({ ADMIN_PASSWORD: "violet-harbour-lantern", NODE_ENV: "production" });
  expect(await bootstrapRoot(strong)).toBeNull();
  expect(await accounts(strong)).toHaveLength(1);
});

const sameSite = { PUBLIC_URL: "https://console.example.com", DEVICE_LINK_ROOT: "devices.example.com:8443" };

test("T-17 a new installation refuses device pages on the console's registrable domain and stores nothing", async () => {
  const refused = await emptyProduct(sameSite);
  await expect(bootstrapRoot(refused)).rejects.toThrow(/^DEVICE_LINK_ROOT \(devices\.example\.com\)/);
  expect(await accounts(refused)).toEqual([]);
  for (const env of [
    { ...sameSite, DEVICE_LINK_ROOT: "devices.example.net" },
    { PUBLIC_URL: "https://console.co.uk", DEVICE_LINK_ROOT: "devices.co.uk" },
    { PUBLIC_URL: "https://192.0.2.1", DEVICE_LINK_ROOT: "devices.example.com" },
    {},
  ]) {
    const ctx = await emptyProduct(env);
    await bootstrapRoot(ctx);
    expect(await accounts(ctx), JSON.stringify(env)).toHaveLength(1);
  }
});

test("T-17 an existing installation starts with such device pages; log and root account are warned", async () => {
  const world = await createWorld();
  const child = await world.account("Customer", world.root, null);
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
  const env = { ...secrets, ...sameSite, DATABASE_URL: world.databaseUrl, HOST: "127.0.0.1", PORT: "0", PARTS: "api" };
  const server = await startServer(readConfig(env), log);
  try {
    expect(lines.join("")).toContain("DEVICE_LINK_ROOT (devices.example.com)");
    const warningsOf = async (token: string) => {
      const reply = await fetch(`${server.url}/api/auth/user`, { headers: { authorization: `Bearer ${token}` } });
      return ((await reply.json()) as { configurationWarnings?: string[] }).configurationWarnings;
    };
    expect(await warningsOf(world.root.token)).toEqual([expect.stringMatching(/^DEVICE_LINK_ROOT /)]);
    expect(await warningsOf(child.token)).toBeUndefined();
  } finally {
    await server.stop();
    await world.stop();
  }
});

test("the first login signs in and may do everything", async () => {
  const world = await createWorld({
    env: { ADMIN_EMAIL: "chief@example.com", ADMIN_PASSWORD: "violet-harbour-lantern" },
  });
  try {
    const reply = await world.call(null, "POST", "/api/auth/login", {
      body: { email: "chief@example.com", password: "violet-harbour-lantern" },
    });
    expect(reply.status).toBe(200);
    expect(reply.at("user.parentAccounts")).toEqual([]);
    const root = { ...world.root, token: String(reply.at("token")) };
    const role = await world.call(root, "POST", "/api/role", {
      body: { name: "Customer", owner: root.id, permissions: {} },
    });
    const account = await world.call(root, "POST", "/api/account", {
      body: { name: "Customer", role: role.id, email: "c@example.com" },
    });
    expect([role.status, account.status]).toEqual([200, 200]);
  } finally {
    await world.stop();
  }
});
