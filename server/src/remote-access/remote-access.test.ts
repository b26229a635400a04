// Sensors' own pages from outside, as a browser and a sensor see the proxy: who comes in, what passes, what ends it (PC-01, PC-02, T-17).
import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { EnrolReply } from "@psp/contract/sensor/sensor.device.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../testing/device-world.ts";
import { type Ask, cookieOf, upgrade, visit } from "../testing/page-browser.ts";
import { initToken } from "../testing/remote-sensor.ts";
import { type OpenTunnel, openTunnel, type Serve, type Upgrade } from "../testing/tunnel-device.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let owner: Person;
let viewer: Person;
let stranger: Person;
let token: string;
let last = 0;
beforeAll(async () => {
  world = await createWorld({
    env: { PARTS: "api,gateway,worker", TEST_CLOCK: "on", PUBLIC_URL: "http://console.test" },
  });
  owner = await world.account("Harbour Stores", world.root, fullPermissions);
  viewer = await world.account("Harbour Office", owner, {
    ownable: { sensor: { canViewObject: { relativeAncestorLevel: 1 } } },
  });
  stranger = await world.account("Other Customer", world.root, fullPermissions);
  token = await initToken(world, owner);
});
afterAll(() => world.stop());

type Sensor = { id: string; wire: string; host: string; password: string };
async function enrol(): Promise<Sensor> {
  last += 1;
  const id = `00:16:28:FD:00:${last.toString(16).padStart(2, "0").toUpperCase()}`;
  const reply = await fetch(`${world.url}/device/v1/enrol`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, id, type: "APS", nonce: "n", time: 0 }),
  });
  expect(reply.status).toBe(201);
  const { mqtt } = (await reply.json()) as EnrolReply;
  return { id, wire: mqtt.username, password: mqtt.password, host: `${mqtt.username}.devices.localhost` };
}

const echo: Serve = (request, reply, body) =>
  void reply
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));

async function pagedSensor(serve: Serve = echo, take?: Upgrade): Promise<Sensor & { tunnel: OpenTunnel }> {
  const sensor = await enrol();
  const tunnel = await openTunnel(world.url, sensor, serve, take);
  await until("connected", async () => {
    const reply = await world.call(owner, "GET", `/api/sensor/${sensor.id}`);
    return reply.at("psconnect.connectionStatus") === "connected";
  });
  return { ...sensor, tunnel };
}

const ask = (who: Person, id: string, params: object = {}) =>
  world.call(who, "POST", `/api/sensor/${id}/psconnect`, {
    body: { func: "getAutoLoginToken", params: { service: "device-hmi", user: "user-role-edit", ...params } },
  });

async function enter(who: Person, sensor: Sensor, params: object = {}): Promise<string> {
  const reply = await ask(who, sensor.id, params);
  expect(reply.status).toBe(200);
  const page = await visit(world.url, sensor.host, `/?token=${String(reply.at("result"))}`);
  expect(page.status).toBe(303);
  expect(page.headers.location).toBe("/");
  return cookieOf(page);
}
const at = (sensor: Sensor, cookie: string, path: string, { headers, ...rest }: Ask = {}) =>
  visit(world.url, sensor.host, path, { ...rest, headers: { cookie: `psp_remote=${cookie}`, ...headers } });
async function logOut(who: Person): Promise<void> {
  const [own] = (await world.call(who, "GET", "/api/auth/sessions")).list;
  expect((await world.call(who, "DELETE", `/api/auth/sessions/${String(own?.["_id"])}`)).status).toBe(200);
}
const sessions = (who: Person, sensor: Sensor) => world.call(who, "GET", `/api/sensor/${sensor.id}/remote-session`);

test("PC-01 a token opens the sensor's page once, for its user and mode, and the sensor learns no more than it must", async () => {
  const sensor = await pagedSensor();
  const reply = await ask(owner, sensor.id, { reason: "Lens is dirty", minutes: 15 });
  const link = `/?token=${String(reply.at("result"))}`;
  // Fetching ahead does not spend it, neither does another sensor's host.
  expect((await visit(world.url, sensor.host, link, { headers: { "sec-purpose": "prefetch" } })).status).toBe(403);
  expect((await visit(world.url, (await enrol()).host, link)).status).toBe(403);
  const first = await visit(world.url, sensor.host, link);
  expect(first.status).toBe(303);
  expect(first.headers["set-cookie"]?.[0]).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
  const cookie = cookieOf(first);
  expect((await visit(world.url, sensor.host, link)).status).toBe(403);
  const page = await at(sensor, cookie, "/status?x=1", {
    headers: {
      cookie: `a=b; psp_remote=${cookie}; psp_session=stolen`,
      "x-psconnect-user": "root",
      "x-forwarded-for": "10.0.0.1",
      referer: "http://console.test/sensor",
      accept: "text/html",
    },
  });
  expect(page.status).toBe(200);
  const seen = JSON.parse(page.body) as { url: string; headers: Record<string, string> };
  expect(seen.url).toBe("/status?x=1");
  expect(seen.headers).toMatchObject({
    cookie: "a=b",
    accept: "text/html",
    "x-psconnect-user": "user-role-edit",
    "x-forwarded-host": sensor.host,
  });
  expect(Object.keys(seen.headers)).not.toContain("referer");
  expect(Object.keys(seen.headers)).not.toContain("x-forwarded-for");
  const [row] = (await sessions(owner, sensor)).list;
  expect(row).toMatchObject({
    account: { _id: owner.id, name: owner.name },
    mode: "edit",
    reason: "Lens is dirty",
    state: "open",
    isOwn: true,
  });
  expect(await world.trail(sensor.id)).toContainEqual(
    expect.objectContaining({
      action: "remoteAccess",
      account_id: owner.id,
      after: { mode: "edit", reason: "Lens is dirty", minutes: 15 },
    }),
  );
});

test("PC-01 a token that is expired, altered or of a session that ended opens nothing", async () => {
  const sensor = await pagedSensor();
  const reply = await ask(owner, sensor.id);
  const given = String(reply.at("result"));
  const wrong = given.slice(0, -1) + (given.endsWith("A") ? "B" : "A");
  expect((await visit(world.url, sensor.host, `/?token=${wrong}`)).status).toBe(403);
  await world.ctx.db
    .updateTable("remote_session")
    .set({ token_until: new Date(Date.now() - 1000) })
    .where("account_id", "=", owner.id)
    .where("started_at", "is", null)
    .execute();
  expect((await visit(world.url, sensor.host, `/?token=${given}`)).status).toBe(403);
  const leaver = await world.account("Leaver", owner, {
    ownable: { sensor: { canViewObject: { relativeAncestorLevel: 1 } } },
  });
  const late = String((await ask(leaver, sensor.id)).at("result"));
  await logOut(leaver);
  expect((await visit(world.url, sensor.host, `/?token=${late}`)).status).toBe(403);
});

test("PC-01 hosts of sensors that exist and of those that don't refuse alike", async () => {
  const sensor = await pagedSensor();
  const known = await visit(world.url, sensor.host, "/");
  const unknown = await visit(world.url, "0016280badbad.devices.localhost", "/");
  const nonsense = await visit(world.url, "a_b.devices.localhost:1234", "/");
  const { date: _, ...headers } = known.headers;
  for (const other of [unknown, nonsense]) {
    const { date: __, ...others } = other.headers;
    expect({ status: other.status, body: other.body }).toEqual({ status: known.status, body: known.body });
    expect(Object.keys(others)).toEqual(Object.keys(headers));
  }
  expect(known.status).toBe(403);
  // The product itself is not there either.
  expect((await visit(world.url, sensor.host, "/api/v2/sensor")).status).toBe(403);
  expect((await upgrade(world.url, sensor.host, "/live?token=x")).status).toBe(403);
  expect((await upgrade(world.url, sensor.host, "/device/tunnel")).status).toBe(403);
});

test.each<[string, (sensor: Sensor) => Promise<{ status: number; code: unknown }>, number, number]>([
  ["a stranger", (sensor) => ask(stranger, sensor.id), 404, 105],
  ["an unknown service", (sensor) => ask(owner, sensor.id, { service: "ssh" }), 400, 102],
  ["an unknown user", (sensor) => ask(owner, sensor.id, { user: "root" }), 400, 102],
  ["too short a session", (sensor) => ask(owner, sensor.id, { minutes: 14 }), 400, 102],
  ["too long a session", (sensor) => ask(owner, sensor.id, { minutes: 481 }), 400, 102],
  [
    "an unknown function",
    (sensor) =>
      world.call(owner, "POST", `/api/sensor/${sensor.id}/psconnect`, {
        body: { func: "getRootShell", params: { service: "device-hmi", user: "user-role-edit" } },
      }),
    502,
    503,
  ],
])("PC-01 %s is refused", async (_case, attempt, status, code) => {
  const sensor = await pagedSensor();
  expect(await attempt(sensor)).toMatchObject({ status, code });
  expect((await sessions(owner, sensor)).list).toEqual([]);
});

test("PC-01 a sensor without a tunnel can't be opened: 509", async () => {
  const sensor = await enrol();
  expect(await ask(owner, sensor.id)).toMatchObject({ status: 502, code: 509 });
});

test("PC-01 who may only view gets to look only, whatever is asked for: the proxy passes no write", async () => {
  const sensor = await pagedSensor(echo, () => undefined);
  const cookie = await enter(viewer, sensor, { user: "user-role-edit" });
  const seen = JSON.parse((await at(sensor, cookie, "/")).body) as { headers: Record<string, string> };
  expect(seen.headers["x-psconnect-user"]).toBe("user-role-view");
  for (const method of ["POST", "PUT", "PATCH", "DELETE"])
    expect((await at(sensor, cookie, "/config", { method, body: "x" })).status).toBe(403);
  for (const method of ["HEAD", "OPTIONS"]) expect((await at(sensor, cookie, "/", { method })).status).toBe(200);
  expect((await upgrade(world.url, sensor.host, "/live", { cookie: `psp_remote=${cookie}` })).status).toBe(403);
});

const rpc = (method: string, extra: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {}, ...extra });

test("PC-02 JSON-RPC reaches the sensor at /rpc: reading for those who look, all but the server's own for those who edit", async () => {
  const sensor = await pagedSensor();
  const [edit, view] = [await enter(owner, sensor), await enter(viewer, sensor)];
  const post = (cookie: string, body: string, path = "/rpc") =>
    at(sensor, cookie, path, { method: "POST", body, headers: { "content-type": "application/json" } });
  const passed = await post(view, ` {"method":"config.set","jsonrpc":"2.0","id":1,"params":{},"method":"config.get"}`);
  expect(passed.status).toBe(200);
  // What was judged is what arrives: of two methods the last one.
  expect((JSON.parse(passed.body) as { body: string }).body).toBe(
    '{"method":"config.get","jsonrpc":"2.0","id":1,"params":{}}',
  );
  expect((await post(view, rpc("preview.get"))).status).toBe(200);
  expect((await post(view, rpc("config.set"))).status).toBe(403);
  expect((await post(view, rpc("device.restart"))).status).toBe(403);
  expect((await post(view, rpc("config.get"), "/rpc/")).status).toBe(403);
  expect((await post(view, rpc("config.get"), "/%72pc")).status).toBe(403);
  expect((await post(edit, rpc("config.set"), "/rpc?x=1")).status).toBe(200);
  expect((await post(edit, rpc("config.confirm"))).status).toBe(403);
  expect((await post(edit, `[${rpc("config.get")}]`)).status).toBe(400);
  expect((await post(edit, "no json")).status).toBe(400);
  const long = await post(edit, rpc("config.set", { params: { x: "y".repeat(1024 * 1024) } })).catch(() => null);
  expect(long?.status ?? 413).toBe(413);
});

test("PC-01 requests and WebSockets that pages of other origins begin are refused", async () => {
  const sensor = await pagedSensor(echo, (stream) => stream.respond({ ":status": 200 }));
  const cookie = await enter(owner, sensor);
  const own = `http://${sensor.host}`;
  const post = (headers: Record<string, string>) => at(sensor, cookie, "/x", { method: "POST", body: "1", headers });
  expect((await post({ origin: own })).status).toBe(200);
  for (const origin of ["null", "http://evil.example", "http://other.devices.localhost", `https://${sensor.host}`])
    expect((await post({ origin })).status).toBe(403);
  expect((await post({ "sec-fetch-site": "same-site" })).status).toBe(403);
  const get = (headers: Record<string, string>) => at(sensor, cookie, "/x", { headers });
  expect((await get({ "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" })).status).toBe(403);
  expect(
    (await get({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" })).status,
  ).toBe(403);
  expect(
    (await get({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" })).status,
  ).toBe(200);
  expect((await get({ "service-worker": "script" })).status).toBe(403);
  const knock = (origin: string) =>
    upgrade(world.url, sensor.host, "/live", { cookie: `psp_remote=${cookie}`, origin });
  expect((await knock("http://evil.example")).status).toBe(403);
  const taken = await knock(own);
  expect(taken.status).toBe(101);
  taken.socket?.destroy();
});

test("T-17 what a hostile page answers loses its claims on other hosts, caches and the browser", async () => {
  const sensor = await pagedSensor((request, reply) => {
    const leads: Record<string, string> = {
      "/away": "https://evil.example/",
      "/scheme": "javascript:alert(1)",
      "/own": `http://${sensor.host}/next?a=1#b`,
      "/relative": "next",
      "/port": `http://${sensor.host}:9999/next`,
    };
    const location = leads[request.url];
    if (location !== undefined) return void reply.writeHead(302, { location }).end();
    if (request.url === "/refresh") return void reply.writeHead(200, { refresh: "0; url=https://evil.example" }).end();
    if (request.url === "/odd") return void reply.writeHead(599, {}).end("odd");
    reply
      .writeHead(200, {
        "set-cookie": [
          "a=1; Domain=localhost; Path=/",
          "psp_session=evil",
          "__Host-psp_remote=x; Secure",
          "b=2;domain=.devices.localhost",
        ],
        "strict-transport-security": "max-age=99999999; includeSubDomains",
        "alt-svc": 'h3="evil.example:443"',
        "clear-site-data": '"*"',
        "access-control-allow-origin": "*",
        "access-control-allow-credentials": "true",
        "service-worker-allowed": "/",
        "content-security-policy": "default-src *",
        "cache-control": "public, max-age=60, s-maxage=600",
        "x-own": "kept",
      })
      .end("fine");
  });
  const cookie = await enter(owner, sensor);
  const page = await at(sensor, cookie, "/");
  expect(page.headers["set-cookie"]).toEqual(["a=1; Path=/", "b=2"]);
  for (const name of [
    "strict-transport-security",
    "alt-svc",
    "clear-site-data",
    "access-control-allow-origin",
    "service-worker-allowed",
  ])
    expect(page.headers[name]).toBeUndefined();
  expect(page.headers["x-own"]).toBe("kept");
  expect(page.headers["cache-control"]).toBe("private, max-age=60");
  const policies = page.headers["content-security-policy"] ?? "";
  expect(policies).toMatch(/^default-src \*, sandbox /);
  expect(policies).toMatch(/frame-ancestors 'none'/);
  for (const path of ["/away", "/scheme", "/refresh"]) expect((await at(sensor, cookie, path)).status).toBe(502);
  expect((await at(sensor, cookie, "/own")).headers.location).toBe("/next?a=1#b");
  expect((await at(sensor, cookie, "/relative")).headers.location).toBe("/next");
  expect((await at(sensor, cookie, "/port")).headers.location).toBe("/next");
  expect((await at(sensor, cookie, "/odd")).status).toBe(599);
});

test("T-17 an answer without end waits in the sensor while it is not read, and costs the server no memory", async () => {
  let sent = 0;
  let isOver = false;
  const piece = Buffer.alloc(64 * 1024);
  const sensor = await pagedSensor((request, reply) => {
    if (request.url !== "/endless") return void reply.end("fine");
    reply.stream.once("close", () => void (isOver = true));
    const more = () => {
      while (!isOver && (sent += piece.length) && reply.write(piece));
      if (!isOver) reply.once("drain", more);
    };
    more();
  });
  const cookie = await enter(owner, sensor);
  const { hostname, port } = new URL(world.url);
  const request = httpRequest({
    hostname,
    port,
    path: "/endless",
    headers: { host: sensor.host, cookie: `psp_remote=${cookie}` },
    agent: false,
  });
  request.on("error", () => undefined);
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  // As long as no one reads, the sensor is kept from sending more than what fits on the way.
  let before = -1;
  await until("it stops", async () => {
    const isStill = sent === before;
    before = sent;
    await new Promise((go) => setTimeout(go, 200));
    return isStill && sent === before;
  });
  expect(sent).toBeLessThan(16 * 1024 * 1024);
  // Others are served meanwhile, of the same sensor, too.
  expect((await at(sensor, cookie, "/")).body).toBe("fine");
  const memory = process.memoryUsage().rss;
  let read = 0;
  for await (const one of response as AsyncIterable<Buffer>) {
    read += one.length;
    if (read > 128 * 1024 * 1024) break;
  }
  expect(process.memoryUsage().rss - memory).toBeLessThan(128 * 1024 * 1024);
  request.destroy();
  await until("the sensor is let go", async () => isOver);
  expect((await at(sensor, cookie, "/")).body).toBe("fine");
});

test("PC-01 bytes pass through WebSockets both ways, and end with the session", async () => {
  const sensor = await pagedSensor(echo, (stream, headers) => {
    stream.respond({ ":status": 200, "sec-websocket-protocol": String(headers["sec-websocket-protocol"]) });
    stream.on("data", (piece: Buffer) => stream.write(`<${piece.toString()}>`));
  });
  const cookie = await enter(owner, sensor);
  const { socket, status, headers } = await upgrade(world.url, sensor.host, "/live", {
    cookie: `psp_remote=${cookie}`,
    "sec-websocket-protocol": "chat",
  });
  expect(status).toBe(101);
  expect(headers["sec-websocket-accept"]).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  expect(headers["sec-websocket-protocol"]).toBe("chat");
  if (!socket) throw new Error("no socket");
  socket.write("ping");
  expect(String((await once(socket, "data"))[0])).toBe("<ping>");
  const closed = once(socket, "close");
  const [row] = (await sessions(owner, sensor)).list;
  expect(
    (await world.call(owner, "DELETE", `/api/sensor/${sensor.id}/remote-session/${String(row?.["_id"])}`)).status,
  ).toBe(200);
  await closed;
  expect((await at(sensor, cookie, "/")).status).toBe(403);
  expect((await sessions(owner, sensor)).list).toEqual([]);
});

test("PC-01 the record of a session says who, why, when, and where was written", async () => {
  const sensor = await pagedSensor();
  const cookie = await enter(owner, sensor, { reason: "New line" });
  await at(sensor, cookie, "/config?secret=1", { method: "PUT", body: "password" });
  await at(sensor, cookie, "/config", { method: "PUT", body: "x" });
  await at(sensor, cookie, "/rpc", { method: "POST", body: rpc("config.set") });
  await at(sensor, cookie, "/only-read");
  const [row] = (await sessions(owner, sensor)).list;
  await world.call(owner, "DELETE", `/api/sensor/${sensor.id}/remote-session/${String(row?.["_id"])}`);
  const ended = (await world.trail(sensor.id)).find((entry) => entry.action === "endRemoteAccess");
  expect(ended).toMatchObject({
    account_id: owner.id,
    after: { account: owner.id, why: "ended", writes: ["PUT /config (2)", "POST /rpc config.set"] },
  });
});

test("PC-01 a session ends at once when the login, the right or the sensor goes", async () => {
  type Case = [string, (sensor: Sensor, who: Person) => Promise<unknown>, string];
  const cases: Case[] = [
    ["logout", (_, who) => logOut(who), "logout"],
    [
      "role",
      (_, who) =>
        world
          .call(world.root, "PUT", `/api/role/${who.roleId}`, {
            body: { permissions: { ownable: { sensor: { canViewObject: { relativeAncestorLevel: 1 } } } } },
          })
          .then((reply) => expect(reply.status).toBe(200)),
      "rights",
    ],
    [
      "owner",
      (sensor) => world.call(owner, "PUT", `/api/sensor/${sensor.id}`, { body: { owner: viewer.id } }),
      "rights",
    ],
    ["deletion", (sensor) => world.call(owner, "DELETE", `/api/sensor/${sensor.id}`), "rights"],
  ];
  for (const [name, lose, why] of cases) {
    const sensor = await pagedSensor();
    const who = await world.account(`Technician ${name}`, owner, {
      ownable: { sensor: { canViewObject: { relativeAncestorLevel: 1 }, canEditObject: { relativeAncestorLevel: 1 } } },
    });
    const cookie = await enter(who, sensor);
    expect((await at(sensor, cookie, "/")).status).toBe(200);
    await lose(sensor, who);
    await until(`${name} ends it`, async () => {
      const { rows } = {
        rows: await world.ctx.db.selectFrom("remote_session").selectAll().where("account_id", "=", who.id).execute(),
      };
      return rows[0]?.ended_why === why;
    });
    expect((await at(sensor, cookie, "/")).status).toBe(403);
  }
});

test("PC-01 a session lasts as long as it was asked for, unless it is extended", async () => {
  const sensor = await pagedSensor();
  const cookie = await enter(owner, sensor, { minutes: 15 });
  const [row] = (await sessions(owner, sensor)).list;
  const extend = (who: Person, minutes: number) =>
    world.call(who, "PUT", `/api/sensor/${sensor.id}/remote-session/${String(row?.["_id"])}`, { body: { minutes } });
  expect(await extend(viewer, 60)).toMatchObject({ status: 403, code: 306 });
  expect((await extend(owner, 600)).status).toBe(400);
  expect((await extend(owner, 60)).status).toBe(200);
  const pass = (minutes: number) =>
    world.call(world.root, "PUT", "/dev/clock", { body: { now: world.ctx.clock.now() + minutes * 60_000 } });
  await pass(20);
  expect((await at(sensor, cookie, "/")).status).toBe(200);
  await pass(45);
  expect((await at(sensor, cookie, "/")).status).toBe(403);
  expect((await sessions(owner, sensor)).list).toEqual([]);
});

test("PC-01 a tunnel that is lost keeps the session; a newer one serves it", async () => {
  const sensor = await pagedSensor();
  const cookie = await enter(owner, sensor);
  sensor.tunnel.close();
  await sensor.tunnel.closed;
  await until("lost", async () => (await at(sensor, cookie, "/")).status === 502);
  await openTunnel(world.url, sensor, echo);
  await until("back", async () => (await at(sensor, cookie, "/")).status === 200);
});

test("PC-01 the owner's consent is awaited by those above, if the owner wants it so", async () => {
  const customer = await world.account("Careful Customer", owner, fullPermissions);
  const sensor = await pagedSensor();
  expect((await world.call(owner, "PUT", `/api/sensor/${sensor.id}`, { body: { owner: customer.id } })).status).toBe(
    200,
  );
  const moved = await openTunnel(world.url, sensor, echo).catch(() => null);
  await until("connected", async () => {
    const reply = await world.call(customer, "GET", `/api/sensor/${sensor.id}`);
    return reply.at("psconnect.connectionStatus") === "connected";
  });
  expect((await world.call(customer, "PUT", "/api/auth/remote-consent", { body: { required: true } })).status).toBe(
    200,
  );
  expect(await ask(owner, sensor.id)).toMatchObject({ status: 400, code: 104 });
  const asked = await ask(owner, sensor.id, { reason: "Firmware" });
  expect(asked.at("result")).toBeNull();
  expect((await ask(owner, sensor.id, { reason: "Again" })).at("result")).toBeNull();
  // Their own people need none.
  await enter(customer, sensor);
  const waiting = (await sessions(customer, sensor)).list.filter((one) => one["state"] === "waiting");
  expect(waiting).toMatchObject([{ reason: "Firmware", mayConsent: true, isOwn: false }]);
  const answer = (who: Person, consent: boolean) =>
    world.call(who, "PUT", `/api/sensor/${sensor.id}/remote-session/${String(waiting[0]?.["_id"])}`, {
      body: { consent },
    });
  expect(await answer(owner, true)).toMatchObject({ status: 403, code: 305 });
  expect((await answer(customer, true)).status).toBe(200);
  expect((await sessions(owner, sensor)).list).toContainEqual(
    expect.objectContaining({ state: "granted", isOwn: true }),
  );
  await enter(owner, sensor, { reason: "Firmware" });
  // The next one is asked for once more; this time the owner says no.
  expect((await ask(owner, sensor.id, { reason: "More" })).at("result")).toBeNull();
  const second = (await sessions(customer, sensor)).list.find((one) => one["state"] === "waiting");
  await world.call(customer, "PUT", `/api/sensor/${sensor.id}/remote-session/${String(second?.["_id"])}`, {
    body: { consent: false },
  });
  expect((await sessions(customer, sensor)).list.some((one) => one["state"] === "waiting")).toBe(false);
  expect((await world.trail(sensor.id)).map((one) => one.action)).toEqual(
    expect.arrayContaining(["askRemoteAccess", "answerRemoteAccess", "remoteAccess"]),
  );
  moved?.close();
});
