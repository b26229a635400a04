// Tests that every anonymous route has limits in anonymous-cost.testing.ts, and that strangers can't cause more work than that. Work
// is counted, never timed (T-10, T-23, T-26).
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { calls } from "@psp/contract/api.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashPassword } from "../credential/hashing.service.ts";
import {
  ask,
  constantPaths,
  routeCosts,
  costFixture,
  noId,
  fakeSecret,
  type WorkCounts,
} from "./anonymous-cost.testing.ts";
import { displayPath } from "../occupancy/display/display-socket.guard.ts";
import { listUpgradePaths } from "../open/part.ts";
import { parts } from "./parts.ts";
import { linkTokenPrefix } from "../proxy/request-rules.ts";
import { visit } from "../testing/requests/page-browser.ts";
import { tunnelPath } from "../tunnel/tunnel.guard.ts";
import { captureStatements, startInBackground } from "../testing/asked-statements.ts";
import { password } from "../testing/scenes/registrants.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Reply, type World } from "../testing/world.ts";
import { deriveBoxKeys } from "../kit/sealed-box.ts";

const routes = new Set<string>();
const clock = createStillClock();
const key = Buffer.alloc(16).toString("base64");
let world: World;
let endBackground = (): void => undefined;

function watchRoutes(message: unknown) {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook("onRoute", ({ method, url, config }) => {
    const call = config?.call ?? "";
    for (const one of [method].flat()) if (one !== "HEAD") routes.add(`${one} ${url} ${call}`);
  });
}

beforeAll(async () => {
  subscribe("fastify.initialization", watchRoutes);
  const env = { TRUST_PROXY: "1", DEMO: "on", TEST_CLOCK: "on", PARTS: "api,gateway" };
  endBackground = await startInBackground(async () => void (world = await createWorld({ clock, env })));
  unsubscribe("fastify.initialization", watchRoutes);
  const { ctx, root } = world;
  const [who, forgetful] = [
    await world.account("Known", root, fullPermissions),
    await world.account("Forgetful", root, null),
  ];
  costFixture.world = world;
  costFixture.login = who.email;
  const password_hash = await hashPassword(ctx, password);
  const accounts = [who.id, forgetful.id];
  await ctx.db.updateTable("credential").set({ password_hash }).where("account_id", "in", accounts).execute();
  await ask("PUT", "/api/auth/login/forgot_password", { email: forgetful.email })(0, "198.51.100.1");
  costFixture.resetToken = await mailed(forgetful.email, /reset-password\?token=(\S+)$/m);
  const role = (
    await world.call(root, "POST", "/api/role", { body: { name: "Customer", owner: root.id, permissions: {} } })
  ).id;
  const email = "invited@b.example";
  await world.call(root, "POST", "/api/account", { body: { name: "Invited Ltd", role, email } });
  costFixture.invitation = await mailed(email, /https?:\/\/[^/\s]+(\/\S+)$/m);
  costFixture.publicKey = Buffer.from(deriveBoxKeys(ctx.config.secrets.display).publicKey).toString("base64");
});
afterAll(async () => {
  await world.stop();
  endBackground();
});

async function mailed(email: string, form: RegExp): Promise<string> {
  const mail = await world.ctx.db
    .selectFrom("mail_outbox")
    .select("text_body")
    .where("recipient", "=", email)
    .executeTakeFirst();
  return form.exec(mail?.text_body ?? "")?.[1] ?? "";
}

const sessionCalls = new Set(calls.filter(({ caller }) => caller === "session").map(({ name }) => name));
const isAnonymous = (route: string) => !sessionCalls.has(route.split(" ")[2] ?? "");
const nameOf = (route: string) => route.split(" ").slice(0, 2).join(" ");
const withoutCost = (all: Iterable<string>) =>
  [...all]
    .filter(isAnonymous)
    .map(nameOf)
    .filter((name) => routeCosts[name] === undefined);

async function workOf(work: () => Promise<unknown>): Promise<WorkCounts> {
  const { hashes, boxes, compressed } = world.ctx.metrics;
  const read = async () =>
    Promise.all([hashes, boxes, compressed].map(async (one) => (await one.get()).values[0]?.value ?? 0));
  const before = await read();
  const statements = (await captureStatements(work)).filter(({ isBackground }) => !isBackground).length;
  await world.call(world.root, "GET", "/api/v2/audit?limit=1");
  const [hashed = 0, opened = 0, bytes = 0] = (await read()).map((value, n) => value - (before[n] ?? 0));
  return { hashes: hashed, boxes: opened, compressed: bytes, statements };
}

test("T-23 every anonymous route has its cost in the table", () => {
  expect(withoutCost(routes)).toEqual([]);
  expect(withoutCost([...routes, "GET /api/free-lunch freeLunch"])).toEqual(["GET /api/free-lunch"]);
  const known = new Set([...routes].filter(isAnonymous).map(nameOf));
  expect(Object.keys(routeCosts).filter((name) => !known.has(name) && name !== "GET /*")).toEqual([]);
});

test("T-23 statements that a call sends after its body has arrived count", async () => {
  const login = { email: costFixture.login, password };
  const work = await workOf(() => ask("POST", "/api/auth/login", login)(0, "198.51.100.3"));
  expect(work.hashes).toBe(1);
  expect(work.statements).toBeGreaterThan(0);
});

test("T-26 a constant is compressed once, and 304 for clients that have it", { tags: "prove" }, async () => {
  for (const path of constantPaths) {
    const plain = await world.call(null, "GET", path, { headers: { "accept-encoding": "identity" } });
    const length = Number(plain.headers.get("content-length"));
    const five = () => Promise.all(Array.from({ length: 5 }, (_, n) => ask("GET", path)(n, "198.51.100.2")));
    const work = await workOf(five);
    expect([path, work]).toEqual([path, { hashes: 0, boxes: 0, compressed: 0, statements: 0 }]);
    const { headers } = await ask("GET", path)(0, "198.51.100.2");
    expect([path, headers.get("content-encoding")]).toEqual([path, length > 1000 ? "br" : null]);
    const known = await ask("GET", path, undefined, { "if-none-match": headers.get("etag") ?? "" })(0, "198.51.100.2");
    expect([path, known.status, known.body]).toEqual([path, 304, ""]);
  }
});

const rows = Object.entries(routeCosts).map(([name, cost], index) => ({ name, cost, from: `203.0.113.${index}` }));

test.each(rows)("T-10 T-23 $name does no more work than its row allows", async ({ name, cost, from }) => {
  const { most, limit, ask: send } = cost;
  if (limit?.of === "link") {
    const work = await workOf(() => Promise.all(Array.from({ length: 5 }, (_, n) => send(n, from))));
    expect(work).toMatchObject({ hashes: limit.max * (most.hashes ?? 0), boxes: 0, compressed: 0 });
    return;
  }
  if ((most.hashes ?? 0) + (most.boxes ?? 0) > 0) expect(limit).toBeDefined();
  if (constantPaths.some((path) => name.endsWith(path))) await send(0, from);
  const once = await workOf(() => send(0, from));
  for (const kind of ["compressed", "statements"] as const)
    expect(once[kind], kind).toBeLessThanOrEqual(most[kind] ?? 0);
  expect([once.hashes, once.boxes]).toEqual([most.hashes ?? 0, most.boxes ?? 0]);
});

const limited = rows.filter(({ cost: { limit } }) => limit !== undefined && limit.of !== "link");
test.each(limited)("T-10 T-23 $name does its work as often as its row allows", async ({ cost, from }) => {
  const { most, limit = { of: "client", max: 0 }, ask: send } = cost;
  clock.moveTo(clock.now() + 3_600_000);
  const more = 5;
  const clientOf = (n: number) => (limit.of === "client" ? from : `198.18.0.${n}`);
  let replies: Reply[] = [];
  const work = await workOf(async () => {
    const asked = Array.from({ length: limit.max + more }, (_, n) => send(n + 1, clientOf(n)));
    replies = await Promise.all(asked);
  });
  const refused = replies.filter(({ status }) => status === 429 || status === 503);
  expect(refused.length).toBe(more);
  expect(refused.every(({ headers }) => Number(headers.get("retry-after")) > 0)).toBe(true);
  for (const kind of ["hashes", "boxes", "compressed"] as const)
    expect(work[kind], kind).toBeLessThanOrEqual(limit.max * (most[kind] ?? 0));
});

test("OC-03 T-10 a client has 60 boxes a minute opened; others are not delayed", async () => {
  const junk = (from: string) => ask("POST", `/api/display/${noId}`, { k: "A".repeat(80) })(0, from);
  clock.moveTo(clock.now() + 3_600_000);
  const statuses: number[] = [];
  const work = await workOf(async () => {
    for (let n = 0; n < 65; n += 1) {
      if (n === 40) clock.moveTo(clock.now() + 1_000);
      statuses.push((await junk("192.0.2.1")).status);
    }
  });
  expect(statuses).toEqual([...Array(60).fill(401), ...Array(5).fill(429)]);
  expect([work.boxes, work.hashes]).toEqual([60, 0]);
  expect((await junk("192.0.2.2")).status).toBe(401);
});

/** Maximum statements per anonymous upgrade. The test compares these paths with the server's. */
const upgrades: Record<string, number> = { "/live": 1, [displayPath]: 1, [tunnelPath]: 1, "/mqtt": 0 };

test("T-23 an upgrade without a valid token costs one statement at each path", async () => {
  expect([...listUpgradePaths(world.ctx.config, parts)].toSorted()).toEqual(Object.keys(upgrades).toSorted());
  for (const [path, statements] of Object.entries(upgrades)) {
    const headers = {
      connection: "upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
    };
    const authorization = `Basic ${Buffer.from(`020000000050:${fakeSecret}`).toString("base64")}`;
    const url = `${path.endsWith("/") ? path + noId : path}?token=${fakeSecret}`;
    const work = await workOf(async () => {
      const asked = request(world.url + url, { headers: { ...headers, authorization }, agent: false }).end();
      // MQTT authenticates after the upgrade.
      const [{ socket }] = (await Promise.race([once(asked, "response"), once(asked, "upgrade")])) as [IncomingMessage];
      socket.destroy();
    });
    expect([path, work.hashes, work.boxes, work.compressed]).toEqual([path, 0, 0, 0]);
    expect(work.statements, path).toBeLessThanOrEqual(statements);
  }
});

test("T-17 T-23 a request to a device host costs one statement per cookie, five at most", async () => {
  const host = "020000000050.devices.localhost";
  const cookies = Array.from({ length: 50 }, (_, n) => `psp_remote=${"A".repeat(42)}${n % 10}`).join("; ");
  const byCookies = await workOf(() => visit(world.url, host, "/", { headers: { cookie: cookies } }));
  const byToken = await workOf(() => visit(world.url, host, `/?token=${linkTokenPrefix}${fakeSecret}`));
  for (const [work, statements] of [
    [byCookies, 5],
    [byToken, 1],
  ] as const) {
    expect([work.hashes, work.boxes, work.compressed]).toEqual([0, 0, 0]);
    expect(work.statements).toBeLessThanOrEqual(statements);
  }
  expect(byCookies.statements).toBeGreaterThan(0);
});

test("T-23 a session call costs one statement with an invalid token, none without", async () => {
  const addresses = [...routes].filter((route) => !isAnonymous(route));
  expect(addresses.length).toBeGreaterThan(90);
  for (const route of addresses) {
    const [method = "", path = ""] = nameOf(route).split(" ");
    const url = path.replaceAll(/:\w+/g, noId);
    for (const token of ["", fakeSecret]) {
      const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
      const statuses: number[] = [];
      const call = async () => statuses.push((await world.call(null, method, url, { headers })).status);
      const most = token === "" ? 0 : 1;
      const work = await workOf(call);
      expect([route, new Set(statuses), work.hashes, work.boxes, work.compressed]).toEqual([
        route,
        new Set([401]),
        0,
        0,
        0,
      ]);
      expect(work.statements, route).toBeLessThanOrEqual(most);
    }
  }
});
