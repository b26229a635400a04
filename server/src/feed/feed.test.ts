// The feed from end to end: coaches over MQTT and tunnels, read over HTTP with the public reader of the format (SE-06, ADR 0079).
import type { EnrolReply } from "@psp/contract/sensor/sensor.device.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import bindings from "gtfs-realtime-bindings";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { startServer } from "../server.ts";
import { planOf, statementsOf } from "../testing/asked-statements.ts";
import { birth, connectDevice, type Device, until } from "../testing/device-world.ts";
import { initToken } from "../testing/remote-sensor.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { type OpenTunnel, openTunnel } from "../testing/tunnel-device.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { createFeed } from "./feed.service.ts";

const { FeedMessage } = bindings.transit_realtime;
const minuteMs = 60_000;
const clock = createStillClock();
let world: World;
let last = 0;
beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway,worker", PUBLIC_URL: "http://feed.test" }, clock });
});
afterAll(() => world.stop());

const company = () => world.account(`Tram Lines ${(last += 1)}`, world.root, fullPermissions);

type Part = { seats: number; standing: number };
type Group = { vehicleId: string; sequence?: number; parts?: Part[] };
type Coach = Device & {
  /** People by section; what is left out is not seen. */
  says(people: Record<string, number>, more?: object): Promise<void>;
  tunnel: OpenTunnel;
  group: Group;
};

const toValues = ({ vehicleId, sequence = 1, parts = [{ seats: 20, standing: 10 }] }: Group) => ({
  coach: { name: `Coach ${sequence}`, vehicleId, carriageSequence: sequence },
  levels: [{ id: "l1", name: "Main" }],
  sections: parts.map((part, index) => ({ id: `s${index + 1}`, name: `Part ${index + 1}`, levelId: "l1", ...part })),
});

/** A ZOD of this owner, online, with a tunnel through which the server has read how its coach is divided. */
async function coach(owner: Person, group: Group): Promise<Coach> {
  last += 1;
  const id = `00:16:28:FE:${(last >> 8).toString(16).padStart(2, "0")}:${(last & 255).toString(16).padStart(2, "0")}`;
  const reply = await fetch(`${world.url}/device/v1/enrol`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: await initToken(world, owner), id, type: "ZOD", nonce: "n", time: 0 }),
  });
  expect(reply.status).toBe(201);
  const enrolled = (await reply.json()) as EnrolReply;
  const device = await connectDevice(world.server.mqttPort ?? 0, enrolled);
  await device.up("state", birth("s1", { type: "ZOD" }));
  const { username: wire, password } = enrolled.mqtt;
  const made: Coach = {
    ...device,
    group,
    tunnel: await openTunnel(world.url, { wire, password }, (_request, answer, body) => {
      const { id: n, method } = JSON.parse(body) as { id: number; method: string };
      const result = method === "config.set" ? { rev: 2, applied: "now" } : { rev: 1, values: toValues(made.group) };
      answer.writeHead(200).end(JSON.stringify({ jsonrpc: "2.0", id: n, result }));
    }),
    says: async (people, more = {}) => {
      const zones = Object.entries(people).map(([zone, n]) => ({ id: zone, n }));
      await device.up("live", { t: "occ", at: clock.now(), zones, ...more });
    },
  };
  await until("how it is divided", () => sectionOf(device.id));
  return made;
}

const sectionOf = (id: string) =>
  world.ctx.db
    .selectFrom("sensor_section as c")
    .innerJoin("sensor as s", "s.num", "c.sensor_num")
    .select("c.answer")
    .where("s.id", "=", id)
    .where("c.section", "=", "group")
    .executeTakeFirst();

const levelOf = (id: string) =>
  world.ctx.db
    .selectFrom("vehicle_level as l")
    .innerJoin("sensor as s", "s.num", "l.sensor_num")
    .select(["l.zones", "l.at"])
    .where("s.id", "=", id)
    .executeTakeFirst();

/** Says it, and waits until it is stored. */
async function say(one: Coach, people: Record<string, number>, more?: object): Promise<void> {
  // A level of the same instant is the same to a clock that stands still.
  pass(1);
  await one.says(people, more);
  const expected = JSON.stringify(Object.entries(people).toSorted());
  await until("the level", async () => {
    const zones = (await levelOf(one.id))?.zones.map((zone): [string, number] => [zone.id, zone.n]);
    return JSON.stringify(zones?.toSorted()) === expected;
  });
}

const pass = (ms: number) => clock.moveTo(clock.now() + ms);

async function feedUrl(owner: Person): Promise<string> {
  const reply = await world.call(owner, "POST", "/api/auth/feed-token");
  expect(reply.status).toBe(200);
  return String(reply.at("url")).replace("http://feed.test", world.url);
}

type Vehicle = { id: string; vehicle: Record<string, unknown> };
type Read = { header: Record<string, unknown>; entity?: Vehicle[] };

/** The feed as its public reader understands it, after what was made before is too old. */
async function read(url: string): Promise<Read> {
  pass(10_000);
  const reply = await fetch(url);
  expect(reply.status).toBe(200);
  expect(reply.headers.get("content-type")).toBe("application/x-protobuf");
  const message = FeedMessage.decode(new Uint8Array(await reply.arrayBuffer()));
  return FeedMessage.toObject(message, { longs: String, enums: String }) as Read;
}

async function vehicle(url: string, id: string): Promise<Record<string, unknown>> {
  const { entity = [] } = await read(url);
  return entity.find((one) => one.id === id)?.vehicle ?? {};
}

const occupancy = (status: string, percentage?: number) => ({
  occupancyStatus: status,
  ...(percentage === undefined ? {} : { occupancyPercentage: percentage }),
});

test("SE-06 a bus: persons by places, standing room above 95 % of the seats, full at all places, with its position", async () => {
  const owner = await company();
  const url = await feedUrl(owner);
  expect(await read(url)).toEqual({
    header: {
      gtfsRealtimeVersion: "2.0",
      incrementality: "FULL_DATASET",
      timestamp: String(Math.floor(clock.now() / 1000)),
    },
  });
  const parts = [
    { seats: 15, standing: 10 },
    { seats: 5, standing: 0 },
  ];
  const rows = [
    [0, 0, "EMPTY", 0],
    [7, 3, "MANY_SEATS_AVAILABLE", 33],
    [15, 4, "FEW_SEATS_AVAILABLE", 63],
    [15, 5, "STANDING_ROOM_ONLY", 67],
    [24, 5, "STANDING_ROOM_ONLY", 97],
    [25, 5, "FULL", 100],
    [40, 5, "FULL", 150],
  ] as const;
  const buses = await Promise.all(rows.map((_, n) => coach(owner, { vehicleId: `bus-${n}`, parts })));
  expect(await vehicle(url, "bus-6")).toEqual({ vehicle: { id: "bus-6" }, ...occupancy("NO_DATA_AVAILABLE") });
  const pos = { lat: 52.5, lng: 13.25, speed: 11.5, heading: 270 };
  const timestamp = String(Math.floor((clock.now() + 1) / 1000));
  pass(1);
  await Promise.all(buses.map((bus, n) => bus.says({ s1: rows[n]?.[0] ?? 0, s2: rows[n]?.[1] ?? 0 }, { pos })));
  for (const { id } of buses) await until("the level", () => levelOf(id));
  expect((await read(url)).entity).toEqual(
    rows.map(([, , status, percentage], n) => ({
      id: `bus-${n}`,
      vehicle: {
        vehicle: { id: `bus-${n}` },
        position: { latitude: 52.5, longitude: 13.25, speed: 11.5, bearing: 270 },
        timestamp,
        ...occupancy(status, percentage),
      },
    })),
  );
});

test("SE-06 a covered camera and five minutes of silence are no data, and never nobody", async () => {
  const owner = await company();
  const url = await feedUrl(owner);
  const parts = [
    { seats: 10, standing: 0 },
    { seats: 10, standing: 0 },
  ];
  const bus = await coach(owner, { vehicleId: "bus-8", parts });
  await say(bus, { s1: 4 });
  expect(await vehicle(url, "bus-8")).toMatchObject(occupancy("NO_DATA_AVAILABLE"));
  expect(await vehicle(url, "bus-8")).not.toHaveProperty("occupancyPercentage");
  await say(bus, { s1: 4, s2: 4 }, { pos: { lat: 52, lng: 13 } });
  const said = clock.now();
  clock.moveTo(said + 5 * minuteMs - 10_001);
  expect(clock.now()).toBe(said + 5 * minuteMs - 10_001);
  expect(await vehicle(url, "bus-8")).toMatchObject({ position: {}, ...occupancy("MANY_SEATS_AVAILABLE", 40) });
  pass(1);
  const silent = await vehicle(url, "bus-8");
  expect(silent).toEqual({
    vehicle: { id: "bus-8" },
    timestamp: String(Math.floor(said / 1000)),
    ...occupancy("NO_DATA_AVAILABLE"),
  });
  await say(bus, { s1: 0, s2: 0 });
  expect(await vehicle(url, "bus-8")).toMatchObject(occupancy("EMPTY", 0));
});

test("SE-06 a train: its carriages in order, the whole as their sum, and unknown as long as one of them is", async () => {
  const owner = await company();
  const url = await feedUrl(owner);
  const rear = await coach(owner, { vehicleId: "ice-1", sequence: 3, parts: [{ seats: 40, standing: 0 }] });
  const front = await coach(owner, { vehicleId: "ice-1", sequence: 1 });
  await Promise.all([say(rear, { s1: 40 }), say(front, { s1: 3 })]);
  const carriages = [
    { label: "Coach 1", carriageSequence: 1, ...occupancy("MANY_SEATS_AVAILABLE", 10) },
    { carriageSequence: 2, ...occupancy("NO_DATA_AVAILABLE") },
    { label: "Coach 3", carriageSequence: 3, ...occupancy("FULL", 100) },
  ];
  expect(await vehicle(url, "ice-1")).toMatchObject({
    ...occupancy("NO_DATA_AVAILABLE"),
    multiCarriageDetails: carriages,
  });
  const middle = await coach(owner, { vehicleId: "ice-1", sequence: 2, parts: [{ seats: 30, standing: 0 }] });
  await say(middle, { s1: 0 });
  expect(await vehicle(url, "ice-1")).toMatchObject({
    ...occupancy("MANY_SEATS_AVAILABLE", 43),
    multiCarriageDetails: [
      carriages[0],
      { label: "Coach 2", carriageSequence: 2, ...occupancy("EMPTY", 0) },
      carriages[2],
    ],
  });
  const { entity = [] } = await read(url);
  expect(entity.map(({ id }) => id)).toEqual(["ice-1"]);
});

test("SE-06 another division of the coach is in the feed as soon as it was set, and a level says nothing of other sensors", async () => {
  const owner = await company();
  const url = await feedUrl(owner);
  const tram = await coach(owner, { vehicleId: "tram-2" });
  await say(tram, { s1: 15 });
  expect(await vehicle(url, "tram-2")).toMatchObject(occupancy("FEW_SEATS_AVAILABLE", 50));
  tram.group = { vehicleId: "tram-3", parts: [{ seats: 40, standing: 20 }] };
  const params = { section: "group", values: toValues(tram.group), rev: 1 };
  const body = { jsonrpc: "2.0", id: 1, method: "config.set", params };
  expect((await world.call(owner, "POST", `/api/sensor/${tram.id}/rpc`, { body })).at("result.rev")).toBe(2);
  await until("it was read again", async () => JSON.stringify(await sectionOf(tram.id)).includes("tram-3"));
  expect(await vehicle(url, "tram-2")).toEqual({});
  expect(await vehicle(url, "tram-3")).toMatchObject(occupancy("MANY_SEATS_AVAILABLE", 25));
  // Of another type: it has zones, and no coach.
  const id = "00:16:28:FE:FF:01";
  await world.call(owner, "POST", "/api/sensor", { body: { _id: id, owner: owner.id, type: "PS.C1" } });
  const zones = [{ id: "z1", n: 1 }];
  world.ctx.bus.emit({
    name: "liveLevel",
    event: { sensorId: id, level: { t: "occ", at: clock.now(), zones } },
  });
  await say(tram, { s1: 16 });
  expect(await levelOf(id)).toBeUndefined();
});

test("SE-06 what was said last survives a restart, and is no younger by it", async () => {
  const owner = await company();
  const url = await feedUrl(owner);
  const bus = await coach(owner, { vehicleId: "bus-9" });
  await say(bus, { s1: 5 });
  const said = clock.now();
  pass(minuteMs);
  const { secrets, dataDir } = world.ctx.config;
  const config = readConfig({
    DATABASE_URL: world.databaseUrl,
    DATA_DIR: dataDir,
    HOST: "127.0.0.1",
    PORT: "0",
    MQTT_PORT: "0",
    LOG_LEVEL: "silent",
    SESSION_SECRET: secrets.session,
    DISPLAY_PRIVATE_KEY: secrets.display,
    FIRMWARE_SIGNING_KEY: secrets.firmware,
    PARTS: "api",
  });
  const other = await startServer(config, pino({ level: "silent" }), { clock });
  try {
    expect(await vehicle(url.replace(world.url, other.url), "bus-9")).toMatchObject({
      timestamp: String(Math.floor(said / 1000)),
      ...occupancy("MANY_SEATS_AVAILABLE", 17),
    });
    pass(4 * minuteMs);
    expect(await vehicle(url.replace(world.url, other.url), "bus-9")).toMatchObject(occupancy("NO_DATA_AVAILABLE"));
  } finally {
    await other.stop();
  }
});

test("SE-06 the feed is of the account and of those below it; a hand-over takes the vehicle along, and leaves what it said", async () => {
  const parent = await company();
  const child = await world.account("Branch", parent, fullPermissions);
  const other = await company();
  const [ofParent, ofChild, ofOther] = [await feedUrl(parent), await feedUrl(child), await feedUrl(other)];
  const bus = await coach(child, { vehicleId: "bus-10" });
  await say(bus, { s1: 6 });
  const ids = async (url: string) => ((await read(url)).entity ?? []).map(({ id }) => id);
  expect(await ids(ofParent)).toEqual(["bus-10"]);
  expect(await ids(ofChild)).toEqual(["bus-10"]);
  expect(await ids(ofOther)).toEqual([]);
  const path = `/api/sensor/${bus.id}`;
  pass(1);
  expect((await world.call(world.root, "PUT", path, { body: { owner: other.id } })).status).toBe(200);
  expect(await ids(ofParent)).toEqual([]);
  // How it is divided is the former owner's, too, until the sensor says it to the new one.
  expect(await ids(ofOther)).toEqual([]);
  expect(await levelOf(bus.id)).toBeUndefined();
  const { tunnel, wire } = bus;
  tunnel.close();
  const again = await openTunnel(world.url, { wire, password: bus.password }, (_request, answer) => {
    answer
      .writeHead(200)
      .end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { rev: 1, values: toValues(bus.group) } }));
  });
  await until("how it is divided", () => sectionOf(bus.id));
  again.close();
  expect(await vehicle(ofOther, "bus-10")).toEqual({ vehicle: { id: "bus-10" }, ...occupancy("NO_DATA_AVAILABLE") });
  expect((await world.call(other, "DELETE", path)).status).toBe(200);
  expect(await ids(ofOther)).toEqual([]);
});

test("SE-06 a token opens one account's feed and nothing else, and whoever has none learns of no account", async () => {
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
  // Only its digest is kept, and not in the trail either.
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
  // Of no use anywhere else.
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

test("SE-06 only those who may edit their own account make and revoke its address, and a key tells it once", async () => {
  const viewer = await world.account("Viewer", world.root, {
    owner: { canViewOwner: { me: true } },
  });
  for (const method of ["POST", "DELETE"])
    expect(await world.call(viewer, method, "/api/auth/feed-token")).toMatchObject({ status: 403, code: 305 });
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
  // Of two at once the later replaces the earlier.
  const both = await Promise.all([1, 2].map(() => world.call(owner, "POST", "/api/auth/feed-token")));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  const opened = await Promise.all(
    both.map(async (one) => fetch(String(one.at("url")).replace("http://feed.test", world.url))),
  );
  expect(opened.map(({ status }) => status).toSorted()).toEqual([200, 401]);
});

test("SE-06 JSON is the same feed, readers keep it for ten seconds, and poll at most sixty times a minute", async () => {
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
  // What was made is good for ten seconds, whatever is said meanwhile.
  await say(bus, { s1: 30 });
  expect(await known({ "if-none-match": tag })).toBe(304);
  pass(10_000);
  expect(await known({ "if-none-match": tag })).toBe(200);
  pass(minuteMs);
  for (let poll = 0; poll < 60; poll += 1) expect((await fetch(url)).status).toBe(200);
  const refused = await fetch(url);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  // Another account's readers, and those without a token, are no part of it.
  expect((await fetch(await feedUrl(await company()))).status).toBe(200);
  pass(minuteMs);
  expect((await fetch(url)).status).toBe(200);
});

test("SE-06 hostile levels are dropped whole, and nothing of them is stored", async () => {
  const owner = await company();
  const url = await feedUrl(owner);
  const bus = await coach(owner, { vehicleId: "bus-12" });
  await say(bus, { s1: 2 });
  const level = (more: object) => ({ t: "occ", at: clock.now(), zones: [{ id: "s1", n: 9 }], ...more });
  for (const hostile of [
    level({ zones: [{ id: "s1", n: -1 }] }),
    level({ zones: [{ id: "s1", n: 1.5 }] }),
    level({ zones: Array.from({ length: 33 }, (_, n) => ({ id: `s${n}`, n })) }),
    level({ zones: [{ id: "x".repeat(65), n: 1 }] }),
    level({ pos: { lat: 91, lng: 0 } }),
    level({ pos: { lat: 1, lng: 1, heading: 361 } }),
    level({ pos: "north" }),
  ])
    await bus.up("live", hostile, 1);
  pass(1);
  // What PostgreSQL can't hold is taken out of it.
  await bus.up(
    "live",
    level({
      zones: [
        { id: "s\0", n: 4 },
        { id: "s1", n: 3 },
      ],
    }),
    1,
  );
  await until("the last one", async () => (await levelOf(bus.id))?.zones.some(({ n }) => n === 3));
  expect((await levelOf(bus.id))?.zones).toEqual([
    { id: "s", n: 4 },
    { id: "s1", n: 3 },
  ]);
  expect(await vehicle(url, "bus-12")).toMatchObject(occupancy("MANY_SEATS_AVAILABLE", 10));
});

test("SE-06 a small account's feed is one question of the database, answered by indexes; one that is too large is refused", async () => {
  const owner = await company();
  const rest = await company();
  const bus = await coach(owner, { vehicleId: "bus-13" });
  await say(bus, { s1: 2 });
  await world.ctx.db
    .insertInto("sensor")
    .values(
      Array.from({ length: 5000 }, (_, n) => ({
        id: `0A:00:00:00:${(n >> 8).toString(16).padStart(2, "0")}:${(n & 255).toString(16).padStart(2, "0")}`.toUpperCase(),
        owner_id: rest.id,
        owner_path: rest.path,
        type: n % 2 === 0 ? ("ZOD" as const) : ("APS" as const),
      })),
    )
    .execute();
  await sql`analyze sensor, sensor_section, vehicle_level`.execute(world.ctx.db);
  const feedOf = createFeed(world.ctx);
  const asked = await statementsOf(() => feedOf(owner, "json"));
  expect(asked).toHaveLength(1);
  for (const statement of asked) {
    const plan = await planOf(world.ctx.db, statement);
    expect(plan).not.toContain("Seq Scan on sensor s");
    expect(plan).toContain("sensor_coaches");
  }
  await coach(owner, { vehicleId: "bus-14" });
  await expect(createFeed(world.ctx, 1)(owner, "json")).rejects.toMatchObject({ status: 413, code: 102 });
  expect((await createFeed(world.ctx, 2)(owner, "json")).bytes.length).toBeGreaterThan(100);
});
