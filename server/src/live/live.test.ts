// Tests how live sockets are admitted and closed: origins, tickets, ended sessions, changed rights, clients that send messages, slow
// readers (T-12).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { announceAll } from "../db/write.ts";
import { entityUpdated } from "../kit/bus.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { until } from "../testing/devices/device-world.ts";
import { createStillClock } from "../testing/snapshot.ts";
import type { LiveFrame } from "../testing/live-socket.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

const own = "https://console.example.com";
const sibling = "https://buildings.example.com";
const clock = createStillClock();
let world: World;
let customer: Person;

beforeAll(async () => {
  world = await createWorld({ clock, env: { PUBLIC_URL: own, CORS_ORIGINS: sibling } });
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
});
afterAll(() => world.stop());

type Ear = { socket: WebSocket; frames: LiveFrame[]; closed: Promise<number> };

function knock(query: string, headers: Record<string, string> = {}): Promise<Ear | number> {
  const socket = new WebSocket(`${world.url.replace("http", "ws")}/live${query}`, { headers });
  const frames: LiveFrame[] = [];
  socket.on("message", (data: Buffer) => frames.push(JSON.parse(data.toString()) as LiveFrame));
  const closed = new Promise<number>((resolve) => socket.once("close", (code) => resolve(code)));
  return new Promise((resolve, reject) => {
    socket.once("open", () => resolve({ socket, frames, closed }));
    socket.once("unexpected-response", (_, response) => {
      socket.on("error", () => undefined);
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.once("error", reject);
  });
}
async function enter(who: Person, headers: Record<string, string> = {}): Promise<Ear> {
  const ear = await knock(`?token=${who.token}`, headers);
  if (typeof ear === "number") throw new Error(`refused with ${ear}`);
  await until("the greeting", () => ear.frames.some(({ type }) => type === "hello"));
  return ear;
}
const ticketOf = async (who: Person) => String((await world.call(who, "POST", "/api/auth/ticket")).at("ticket"));
const heard = (ear: Ear, id: string) =>
  until(`a frame about ${id}`, () => ear.frames.find(({ obj }) => obj?.["_id"] === id));

test("LI-01 other Origins get 403 before the token is checked; scripts send none", async () => {
  for (const origin of [
    "https://evil.example",
    "null",
    `${own}.evil.example`,
    `${own}:444`,
    "http://console.example.com",
    `${own}/`,
    own.toUpperCase(),
  ]) {
    for (const token of [customer.token, "wrong"]) expect(await knock(`?token=${token}`, { origin }), origin).toBe(403);
  }
  const ticket = await ticketOf(customer);
  expect(await knock(`?token=${ticket}`, { origin: "https://evil.example" })).toBe(403);
  // The refused request from another origin did not use up the ticket.
  const ear = await knock(`?token=${ticket}`, { origin: own });
  expect(typeof ear).not.toBe("number");
  if (typeof ear !== "number") ear.socket.terminate();
  for (const headers of [{ origin: own }, { origin: sibling }, {} as Record<string, string>])
    (await enter(customer, headers)).socket.terminate();
});

test("LI-01 invalid tokens are 401, an invalid number 400, and the cookie does not count", async () => {
  const deleted = await world.account("Deleted", customer, fullPermissions);
  const late = await ticketOf(deleted);
  expect((await world.call(world.root, "DELETE", `/api/account/${deleted.id}`)).status).toBe(200);
  const wrong = [
    "",
    "?",
    "?token=",
    "?token=wrong",
    "?token=ticket_",
    `?token=ticket_${"x".repeat(43)}`,
    `?token=${customer.token}x`,
    `?token=${customer.token.toUpperCase()}`,
    `?Token=${customer.token}`,
    "?token=%00",
    `?token=${"x".repeat(5000)}`,
    `?token=${deleted.token}`,
    `?token=${late}`,
    `?token=x&token=${customer.token}`,
  ];
  for (const query of wrong) expect(await knock(query), query).toBe(401);
  expect(await knock("", { cookie: `__Host-psp_session=${customer.token}`, origin: own })).toBe(401);
});

test("LI-01 a ticket opens one socket within thirty seconds, while its session lasts", async () => {
  const twice = await ticketOf(customer);
  const first = await knock(`?token=${twice}`);
  expect(typeof first).not.toBe("number");
  expect(await knock(`?token=${twice}`)).toBe(401);
  const race = await ticketOf(customer);
  const all = await Promise.all(Array.from({ length: 8 }, () => knock(`?token=${race}`)));
  expect(all.filter((one) => typeof one !== "number")).toHaveLength(1);
  for (const one of [first, ...all]) if (typeof one !== "number") one.socket.terminate();
  const old = await ticketOf(customer);
  clock.moveTo(clock.now() + 30_000);
  expect(await knock(`?token=${old}`)).toBe(401);
  const orphan: Person = { ...customer, token: await world.token(customer) };
  const ticket = await ticketOf(orphan);
  const leaving = await enter(orphan);
  leaving.socket.close(4000);
  await leaving.closed;
  await until("the session's end", async () => (await world.call(orphan, "GET", "/api/auth/user")).status === 401);
  expect(await knock(`?token=${ticket}`)).toBe(401);
});

test("LI-01 AU-08 closing with 4000 ends the session: its sockets get 4401, other sessions stay", async () => {
  const one: Person = { ...customer, token: await world.token(customer) };
  const [leaving, beside, other] = [await enter(one), await enter(one), await enter(customer)];
  leaving.socket.close(4000);
  expect(await beside.closed).toBe(4401);
  expect((await world.call(one, "GET", "/api/auth/user")).status).toBe(401);
  expect(other.socket.readyState).toBe(WebSocket.OPEN);
  other.socket.close(1000);
  await other.closed;
  expect((await world.call(customer, "GET", "/api/auth/user")).status).toBe(200);
});

test("LI-01 AU-09 4403 when a view scope changes; other rights change under the open socket", async () => {
  const see = { canViewObject: { me: true, relativeAncestorLevel: 1 } };
  const looker = await world.account("Looker", customer, { ownable: { sensor: see } });
  const sensor = await world.call(customer, "POST", "/api/sensor", {
    body: { owner: customer.id, _id: "02:00:00:00:44:03", type: "APS" },
  });
  await world.ctx.db.updateTable("sensor").set({ claiming_code: "K7PX2MQ9" }).where("id", "=", sensor.id).execute();
  const touch = async (group: string) =>
    void (await world.call(customer, "PUT", `/api/sensor/${sensor.id}`, { body: { groups: [group] } }));
  const role = (permissions: object) =>
    world.call(world.root, "PUT", `/api/role/${looker.roleId}`, { body: { permissions } });

  const steady = await enter(looker);
  await touch("a");
  expect((await heard(steady, sensor.id)).obj?.["claimingCode"]).toBeNull();
  steady.frames.length = 0;
  expect(
    (await role({ ownable: { sensor: { ...see, canEditObject: { me: true, relativeAncestorLevel: 1 } } } })).status,
  ).toBe(200);
  await touch("b");
  expect((await heard(steady, sensor.id)).obj?.["claimingCode"]).toBe("K7PX2MQ9");
  steady.frames.length = 0;
  await role({ ownable: { sensor: see } });
  await touch("c");
  expect((await heard(steady, sensor.id)).obj?.["claimingCode"]).toBeNull();

  const ends: [string, () => Promise<unknown>][] = [
    ["less", () => role({ ownable: { sensor: { canViewObject: { me: true } } } })],
    ["more", () => role({ ownable: { sensor: see, measurement: see } })],
    [
      "another role",
      () => world.call(world.root, "PUT", `/api/account/${looker.id}`, { body: { role: customer.roleId } }),
    ],
    ["no role", () => world.call(world.root, "DELETE", `/api/role/${customer.roleId}`)],
  ];
  let ear = steady;
  for (const [name, end] of ends) {
    await end();
    expect(await ear.closed, name).toBe(4403);
    if (name !== "no role") ear = await enter(looker);
  }
  const silent = await enter(looker);
  await world.call(world.root, "PUT", `/api/sensor/${sensor.id}`, { body: { groups: ["d"] } });
  const witness = await enter(world.root);
  await world.call(world.root, "PUT", `/api/sensor/${sensor.id}`, { body: { groups: ["e"] } });
  await heard(witness, sensor.id);
  expect(silent.frames.map(({ type }) => type)).toEqual(["hello"]);
  for (const one of [silent, witness]) one.socket.terminate();
});

test("LI-01 a client that sends messages is closed; pings are answered", async () => {
  const sayings: [string, (socket: WebSocket) => void, number][] = [
    ["a word", (socket) => socket.send("{}"), 1008],
    ["bytes", (socket) => socket.send(Buffer.alloc(100)), 1008],
    ["ten megabytes", (socket) => socket.send("x".repeat(10_000_000)), 1009],
    ["broken text", (socket) => socket.send(Buffer.from([0xff, 0xfe]), { binary: false }), 1007],
  ];
  for (const [name, say, code] of sayings) {
    const { socket, closed } = await enter(world.root);
    socket.on("error", () => undefined);
    say(socket);
    // If the connection ends with unsent bytes, the client sees an abnormal closure (1006).
    expect([code, 1006], name).toContain(await closed);
  }
  const { socket } = await enter(world.root);
  const pong = new Promise((resolve) => socket.once("pong", resolve));
  socket.ping();
  await pong;
  socket.terminate();
});

test("LI-01 a slow reader is closed; others receive everything", async () => {
  const owner = await world.account("Big", world.root, fullPermissions);
  const ids: string[] = [];
  for (let n = 0; n < 60; n += 1) {
    const id = uuidv7(clock.now());
    const tags = Array.from({ length: 100 }, (_, tag) => `${tag} `.padEnd(100, "x"));
    await world.ctx.db
      .insertInto("location")
      .values({ id, owner_id: owner.id, owner_path: owner.path, name: `Shop ${n}`, tags })
      .execute();
    ids.push(id);
  }
  const [reader, slow] = [await enter(owner), await enter({ ...owner, token: await world.token(owner) })];
  slow.socket.pause();
  let announced = 0;
  for (let round = 0; round < 60 && world.ctx.presences.of(owner.id) === 2; round += 1) {
    await announceAll(
      world.ctx,
      ids.map((id) => entityUpdated("measurement", id, owner.id)),
    );
    announced += ids.length;
    await until(
      "the reader's frames",
      () => reader.frames.filter(({ type }) => type === "measurement").length === announced,
    );
    const held = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
    expect(held, "bytes held for the slow one").toBeLessThan(500_000_000);
  }
  await until("the end of the slow one", () => world.ctx.presences.of(owner.id) === 1);
  expect(reader.socket.readyState).toBe(WebSocket.OPEN);
  expect(announced * 10_000).toBeGreaterThan(4_000_000);
  expect(await (await fetch(`${world.url}/metrics`)).text()).toMatch(/^psp_live_slow_readers_total [1-9]/m);
  reader.socket.terminate();
  slow.socket.terminate();
});

test("LI-01 a page that joins with the session's cursor gets earlier changes", async () => {
  const reader = await world.account("Reader", world.root, fullPermissions);
  const headers = { authorization: `Bearer ${reader.token}` };
  const since = (await fetch(`${world.url}/api/auth/user`, { headers })).headers.get("x-live-since");
  const body = { name: "Between", owner: reader.id };
  const id = (await world.call(reader, "POST", "/api/measurement", { body })).id;
  const late = await knock(`?token=${reader.token}&since=${since}`);
  if (typeof late === "number") throw new Error(`refused with ${late}`);
  expect(await heard(late, id)).toMatchObject({ type: "measurement", op: "create" });
  late.socket.terminate();
  const login = { email: reader.email, password: "not-the-password-at-all" };
  expect((await world.call(null, "POST", "/api/auth/login", { body: login })).headers.get("x-live-since")).toBe(null);
  expect((await world.call(null, "GET", "/config.js")).body).toContain('"since":null');
  expect((await world.call(reader, "GET", "/api/v2/sensor")).headers.get("x-live-since")).toBe(null);
  // The page's configuration contains a cursor, too, because the page may send its first requests with the session cookie (ADR 0027).
  const pageSince = async () => {
    const cookie = `__Host-psp_session=${reader.token}`;
    const { body: config } = await world.call(null, "GET", "/config.js", { headers: { cookie } });
    return /"since":"([\w-]+)"/.exec(String(config))?.[1];
  };
  const before = await pageSince();
  const next = (await world.call(reader, "POST", "/api/measurement", { body: { ...body, name: "Later" } })).id;
  const joined = await knock(`?token=${reader.token}&since=${before}`);
  if (typeof joined === "number") throw new Error(`refused with ${joined}`);
  expect(await heard(joined, next)).toMatchObject({ type: "measurement", op: "create" });
  joined.socket.terminate();
});

test("LI-01 after lost events all clients reload, and ended sessions are disconnected", async () => {
  const [witness, gone] = [await world.account("Witness", customer, fullPermissions), await enter(customer)];
  const here = await enter(witness);
  // What a crash of the database does to unlogged tables.
  const cut = () => sql`truncate announcement, announcement_log, announcement_mark`.execute(world.ctx.db);
  await cut();
  await until("word to reload", () => here.frames.find(({ type }) => type === "resync"));
  const { cursor } = here.frames.at(-1) as LiveFrame;
  // Written without an event, as if another process had done it just before the crash.
  await world.ctx.db.deleteFrom("session").where("account_id", "=", customer.id).execute();
  await cut();
  expect(await gone.closed).toBe(4401);
  await until("another word", () => here.frames.filter(({ type }) => type === "resync").length === 2);
  here.socket.terminate();
  const back = await knock(`?token=${witness.token}&since=${cursor}`);
  if (typeof back === "number") throw new Error(`refused with ${back}`);
  await until("the greeting", () => back.frames.some(({ type }) => type === "resync"));
  back.socket.terminate();
});
