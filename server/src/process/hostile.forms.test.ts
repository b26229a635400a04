// Sends malformed bodies: each is refused with an error code, nothing is stored, and the server keeps running.
import type { AnyEndpoint } from "@psp/contract/kit/endpoint.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { bodyOf, callNamed, expectRefusal as sendRefused } from "../testing/requests/refusals.ts";
import { writingCalls } from "../testing/scenes/samples.ts";
import { createScene, type Scene } from "../testing/scenes/scene.ts";
import { type Snapshot, captureSnapshot } from "../testing/snapshot.ts";
import { forEachAtOnce } from "../testing/at-once.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

let scene: Scene;
let before: Snapshot;
beforeAll(async () => void (scene = await createScene()));
afterAll(() => scene.world.stop());
beforeEach(async () => void (before = await captureSnapshot(scene.world.ctx.db)));

const unchanged = async () => expect(await captureSnapshot(scene.world.ctx.db)).toEqual(before);
const refused = (call: AnyEndpoint, body: unknown, headers?: Record<string, string>) =>
  sendRefused(scene, call, body, headers);
const sampleBody = (call: AnyEndpoint) => bodyOf(scene, call);

type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
};
const schemaOf = (call: AnyEndpoint) =>
  z.toJSONSchema(call.body as z.ZodType, { io: "input", unrepresentable: "any" }) as Schema;

/** Returns the JSON types that a field accepts; empty if it accepts any. */
function typesOf(schema: Schema): Set<string> {
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (inner.length > 0) return new Set(inner.flatMap((one) => [...typesOf(one)]));
  if (schema.const !== undefined) return new Set([typeof schema.const]);
  if (schema.enum) return new Set(schema.enum.map((one) => typeof one));
  const names = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  return new Set(names.flatMap((name) => (name === "integer" ? ["integer", "number"] : [name])));
}

const examples: Record<string, unknown[]> = {
  string: ["text"],
  number: [7, 1.5],
  boolean: [true],
  object: [{}, { $ne: null }, { toString: "x" }],
  array: [[], [[]], ["text"]],
  null: [null],
};

test("ER-03 no JSON object: malformed 102, another type 402, nothing stored", { tags: "prove" }, async () => {
  const broken = [
    "{",
    '{"name":',
    "{'name':'x'}",
    '{"name":"a",}',
    "undefined",
    "NaN",
    "\u0000",
    '{"a":1}{"b":2}',
    '"unclosed',
    "<x/>",
    "name=x",
    '\ufeff{"name":"x"}',
  ];
  for (const call of writingCalls) {
    for (const text of broken) expect((await refused(call, text)).answer, `${call.name} ${text}`).toEqual([400, 102]);
    for (const text of ["[]", "[{}]", '"text"', "7", "true", "null", "1e400"]) {
      expect((await refused(call, text)).answer, `${call.name} ${text}`).toEqual([
        400,
        text.startsWith("[") ? (call.listCode ?? 402) : 402,
      ]);
    }
    const xml = await refused(call, JSON.stringify(sampleBody(call)), { "content-type": "text/plain" });
    expect(xml.answer, xml.exchange).toEqual([415, 102]);
  }
  await unchanged();
});

test("ER-03 every field of every form with every other type: 402 that names the field", async () => {
  const shots = writingCalls.flatMap((call) =>
    Object.entries(schemaOf(call).properties ?? {}).flatMap(([field, schema]) => {
      const right = typesOf(schema);
      if (right.size === 0) return [];
      const wrong = Object.entries(examples).filter(([type]) => !right.has(type));
      return wrong.flatMap(([, values]) => values.map((value) => ({ call, field, value })));
    }),
  );
  expect(shots.length).toBeGreaterThan(300);
  await forEachAtOnce(everyNth(29, shots), async ({ call, field, value }) => {
    const { answer, field: named, exchange } = await refused(call, { ...sampleBody(call), [field]: value });
    expect(answer, exchange).toEqual([400, 402]);
    expect(named.split(".")[0], exchange).toBe(field);
  });
  await unchanged();
});

/** Server-only fields, and JavaScript pitfalls (T-04). */
const forbidden: Record<string, unknown> = {
  _id: "0190a000-0000-7000-8000-000000000001",
  id: "0190a000-0000-7000-8000-000000000001",
  licenses: { monitoring: true },
  claimingCode: "AAAAAAAA",
  isDeleted: true,
  version: 99,
  parentAccounts: [],
  stepReached: 2,
  permissions: { owner: { canCreateOwner: true } },
  registrationInfo: [],
  credentials: [{ email: "x@example.com" }],
  status: {},
  createdAt: "2020-01-01T00:00:00Z",
  updatedAt: null,
  ownerPath: "",
  owner_id: "x",
  scomState: { isConnected: true },
  vpn: {},
  psconnect: {},
  types: ["x"],
  md5: "x",
  file: {},
  sha256: "x",
  token: "stolen",
  acknowledgedAt: "2020-01-01T00:00:00Z",
  legal: { dpaVersion: "2024-06-01" },
  readonlyAddress: false,
  applications: [],
  monitoringConfig: {},
  sensorCount: 5,
  sensorsOffline: 0,
  wireId: "x",
  sensorUpdateTask: {},
  artifactInstallationState: {},
  info: {},
  artifactRunning: "x",
  password: "x",
  isRoot: true,
  path: "",
  constructor: { prototype: { isRoot: true } },
  prototype: {},
  toString: "x",
  hasOwnProperty: true,
};

test("ER-03 T-04 every form with unknown fields: 402, and the values stay", async () => {
  const shots = writingCalls.flatMap((call) => {
    const own = new Set(Object.keys(schemaOf(call).properties ?? {}));
    const fields = Object.entries(forbidden).filter(([field]) => !own.has(field));
    return fields.flatMap(([field, value]) => [value, null, [value]].map((one) => ({ call, field, one })));
  });
  expect(shots.length).toBeGreaterThan(1000);
  await forEachAtOnce(everyNth(47, shots), async ({ call, field, one }) => {
    const { answer, field: named, exchange } = await refused(call, { ...sampleBody(call), [field]: one });
    expect([answer, named], exchange).toEqual([[400, 402], field]);
  });
  await forEachAtOnce(writingCalls, async (call) => {
    const text = JSON.stringify(sampleBody(call));
    for (const trick of ['"__proto__":{"isRoot":true}', '"__proto__":null', String.raw`"__pro\u0074o__":{}`]) {
      const { answer, exchange } = await refused(call, text.replace(/^\{/, `{${trick},`));
      expect(answer, exchange).toEqual([400, 402]);
    }
  });
  expect(({} as Record<string, unknown>)["isRoot"]).toBeUndefined();
  await unchanged();
});

test("ER-03 T-04 nested unknown fields are refused, too", async () => {
  const deep: [string, unknown][] = [
    ["createRole", { permissions: { isRoot: true } }],
    ["createRole", { permissions: { ownable: { account: { canViewObject: { me: true } } } } }],
    ["createRole", { permissions: { ownable: { sensor: { canViewObject: { everything: true } } } } }],
    ["createRole", { permissions: { owner: { canViewOwner: { me: "yes" } } } }],
    ["createRole", { permissions: { owner: { canViewOwner: { relativeAncestorLevel: "2" } } } }],
    ["updateLocation", { location: { zoom: 3 } }],
    ["updateLocation", { location: { geo: { type: "Point", coordinates: [1, 2], crs: {} } } }],
    ["updateLocation", { location: { address: { planet: "Earth" } } }],
    ["updateAccount", { credentialChanges: [{ operation: "REMOVE", email: "x@example.com", stepReached: 2 }] }],
    ["updateSensor", { sensorFeatureCredentials: [{ feature: "restapi", username: "x", isAdmin: true }] }],
    ["updateFirmware", { objPerm: { childrenCanViewObject: true, everybody: true } }],
    ["createDatapoint", { data: 7 }],
  ];
  for (const [name, change] of deep) {
    const call = callNamed(name);
    const { answer, exchange } = await refused(call, { ...sampleBody(call), ...(change as object) });
    expect(answer, exchange).toEqual([400, 402]);
  }
  const wrong = await refused(callNamed("createDatapoint"), {
    ...sampleBody(callNamed("createDatapoint")),
    data: { count: 3, by: "me" },
  });
  expect(wrong.answer).toEqual([400, 401]);
  await unchanged();
});

test("ER-03 a body over the limit is 413 before it is read; deep or wide ones are only invalid", async () => {
  const deep = (n: number) => "[".repeat(n) + "]".repeat(n);
  const key = { "idempotency-key": "deep-1" };
  for (const call of everyNth(34, writingCalls)) {
    const filler = "x".repeat((call.maxBodyBytes ?? 1_048_576) + 50_000);
    const large = await refused(call, JSON.stringify({ ...sampleBody(call), filler }));
    expect(large.answer, large.exchange).toEqual([413, 102]);
    const field = Object.keys(sampleBody(call))[0] ?? "";
    for (const value of [deep(20_000), `{"a":`.repeat(20_000) + "1" + "}".repeat(20_000)]) {
      const text = JSON.stringify({ ...sampleBody(call), [field]: 0 }).replace(
        `"${field}":0`,
        () => `"${field}":${value}`,
      );
      for (const headers of [{}, key])
        expect((await refused(call, text, headers)).answer[0], `${call.name} deep`).toBe(400);
    }
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`f${n}`, n]));
    expect((await refused(call, { ...sampleBody(call), ...wide })).answer, `${call.name} wide`).toEqual([400, 402]);
  }
  const point = callNamed("createDatapoint");
  for (const inner of [deep(200_000), `{"count":${deep(200_000)}}`]) {
    const text = JSON.stringify({ ...sampleBody(point), data: 0 }).replace('"data":0', () => `"data":${inner}`);
    for (const headers of [{}, key]) expect((await refused(point, text, headers)).answer[0]).toBe(400);
  }
  const enrol = await scene.world.call(null, "POST", "/device/v1/enrol", { body: { token: "x".repeat(17_000) } });
  expect([enrol.status, enrol.code]).toEqual([413, 102]);
  await unchanged();
});
