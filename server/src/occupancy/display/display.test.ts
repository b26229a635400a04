// Tests display links and tokens, and who may open a display's socket (OC-02, OC-03, T-24).
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { hashPassword } from "../../credential/hashing.service.ts";
import { hashToken } from "../../kit/tokens.ts";
import { until } from "../../testing/devices/device-world.ts";
import { readStoredTexts } from "../../testing/snapshot.ts";
import { createWorld, type Person, type World } from "../../testing/world.ts";
import {
  type Display,
  enableDisplay,
  tryOpenDisplay,
  createLicensedLocation,
  openDisplay,
  sealForServer,
  connectSensorsAt,
} from "../display.testing.ts";
import { openChannel } from "../../open/connection.ts";
import { createLeases } from "../../open/lease.ts";
import { startDisplayChannel } from "./display-socket.guard.ts";
import { createDisplayGuard } from "./display.guard.ts";
import { deleteOldDisplayData } from "./display.service.ts";

const own = "https://console.example.com";
const password = "a long sentence for the door";
let world: World;
let owner: Person;
let place: string;
let publicKey: string;

beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway", PUBLIC_URL: own, SOCKETS_PER_SESSION: "12" } });
  owner = await world.account("Harbour Stores", world.root, fullPermissions);
  place = await createLicensedLocation(world, owner);
  await connectSensorsAt(world, owner, place, 1);
  await enableDisplay(world, owner, place, { maxObjects: 5 });
  const script = String((await world.call(null, "GET", "/config.js")).body);
  publicKey = (JSON.parse(script.slice(script.indexOf("{"), script.lastIndexOf(";"))) as { displayPublicKey: string })
    .displayPublicKey;
});
afterAll(() => world.stop());

async function withPassword(person: Person): Promise<Person> {
  const hash = await hashPassword(world.ctx, password);
  const { db } = world.ctx;
  await db.updateTable("credential").set({ password_hash: hash }).where("account_id", "=", person.id).execute();
  return person;
}
const link = (email: string, secret = password) =>
  sealForServer(publicKey, JSON.stringify({ email, password: secret }));
/** Exchanges a link for a token. Moves the clock by a second, so that the rate limit does not interfere. */
function exchange(k: string, id = place) {
  world.ctx.clock.moveTo(world.ctx.clock.now() + 1_000);
  return world.call(null, "POST", `/api/display/${id}`, { body: { k } });
}
async function tokenOf(person: Person): Promise<string> {
  const reply = await exchange(link(person.email));
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return String(reply.at("token"));
}
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const read = (token: string, id = place) => world.call(null, "GET", `/api/display/${id}`, bearer(token));
const look = { canViewObject: { me: true, relativeAncestorLevel: 1 } };
const viewerOf = async (name: string) =>
  withPassword(await world.account(name, owner, { ownable: { measurement: look } }));

test("OC-03 the key of a link is exchanged for a token that only reads this display", async () => {
  const viewer = await viewerOf("Door");
  const token = await tokenOf(viewer);
  expect(Buffer.from(token.replace("display_", ""), "base64url").length).toBeGreaterThanOrEqual(16);
  expect(await read(token)).toMatchObject({
    status: 200,
    body: { _id: place, enabled: true, timezone: "Europe/Berlin" },
  });
  const display = await openDisplay(world, place, token);
  await display.shows({ state: "opened" });
  display.socket.terminate();
  const other = await createLicensedLocation(world, owner);
  expect([(await read(token, other)).code, await tryOpenDisplay(world, other, token)]).toEqual([106, 401]);
  for (const [method, path] of [
    ["GET", "/api/v2/sensor"],
    ["GET", `/api/measurement/${place}`],
    ["GET", `/api/measurement/${place}/occupancy/ledger`],
    ["GET", "/api/auth/user"],
    ["POST", "/api/auth/ticket"],
    ["DELETE", `/api/measurement/${place}/display-tokens`],
    ["GET", `/data/v2/aggregate/json?token=${token}`],
  ] as const)
    expect((await world.call(null, method, path, bearer(token))).code, path).toBe(106);
  expect(await tryOpenDisplay({ url: world.url.replace("/live/occupancy", "") }, place, `${token}x`)).toBe(401);
  const stored = JSON.stringify(await readStoredTexts(world.ctx.db));
  for (const secret of [token, token.replace("display_", ""), password]) expect(stored).not.toContain(secret);
  expect((await world.trail(place)).filter(({ action }) => action === "openDisplay")).toHaveLength(1);
});

test("OC-03 any wrong link is 401: box, key, password, address, right or location", async () => {
  const viewer = await viewerOf("Wrong");
  const stranger = await withPassword(await world.account("City Library", world.root, fullPermissions));
  const other = Buffer.alloc(32, 9).toString("base64");
  const wrong: [string, Promise<{ status: number; code: unknown; body: unknown }>][] = [
    ["no box", exchange("x")],
    ["short", exchange(Buffer.alloc(47).toString("base64url"))],
    ["zeros", exchange(Buffer.alloc(100).toString("base64url"))],
    ["signs", exchange("%%%")],
    ["another key", exchange(sealForServer(other, JSON.stringify({ email: viewer.email, password })))],
    ["no JSON", exchange(sealForServer(publicKey, "hello"))],
    ["no login", exchange(sealForServer(publicKey, "[]"))],
    ["wrong password", exchange(link(viewer.email, "another long sentence"))],
    ["no such address", exchange(link("nobody@example.com"))],
    ["no right", exchange(link(stranger.email))],
    ["no location", exchange(link(viewer.email), "00000000-0000-7000-8000-000000000000")],
  ];
  const bodies = new Set<string>();
  for (const [name, asked] of wrong) {
    const reply = await asked;
    expect([reply.status, reply.code], name).toEqual([401, 106]);
    bodies.add(JSON.stringify({ ...(reply.body as object), requestId: "" }));
  }
  expect([...bodies]).toHaveLength(1);
  expect((await exchange("")).code).toBe(102);
  expect((await world.call(null, "POST", `/api/display/${place}`, { body: {} })).code).toBe(104);
});

test("OC-03 T-24 guessing links is limited and audited like signing in", async () => {
  const viewer = await viewerOf("Guessed");
  for (let n = 0; n < 5; n += 1) expect((await exchange(link(viewer.email, `guess ${n}`))).code).toBe(106);
  const late = await exchange(link(viewer.email));
  expect(late.status).toBe(429);
  expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
  const body = { email: viewer.email, password };
  expect((await world.call(null, "POST", "/api/auth/login", { body })).status).toBe(429);
  const rows = await until("the trace", async () => {
    const { db } = world.ctx;
    const found = await db.selectFrom("audit").selectAll().where("action", "=", "login-refused").execute();
    return found.some(({ object_id }) => object_id === viewer.id) ? found : null;
  });
  expect(rows.find(({ object_id }) => object_id === viewer.id)?.after).toMatchObject({ call: "exchangeDisplayKey" });
});

const ends: [string, number, (viewer: Person) => Promise<unknown>][] = [
  ["revoked", 4401, () => world.call(owner, "DELETE", `/api/measurement/${place}/display-tokens`)],
  ["account deleted", 4401, (viewer) => world.call(world.root, "DELETE", `/api/account/${viewer.id}`)],
  ["role deleted", 4403, (viewer) => world.call(world.root, "DELETE", `/api/role/${viewer.roleId}`)],
  [
    "right taken",
    4403,
    (viewer) =>
      world.call(world.root, "PUT", `/api/role/${viewer.roleId}`, {
        body: { permissions: { ownable: { sensor: look } } },
      }),
  ],
];
test.each(ends)("OC-03 a token ends with its display when it is %s", async (name, code, end) => {
  const viewer = await viewerOf(name);
  const token = await tokenOf(viewer);
  const display = await openDisplay(world, place, token);
  await display.shows({ state: "opened" });
  const steady = await openDisplay(world, place, owner.token);
  await end(viewer);
  expect(await display.closed).toBe(code);
  const refused = await read(token);
  expect([refused.status, refused.code]).toEqual(code === 4401 ? [401, 106] : [404, 105]);
  expect(await tryOpenDisplay(world, place, token)).toBe(code === 4401 ? 401 : 404);
  expect(steady.socket.readyState).toBe(steady.socket.OPEN);
  steady.socket.terminate();
});

test("OC-03 T-24 a revoked link is invalid; a new one works", async () => {
  const viewer = await viewerOf("Links");
  const opened = link(viewer.email);
  expect((await exchange(opened)).status).toBe(200);
  expect((await exchange(opened)).status).toBe(200);
  await world.call(owner, "DELETE", `/api/measurement/${place}/display-tokens`);
  expect((await exchange(opened)).code).toBe(106);
  expect((await exchange(link(viewer.email))).status).toBe(200);
});

/** Other texts that decode to the same bytes, because the last character has unused bits. */
function spellingsOf(k: string): string[] {
  const bytes = Buffer.from(k, "base64url");
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const lastCharacters = [...alphabet].map((one) => k.slice(0, -1) + one);
  const others = [
    `${k}=`,
    `${k}==`,
    `${k}A`,
    `${k}.`,
    `=${k}`,
    `${k.slice(0, 9)}\n${k.slice(9)}`,
    bytes.toString("base64"),
  ];
  return [...others, ...lastCharacters].filter((one) => one !== k && Buffer.from(one, "base64url").equals(bytes));
}

test("OC-03 T-24 a revoked link is invalid in every spelling", async () => {
  const viewer = await viewerOf("Spelled");
  // Three successive lengths: in some of them, the last character has unused bits.
  const links = ["", " ", "  "].map((more) =>
    sealForServer(publicKey, JSON.stringify({ email: viewer.email, password }) + more),
  );
  const opened = links.find((k) => k.length % 4 === 3) ?? "";
  expect(spellingsOf(opened).length).toBeGreaterThan(5);
  // Revocations have always been stored in this format: the hash of the key's text.
  const row = { location_id: place, key_hash: hashToken(opened), is_revoked: true };
  await world.ctx.db.insertInto("display_link").values(row).execute();
  for (const k of [opened, ...spellingsOf(opened)]) expect((await exchange(k)).code, k).toBe(106);
  const living = links.find((k) => k.length % 4 === 2) ?? "";
  for (const k of spellingsOf(living)) expect((await exchange(k)).code, k).toBe(106);
  expect((await exchange(living)).status).toBe(200);
});

test("OC-03 only editors of the location can revoke, with an audit row", async () => {
  const before = await world.ctx.db.selectFrom("display_token").where("location_id", "=", place).select("id").execute();
  const viewer = await viewerOf("May not");
  await tokenOf(viewer);
  const revoke = (who: Person) => world.call(who, "DELETE", `/api/measurement/${place}/display-tokens`);
  expect((await revoke(viewer)).code).toBe(305);
  const stranger = await world.account("Strange", world.root, fullPermissions);
  expect((await revoke(stranger)).code).toBe(105);
  expect((await revoke(owner)).body).toEqual({ revoked: before.length + 1 });
  expect((await revoke(owner)).body).toEqual({ revoked: 0 });
  expect((await world.trail(place)).at(-1)).toMatchObject({ action: "revokeDisplays", account_id: owner.id });
});

test("OC-02 invalid tokens are 401, invisible locations 404, foreign pages 403; tickets work once", async () => {
  const stranger = await world.account("Stranger", world.root, fullPermissions);
  for (const token of [
    "",
    "wrong",
    "display_",
    "display_wrong",
    "ticket_x",
    `${owner.token}x`,
    "%00",
    "x".repeat(5000),
  ])
    expect(await tryOpenDisplay(world, place, token), token.slice(0, 20)).toBe(401);
  expect(await tryOpenDisplay(world, place, stranger.token)).toBe(404);
  expect((await read(stranger.token)).code).toBe(105);
  for (const id of ["x", "00000000-0000-7000-8000-000000000000", `${place}x`])
    expect(await tryOpenDisplay(world, id, owner.token), id).toBe(404);
  for (const token of [owner.token, "wrong"])
    expect(await tryOpenDisplay(world, place, token, { origin: "https://evil.example" })).toBe(403);
  const ticket = String((await world.call(owner, "POST", "/api/auth/ticket")).at("ticket"));
  const display = (await tryOpenDisplay(world, place.toUpperCase(), ticket, { origin: own })) as Display;
  await display.shows({ state: "opened" });
  expect(await tryOpenDisplay(world, place, ticket)).toBe(401);
  display.socket.send("hello");
  expect(await display.closed).toBe(1008);
  expect((await read("wrong")).code).toBe(106);
  expect((await world.call(owner, "GET", `/api/display/${place}`)).status).toBe(200);
  const cookie = { headers: { cookie: `__Host-psp_session=${owner.token}` } };
  expect((await world.call(null, "GET", `/api/display/${place}`, cookie)).status).toBe(200);
});

test("OC-02 T-12 displays are limited per token and session", async () => {
  const viewer = await viewerOf("Wall");
  for (const token of [await tokenOf(viewer), viewer.token]) {
    const open = await Promise.all(Array.from({ length: 12 }, () => openDisplay(world, place, token)));
    expect(await tryOpenDisplay(world, place, token)).toBe(429);
    const other = await openDisplay(world, place, owner.token);
    open.push(other);
    for (const { socket, closed } of open) {
      socket.close();
      await closed;
    }
    const next = await until("room for the next", async () => {
      const found = await tryOpenDisplay(world, place, token);
      return typeof found === "number" ? null : found;
    });
    next.socket.close();
    await next.closed;
  }
});

test("OC-02 a display closes with its session, its location, and its owner", async () => {
  const viewer = await viewerOf("Session");
  const session = await world.token(viewer);
  const [leaving, display] = [await openDisplay(world, place, session), await openDisplay(world, place, viewer.token)];
  const live = new WebSocket(`${world.url.replace("http", "ws")}/live?token=${session}`);
  await new Promise((resolve) => live.addEventListener("open", resolve, { once: true }));
  // The close code of a logout.
  live.close(4000);
  expect(await leaving.closed).toBe(4401);
  expect(display.socket.readyState).toBe(display.socket.OPEN);
  await world.call(world.root, "DELETE", `/api/account/${viewer.id}`);
  expect(await display.closed).toBe(4401);
  const gone = await createLicensedLocation(world, owner);
  const child = await world.account("Old Town", owner, { ownable: { measurement: look } });
  const open = await openDisplay(world, gone, child.token);
  await world.call(owner, "DELETE", `/api/measurement/${gone}`);
  expect([4403, 4410]).toContain(await open.closed);
});

test("OC-03 a new link's login and right are checked, and it can be revoked unused", async () => {
  const viewer = await viewerOf("Checked door");
  const stranger = await withPassword(await world.account("Checked stranger", world.root, {}));
  const check = (k: string, as: Person | null = owner, id = place) =>
    world.call(as, "POST", `/api/measurement/${id}/display-links`, { body: { k } });
  const displays = () => world.ctx.db.selectFrom("display_token").select("id").execute();
  const before = await displays();
  for (const [k, field] of [
    [link(viewer.email, "another long sentence"), "password"],
    [link("nobody@example.com"), "password"],
    [link(stranger.email), "email"],
  ] as const) {
    const refused = await check(k);
    expect([refused.code, refused.at("details")]).toMatchObject([106, { field }]);
  }
  expect((await check(link(viewer.email), null)).code).toBe(106);
  expect((await check(link(viewer.email), stranger)).code).toBe(105);
  expect((await check("")).code).toBe(102);
  const right = link(viewer.email);
  expect(await check(right)).toMatchObject({ status: 200, body: {} });
  expect(await displays()).toEqual(before);
  expect((await world.call(owner, "DELETE", `/api/measurement/${place}/display-tokens`)).status).toBe(200);
  expect((await exchange(right)).code).toBe(106);
});

test("OC-03 a used display works after 91 days, an unused one is deleted after 90", async () => {
  const viewer = await viewerOf("Daily");
  const [daily, open, unused] = [await tokenOf(viewer), await tokenOf(viewer), await tokenOf(viewer)];
  const { clock, db, bus } = world.ctx;
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const http = createServer().listen(0, "127.0.0.1");
  await once(http, "listening");
  const noSignIn = {
    admit: async () => null,
    withVerifiedPassword: () => Promise.reject(new Error("no sign-in here")),
  };
  const leases = createLeases(world.ctx);
  const guard = createDisplayGuard(world.ctx, leases, world.server.sessions, noSignIn);
  const displays = startDisplayChannel(world.ctx, guard);
  const sockets = openChannel(world.ctx, http, leases, displays.channel);
  try {
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const display = await openDisplay({ url }, place, open);
    const usedAt = async () => {
      const row = db.selectFrom("display_token").select("last_used_at").where("token_hash", "=", hashToken(open));
      return (await row.executeTakeFirstOrThrow()).last_used_at.getTime();
    };
    for (let day = 1; day <= 91; day += 1) {
      clock.moveTo(clock.now() + 24 * 3_600_000);
      expect((await read(daily)).status, `day ${day}`).toBe(200);
      vi.advanceTimersByTime(25_000);
      await until("the open display is noted", async () => ((await usedAt()) > clock.now() - 3_600_000 ? true : null));
      await deleteOldDisplayData(world.ctx);
    }
    bus.emit({ name: "rightsChanged", event: { accountIds: "all", viewScopeChanged: false } });
    expect([(await read(daily)).status, (await read(open)).status, (await read(unused)).code]).toEqual([200, 200, 106]);
    display.socket.terminate();
  } finally {
    vi.useRealTimers();
    sockets.stop();
    await displays.stop();
    http.close();
  }
});
