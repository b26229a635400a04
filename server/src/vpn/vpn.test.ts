// Tests VPN end to end: who may request it, responses to the VPN server, visible state, and what ends a connection.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { claim, newSensorId, makeClaimable } from "../testing/rights/claiming.ts";
import { readConfig } from "../config.ts";
import { ConfigError } from "../environment.ts";
import { openDatabase } from "../db/database.ts";
import { birth, until } from "../testing/devices/device-world.ts";
import { connectSensor, type RemoteSensor } from "../testing/devices/remote-sensor.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { openFakeOpenVpn, type FakeOpenVpn } from "../testing/devices/vpn-management.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";
import { watchVpnServers, vpnWatchTiming } from "./vpn-watch.service.ts";

const minuteMs = 60_000;
const clock = createStillClock();
let vpn: FakeOpenVpn;
let world: World;
let dealer: Person;
let owner: Person;
let other: Person;
let viewer: Person;
const open: RemoteSensor[] = [];

beforeAll(async () => {
  vpn = await openFakeOpenVpn();
  const management = `tcp://127.0.0.1:${vpn.port}`;
  world = await createWorld({
    env: {
      PARTS: "api,gateway,worker",
      TEST_CLOCK: "on",
      VPN_SERVERS: JSON.stringify([{ id: "eu", name: "Europe", management, baseUrl: "vpn.example.com" }]),
    },
    clock,
  });
  dealer = await world.account("Dealer", world.root, fullPermissions);
  owner = await world.account("Harbour Stores", dealer, fullPermissions);
  other = await world.account("Other Stores", dealer, fullPermissions);
  const view = { canViewObject: { me: true, relativeAncestorLevel: 1 } };
  viewer = await world.account("Viewer", owner, { ownable: { sensor: view } });
});
afterEach(async () => {
  for (const sensor of open.splice(0)) await sensor.end();
});
afterAll(async () => {
  await world.stop();
  await vpn.stop();
});

async function vpnSensor(): Promise<RemoteSensor> {
  const sensor = await connectSensor(world, owner, newSensorId());
  open.push(sensor);
  await sensor.up("state", birth("s1", { caps: ["count", "vpn"] }));
  await until("the option", async () => (await shown(sensor.id)).at("vpn.enabledOnSensor"));
  return sensor;
}
const shown = (id: string, who = owner) => world.call(who, "GET", `/api/sensor/${id}`);
const put = (who: Person, id: string, body: JsonObject) => world.call(who, "PUT", `/api/sensor/${id}`, { body });
const ask = (id: string, connect = true, who = owner) => put(who, id, { connectToVPN: connect });
const vpnRows = async (id: string) =>
  (await world.trail(id)).filter(({ after, before }) => JSON.stringify([before, after]).includes("connectToVPN"));
const status = async (id: string) => (await shown(id)).at("vpn.vpnStatus") as JsonObject | null;
const isConnected = (id: string) => async () => (await status(id))?.["connected"] === true;
const isGone = (id: string) => async () => (await status(id))?.["connected"] === false;
const passMinutes = (n: number) => world.call(null, "PUT", "/dev/clock", { body: { now: clock.now() + n * minuteMs } });
async function connected(): Promise<RemoteSensor> {
  const sensor = await vpnSensor();
  await ask(sensor.id);
  expect(await vpn.join(sensor.wire)).toBe("let in");
  await until("the connection", isConnected(sensor.id));
  return sensor;
}

test("VP-01 a requested sensor gets an hour, and is connected once its server says so", async () => {
  const sensor = await vpnSensor();
  expect((await shown(sensor.id)).at("vpn")).toEqual({
    vpnSensorID: sensor.wire,
    enabledOnSensor: true,
    connect: false,
    clientCertID: null,
    vpnServerIDs: ["eu"],
    staticClientConfigID: null,
    clientServices: ["hmi"],
    vpnStatus: null,
  });
  expect(await vpn.join(sensor.wire)).toBe("refused");
  const live = await world.live(viewer);
  const reply = await ask(sensor.id);
  expect([reply.status, reply.at("vpn.connect")]).toEqual([200, true]);
  const wanted = (json: { vpn?: { connect: boolean; until: number } }) => json.vpn?.connect === true;
  expect((await sensor.heard("desired", wanted)).json).toMatchObject({
    vpn: { connect: true, until: clock.now() + 60 * minuteMs },
  });
  await sensor.up("reported", { rev: 1, vpn: { state: "up", address: "10.66.66.66" } });
  expect(await status(sensor.id)).toBeNull();
  expect(await vpn.join(sensor.wire)).toBe("let in");
  await until("the connection", isConnected(sensor.id));
  expect(await status(sensor.id)).toEqual({
    connected: true,
    connectedSince: new Date(clock.now()).toISOString(),
    disconnectedSince: null,
    serverID: "eu",
    serverName: "Europe",
    serverBaseUrl: "vpn.example.com",
    publicAddress: "198.51.100.7",
    vpnAddress: expect.stringMatching(/^10\.8\.0\.\d+$/) as string,
    vpnSensorID: sensor.wire,
  });
  await until("the live message", () =>
    live.frames.some(({ obj }) => obj?.["_id"] === sensor.id && JSON.stringify(obj).includes('"connected":true')),
  );

  expect((await ask(sensor.id, false)).at("vpn.connect")).toBe(false);
  await until("the end", isGone(sensor.id));
  expect(await status(sensor.id)).toMatchObject({
    disconnectedSince: new Date(clock.now()).toISOString(),
    publicAddress: null,
    vpnAddress: null,
  });
  expect(vpn.names()).not.toContain(sensor.wire);
  expect(await vpn.join(sensor.wire)).toBe("refused");
  live.close();
});

test("VP-01 T-30 a request and its end are one audit row each; the version stays", async () => {
  const { id } = await vpnSensor();
  const { version } = (await shown(id)).body as { version: number };
  for (let n = 0; n < 3; n += 1) expect((await ask(id)).status).toBe(200);
  expect((await ask(id, false)).status).toBe(200);
  expect((await ask(id, false)).status).toBe(200);
  expect(await vpnRows(id)).toEqual([
    { action: "update", account_id: owner.id, before: { connectToVPN: false }, after: { connectToVPN: true } },
    { action: "update", account_id: owner.id, before: { connectToVPN: true }, after: { connectToVPN: false } },
  ]);
  expect((await shown(id)).at("version")).toBe(version);
  const both = await put(owner, id, { connectToVPN: true, groups: ["north"] });
  expect(both.body).toMatchObject({ groups: ["north"], vpn: { connect: true } });
});

test("VP-01 a repeated request is prolonged, others expire", async () => {
  const sensor = await connected();
  const renew = async () => {
    owner.token = await world.token(owner);
    return ask(sensor.id);
  };
  await passMinutes(59);
  expect((await renew()).status).toBe(200);
  await passMinutes(59);
  expect((await shown(sensor.id)).at("vpn.connect")).toBe(true);
  expect(vpn.names()).toContain(sensor.wire);
  await passMinutes(1);
  expect((await shown(sensor.id)).at("vpn.connect")).toBe(false);
  await until("the end", isGone(sensor.id));
  expect((await vpnRows(sensor.id)).at(-1)).toMatchObject({
    account_id: null,
    before: { connectToVPN: true },
    after: { connectToVPN: false },
  });
});

test("VP-01 PE-04 a viewer gets 305, a stranger 105, a sensor without the option 102", async () => {
  const { id } = await vpnSensor();
  expect((await ask(id, true, viewer)).code).toBe(305);
  expect((await ask(id, false, viewer)).code).toBe(305);
  expect((await ask(id, true, other)).code).toBe(105);
  const plain = await connectSensor(world, owner, newSensorId());
  open.push(plain);
  const refused = await ask(plain.id);
  expect([refused.code, refused.at("details.reason")]).toEqual([102, "The VPN option is not enabled on this sensor."]);
  expect((await ask(plain.id, false)).status).toBe(200);
  expect((await shown(plain.id)).at("vpn")).toBeNull();
  for (const wrong of ["yes", 1, null, [true]]) expect((await put(owner, id, { connectToVPN: wrong })).code).toBe(402);
  const batch = await world.call(owner, "PUT", "/api/v2/sensor/batch-update", {
    body: { sensorIDs: [id], changes: { connectToVPN: true } },
  });
  expect(batch.code).toBe(402);
  const given = await put(dealer, id, { owner: other.id, connectToVPN: true });
  expect([given.code, given.at("details.field")]).toEqual([102, "connectToVPN"]);
  const stale = await world.call(owner, "PUT", `/api/sensor/${id}`, {
    body: { connectToVPN: true },
    headers: { "if-match": "77" },
  });
  expect(stale.status).toBe(412);
  expect(await vpnRows(id)).toEqual([]);
  expect((await shown(id)).at("vpn.connect")).toBe(false);
});

test.each<[string, (sensor: RemoteSensor) => Promise<unknown>]>([
  ["given to another owner", ({ id }) => put(dealer, id, { owner: other.id })],
  [
    "given away in a batch",
    ({ id }) =>
      world.call(dealer, "PUT", "/api/v2/sensor/batch-update", {
        body: { sensorIDs: [id], changes: { owner: other.id } },
      }),
  ],
  [
    "claimed",
    async ({ id }) => claim(world, other, [{ id, type: "APS", claimingCode: await makeClaimable(world, owner, id) }]),
  ],
])(
  "VP-01 T-13 a connected sensor that is %s is thrown out, and its new owner sees nothing of the connection",
  async (_how, give) => {
    const sensor = await connected();
    const given = (await give(sensor)) as { status: number };
    expect(given.status).toBe(200);
    await until("its end", () => !vpn.names().includes(sensor.wire));
    const now = await shown(sensor.id, other);
    expect(now.at("vpn")).toMatchObject({ enabledOnSensor: true, connect: false, vpnStatus: null });
    expect(await vpn.join(sensor.wire)).toBe("refused");
    expect((await shown(sensor.id, other)).at("vpn.vpnStatus")).toBeNull();
    const trail = (await world.call(other, "GET", `/api/v2/audit?objectID=${sensor.id}`)).list;
    expect(JSON.stringify(trail)).not.toContain("connectToVPN");
  },
);

test("VP-01 a deleted sensor is disconnected and stays out", async () => {
  const sensor = await connected();
  expect((await world.call(owner, "DELETE", `/api/sensor/${sensor.id}`)).status).toBe(200);
  await until("its end", () => !vpn.names().includes(sensor.wire));
  expect(await vpn.join(sensor.wire)).toBe("refused");
});

test("VP-01 after a break the server's list is adopted: joins, leaves, unwanted clients", async () => {
  const [stays, leaves, comes, withdrawn] = [
    await connected(),
    await connected(),
    await vpnSensor(),
    await connected(),
  ];
  const before = await status(stays.id);
  await ask(comes.id);
  await world.ctx.db
    .updateTable("sensor")
    .set({ vpn: JSON.stringify({ enabledOnSensor: true, connect: false, vpnStatus: null }) })
    .where("id", "=", withdrawn.id)
    .execute();
  vpn.restart();
  for (const one of [stays, comes, withdrawn]) vpn.plant(one.wire);
  vpn.plant("gateway-of-a-stranger");
  vpn.plant("0016280000ff");
  await until("who came", isConnected(comes.id));
  await until("who left", isGone(leaves.id));
  await until("who is thrown out", () => vpn.names().length === 2);
  expect(vpn.names().toSorted()).toEqual([stays.wire, comes.wire].toSorted());
  expect(await status(stays.id)).toMatchObject({ connected: true, serverID: "eu" });
  expect(before).toMatchObject({ connected: true });
});

test("VP-01 T-17 the status of a removed server has no link", async () => {
  const sensor = await vpnSensor();
  await world.ctx.db
    .updateTable("sensor")
    .set({
      vpn: JSON.stringify({
        enabledOnSensor: true,
        connect: true,
        vpnStatus: {
          connected: true,
          serverID: "gone",
          serverBaseUrl: "evil.example",
          connectedSince: null,
          disconnectedSince: null,
          publicAddress: null,
          vpnAddress: null,
        },
      }),
    })
    .where("id", "=", sensor.id)
    .execute();
  expect(await status(sensor.id)).toMatchObject({ connected: false, serverName: "gone", serverBaseUrl: null });
});

const timing = { ...vpnWatchTiming, backOffMs: 5, maxBackOffMs: 20, holdEveryMs: 20, holdS: 5, lostMs: 6_000 };

test("VP-01 a process without the database releases the VPN server for the other", { tags: "prove" }, async () => {
  const lonely = await openFakeOpenVpn();
  const sensor = await vpnSensor();
  await ask(sensor.id);
  const management = { kind: "openvpn", host: "127.0.0.1", port: lonely.port } as const;
  const vpnServers = [{ id: "asia", name: "Asia", management, baseUrl: "asia.example.com" }];
  const ctx = { ...world.ctx, config: { ...world.ctx.config, vpnServers } };
  const db = openDatabase(world.databaseUrl, { pool: 1, log: ctx.log });
  const first = watchVpnServers({ ...ctx, db }, timing);
  await until("the first", () => lonely.isManaged());
  const second = watchVpnServers(ctx, timing);
  await db.destroy();
  const lists = () => lonely.heard.filter((line) => line === "bytecount 0").length;
  await until("the second", () => lists() === 2);
  expect(await lonely.join(sensor.wire)).toBe("let in");
  await Promise.all([first.stop(), second.stop(), lonely.stop()]);
});

test("VP-01 one of two processes watches a server; without reports no one stays connected", async () => {
  const lonely = await openFakeOpenVpn();
  const sensor = await vpnSensor();
  await ask(sensor.id);
  const server = {
    id: "us",
    name: "America",
    management: { kind: "openvpn", host: "127.0.0.1", port: lonely.port } as const,
    baseUrl: "us.example.com",
  };
  const ctx = { ...world.ctx, config: { ...world.ctx.config, vpnServers: [server] } };
  const stored = async () => {
    const row = await world.ctx.db
      .selectFrom("sensor")
      .select("vpn")
      .where("id", "=", sensor.id)
      .executeTakeFirstOrThrow();
    return row.vpn?.vpnStatus ?? null;
  };
  const warned = vi.spyOn(ctx.log, "warn");
  const away = () => warned.mock.calls.filter((call) => call.includes("a VPN server is not reachable")).length;
  onTestFinished(() => warned.mockRestore());
  // A long hold, so that the first process keeps the server until it stops, even if its renewals are late.
  const patient = { ...timing, holdS: 60 };
  const first = watchVpnServers(ctx, patient);
  await until("the first", () => lonely.isManaged());
  const second = watchVpnServers(ctx, patient);
  expect(await lonely.join(sensor.wire)).toBe("let in");
  await until("the connection", async () => (await stored())?.connected === true);
  const lists = () => lonely.heard.filter((line) => line === "bytecount 0").length;
  expect(lists()).toBe(1);
  await first.stop();
  await until("the second", () => lists() === 2 && lonely.isManaged());
  expect(await stored()).toMatchObject({ connected: true, serverID: "us" });
  expect(away()).toBe(0);
  await lonely.stop();
  await until("no word", async () => (await stored())?.connected === false);
  expect(away()).toBe(1);
  await second.stop();
  const held = await world.ctx.db.selectFrom("vpn_server").select("id").execute();
  expect(held.map(({ id }) => id)).toEqual(["eu"]);
});

test.each([
  ["no JSON", "eu"],
  [
    "a path behind the base",
    JSON.stringify([{ id: "eu", name: "E", management: "tcp://v:1", baseUrl: "v.example/x" }]),
  ],
  ["far too much", `[${" ".repeat(20_000)}]`],
])("VPN_SERVERS with %s ends the start with a sentence", (_case, text) => {
  const keys = {
    SESSION_SECRET: "s".repeat(40),
    DISPLAY_PRIVATE_KEY: "d".repeat(40),
    FIRMWARE_SIGNING_KEY: "f".repeat(40),
  };
  expect(() => readConfig({ ...keys, HOST: "127.0.0.1", VPN_SERVERS: text })).toThrow(ConfigError);
  expect(() => readConfig({ ...keys, HOST: "127.0.0.1", VPN_SERVERS: text })).toThrow(/^VPN_SERVERS: /);
});
