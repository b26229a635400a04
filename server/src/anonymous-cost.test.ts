// What a stranger can make the server do: every route that answers without a session has a row here, with the most work of its
// most expensive request and the limit on such requests. Work is counted, never timed (T-10, T-23, T-26).
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { calls } from "@psp/contract/api.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashPassword } from "./credential/hashing.service.ts";
import { seal } from "./occupancy/display.testing.ts";
import { displayPath } from "./occupancy/display/display-socket.guard.ts";
import { upgradePaths } from "./server.ts";
import { linkTokenPrefix } from "./proxy/proxy.ts";
import { visit } from "./testing/page-browser.ts";
import { tunnelPath } from "./tunnel/tunnel.guard.ts";
import { statementsOf } from "./testing/asked-statements.ts";
import { signUpForm, invitedForm, password } from "./testing/registrants.ts";
import { createStillClock } from "./testing/snapshot.ts";
import { createWorld, type CallOptions, type Reply, type World } from "./testing/world.ts";
import { boxKeys } from "./kit/sealed-box.ts";

type Work = { hashes: number; boxes: number; compressed: number; statements: number };
type Cost = {
  /** Of the most expensive request that a stranger can make; what is left out is none. */
  most: Partial<Work>;
  /**
   * How many requests do that work: of one client within a minute, of all clients within a second, or with one mailed link. What
   * hashes, opens a box or begins a transaction of several writes has one.
   */
  limit?: { of: "client" | "everybody" | "link"; max: number };
  /** The n-th request, from this client. */
  ask: (n: number, from: string) => Promise<Reply>;
};

const routes = new Set<string>();
const clock = createStillClock();
const noId = "019a0000-0000-7000-8000-000000000000";
const key = Buffer.alloc(16).toString("base64");
const secret = "A".repeat(43);
let world: World;
let resetToken: string;
let invitation: string;
let login: string;
let publicKey: string;

/** Fastify announces each application before its first route. */
function watchRoutes(message: unknown) {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook("onRoute", ({ method, url, config }) => {
    const call = config?.call ?? "";
    // A HEAD does what its GET does.
    for (const one of [method].flat()) if (one !== "HEAD") routes.add(`${one} ${url} ${call}`);
  });
}

beforeAll(async () => {
  subscribe("fastify.initialization", watchRoutes);
  world = await createWorld({ clock, env: { TRUST_PROXY: "1", DEMO: "on", TEST_CLOCK: "on", PARTS: "api,gateway" } });
  unsubscribe("fastify.initialization", watchRoutes);
  const { ctx, root } = world;
  const [who, forgetful] = [
    await world.account("Known", root, fullPermissions),
    await world.account("Forgetful", root, null),
  ];
  login = who.email;
  const password_hash = await hashPassword(ctx, password);
  const accounts = [who.id, forgetful.id];
  await ctx.db.updateTable("credential").set({ password_hash }).where("account_id", "in", accounts).execute();
  await ask("PUT", "/api/auth/login/forgot_password", { email: forgetful.email })(0, "198.51.100.1");
  resetToken = await mailed(forgetful.email, /reset-password\?token=(\S+)$/m);
  const role = (
    await world.call(root, "POST", "/api/role", { body: { name: "Customer", owner: root.id, permissions: {} } })
  ).id;
  const email = "invited@b.example";
  await world.call(root, "POST", "/api/account", { body: { name: "Invited Ltd", role, email } });
  invitation = await mailed(email, /https?:\/\/[^/\s]+(\/\S+)$/m);
  publicKey = Buffer.from(boxKeys(ctx.config.secrets.display).publicKey).toString("base64");
});
afterAll(() => world.stop());

/** What the mail to an address has, without sending it. */
async function mailed(email: string, form: RegExp): Promise<string> {
  const mail = await world.ctx.db
    .selectFrom("mail_outbox")
    .select("text_body")
    .where("recipient", "=", email)
    .executeTakeFirst();
  return form.exec(mail?.text_body ?? "")?.[1] ?? "";
}

const ask =
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  (_n: number, from: string): Promise<Reply> => {
    const options: CallOptions = { headers: { "x-forwarded-for": from, "accept-encoding": "br", ...headers } };
    return world.call(null, method, path, body === undefined ? options : { ...options, body });
  };
const link = `/api/account/${noId}/registration/${secret}`;
/** For programs on the server's own machine: nothing for anybody else. */
const local = (method: string, path: string): Cost => ({ most: {}, ask: ask(method, path) });
/** Compressed for the first who asks, in two forms. */
const constants = ["/api/openapi.json", "/api/docs", "/api/docs/start.js", "/api/docs/scalar.js"];
const constant = (path: string): [string, Cost] => [`GET ${path}`, { most: {}, ask: ask("GET", path) }];

/** In the order of the route table. One statement is one round trip to the database; a transaction has two more. */
const costs: Record<string, Cost> = {
  "GET /health": { most: { statements: 1 }, ask: ask("GET", "/health") },
  "GET /metrics": local("GET", "/metrics"),
  "POST /device/v1/enrol": {
    most: { statements: 3 },
    ask: (n, from) => {
      const form = { token: `${secret}${n}`, id: "020000000050", type: "APS", nonce: "1", time: 1 };
      return ask("POST", "/device/v1/enrol", form)(n, from);
    },
    limit: { of: "everybody", max: 50 },
  },
  "GET /device/fw/:token": { most: {}, ask: ask("GET", `/device/fw/${secret}`) },
  "POST /device/v1/upload-test/:ticket": { most: {}, ask: ask("POST", `/device/v1/upload-test/${secret}`) },
  "POST /api/auth/login": {
    most: { hashes: 1, statements: 5 },
    ask: (n, from) =>
      ask("POST", "/api/auth/login", { email: n === 0 ? login : `${n}@b.example`, password: "wrong" })(n, from),
    limit: { of: "client", max: 50 },
  },
  "PUT /api/auth/evaluate_password": {
    most: { compressed: 0 },
    ask: ask("PUT", "/api/auth/evaluate_password", { password: "a".repeat(1024) }),
    limit: { of: "client", max: 60 },
  },
  "PUT /api/auth/login/forgot_password": {
    most: { statements: 9 },
    ask: (n, from) =>
      ask("PUT", "/api/auth/login/forgot_password", { email: n === 0 ? login : `${n}@b.example` })(n, from),
    limit: { of: "client", max: 30 },
  },
  "PUT /api/auth/login/reset_password": {
    most: { hashes: 1, statements: 10 },
    ask: (n, from) =>
      ask("PUT", `/api/auth/login/reset_password?token=${resetToken}`, { password: `${password} ${n}` })(n, from),
    limit: { of: "link", max: 1 },
  },
  "GET /api/account/:id/registration/:regId": { most: { statements: 1 }, ask: ask("GET", link) },
  "PUT /api/account/:id/registration/:regId": {
    most: { hashes: 1, statements: 12 },
    ask: (n, from) => ask("PUT", `/api${invitation}`, invitedForm())(n, from),
    limit: { of: "link", max: 1 },
  },
  "GET /api/account/:id/registration/:regId/verify/:code": {
    most: { statements: 1 },
    ask: ask("GET", `${link}/verify/${secret}`),
  },
  "PUT /api/account/:id/registration/:regId/verify/:code": {
    most: { statements: 3 },
    ask: ask("PUT", `${link}/verify/${secret}`),
  },
  "DELETE /api/account/:id/registration/:regId/verify/:code": {
    most: { statements: 4 },
    ask: ask("DELETE", `${link}/verify/${secret}`),
  },
  "POST /api/account/registration": {
    most: { hashes: 1, statements: 20 },
    ask: (n, from) => ask("POST", "/api/account/registration", signUpForm(`sign-up${n}@b.example`))(n, from),
    limit: { of: "client", max: 30 },
  },
  "GET /api/report/unsubscribe": { most: {}, ask: ask("GET", `/api/report/unsubscribe?token=${secret}`) },
  "POST /api/report/unsubscribe": { most: {}, ask: ask("POST", "/api/report/unsubscribe", { token: secret }) },
  "POST /api/report/confirm": { most: {}, ask: ask("POST", "/api/report/confirm", { token: secret }) },
  "GET /data/gtfs-realtime/:id/vehicle-positions": {
    most: { statements: 1 },
    ask: ask("GET", `/data/gtfs-realtime/${noId}/vehicle-positions?token=${secret}`),
  },
  "POST /api/display/:id": {
    most: { hashes: 1, boxes: 1, statements: 5 },
    ask: (n, from) => {
      const k = seal(publicKey, JSON.stringify({ email: `${n}@b.example`, password }));
      return ask("POST", `/api/display/${noId}`, { k })(n, from);
    },
    limit: { of: "everybody", max: 50 },
  },
  "GET /api/display/:id": {
    most: { statements: 1 },
    ask: ask("GET", `/api/display/${noId}`, undefined, { authorization: `Bearer ${secret}` }),
  },
  "GET /dev/clock": local("GET", "/dev/clock"),
  "PUT /dev/clock": local("PUT", "/dev/clock"),
  "POST /dev/walk": local("POST", "/dev/walk"),
  "POST /dev/fault": local("POST", "/dev/fault"),
  "GET /dev/mail": local("GET", "/dev/mail"),
  "GET /dev/mail/:name": local("GET", "/dev/mail/a.eml"),
  "POST /unsubscribe": { most: {}, ask: ask("POST", `/unsubscribe?token=${secret}`) },
  ...Object.fromEntries(constants.map(constant)),
  "GET /config.js": {
    most: { compressed: 4096, statements: 1 },
    ask: ask("GET", "/config.js", undefined, { cookie: `psp_session=${secret}` }),
  },
  // Only where the console was built.
  "GET /*": {
    most: { compressed: 65_536, statements: 1 },
    ask: ask("GET", "/sensor", undefined, { cookie: `psp_session=${secret}` }),
  },
};

const sessionCalls = new Set(calls.filter(({ caller }) => caller === "session").map(({ name }) => name));
const isAnonymous = (route: string) => !sessionCalls.has(route.split(" ")[2] ?? "");
const nameOf = (route: string) => route.split(" ").slice(0, 2).join(" ");
const withoutCost = (all: Iterable<string>) =>
  [...all]
    .filter(isAnonymous)
    .map(nameOf)
    .filter((name) => costs[name] === undefined);

async function workOf(work: () => Promise<unknown>): Promise<Work> {
  const { hashes, boxes, compressed } = world.ctx.metrics;
  const read = async () =>
    Promise.all([hashes, boxes, compressed].map(async (one) => (await one.get()).values[0]?.value ?? 0));
  const before = await read();
  const statements = (await statementsOf(work)).length;
  // Its answer waits until the trail of what was refused is written.
  await world.call(world.root, "GET", "/api/v2/audit?limit=1");
  const [hashed = 0, opened = 0, bytes = 0] = (await read()).map((value, n) => value - (before[n] ?? 0));
  return { hashes: hashed, boxes: opened, compressed: bytes, statements };
}

test("T-23 every route that answers without a session has its cost in the table", () => {
  expect(withoutCost(routes)).toEqual([]);
  expect(withoutCost([...routes, "GET /api/free-lunch freeLunch"])).toEqual(["GET /api/free-lunch"]);
  const known = new Set([...routes].filter(isAnonymous).map(nameOf));
  expect(Object.keys(costs).filter((name) => !known.has(name) && name !== "GET /*")).toEqual([]);
});

test("T-26 a constant is compressed once for all who ask, and answered with 304 to those who have it", async () => {
  for (const path of constants) {
    const plain = await world.call(null, "GET", path, { headers: { "accept-encoding": "identity" } });
    const length = Number(plain.headers.get("content-length"));
    const work = await workOf(() =>
      Promise.all(Array.from({ length: 5 }, (_, n) => ask("GET", path)(n, "198.51.100.2"))),
    );
    expect([path, work]).toEqual([path, { hashes: 0, boxes: 0, compressed: 0, statements: 0 }]);
    const { headers } = await ask("GET", path)(0, "198.51.100.2");
    expect([path, headers.get("content-encoding")]).toEqual([path, length > 1000 ? "br" : null]);
    const known = await ask("GET", path, undefined, { "if-none-match": headers.get("etag") ?? "" })(0, "198.51.100.2");
    expect([path, known.status, known.body]).toEqual([path, 304, ""]);
  }
});

const rows = Object.entries(costs).map(([name, cost], index) => ({ name, cost, from: `203.0.113.${index}` }));

test.each(rows)("T-10 T-23 $name does no more for a stranger than its row says", async ({ name, cost, from }) => {
  const { most, limit, ask: send } = cost;
  if (limit?.of === "link") {
    const work = await workOf(() => Promise.all(Array.from({ length: 5 }, (_, n) => send(n, from))));
    expect(work).toMatchObject({ hashes: limit.max * (most.hashes ?? 0), boxes: 0, compressed: 0 });
    return;
  }
  if ((most.hashes ?? 0) + (most.boxes ?? 0) > 0) expect(limit).toBeDefined();
  if (constants.some((path) => name.endsWith(path))) await send(0, from);
  const once = await workOf(() => send(0, from));
  for (const kind of ["compressed", "statements"] as const)
    expect(once[kind], kind).toBeLessThanOrEqual(most[kind] ?? 0);
  expect([once.hashes, once.boxes]).toEqual([most.hashes ?? 0, most.boxes ?? 0]);
});

const limited = rows.filter(({ cost: { limit } }) => limit !== undefined && limit.of !== "link");
test.each(limited)("T-10 T-23 $name does its work as often as its row says", async ({ cost, from }) => {
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

test("OC-03 T-10 a client has 60 boxes a minute opened, whatever is in them, and others are not held up", async () => {
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

/** Statements for a stranger who wants to upgrade; the table of paths is the server's own. */
const upgrades: Record<string, number> = { "/live": 1, [displayPath]: 1, [tunnelPath]: 1, "/mqtt": 0 };

test("T-23 an upgrade without a good token costs one statement, at each path that takes upgrades", async () => {
  expect([...upgradePaths(world.ctx.config)].toSorted()).toEqual(Object.keys(upgrades).toSorted());
  for (const [path, statements] of Object.entries(upgrades)) {
    const headers = {
      connection: "upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
    };
    const authorization = `Basic ${Buffer.from(`020000000050:${secret}`).toString("base64")}`;
    const url = `${path.endsWith("/") ? path + noId : path}?token=${secret}`;
    const work = await workOf(async () => {
      const asked = request(world.url + url, { headers: { ...headers, authorization }, agent: false }).end();
      // MQTT asks who it is after the upgrade.
      const [{ socket }] = (await Promise.race([once(asked, "response"), once(asked, "upgrade")])) as [IncomingMessage];
      socket.destroy();
    });
    expect([path, work.hashes, work.boxes, work.compressed]).toEqual([path, 0, 0, 0]);
    expect(work.statements, path).toBeLessThanOrEqual(statements);
  }
});

test("T-17 T-23 a request to a sensor's own host costs one statement per cookie, five at most", async () => {
  const host = "020000000050.devices.localhost";
  const cookies = Array.from({ length: 50 }, (_, n) => `psp_remote=${"A".repeat(42)}${n % 10}`).join("; ");
  const byCookies = await workOf(() => visit(world.url, host, "/", { headers: { cookie: cookies } }));
  const byToken = await workOf(() => visit(world.url, host, `/?token=${linkTokenPrefix}${secret}`));
  for (const [work, statements] of [
    [byCookies, 5],
    [byToken, 1],
  ] as const) {
    expect([work.hashes, work.boxes, work.compressed]).toEqual([0, 0, 0]);
    expect(work.statements).toBeLessThanOrEqual(statements);
  }
  expect(byCookies.statements).toBeGreaterThan(0);
});

test("T-23 a call that needs a session costs one statement with a wrong token, and none without", async () => {
  const addresses = [...routes].filter((route) => !isAnonymous(route));
  expect(addresses.length).toBeGreaterThan(90);
  for (const route of addresses) {
    const [method = "", path = ""] = nameOf(route).split(" ");
    const url = path.replaceAll(/:\w+/g, noId);
    for (const token of ["", secret]) {
      const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
      const statuses: number[] = [];
      const work = await workOf(async () => statuses.push((await world.call(null, method, url, { headers })).status));
      expect([route, statuses, work.hashes, work.boxes, work.compressed]).toEqual([route, [401], 0, 0, 0]);
      expect(work.statements, route).toBeLessThanOrEqual(token === "" ? 0 : 1);
    }
  }
});
