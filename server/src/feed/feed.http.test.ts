// Tests the tokens, formats, rate limit and caching of the feed over HTTP.
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { explainStatement, captureStatements } from "../testing/asked-statements.ts";
import { createFeedScene, type FeedScene } from "../testing/scenes/feed-scene.ts";
import type { Person } from "../testing/world.ts";
import { createFeedGenerator, type FeedSnapshot } from "./feed.service.ts";

const minuteMs = 60_000;
let scene: FeedScene;
beforeAll(async () => void (scene = await createFeedScene()));
afterAll(() => scene.stop());

test("a token opens one account's feed only; without one no account is revealed", async () => {
  const { world, clock, company, feedUrl } = scene;
  const owner = await company();
  const other = await company();
  const address = `/data/gtfs-realtime/${owner.id}/vehicle-positions`;
  const get = (url: string, headers: Record<string, string> = {}) =>
    world.call(null, "GET", url.replace(world.url, ""), { headers });
  expect((await world.call(owner, "GET", "/api/auth/feed-token")).body).toEqual({ createdAt: null });
  const first = await feedUrl(owner);
  const { searchParams } = new URL(first);
  const token = searchParams.get("token") ?? "";
  expect(first).toBe(`${world.url}${address}?token=${token}`);
  expect(token).toMatch(/^feed_[\w-]{43}$/);
  expect((await get(first)).status).toBe(200);
  expect((await get(address, { authorization: `Bearer ${token}` })).status).toBe(200);
  // Only the token's hash is stored; the token itself is nowhere, not even in the audit log.
  const { rows } = await world.ctx.db.executeQuery<{ text: string }>(
    world.ctx.db.selectFrom("feed_token").selectAll().compile(),
  );
  expect(JSON.stringify(rows)).not.toContain(token);
  const wrong = [
    address,
    `${address}?token=${token.slice(0, -1)}`,
    `${address}?token=${owner.token}`,
    `/data/gtfs-realtime/${other.id}/vehicle-positions?token=${token}`,
    `/data/gtfs-realtime/0190a000-0000-7000-8000-000000000099/vehicle-positions?token=${token}`,
    `/data/gtfs-realtime/x/vehicle-positions?token=${token}`,
    `/data/gtfs-realtime/${other.id}/vehicle-positions?format=xml`,
  ];
  const bodies = new Set<string>();
  for (const url of wrong) {
    const reply = await get(url);
    expect(reply, url).toMatchObject({ status: 401, code: 106 });
    bodies.add(JSON.stringify({ ...(reply.body as object), requestId: "" }));
  }
  expect(bodies.size).toBe(1);
  expect(await get(address, { authorization: `Bearer ${owner.token}` })).toMatchObject({ status: 401, code: 106 });
  expect(await get(`${first}&format=xml`)).toMatchObject({ status: 400, code: 102 });
  for (const path of ["/api/auth/user", "/api/v2/sensor", `/data/v2/download/json?filter=sens:x&token=${token}`])
    expect(await world.call({ ...owner, token }, "GET", path), path).toMatchObject({ status: 401, code: 106 });
  const second = await feedUrl(owner);
  expect(await get(first)).toMatchObject({ status: 401, code: 106 });
  expect((await get(second)).status).toBe(200);
  expect((await world.call(owner, "GET", "/api/auth/feed-token")).body).toEqual({
    createdAt: new Date(clock.now()).toISOString(),
  });
  expect((await world.call(owner, "DELETE", "/api/auth/feed-token")).body).toEqual({ createdAt: null });
  expect((await world.call(owner, "DELETE", "/api/auth/feed-token")).status).toBe(200);
  expect(await get(second)).toMatchObject({ status: 401, code: 106 });
  const trail = (await world.trail(owner.id)).filter(({ action }) => action === "feed-token");
  expect(trail.map(({ before, after }) => [before, after])).toEqual([
    [{ feedToken: false }, { feedToken: true }],
    [{ feedToken: true }, { feedToken: true }],
    [{ feedToken: true }, { feedToken: false }],
  ]);
  const third = await feedUrl(owner);
  expect((await world.call(world.root, "DELETE", `/api/account/${owner.id}`)).status).toBe(200);
  expect(await get(third)).toMatchObject({ status: 401, code: 106 });
});

test("only editors of their own account create the URL, which is shown once", async () => {
  const { world, company } = scene;
  const viewer = await world.account("Viewer", world.root, {
    owner: { canViewOwner: { me: true } },
  });
  expect(await world.call(viewer, "POST", "/api/auth/feed-token")).toMatchObject({ status: 403, code: 305 });
  expect((await world.call(viewer, "GET", "/api/auth/feed-token")).body).toEqual({ createdAt: null });
  const owner = await company();
  const headers = { "idempotency-key": "once" };
  const made = await world.call(owner, "POST", "/api/auth/feed-token", { headers });
  expect(made.status).toBe(200);
  expect(await world.call(owner, "POST", "/api/auth/feed-token", { headers })).toMatchObject({
    status: 409,
    code: 102,
  });
  const kept = await world.ctx.db.selectFrom("idempotency").select("reply").where("key", "=", "once").execute();
  expect(JSON.stringify(kept)).not.toContain("feed_");
  // If two calls are concurrent, the token of the later one replaces that of the earlier one.
  const both = await Promise.all([1, 2].map(() => world.call(owner, "POST", "/api/auth/feed-token")));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  const opened = await Promise.all(
    both.map(async (one) => fetch(String(one.at("url")).replace("http://feed.test", world.url))),
  );
  expect(opened.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
});

test("the JSON is the same feed, cached for ten seconds, at most sixty polls a minute", async () => {
  const { clock, company, coach, say, pass, feedUrl, read } = scene;
  const owner = await company();
  const url = await feedUrl(owner);
  const bus = await coach(owner, { vehicleId: "bus-11" });
  await say(bus, { s1: 29 });
  const message = await read(url);
  const json = await fetch(`${url}&format=json`);
  expect(json.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(await json.json()).toEqual(message);
  for (const [accept, type] of [
    ["application/json", "application/json; charset=utf-8"],
    ["application/json, text/plain, */*", "application/x-protobuf"],
    ["application/x-protobuf, application/json", "application/x-protobuf"],
    ["*/*", "application/x-protobuf"],
  ] as const)
    expect((await fetch(url, { headers: { accept } })).headers.get("content-type"), accept).toBe(type);
  const reply = await fetch(url);
  const tag = reply.headers.get("etag") ?? "";
  const modified = reply.headers.get("last-modified") ?? "";
  expect(reply.headers.get("cache-control")).toBe("private, max-age=10");
  expect(reply.headers.get("vary")).toContain("Accept");
  expect(Date.parse(modified)).toBe(Math.floor(clock.now() / 1000) * 1000);
  const known = (headers: Record<string, string>) => fetch(url, { headers }).then(({ status }) => status);
  expect(await known({ "if-none-match": tag })).toBe(304);
  expect(await known({ "if-none-match": `"x", W/${tag}` })).toBe(304);
  expect(await known({ "if-none-match": '"x"', "if-modified-since": modified })).toBe(200);
  expect(await known({ "if-modified-since": modified })).toBe(304);
  expect(await known({ "if-modified-since": "yesterday" })).toBe(200);
  // A snapshot is valid for ten seconds, whatever arrives meanwhile.
  await say(bus, { s1: 30 });
  expect(await known({ "if-none-match": tag })).toBe(304);
  pass(10_000);
  expect(await known({ "if-none-match": tag })).toBe(200);
  pass(minuteMs);
  for (let poll = 0; poll < 60; poll += 1) expect((await fetch(url)).status).toBe(200);
  const refused = await fetch(url);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await fetch(await feedUrl(await company()))).status).toBe(200);
  pass(minuteMs);
  expect((await fetch(url)).status).toBe(200);
});

test("a small feed is one indexed query; one that is too large is refused", async () => {
  const { world, company, coach, say } = scene;
  const owner = await company();
  const rest = await company();
  const bus = await coach(owner, { vehicleId: "bus-13" });
  await say(bus, { s1: 2 });
  await world.ctx.db
    .insertInto("sensor")
    .values(
      Array.from({ length: 5000 }, (_, n) => ({
        id: toMac(0x0a00_0000_0000 + n),
        owner_id: rest.id,
        owner_path: rest.path,
        type: n % 2 === 0 ? ("ZOD" as const) : ("APS" as const),
      })),
    )
    .execute();
  await sql`analyze sensor, sensor_section, vehicle_level`.execute(world.ctx.db);
  const account = { ...owner, permissions: fullPermissions };
  for (const canViewObject of [
    { me: true, myChildren: true },
    { me: true },
    { myChildren: true, relativeAncestorLevel: 3 },
    { roles: [rest.roleId ?? ""] },
  ]) {
    const viewer = { ...owner, permissions: { ownable: { sensor: { canViewObject } } } };
    const sent = await captureStatements(() => createFeedGenerator(world.ctx)(viewer, "json"));
    const asked = sent.filter(({ isOwn }) => isOwn);
    expect(asked).toHaveLength(1);
    for (const statement of asked) {
      const plan = await explainStatement(world.ctx.db, statement);
      expect(plan).not.toContain("Seq Scan on sensor s");
      expect(plan).toContain("sensor_coaches");
    }
  }
  await coach(owner, { vehicleId: "bus-14" });
  await expect(createFeedGenerator(world.ctx, 1)(account, "json")).rejects.toMatchObject({ status: 413, code: 102 });
  expect((await createFeedGenerator(world.ctx, 2)(account, "json")).bytes.length).toBeGreaterThan(100);
});

test("a snapshot is kept for ten seconds until the next one", async () => {
  const { world, pass, company } = scene;
  const kept = new Map<string, FeedSnapshot>();
  const feedOf = createFeedGenerator(world.ctx, 10, kept);
  const [one, two, three] = [await company(), await company(), await company()];
  const poll = (owner: Person) => feedOf({ ...owner, permissions: fullPermissions }, "json");
  await poll(one);
  pass(5_000);
  await poll(two);
  expect([...kept.keys()]).toEqual([one.id, two.id]);
  pass(5_000);
  await poll(three);
  expect([...kept.keys()]).toEqual([two.id, three.id]);
});
