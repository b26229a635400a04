// Tests device pages over the proxy, with a browser and a sensor: who may enter, and what is forwarded (PC-01, PC-02, T-17).
import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { cookieOf, upgrade, visit } from "../testing/requests/page-browser.ts";
import { createPagedWorld, echo, type PagedSensor, type PagedWorld } from "../testing/requests/paged-world.ts";
import type { Person, World } from "../testing/world.ts";

let pages: PagedWorld;
let world: World;
let owner: Person;
let viewer: Person;
let stranger: Person;
beforeAll(async () => {
  pages = await createPagedWorld();
  ({ world, owner, viewer, stranger } = pages);
});
afterAll(() => world.stop());

test("PC-01 a token opens the sensor's page once; the sensor learns only user and mode", async () => {
  const sensor = await pages.pagedSensor();
  const reply = await pages.ask(owner, sensor.id, { reason: "Lens is dirty", minutes: 15 });
  const link = `/?token=${String(reply.at("result"))}`;
  // Neither a prefetch nor another sensor's host uses up the token.
  expect((await visit(world.url, sensor.host, link, { headers: { "sec-purpose": "prefetch" } })).status).toBe(403);
  expect((await visit(world.url, (await pages.enrol()).host, link)).status).toBe(403);
  const first = await visit(world.url, sensor.host, link);
  expect(first.status).toBe(303);
  expect(first.headers["set-cookie"]?.[0]).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
  const cookie = cookieOf(first);
  expect((await visit(world.url, sensor.host, link)).status).toBe(403);
  const page = await pages.at(sensor, cookie, "/status?x=1", {
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
  const [row] = (await pages.sessions(owner, sensor)).list;
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

test("PC-01 T-17 a token is not stored with its request's idempotency key, and a repeat gets none", async () => {
  const sensor = await pages.pagedSensor();
  const once = { headers: { "idempotency-key": "one-page" } };
  const reply = await pages.ask(owner, sensor.id, {}, once);
  expect(reply.status).toBe(200);
  expect(await pages.ask(owner, sensor.id, {}, once)).toMatchObject({ status: 409, code: 102 });
  const kept = await world.ctx.db.selectFrom("idempotency").select("reply").where("key", "=", "one-page").execute();
  expect(kept).toEqual([{ reply: null }]);
});

test("PC-01 an expired, modified or ended session's token is refused", async () => {
  const sensor = await pages.pagedSensor();
  const reply = await pages.ask(owner, sensor.id);
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
  const late = String((await pages.ask(leaver, sensor.id)).at("result"));
  await pages.logOut(leaver);
  expect((await visit(world.url, sensor.host, `/?token=${late}`)).status).toBe(403);
});

test("PC-01 hosts of existing and unknown sensors refuse alike", async () => {
  const sensor = await pages.pagedSensor();
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
  expect((await visit(world.url, sensor.host, "/api/v2/sensor")).status).toBe(403);
  expect((await upgrade(world.url, sensor.host, "/live?token=x")).status).toBe(403);
  expect((await upgrade(world.url, sensor.host, "/device/tunnel")).status).toBe(403);
});

test.each<[string, (sensor: PagedSensor) => Promise<{ status: number; code: unknown }>, number, number]>([
  ["a stranger", (sensor) => pages.ask(stranger, sensor.id), 404, 105],
  ["an unknown service", (sensor) => pages.ask(owner, sensor.id, { service: "ssh" }), 400, 102],
  ["an unknown user", (sensor) => pages.ask(owner, sensor.id, { user: "root" }), 400, 102],
  ["too short a session", (sensor) => pages.ask(owner, sensor.id, { minutes: 14 }), 400, 102],
  ["too long a session", (sensor) => pages.ask(owner, sensor.id, { minutes: 481 }), 400, 102],
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
  const sensor = await pages.pagedSensor();
  expect(await attempt(sensor)).toMatchObject({ status, code });
  expect((await pages.sessions(owner, sensor)).list).toEqual([]);
});

test("PC-01 a sensor without a tunnel gets 509", async () => {
  const sensor = await pages.enrol();
  expect(await pages.ask(owner, sensor.id)).toMatchObject({ status: 502, code: 509 });
});

test("PC-01 viewers can only read: the proxy forwards no write", async () => {
  const sensor = await pages.pagedSensor(echo, () => undefined);
  const cookie = await pages.enter(viewer, sensor, { user: "user-role-edit" });
  const seen = JSON.parse((await pages.at(sensor, cookie, "/")).body) as { headers: Record<string, string> };
  expect(seen.headers["x-psconnect-user"]).toBe("user-role-view");
  for (const method of ["POST", "PUT", "PATCH", "DELETE"])
    expect((await pages.at(sensor, cookie, "/config", { method, body: "x" })).status).toBe(403);
  const overrides = [
    "x-http-method-override",
    "X-HTTP-Method",
    "X-Method-Override",
    "x_http_method_override",
    "x-original-method",
    "x-original-url",
    "x-rewrite-url",
  ];
  const hidden = await pages.at(sensor, cookie, "/config", {
    headers: Object.fromEntries([...overrides.map((name) => [name, "DELETE"]), ["x_psconnect_user", "user-role-edit"]]),
  });
  const received = JSON.parse(hidden.body) as { method: string; headers: Record<string, string> };
  expect(received.method).toBe("GET");
  expect(Object.values(received.headers)).not.toContain("DELETE");
  expect(received.headers["x_psconnect_user"]).toBeUndefined();
  expect((await pages.at(sensor, cookie, "/config", { body: "reset=1" })).status).toBe(403);
  for (const method of ["HEAD", "OPTIONS"]) expect((await pages.at(sensor, cookie, "/", { method })).status).toBe(200);
  expect((await upgrade(world.url, sensor.host, "/live", { cookie: `psp_remote=${cookie}` })).status).toBe(403);
});

const rpc = (method: string, extra: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {}, ...extra });

test("PC-02 JSON-RPC reaches the sensor at /rpc: reading for viewers, more for editors", async () => {
  const sensor = await pages.pagedSensor();
  const [edit, view] = [await pages.enter(owner, sensor), await pages.enter(viewer, sensor)];
  const post = (cookie: string, body: string, path = "/rpc") =>
    pages.at(sensor, cookie, path, { method: "POST", body, headers: { "content-type": "application/json" } });
  const passed = await post(view, ` {"method":"config.set","jsonrpc":"2.0","id":1,"params":{},"method":"config.get"}`);
  expect(passed.status).toBe(200);
  // The request is parsed and serialized again, so of two `method` members, the sensor gets only the last.
  const arrived = '{"jsonrpc":"2.0","id":1,"method":"config.get","params":{}}';
  const bodyOf = ({ body }: { body: string }) => (JSON.parse(body) as { body: string }).body;
  expect(bodyOf(passed)).toBe(arrived);
  for (const more of [
    `"Method":"config.set"`,
    `"METHOD":"config.set","meThod":"config.set"`,
    String.raw`"\u006d\u0065\u0074\u0068\u006f\u0064":"config.set","method":"config.get"`,
    `"__proto__":{"method":"config.set"}`,
    `"constructor":{"prototype":{"method":"config.set"}}`,
    String.raw`"method\u0000":"config.set"`,
    `"params":{"__proto__":{"method":"config.set"}}`,
    `"batch":[{"method":"config.set"}]`,
  ]) {
    const hostile = await post(view, `{"jsonrpc":"2.0","method":"config.get","id":1,"params":{},${more}}`);
    expect([hostile.status, bodyOf(hostile)], more).toEqual([200, arrived]);
  }
  for (const wrong of [
    `{"method":["config.get"]}`,
    `{"method":"config.get","id":{"method":"config.set"}}`,
    `{"method":"config.get","params":"config.set"}`,
    `{"method":"config.get","params":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
  ])
    expect((await post(view, wrong)).status, wrong.slice(0, 60)).toBe(400);
  const encoded = await pages.at(sensor, view, "/rpc?method=config.set", {
    method: "POST",
    body: rpc("config.get"),
    headers: { "content-type": "application/x-www-form-urlencoded", "content-encoding": "gzip" },
  });
  const { url, headers } = JSON.parse(encoded.body) as { url: string; headers: Record<string, string> };
  expect([url, headers["content-type"], headers["content-encoding"]]).toEqual(["/rpc", "application/json", undefined]);
  expect((await post(view, rpc("preview.get"))).status).toBe(200);
  expect((await post(view, rpc("config.set"))).status).toBe(403);
  expect((await post(view, rpc("device.restart"))).status).toBe(403);
  expect((await post(view, rpc("config.get"), "/rpc/")).status).toBe(403);
  expect((await post(view, rpc("config.get"), "/%72pc")).status).toBe(403);
  expect((await post(edit, rpc("config.set"), "/rpc?x=1")).status).toBe(200);
  for (const path of ["/rpc", "/rpc/", "//rpc", "/%72pc", "/x/../rpc", "/RPC", "/%2e/rpc"])
    expect((await post(edit, rpc("config.confirm"), path)).status, path).toBe(403);
  expect((await post(edit, `[${rpc("config.get")}]`)).status).toBe(400);
  expect((await post(edit, "no json")).status).toBe(400);
  const long = await post(edit, rpc("config.set", { params: { x: "y".repeat(1024 * 1024) } })).catch(() => null);
  expect(long?.status ?? 413).toBe(413);
});

test("PC-01 requests and WebSockets from other origins are refused", async () => {
  const sensor = await pages.pagedSensor(echo, (stream) => stream.respond({ ":status": 200 }));
  const cookie = await pages.enter(owner, sensor);
  const own = `http://${sensor.host}`;
  const post = (headers: Record<string, string>) =>
    pages.at(sensor, cookie, "/x", { method: "POST", body: "1", headers });
  expect((await post({ origin: own })).status).toBe(200);
  for (const origin of ["null", "http://evil.example", "http://other.devices.localhost", `https://${sensor.host}`])
    expect((await post({ origin })).status).toBe(403);
  expect((await post({ "sec-fetch-site": "same-site" })).status).toBe(403);
  const get = (headers: Record<string, string>) => pages.at(sensor, cookie, "/x", { headers });
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

test("T-17 a hostile page can't affect other hosts, caches or the browser", async () => {
  const sensor = await pages.pagedSensor((request, reply) => {
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
        "x-own": "1",
        link: '</x>; rel="preload"',
        "speculation-rules": '"/rules.json"',
        "accept-ch": "Sec-CH-UA-Full-Version-List",
        "x-dns-prefetch-control": "on",
        sourcemap: "https://evil.example/map",
        "proxy-authenticate": "Basic",
        server: "nginx",
        "content-disposition": 'attachment; filename="log.txt"',
        etag: '"1"',
      })
      .end("fine");
  });
  const cookie = await pages.enter(owner, sensor);
  const page = await pages.at(sensor, cookie, "/");
  expect(page.headers["set-cookie"]).toEqual(["a=1; Path=/", "b=2"]);
  for (const name of [
    "strict-transport-security",
    "alt-svc",
    "clear-site-data",
    "access-control-allow-origin",
    "service-worker-allowed",
    "x-own",
    "link",
    "speculation-rules",
    "accept-ch",
    "x-dns-prefetch-control",
    "sourcemap",
    "proxy-authenticate",
    "server",
  ])
    expect(page.headers[name], name).toBeUndefined();
  expect(page.headers).toMatchObject({ etag: '"1"', "content-disposition": 'attachment; filename="log.txt"' });
  expect(page.headers["cache-control"]).toBe("private, max-age=60");
  const policies = page.headers["content-security-policy"] ?? "";
  expect(policies).toMatch(/^default-src \*, sandbox /);
  expect(policies).toMatch(/frame-ancestors 'none'/);
  for (const path of ["/away", "/scheme", "/refresh"]) expect((await pages.at(sensor, cookie, path)).status).toBe(502);
  expect((await pages.at(sensor, cookie, "/own")).headers.location).toBe("/next?a=1#b");
  expect((await pages.at(sensor, cookie, "/relative")).headers.location).toBe("/next");
  expect((await pages.at(sensor, cookie, "/port")).headers.location).toBe("/next");
  expect((await pages.at(sensor, cookie, "/odd")).status).toBe(599);
});

test("PC-01 a sensor that redirects to HTTPS of itself gets an explanation, not a loop", async () => {
  const sensor = await pages.pagedSensor((request, reply) => {
    const self = `https://${sensor.host}${request.url}`;
    if (request.url === "/refresh") return void reply.writeHead(200, { refresh: `0; url=${self}` }).end();
    if (request.url === "/elsewhere") return void reply.writeHead(301, { location: `https://${sensor.host}/in` }).end();
    const cookie = request.url === "/login" ? { "set-cookie": "sid=1; Path=/" } : {};
    reply.writeHead(301, { location: self, ...cookie }).end();
  });
  const cookie = await pages.enter(owner, sensor);
  for (const path of ["/", "/status?x=1", "/refresh"]) {
    const page = await pages.at(sensor, cookie, path);
    expect([page.status, page.headers.location], path).toEqual([502, undefined]);
    expect(page.body).toContain("The sensor keeps redirecting to HTTPS");
  }
  expect((await pages.at(sensor, cookie, "/elsewhere")).headers.location).toBe("/in");
  // Some login pages set a cookie and redirect to themselves; with the cookie, the redirects must end.
  expect((await pages.at(sensor, cookie, "/login")).headers.location).toBe("/login");
  const again = await pages.at(sensor, cookie, "/login", { headers: { cookie: `psp_remote=${cookie}; sid=1` } });
  expect(again.status).toBe(502);
});

function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  setFlagsFromString("--no-expose-gc");
  return process.memoryUsage().arrayBuffers;
}

test(
  "T-17 an endless response waits in the sensor while unread, without server memory",
  { tags: "prove" },
  async () => {
    let sent = 0;
    let isOver = false;
    const chunk = Buffer.alloc(64 * 1024);
    const sensor = await pages.pagedSensor((request, reply) => {
      if (request.url !== "/endless") return void reply.end("fine");
      reply.stream.once("close", () => void (isOver = true));
      const more = () => {
        while (!isOver && (sent += chunk.length) && reply.write(chunk));
        if (!isOver) reply.once("drain", more);
      };
      more();
    });
    const cookie = await pages.enter(owner, sensor);
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
    // While no one reads, backpressure stops the sensor.
    let before = -1;
    await until("it stops", async () => {
      const isStill = sent === before;
      before = sent;
      await new Promise((go) => setTimeout(go, 200));
      return isStill && sent === before;
    });
    expect(sent).toBeLessThan(16 * 1024 * 1024);
    // Meanwhile, other requests are served, even to the same sensor.
    expect((await pages.at(sensor, cookie, "/")).body).toBe("fine");
    const held = heldBytes();
    let read = 0;
    for await (const one of response as AsyncIterable<Buffer>) {
      read += one.length;
      if (read > 128 * 1024 * 1024) break;
    }
    await until("what passed is not kept", () => heldBytes() - held < 16 * 1024 * 1024);
    request.destroy();
    await until("the sensor is let go", async () => isOver);
    expect((await pages.at(sensor, cookie, "/")).body).toBe("fine");
  },
);

test("PC-01 WebSockets carry bytes both ways and end with the session", async () => {
  const sensor = await pages.pagedSensor(echo, (stream, headers) => {
    stream.respond({ ":status": 200, "sec-websocket-protocol": String(headers["sec-websocket-protocol"]) });
    stream.on("data", (chunk: Buffer) => stream.write(`<${chunk.toString()}>`));
  });
  const cookie = await pages.enter(owner, sensor);
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
  const [row] = (await pages.sessions(owner, sensor)).list;
  expect(
    (await world.call(owner, "DELETE", `/api/sensor/${sensor.id}/remote-session/${String(row?.["_id"])}`)).status,
  ).toBe(200);
  await closed;
  expect((await pages.at(sensor, cookie, "/")).status).toBe(403);
  expect((await pages.sessions(owner, sensor)).list).toEqual([]);
});
