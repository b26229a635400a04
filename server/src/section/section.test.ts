// Tests the call of the settings pages of ZOD and PS.C1: rights, requests to the sensor, stored responses, and late,
// broken or refusing responses (SE-06, SE-07).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { getDefaults } from "@psp/contract/section/values.ts";
import { sectionOf } from "@psp/contract/section/sections.ts";
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import { pino } from "pino";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { enrolSensor, requestInitToken } from "../testing/devices/remote-sensor.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { type OpenTunnel, openTunnel } from "../testing/devices/tunnel-device.ts";
import { createWorld, type JsonObject, type Person, type Reply, type World } from "../testing/world.ts";

const lines: { level: number; msg: string; code?: number; requestId?: string; reason?: string; err?: unknown }[] = [];
let world: World;
let owner: Person;
let viewer: Person;
let stranger: Person;
let token: string;
let last = 0;
/** The response for a sensor that never answers, requested before all tests because it takes ten seconds. */
let silent: Promise<Reply>;
beforeAll(async () => {
  const log = pino({ level: "info" }, { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[number]) });
  const env = { PARTS: "api,gateway,worker", TEST_CLOCK: "on" };
  world = await createWorld({ env, clock: createStillClock(), log });
  owner = await world.account("Tram Lines", world.root, fullPermissions);
  viewer = await world.account("Tram Office", owner, {
    ownable: { sensor: { canViewObject: { relativeAncestorLevel: 1 } } },
  });
  stranger = await world.account("Other Lines", world.root, fullPermissions);
  token = await requestInitToken(world, owner);
  const zod = await device("ZOD");
  zod.says(holding(1));
  await ask(owner, zod.id, "config.get", { section: "measurement" });
  zod.says(() => null);
  silent = ask(owner, zod.id, "config.get", { section: "measurement" });
});
afterAll(() => world.stop());

type Question = { method: string; params: JsonObject; user: unknown };
type Said = { status?: number; result?: unknown; error?: unknown; text?: string } | null;
type Device = {
  id: string;
  wire: string;
  password: string;
  asked: Question[];
  tunnel: OpenTunnel;
  says(say: (question: Question) => Said): void;
  connect(): Promise<OpenTunnel>;
};

async function device(type: SensorType): Promise<Device> {
  last += 1;
  const id = toMac(0x0016_28fb_0000 + last);
  const { username: wire, password } = (await enrolSensor(world.url, { token, id, type })).mqtt;
  const asked: Question[] = [];
  let say: (question: Question) => Said = () => ({ result: {} });
  const connect = async () => {
    const tunnel = await openTunnel(world.url, { wire, password }, (request, answer, body) => {
      const { id: n, method, params } = JSON.parse(body) as { id: number; method: string; params: JsonObject };
      const question = { method, params, user: request.headers["x-psconnect-user"] };
      asked.push(question);
      const said = say(question);
      if (said === null) return;
      const { status = 200, text, ...rest } = said;
      answer
        .writeHead(status, { "content-type": "application/json" })
        .end(text ?? JSON.stringify({ jsonrpc: "2.0", id: n, ...rest }));
    });
    await become(id, "connected");
    return tunnel;
  };
  const tunnel = await connect();
  // The server itself asks a coach for this section (reading.service.test.ts).
  if (type === "ZOD") await until("the server's own question", () => asked.length > 0);
  asked.length = 0;
  return { id, wire, password, asked, tunnel, says: (next) => void (say = next), connect };
}

const become = (id: string, status: string) =>
  until(`${id} ${status}`, async () => {
    const reply = await world.call(owner, "GET", `/api/sensor/${id}`);
    return reply.at("psconnect.connectionStatus") === status;
  });
async function goOffline(one: Device): Promise<void> {
  one.tunnel.close();
  await become(one.id, "disconnected");
}

const ask = (who: Person, id: string, method: string, params: unknown = {}, extra: object = {}): Promise<Reply> =>
  world.call(who, "POST", `/api/sensor/${id}/rpc`, { body: { jsonrpc: "2.0", id: 7, method, params, ...extra } });
const values = (type: SensorType, key: string): JsonObject => {
  const section = sectionOf(type, key);
  if (!section) throw new Error(`no ${key}`);
  return getDefaults(section);
};
const measurement = () => values("ZOD", "measurement");
const holding = (rev: number) => () => ({ result: { rev, values: measurement() } });

test("SE-06 a section comes from the sensor, or from its last response", async () => {
  const zod = await device("ZOD");
  zod.says(holding(3));
  const live = await ask(viewer, zod.id, "config.get", { section: "measurement" });
  expect(live.body).toMatchObject({
    jsonrpc: "2.0",
    id: 7,
    result: { rev: 3, values: measurement(), source: "device", at: expect.stringMatching(/^\d{4}-.*Z$/) as string },
  });
  expect(zod.asked).toEqual([{ method: "config.get", params: { section: "measurement" }, user: "user-role-view" }]);
  await goOffline(zod);
  const stored = await ask(viewer, zod.id, "config.get", { section: "measurement" });
  expect(stored.body).toMatchObject({ result: { rev: 3, source: "stored", at: live.at("result.at") } });
  // Nothing was ever read from this sensor, and responses to other calls are not stored.
  for (const [method, params] of [
    ["config.get", { section: "gps" }],
    ["config.set", { section: "measurement", values: measurement(), rev: 3 }],
    ["device.restart", {}],
    ["preview.get", { kind: "occupancy" }],
  ] as const)
    expect(await ask(owner, zod.id, method, params)).toMatchObject({ status: 502, code: 509 });
});

test("an absent or broken sensor is logged by request id, not as a server error", async () => {
  const zod = await device("ZOD");
  zod.says(() => ({ text: "no JSON" }));
  const question = ["config.get", { section: "gps" }] as const;
  const unreadable = await ask(owner, zod.id, ...question);
  await goOffline(zod);
  const away = await ask(owner, zod.id, ...question);
  const lineOf = (reply: Reply) => lines.filter((line) => line.requestId === reply.headers.get("x-request-id"));
  const line = { level: 30, msg: "a sensor could not be asked" };
  expect(lineOf(unreadable)).toMatchObject([{ ...line, code: 503, reason: "The response can't be read" }]);
  expect(lineOf(away)).toMatchObject([{ ...line, code: 509, reason: "Com-link error (sensor)" }]);
  expect([...lineOf(unreadable), ...lineOf(away)].filter(({ err }) => err !== undefined)).toEqual([]);
});

test("SE-06 a change is checked, sent completely, and audited with the values before", async () => {
  const zod = await device("ZOD");
  zod.says(holding(1));
  await ask(owner, zod.id, "config.get", { section: "measurement" });
  zod.says(() => ({ result: { rev: 2, applied: "now" } }));
  const next = { ...measurement(), smoothingS: 20 };
  const reply = await ask(owner, zod.id, "config.set", { section: "measurement", values: next, rev: 1 });
  expect(reply.body).toEqual({ jsonrpc: "2.0", id: 7, result: { rev: 2, applied: "now" } });
  expect(zod.asked.at(-1)).toEqual({
    method: "config.set",
    params: { section: "measurement", values: next, rev: 1 },
    user: "user-role-edit",
  });
  const [row] = (await world.trail(zod.id)).filter(({ action }) => action === "config.set");
  expect(row).toMatchObject({
    account_id: owner.id,
    before: { section: "measurement", values: { smoothingS: 10 } },
    after: { section: "measurement", values: { smoothingS: 20 }, applied: "now" },
  });
  const wrong = await ask(owner, zod.id, "config.set", {
    section: "measurement",
    values: { ...next, smoothingS: 121 },
    rev: 2,
  });
  expect(wrong).toMatchObject({ status: 400, code: 102 });
  expect(wrong.at("details.fields")).toEqual([
    { path: "smoothingS", message: "Smoothing (s) must be a whole number between 0 and 120." },
  ]);
  expect(zod.asked).toHaveLength(2);
});

test.each<[string, () => [Person, SensorType, string, unknown, object?], number, number]>([
  ["a stranger", () => [stranger, "ZOD", "config.get", { section: "camera" }], 404, 105],
  [
    "setting by a viewer",
    () => [viewer, "ZOD", "config.set", { section: "measurement", values: measurement(), rev: 1 }],
    403,
    305,
  ],
  ["restarting by a viewer", () => [viewer, "ZOD", "device.restart", {}], 403, 305],
  ["confirming by a person", () => [owner, "ZOD", "config.confirm", { rev: 1 }], 400, 102],
  ["an unknown method", () => [owner, "ZOD", "shell.run", {}], 400, 102],
  ["a section of another type", () => [owner, "ZOD", "config.get", { section: "network" }], 400, 102],
  ["a preview of another type", () => [owner, "PS.C1", "preview.get", { kind: "gps" }], 400, 102],
  ["an APS", () => [owner, "APS", "config.get", { section: "camera" }], 400, 102],
  ["unknown params", () => [owner, "ZOD", "config.get", { section: "camera", x: 1 }], 400, 402],
  ["an unknown key", () => [owner, "ZOD", "config.get", { section: "camera" }, { x: 1 }], 400, 402],
])("SE-06 SE-07 %s is refused and does not reach the sensor", async (_case, make, status, code) => {
  const [who, type, method, params, extra] = make();
  const one = await device(type);
  expect(await ask(who, one.id, method, params, extra)).toMatchObject({ status, code });
  expect(one.asked).toEqual([]);
});

test("SE-06 a batch of requests is 102 and reaches no sensor", async () => {
  const zod = await device("ZOD");
  const one = { jsonrpc: "2.0", id: 1, method: "config.get", params: { section: "camera" } };
  const reply = await world.call(owner, "POST", `/api/sensor/${zod.id}/rpc`, { body: [one, one] });
  expect(reply).toMatchObject({ status: 400, code: 102 });
  expect(zod.asked.filter(({ params }) => params["section"] === "camera")).toEqual([]);
});

test("SE-06 the sensor's refusal reaches the browser as its error, with status 200", async () => {
  const zod = await device("ZOD");
  const error = {
    code: -32602,
    message: "y".repeat(2_001),
    data: { fields: [{ path: "smoothingS", message: "x".repeat(5_000) }] },
  };
  zod.says(() => ({ error }));
  const reply = await ask(owner, zod.id, "config.set", { section: "measurement", values: measurement(), rev: 1 });
  expect(reply.status).toBe(200);
  expect(reply.body).toMatchObject({
    error: { code: -32602, message: "y".repeat(200), data: { fields: [{ message: "x".repeat(200) }] } },
  });
  const tried = (await world.trail(zod.id)).filter(({ action }) => action.startsWith("config.set"));
  const after = { section: "measurement", reason: "y".repeat(200) };
  expect(tried).toMatchObject([{ action: "config.set-failed", after }]);
  zod.says(() => ({ status: 404, text: "" }));
  expect((await ask(owner, zod.id, "config.get", { section: "camera" })).at("error.code")).toBe(-32601);
});

const unstorable: [string, string][] = [
  ["U+0000", "a\0b"],
  ["half a surrogate", "a\uD800b"],
];
test.each(unstorable)(
  "SE-06 %s in a setting is refused with 400 and does not reach the sensor",
  async (_case, text) => {
    const zod = await device("ZOD");
    zod.says(() => ({ result: { rev: 2, applied: "now" } }));
    const group = values("ZOD", "group");
    for (const [method, params, field] of [
      [
        "config.set",
        {
          section: "group",
          values: { ...group, coach: { ...(group["coach"] as JsonObject), vehicleId: text } },
          rev: 1,
        },
        "params.values.coach.vehicleId",
      ],
      ["config.set", { section: "group", values: { ...group, [text]: 1 }, rev: 1 }, "params.values"],
      ["config.get", { section: text }, "params.section"],
    ] as const) {
      const reply = await ask(owner, zod.id, method, params);
      expect([reply.status, reply.code, reply.at("details.field")], field).toEqual([400, 400, field]);
    }
    expect(zod.asked).toEqual([]);
    const url = Buffer.from(JSON.stringify({ url: `${world.url}/${text}` })).toString("base64");
    const body = { func: "generalUploadTest", data: url, timeout: 1000 };
    expect(await world.call(owner, "POST", `/api/sensor/${zod.id}/request`, { body })).toMatchObject({
      status: 400,
      code: 400,
    });
  },
);

test("SE-06 such characters in a response are replaced", async () => {
  const zod = await device("ZOD");
  const blank = values("ZOD", "group");
  const group = { ...blank, coach: { ...(blank["coach"] as JsonObject), name: "a\0b\uD800c😀" } };
  zod.says(() => ({ result: { rev: 3, values: group } }));
  const live = await ask(owner, zod.id, "config.get", { section: "group" });
  expect([live.status, live.at("result.values.coach.name")]).toEqual([200, "a\uFFFDb\uFFFDc😀"]);
  zod.says(() => ({ error: { code: -32001, message: "Busy\0" } }));
  const busy = await ask(owner, zod.id, "config.set", { section: "measurement", values: measurement(), rev: 1 });
  expect(busy.at("error.message")).toBe("Busy\uFFFD");
  await goOffline(zod);
  const stored = await ask(owner, zod.id, "config.get", { section: "group" });
  expect(stored.at("result.values.coach.name")).toBe("a\uFFFDb\uFFFDc😀");
});

test("SE-06 T-30 a change is audited before it is sent, and not sent if that fails", async () => {
  const zod = await device("ZOD");
  const rows = async () => (await world.trail(zod.id)).filter(({ action }) => /^(config|device)\./.test(action));
  let seen = Promise.resolve<object[]>([]);
  zod.says(() => {
    seen = rows();
    return { text: "no JSON" };
  });
  const set = ["config.set", { section: "measurement", values: measurement(), rev: 1 }] as const;
  expect((await ask(owner, zod.id, ...set)).code).toBe(503);
  expect(await seen).toMatchObject([{ action: "config.set", after: { section: "measurement", applied: "unknown" } }]);
  expect(await rows()).toMatchObject([{ action: "config.set", after: { applied: "unknown" } }]);
  const { db } = world.ctx;
  await sql`create function no_trail() returns trigger language plpgsql as $$ begin raise 'full'; end $$`.execute(db);
  await sql`create trigger no_trail before insert on audit for each row when (new.action in ('config.set', 'device.restart'))
    execute function no_trail()`.execute(db);
  zod.asked.length = 0;
  for (const [method, params] of [set, ["device.restart", {}]] as const)
    expect((await ask(owner, zod.id, method, params)).status).toBe(500);
  expect(zod.asked).toEqual([]);
  await sql`drop trigger no_trail on audit`.execute(db);
});

test.each<[string, Said]>([
  ["no JSON", { text: "no json" }],
  ["another status", { status: 500, text: "{}" }],
  ["another id", { text: '{"jsonrpc":"2.0","id":8,"result":{"rev":1,"values":{}}}' }],
  ["values that break the section's schema", { result: { rev: 1, values: { smoothingS: "x" } } }],
  ["too much", { text: "x".repeat(1024 * 1024 + 1) }],
])("T-17 a response with %s is 503, and the stored section stays", async (_case, said) => {
  const zod = await device("ZOD");
  zod.says(holding(5));
  await ask(owner, zod.id, "config.get", { section: "measurement" });
  zod.says(() => said);
  expect(await ask(owner, zod.id, "config.get", { section: "measurement" })).toMatchObject({ status: 502, code: 503 });
  zod.tunnel.close();
  await become(zod.id, "disconnected");
  expect((await ask(owner, zod.id, "config.get", { section: "measurement" })).at("result.rev")).toBe(5);
});

test("SE-07 passwords reach the sensor and nothing else", async () => {
  const c1 = await device("PS.C1");
  const secret = "violet-harbour-lantern";
  const security = { localPage: true, localHttpsPort: 443, psconnect: true };
  c1.says(({ method }) =>
    method === "config.get"
      ? { result: { rev: 1, values: { ...security, editPassword: "leaked-by-firmware", editPasswordSet: true } } }
      : { result: { rev: 2, applied: "now" } },
  );
  const read = await ask(owner, c1.id, "config.get", { section: "security" });
  expect(read.at("result.values")).toMatchObject({ editPasswordSet: true });
  expect(JSON.stringify(read.body)).not.toContain("leaked");
  const set = await ask(owner, c1.id, "config.set", {
    section: "security",
    values: { ...security, editPassword: secret },
    rev: 1,
  });
  expect(set.status).toBe(200);
  expect(c1.asked.at(-1)?.params).toMatchObject({ values: { editPassword: secret } });
  const kept = await world.ctx.db.selectFrom("sensor_section").selectAll().execute();
  expect(JSON.stringify([kept, await world.trail(c1.id)])).not.toMatch(/leaked|violet/);
});

test("SE-07 a change that may cut the connection is confirmed over the next tunnel, once", async () => {
  const c1 = await device("PS.C1");
  const network = { ...values("PS.C1", "network"), hostname: "psc1-fb0001" };
  c1.says(({ method }) =>
    method === "config.set"
      ? { result: { rev: 4, applied: "confirm", confirmWithinS: 60 } }
      : method === "config.confirm"
        ? { result: { rev: 4 } }
        : { result: { rev: 4, values: network } },
  );
  expect(
    (await ask(owner, c1.id, "config.set", { section: "network", values: network, rev: 3 })).at("result.applied"),
  ).toBe("confirm");
  c1.tunnel.close();
  await become(c1.id, "disconnected");
  await c1.connect();
  await world.call(world.root, "PUT", "/dev/clock", { body: { now: world.ctx.clock.now() + 5_000 } });
  expect(c1.asked.filter(({ method }) => method === "config.confirm")).toEqual([]);
  const again = await c1.connect();
  await until("confirmed", async () => c1.asked.some(({ method }) => method === "config.confirm"));
  await until("recorded", async () => (await world.trail(c1.id)).some(({ action }) => action === "config.confirm"));
  expect(c1.asked.filter(({ method }) => method === "config.confirm")).toEqual([
    { method: "config.confirm", params: { rev: 4 }, user: "user-role-edit" },
  ]);
  again.close();
  await become(c1.id, "disconnected");
  await c1.connect();
  await ask(owner, c1.id, "config.get", { section: "network" });
  expect(c1.asked.filter(({ method }) => method === "config.confirm")).toHaveLength(1);
});

test("SE-07 viewing pictures is audited once per opening", async () => {
  const c1 = await device("PS.C1");
  c1.says(() => ({ result: { at: 1, cameras: [] } }));
  const look = () => ask(viewer, c1.id, "preview.get", { kind: "cameras" });
  for (let n = 0; n < 3; n += 1) expect((await look()).status).toBe(200);
  const looks = async () => (await world.trail(c1.id)).filter(({ action }) => action === "preview");
  expect(await looks()).toMatchObject([{ account_id: viewer.id, after: { kind: "cameras" } }]);
  await world.call(world.root, "PUT", "/dev/clock", { body: { now: world.ctx.clock.now() + 61_000 } });
  await look();
  expect(await looks()).toHaveLength(2);
});

test("SE-06 the next owner sees nothing read before", async () => {
  const zod = await device("ZOD");
  zod.says(holding(1));
  await ask(owner, zod.id, "config.get", { section: "measurement" });
  expect((await world.call(owner, "PUT", `/api/sensor/${zod.id}`, { body: { owner: viewer.id } })).status).toBe(200);
  await goOffline(zod).catch(() => undefined);
  expect(await ask(world.root, zod.id, "config.get", { section: "measurement" })).toMatchObject({
    status: 502,
    code: 509,
  });
});

test("T-17 a used idempotency key is not asked again", async () => {
  const zod = await device("ZOD");
  zod.says(() => ({ result: { backInS: 10 } }));
  const restart = () =>
    world.call(owner, "POST", `/api/sensor/${zod.id}/rpc`, {
      body: { jsonrpc: "2.0", id: 1, method: "device.restart", params: {} },
      headers: { "idempotency-key": "restart-1" },
    });
  expect((await restart()).status).toBe(200);
  expect((await restart()).status).toBe(409);
  expect(zod.asked).toHaveLength(1);
});

test("SE-06 a silent sensor is 504 after ten seconds, even with a stored section", async () => {
  expect(await silent).toMatchObject({ status: 504, code: 504 });
});
