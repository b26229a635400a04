// Tests that every call without the right or with unknown ids is refused, and that nothing is stored.
import { connect } from "node:net";
import { calls } from "@psp/contract/api.ts";
import type { AnyEndpoint } from "@psp/contract/kit/endpoint.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { findFailureFault } from "../testing/requests/failure.ts";
import { rawRequest, type RawReply } from "../testing/requests/raw-http.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";
import { addressOf, sampleOf } from "../testing/scenes/samples.ts";
import { createScene, type Scene } from "../testing/scenes/scene.ts";
import { type Snapshot, captureSnapshot } from "../testing/snapshot.ts";
import { hashToken } from "../kit/tokens.ts";

const ownOrigin = "https://console.example.com";
const closed = calls.filter((call) => call.caller === "session");
const writes = closed.filter((call) => call.method !== "GET");
let scene: Scene;
let before: Snapshot;
let others: Record<string, string>;

beforeAll(async () => {
  scene = await createScene({ PUBLIC_URL: ownOrigin });
  const { world, customer, ids } = scene;
  const token = String((await world.call(customer, "GET", `/api/init_token/${ids.initToken}`)).at("token"));
  const enrolled = await world.call(null, "POST", "/device/v1/enrol", {
    body: { token, id: "02:00:00:00:00:50", type: "APS", nonce: "1", time: world.ctx.clock.now() },
  });
  expect(enrolled.status).toBe(201);
  const ticket = String((await world.call(customer, "POST", "/api/auth/ticket")).at("ticket"));
  others = { "init token": token, "device credential": String(enrolled.at("mqtt.password")), ticket };
});
afterAll(() => scene.world.stop());
beforeEach(async () => void (before = await captureSnapshot(scene.world.ctx.db)));

type Knock = { headers?: Record<string, string>; method?: string; path?: string };

function knock(call: AnyEndpoint, { headers = {}, method, path }: Knock = {}): Promise<RawReply> {
  const sample = sampleOf(call, scene.ids);
  const body = sample.body && JSON.stringify(sample.body);
  return rawRequest(scene.world.url, method ?? call.method, path ?? addressOf(call, sample), {
    headers: { ...(body ? { "content-type": "application/json" } : {}), ...headers },
    ...(body && method !== "HEAD" ? { body } : {}),
  });
}

function answerOf(reply: RawReply): [number, unknown] {
  const fault = findFailureFault({
    status: reply.status,
    contentType: String(reply.headers["content-type"]),
    requestId: String(reply.headers["x-request-id"]),
    text: reply.text,
  });
  if (fault !== null) throw new Error(`${fault}: ${reply.status} ${reply.text.slice(0, 300)}`);
  return [reply.status, (JSON.parse(reply.text) as { code: unknown }).code];
}

const unchanged = async () => expect(await captureSnapshot(scene.world.ctx.db)).toEqual(before);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test("every call has a sample and a guard", () => {
  for (const call of calls) expect(() => sampleOf(call, scene.ids), call.name).not.toThrow();
  expect(closed.length).toBeGreaterThan(35);
  expect(writes.length).toBeGreaterThan(15);
});

test("T-03 session calls without valid credentials get 401/106", async () => {
  const { world, customer } = scene;
  const expired = await world.token(customer);
  const past = new Date(world.ctx.clock.now() - 1);
  await world.ctx.db
    .updateTable("session")
    .set({ expires_at: past })
    .where("token_hash", "=", hashToken(expired))
    .execute();
  before = await captureSnapshot(world.ctx.db);
  const { "device credential": secret = "", ...bearers } = others;
  const callers: Record<string, Record<string, string>> = {
    "a caller without credentials": {},
    garbage: bearer("Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZmdoaWprbG0"),
    "an ended session": bearer(expired),
    "an ended session's cookie": { cookie: `__Host-psp_session=${expired}`, origin: ownOrigin },
    "a cookie by the name that any host of the domain can set": {
      cookie: `psp_session=${customer.token}`,
      origin: ownOrigin,
    },
    "an empty bearer": { authorization: "Bearer " },
    "the device's Basic": { authorization: `Basic ${Buffer.from(`020000000050:${secret}`).toString("base64")}` },
    "a device credential": bearer(secret),
    ...Object.fromEntries(Object.entries(bearers).map(([name, value]) => [name, bearer(value)])),
    "a bearer that spoils a good cookie": {
      ...bearer("x".repeat(43)),
      cookie: `__Host-psp_session=${customer.token}`,
      origin: ownOrigin,
    },
  };
  for (const [n, [who, headers]] of Object.entries(callers).entries()) {
    for (const call of n === 0 ? closed : everyNth(4, closed)) {
      expect(answerOf(await knock(call, { headers })), `${call.name} by ${who}`).toEqual([401, 106]);
    }
  }
  await unchanged();
});

test("T-17 a planted session cookie is ignored beside ours, also for pages and displays", async () => {
  const { world, customer } = scene;
  const planted = `psp_session=${await world.token(world.root)}`;
  const own = `__Host-psp_session=${customer.token}`;
  const get = (path: string, cookie: string) => world.call(null, "GET", path, { headers: { cookie } });
  for (const cookie of [`${planted}; ${own}`, `${own}; ${planted}`])
    expect((await get("/api/auth/user", cookie)).at("_id"), cookie).toBe(customer.id);
  for (const [cookie, isKnown] of [
    [planted, false],
    [own, true],
  ] as const)
    expect((await get("/config.js", cookie)).body, cookie).toContain(`"session":${isKnown}`);
  const display = `/api/display/${scene.ids.location}`;
  expect([(await get(display, planted)).status, (await get(display, own)).status]).toEqual([401, 200]);
});

test("T-03 a changing call with the cookie needs our own Origin; reading does not", async () => {
  const cookie = `__Host-psp_session=${scene.customer.token}`;
  const foreign = [
    "https://evil.example",
    "null",
    `${ownOrigin}.evil.example`,
    `${ownOrigin}:444`,
    "http://console.example.com",
    "",
  ];
  for (const call of writes) {
    for (const origin of foreign) {
      expect(answerOf(await knock(call, { headers: { cookie, origin } })), `${call.name} from ${origin}`).toEqual([
        403, 106,
      ]);
    }
    expect(answerOf(await knock(call, { headers: { cookie } })), `${call.name} without Origin`).toEqual([403, 106]);
  }
  await unchanged();
  const read = await knock(closed.find(({ name }) => name === "getLocation") as AnyEndpoint, {
    headers: { cookie, origin: "https://evil.example" },
  });
  expect(read.status).toBe(200);
  expect(read.headers["access-control-allow-origin"]).toBeUndefined();
  const put = await knock(closed.find(({ name }) => name === "updateLocation") as AnyEndpoint, {
    headers: { cookie, origin: ownOrigin },
  });
  expect(put.status).toBe(200);
});

test("T-03 path tricks get 404, or the console's page for people", async () => {
  const page = (await rawRequest(scene.world.url, "GET", "/")).text;
  const tricks = closed.flatMap((call) => {
    const path = addressOf(call, sampleOf(call, scene.ids)).split("?")[0] ?? "";
    return [
      `/${path}`,
      path.replace("/", "//").replaceAll(/(?<=\w)\/(?=\w)/g, "//"),
      `${path}/`,
      `${path}.`,
      `${path}%2e`,
      `${path}/.`,
      `${path}/%2e`,
      `${path}%2f`,
      `${path}%00`,
      `${path};a=b`,
      `${path}.json`,
      `/api/%2e%2e${path}`,
      `/health/..${path}`,
      path.toUpperCase(),
      path.replace(/^\/(api|data)/, (root) => root.toUpperCase()),
      `/v2${path}`,
    ].map((trick) => ({ call, trick }));
  });
  // The number of tricks is no multiple of five, so other calls get other tricks.
  for (const { call, trick } of everyNth(5, tricks)) {
    const who = `${call.method} ${trick}`;
    const reply = await knock(call, { path: trick, headers: bearer(scene.customer.token) });
    if (reply.status === 200 && call.method === "GET") expect(reply.text, who).toBe(page);
    else expect(answerOf(reply), who).toEqual([404, 105]);
  }
  await unchanged();
});

test("T-03 T-26 unparsable or oversized URLs and invalid HTTP are refused in the usual form", async () => {
  for (const path of [
    "/api/account/%zz",
    "/api/account/%c3%28",
    `/api/account/${"a".repeat(5000)}`,
    "/%",
    "/api/sensor/%",
  ]) {
    const reply = await rawRequest(scene.world.url, "GET", path, { headers: bearer(scene.customer.token) });
    expect(answerOf(reply), path).toEqual([404, 105]);
  }
  const { hostname, port } = new URL(scene.world.url);
  for (const [bytes, status] of [
    ["NONSENSE\r\n\r\n", 400],
    ["GET / HTTP/9.9\r\n\r\n", 400],
    [
      "POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    [`GET / HTTP/1.1\r\nHost: a\r\nx: ${"y".repeat(16_500)}\r\n\r\n`, 431],
  ] as const) {
    const text = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.write(bytes));
      let heard = "";
      socket.on("data", (chunk) => (heard += chunk.toString()));
      socket.on("close", () => resolve(heard));
      // The socket reports an error if the server closes with unread bytes.
      socket.on("error", () => undefined);
    });
    const [head = "", body = ""] = text.split("\r\n\r\n");
    expect(head, bytes.slice(0, 20)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1] ?? "";
    expect(
      findFailureFault({ status, contentType: header("content-type"), requestId: header("x-request-id"), text: body }),
    ).toBeNull();
  }
});

test("T-03 T-12 upgrades at unknown paths are refused and closed", async () => {
  const { hostname, port } = new URL(scene.world.url);
  for (const path of [
    "/",
    "//",
    "/live/",
    "//live",
    "/LIVE",
    "/mqtt",
    "/api/account",
    "http://[/live",
    "/live%2f?token=x",
  ]) {
    const status = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
        ),
      );
      let heard = "";
      socket.on("data", (chunk) => (heard += chunk.toString()));
      socket.on("close", () => resolve(heard.split("\r\n")[0] ?? ""));
      socket.on("error", () => undefined);
    });
    expect(status, path).toMatch(/^HTTP\/1\.1 40[04] /);
  }
});

test("T-03 a percent-encoded path has the same guard", async () => {
  for (const call of closed) {
    const path = addressOf(call, sampleOf(call, scene.ids)).replace(/^\/a/, "/%61").replace(/^\/d/, "/%64");
    expect([401, 404], call.name).toContain((await knock(call, { path })).status);
  }
  await unchanged();
});

test("T-03 HEAD equals GET without a body, other methods are 404, overrides are ignored", async () => {
  const token = bearer(scene.customer.token);
  const methods = ["HEAD", "OPTIONS", "PATCH", "GET", "POST", "PUT", "DELETE", "PROPFIND", "TRACE"];
  for (const { call, method } of everyNth(
    23,
    closed.flatMap((one) => methods.map((each) => ({ call: one, method: each }))),
  )) {
    const path = addressOf(call, sampleOf(call, scene.ids));
    const declared = new Set(
      closed.filter((one) => one.path === call.path && one.root === call.root).map((one) => one.method as string),
    );
    if (declared.has(method)) continue;
    const reply = await knock(call, { path, method, headers: token });
    if (method === "HEAD") {
      expect([reply.status, reply.text], `HEAD ${path}`).toEqual([declared.has("GET") ? 200 : 404, ""]);
      const stranger = await knock(call, { path, method });
      // A path with a trailing slash could be that of an object, so a missing session (401) is reported before a missing path (404).
      const locked = declared.has("GET") || path.endsWith("/");
      expect(stranger.status, `HEAD ${path} without a session`).toBe(locked ? 401 : 404);
    } else expect(answerOf(reply), `${method} ${path}`).toEqual([404, 105]);
  }
  for (const call of everyNth(
    7,
    closed.filter(({ method }) => method === "GET"),
  )) {
    for (const header of ["x-http-method-override", "x-http-method", "x-method-override"]) {
      const reply = await knock(call, { headers: { ...token, [header]: "DELETE" } });
      // The scene has no run of a report.
      expect(reply.status, `${call.name} with ${header}`).toBe(call.name === "getReportFile" ? 404 : 200);
    }
    const path = addressOf(call, sampleOf(call, scene.ids));
    const reply = await knock(call, { path: `${path}${path.includes("?") ? "&" : "?"}_method=DELETE`, headers: token });
    expect(answerOf(reply), `${call.name} with _method`).toEqual([400, 102]);
  }
  const { audit: _before, ...kept } = before;
  const { audit: _after, ...now } = await captureSnapshot(scene.world.ctx.db);
  // The audit log is not compared, because reading an init token's secret writes a row.
  expect(now).toEqual(kept);
});

test("T-02 a stranger's calls on foreign ids look like missing ones and write nothing", async () => {
  const { world, stranger, ids } = scene;
  const missing = Object.fromEntries(
    Object.keys(ids).map((key) => [
      key,
      key === "sensor" ? "02:FF:FF:FF:FF:FF" : "0190a000-0000-7000-8000-ffffffffffff",
    ]),
  ) as typeof ids;
  for (const call of closed.filter(({ path }) => path.includes("{id}"))) {
    const answers = [];
    for (const some of [ids, missing]) {
      const sample = sampleOf(call, some);
      const reply = await world.call(
        stranger,
        call.method,
        addressOf(call, sample),
        sample.body ? { body: sample.body } : {},
      );
      const { requestId: _, ...body } = reply.body as Record<string, unknown>;
      const headers = Object.fromEntries(
        [...reply.headers].filter(([name]) => !["date", "x-request-id"].includes(name)),
      );
      answers.push({ status: reply.status, body, headers });
    }
    expect(answers[0], call.name).toMatchObject({ status: 404, body: { code: 105 } });
    expect(answers[0], call.name).toEqual(answers[1]);
  }
  await unchanged();
});
