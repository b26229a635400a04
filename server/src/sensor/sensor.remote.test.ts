// Tests remote functions between an HTTP client and a sensor on MQTT, including a cause of every sensor error code.
import { errorEntry, sensorErrors, type ServerErrorCode } from "@psp/contract/errors.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { findFailureFault } from "../testing/requests/failure.ts";
import { answer, connectSensor, type Question, type RemoteSensor, type Say } from "../testing/devices/remote-sensor.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type Reply, type World } from "../testing/world.ts";

const id = "02:00:00:00:51:01";
const offlineId = "02:00:00:00:51:02";
const picture = Buffer.from("not quite a picture, but bytes");
const upwards = { me: true, relativeAncestorLevel: 1 };
const clock = createStillClock();

let world: World;
let owner: Person;
let viewer: Person;
let stranger: Person;
let sensor: RemoteSensor;
beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway" }, clock });
  owner = await world.account("Harbour Stores", world.root, fullPermissions);
  viewer = await world.account("Viewer", owner, { ownable: { sensor: { canViewObject: upwards } } });
  stranger = await world.account("Other Customer", world.root, fullPermissions);
  sensor = await connectSensor(world, owner, id);
  const made = await world.call(owner, "POST", "/api/sensor", {
    body: { _id: offlineId, owner: owner.id, type: "APS" },
  });
  expect(made.status).toBe(200);
});
afterAll(async () => {
  await sensor.end();
  await world.stop();
});

type Options = { who?: Person | null; to?: string; verb?: string; headers?: Record<string, string> };
const call = (
  body: JsonObject,
  { who = owner, to = id, verb = "request", headers = {} }: Options = {},
): Promise<Reply> => world.call(who, "POST", `/api/sensor/${to}/${verb}`, { body, headers });
const ask = (func: string, options: unknown = null, more: Options & { timeout?: number } = {}) =>
  call({ func, data: options === null ? "" : encode(options), timeout: more.timeout ?? 10_000 }, more);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const decode = (data: unknown): unknown => JSON.parse(Buffer.from(String(data), "base64").toString());
const snapshot = (_: Question, say: Say) => say(answer("getSnapshot", picture, { ct: "image/jpeg" }));

test("SE-11 a chunked snapshot is joined, with type, time and duration", async () => {
  sensor.onAsked(async ({ func }, say) => {
    const part = (bytes: Buffer, n: number) => answer(func, bytes, { ct: "image/jpeg", durMs: 640, part: n, parts: 3 });
    await say(part(picture.subarray(20), 3));
    await say(part(picture.subarray(0, 7), 1));
    await say(part(picture.subarray(7, 20), 2));
  });
  const data = encode({ width: 640, blur: true });
  const reply = await call({ func: "getSnapshot", data, timeout: 10_000 });
  expect([reply.status, reply.body]).toEqual([
    200,
    {
      ok: true,
      func: "getSnapshot",
      data: picture.toString("base64"),
      ct: "image/jpeg",
      timestamp: 1_763_633_000_123,
      durMs: 640,
    },
  ]);
  expect(sensor.asked.at(-1)).toMatchObject({ func: "getSnapshot", data, timeout: 10_000 });
});

const says =
  (message: object | string) =>
  (_: Question, say: Say): unknown =>
    say(message);
const number = (code: number | string): [number, string, () => Promise<Reply>] => [
  Number(code),
  `the sensor answers with ${JSON.stringify(code)}`,
  () => {
    sensor.onAsked(says({ ok: false, code, message: "reported by the sensor" }));
    return ask("getSnapshot");
  },
];
const answered = (what: string, code: number, message: object | string): [number, string, () => Promise<Reply>] => [
  code,
  what,
  () => {
    sensor.onAsked(says(message));
    return ask("getSnapshot");
  },
];

const causes: [number, string, () => Promise<Reply>][] = [
  ...[500, 501, 502, 505, 506, 507, 508, 511, "507"].map(number),
  [503, "a function that there is not", () => ask("formatDisk")],
  [503, "a function that is ours alone", () => ask("ping")],
  [503, "a name that every object has", () => ask("toString")],
  answered("an answer that is no JSON", 503, "{not json"),
  answered("an answer of another form", 503, { ok: "yes" }),
  answered("an answer to another function", 503, answer("resetNetworkConfig", "{}")),
  answered("an answer that is no base64", 503, { ...answer("getSnapshot", ""), data: "%%%" }),
  answered("a snapshot that is a page", 503, answer("getSnapshot", "<script>", { ct: "text/html" })),
  [
    504,
    "a sensor that does not answer",
    () => {
      sensor.onAsked(() => undefined);
      return ask("getSnapshot", null, { timeout: 60 });
    },
  ],
  [509, "a sensor that never connected", () => ask("getSnapshot", null, { to: offlineId })],
  [
    509,
    "a sensor that never connected, by publish",
    () => ask("getSnapshot", null, { to: offlineId, verb: "publish" }),
  ],
  answered("a refusal with a word", 510, { ok: false, code: "BUSY", message: "A snapshot is being taken" }),
  answered("a refusal with a number of ours", 510, { ok: false, code: 105, message: "" }),
];

test.each(causes)("ER-01 %i by its cause: %s", async (code, _cause, provoke) => {
  const reply = await provoke();
  const entry = errorEntry(code as ServerErrorCode);
  expect([reply.code, reply.status], JSON.stringify(reply.body)).toEqual([code, code === 504 ? 504 : 502]);
  expect(reply.at("error")).toBe(entry.message);
  expect(
    findFailureFault({
      status: reply.status,
      contentType: reply.headers.get("content-type") ?? "",
      requestId: reply.headers.get("x-request-id"),
      text: JSON.stringify(reply.body),
    }),
  ).toBeNull();
});

test("ER-01 every sensor code from 500 to 511 is among the causes", () => {
  const reached = new Set(causes.map(([code]) => code));
  const all = Object.values(sensorErrors).map(({ code }) => code);
  expect(all).toHaveLength(12);
  expect(all.filter((code) => !reached.has(code))).toEqual([]);
});

test("SE-11 the sensor's own message is in the details", async () => {
  sensor.onAsked(says({ ok: false, code: "BUSY", message: "A snapshot is being taken" }));
  expect((await ask("getSnapshot")).at("details")).toEqual({
    deviceCode: "BUSY",
    message: "A snapshot is being taken",
  });
});

test("SE-11 an overlong refusal is cut", async () => {
  sensor.onAsked(says({ ok: false, code: "B".repeat(2_001), message: "m".repeat(2_001) }));
  const reply = await ask("getSnapshot");
  expect([reply.code, reply.at("details")]).toEqual([510, { deviceCode: "B".repeat(32), message: "m".repeat(500) }]);
});

test("SE-11 an unknown function never reaches the sensor and is not audited", async () => {
  const [heard, rows] = [sensor.asked.length, (await world.trail(id)).length];
  expect((await ask("formatDisk")).code).toBe(503);
  sensor.onAsked(snapshot);
  expect((await ask("getSnapshot")).status).toBe(200);
  expect(sensor.asked.slice(heard).map(({ func }) => func)).toEqual(["getSnapshot"]);
  expect(await world.trail(id)).toHaveLength(rows + 1);
});

test("ER-01 an absent sensor is 509, and asked again when it is back", async () => {
  const other = await connectSensor(world, owner, "02:00:00:00:51:03");
  other.onAsked(snapshot);
  expect((await ask("getSnapshot", null, { to: other.id })).status).toBe(200);
  await other.end();
  await until("509", async () => (await ask("getSnapshot", null, { to: other.id, timeout: 100 })).code === 509);
});

test("SE-11 publish returns 202 without waiting for the sensor", async () => {
  const heard = sensor.asked.length;
  sensor.onAsked(() => undefined);
  const reply = await ask("getSnapshot", { width: 320 }, { verb: "publish" });
  expect([reply.status, reply.body]).toEqual([202, {}]);
  await until("the question", () => sensor.asked.length > heard);
  expect(sensor.asked.at(-1)).toMatchObject({ func: "getSnapshot", data: encode({ width: 320 }), timeout: 10_000 });
});

test("SE-11 PE-04 viewers may take snapshots, other functions need editing, invisible gets 105", async () => {
  sensor.onAsked(({ func }, say) => say(answer(func, "{}", func === "getSnapshot" ? { ct: "image/png" } : {})));
  const functions = ["getSnapshot", "generalUploadTest", "resetNetworkConfig"];
  const answers = async (who: Person | null, verb: string) => {
    const replies = [];
    for (const func of functions) {
      const reply = await ask(func, null, { who, verb });
      replies.push(reply.status < 300 ? reply.status : reply.code);
    }
    return replies;
  };
  for (const [verb, done] of [
    ["request", 200],
    ["publish", 202],
  ] as const) {
    expect(await answers(owner, verb)).toEqual([done, done, done]);
    expect(await answers(viewer, verb)).toEqual([done, 305, 305]);
    expect(await answers(stranger, verb)).toEqual([105, 105, 105]);
    expect(await answers(null, verb)).toEqual([106, 106, 106]);
    expect((await ask("formatDisk", null, { who: stranger, verb })).code).toBe(105);
    expect((await call({ func: 7 }, { who: stranger, verb })).code).toBe(105);
  }
});

test("SE-11 T-17 snapshots are limited to 1280 px; viewers get 640 px, blurred", async () => {
  const answersTo = async (wanted: unknown, who: Person, verb: string) => {
    const heard = sensor.asked.length;
    sensor.onAsked(snapshot);
    expect((await ask("getSnapshot", wanted, { who, verb })).status).toBe(verb === "request" ? 200 : 202);
    await until("the question", () => sensor.asked.length > heard);
    const { data } = sensor.asked.at(-1) ?? {};
    return data === "" ? null : decode(data);
  };
  // Requested options, then the device's input for the owner (null for none) and for a viewer.
  const cases: [object | null, object | null, object][] = [
    [null, null, { width: 640, blur: true }],
    [{}, null, { width: 640, blur: true }],
    [{ width: 4000 }, { width: 1280 }, { width: 640, blur: true }],
    [
      { width: 1280, blur: false },
      { width: 1280, blur: false },
      { width: 640, blur: true },
    ],
    [
      { width: 320, blur: false },
      { width: 320, blur: false },
      { width: 320, blur: true },
    ],
    [{ blur: false }, { blur: false }, { width: 640, blur: true }],
    [{ blur: true }, { blur: true }, { width: 640, blur: true }],
  ];
  for (const verb of ["request", "publish"])
    for (const [wanted, owners, viewers] of cases) {
      expect(await answersTo(wanted, owner, verb), JSON.stringify(wanted)).toEqual(owners);
      expect(await answersTo(wanted, viewer, verb), JSON.stringify(wanted)).toEqual(viewers);
    }
  const heard = sensor.asked.length;
  for (const [wanted, code] of [
    [{ width: "4000" }, 402],
    [{ width: 0 }, 102],
    [{ blur: "no" }, 402],
    [{ zoom: 2 }, 402],
    [[], 402],
  ] as const)
    for (const who of [owner, viewer]) {
      const reply = await ask("getSnapshot", wanted, { who });
      expect([reply.status, reply.code], JSON.stringify(wanted)).toEqual([400, code]);
    }
  const noJson = await call({ func: "getSnapshot", data: "AAAA", timeout: 50 });
  expect([noJson.code, noJson.at("details.field")]).toEqual([102, "data"]);
  expect(sensor.asked).toHaveLength(heard);
});

test("SE-11 T-30 every use is audited before it happens, with its options", async () => {
  const before = (await world.trail(id)).length;
  // The clock stands still: rows of one instant keep their order.
  sensor.onAsked(snapshot);
  expect((await ask("getSnapshot", { blur: false }, { who: viewer })).status).toBe(200);
  sensor.onAsked(() => undefined);
  expect((await ask("getSnapshot", null, { timeout: 50 })).code).toBe(504);
  expect((await ask("resetNetworkConfig", { confirm: id }, { verb: "publish" })).status).toBe(202);
  expect((await ask("resetNetworkConfig", null, { who: viewer })).code).toBe(305);
  expect((await world.trail(id)).slice(before)).toEqual([
    {
      action: "getSnapshot",
      account_id: viewer.id,
      before: null,
      after: { via: "request", data: { width: 640, blur: true }, timeout: 10_000 },
    },
    { action: "getSnapshot", account_id: owner.id, before: null, after: { via: "request", data: null, timeout: 50 } },
    {
      action: "resetNetworkConfig",
      account_id: owner.id,
      before: null,
      after: { via: "publish", data: { confirm: id }, timeout: 10_000 },
    },
  ]);
});

test("SE-11 ER-03 timeouts are whole numbers from 1 to 60000, data is short base64", async () => {
  const form = { func: "getSnapshot", data: "", timeout: 10_000 };
  const bad: [number, string, JsonObject][] = [
    ...[0, -1, 60_001, 1.5, 1e12].map((timeout): [number, string, JsonObject] => [
      102,
      "timeout",
      { ...form, timeout },
    ]),
    ...["10", null, true].map((timeout): [number, string, JsonObject] => [402, "timeout", { ...form, timeout }]),
    [104, "timeout", { func: "getSnapshot" }],
    [104, "func", { timeout: 5 }],
    [402, "func", { ...form, func: 7 }],
    [400, "func", { ...form, func: "<b>" }],
    [102, "data", { ...form, data: "%" }],
    [102, "data", { ...form, data: "AAAA".repeat(1025) }],
    [402, "data", { ...form, data: {} }],
    [402, "wait", { ...form, wait: true }],
  ];
  const heard = sensor.asked.length;
  for (const verb of ["request", "publish"]) {
    for (const [code, field, body] of bad) {
      const reply = await call(body, { verb });
      expect([reply.code, reply.at("details.field")], `${verb} ${JSON.stringify(body)}`).toEqual([code, field]);
    }
  }
  sensor.onAsked(snapshot);
  expect((await ask("getSnapshot", null, { timeout: 60_000 })).status).toBe(200);
  expect(sensor.asked.slice(heard).map(({ timeout }) => timeout)).toEqual([60_000]);
});

test("SE-11 a reset must name its own sensor", async () => {
  sensor.onAsked(({ func }, say) => say(answer(func, JSON.stringify({ willApplyInS: 5 }), { ct: "application/json" })));
  for (const options of [null, {}, { confirm: id }, { confirm: "020000005101" }]) {
    const reply = await ask("resetNetworkConfig", options);
    expect([reply.status, decode(reply.at("data"))]).toEqual([200, { willApplyInS: 5 }]);
    expect(decode(sensor.asked.at(-1)?.data)).toEqual({ confirm: id });
  }
  const heard = sensor.asked.length;
  for (const [options, code] of [
    [{ confirm: offlineId }, 102],
    [{ confirm: "yes" }, 102],
    [{ confirm: true }, 402],
    [{ sure: true }, 402],
  ] as const) {
    expect((await ask("resetNetworkConfig", options)).code, JSON.stringify(options)).toBe(code);
  }
  expect((await call({ func: "resetNetworkConfig", data: "AAAA", timeout: 50 })).status).toBe(400);
  expect(sensor.asked).toHaveLength(heard);
});

test("SE-11 T-19 an upload test goes to this server only, which counts its bytes", async () => {
  const uploads: { url: string; bytes: number }[] = [];
  sensor.onAsked(async ({ func, data }, say) => {
    const { url, bytes } = decode(data) as { url: string; bytes: number };
    uploads.push({ url, bytes });
    const sent = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body: Buffer.alloc(bytes, 0x5a),
    });
    await say(answer(func, JSON.stringify({ http: sent.status, ...((await sent.json()) as object) })));
  });
  const reply = await ask("generalUploadTest", { bytes: 300_000 });
  expect(decode(reply.at("data"))).toEqual({ http: 200, bytes: 300_000 });
  expect(decode((await ask("generalUploadTest")).at("data"))).toEqual({ http: 200, bytes: 262_144 });
  expect(new URL(uploads[0]?.url ?? "").origin).toBe(world.url);

  const heard = sensor.asked.length;
  for (const url of ["https://other.example/upload", `${world.url}.other.example/`, "file:///etc/passwd", "upload"]) {
    expect((await ask("generalUploadTest", { url })).code, url).toBe(102);
  }
  for (const bytes of [0, 16 * 1024 * 1024 + 1]) expect((await ask("generalUploadTest", { bytes })).code).toBe(102);
  expect(sensor.asked).toHaveLength(heard);

  const { url = "" } = uploads[0] ?? {};
  const upload = (to: string, bytes = 10) => fetch(to, { method: "POST", body: Buffer.alloc(bytes) });
  expect((await upload(url)).status).toBe(200);
  expect((await upload(`${url.slice(0, -2)}xx`)).status).toBe(404);
  expect((await upload(`${world.url}/device/v1/upload-test/x`)).status).toBe(404);
  expect((await upload(url, 16 * 1024 * 1024 + 1)).status).toBe(413);
  clock.moveTo(clock.now() + 120_000);
  expect((await upload(url)).status).toBe(404);
});

test("SE-11 short timeouts do not make the sensor look dead", async () => {
  sensor.onAsked(({ func }, say) => (func === "ping" ? say(answer(func, "")) : undefined));
  for (let n = 0; n < 3; n += 1) {
    expect((await ask("getSnapshot", null, { who: viewer, timeout: 1 })).code).toBe(504);
  }
  await until("the ping", () => sensor.asked.some(({ func }) => func === "ping"));
  // Presence is written in order, so a visible later change proves that no earlier one is missing.
  const later = await connectSensor(world, owner, "02:00:00:00:51:04");
  const stats = await world.call(owner, "GET", "/api/v2/sensor/stats");
  expect(JSON.stringify(stats.at("totalByScomState"))).not.toContain("notResponding");
  await later.end();
});

test("SE-11 a repeat with the same idempotency key does not ask again", async () => {
  sensor.onAsked(snapshot);
  const heard = sensor.asked.length;
  const headers = { "idempotency-key": "once" };
  expect((await ask("getSnapshot", null, { headers })).status).toBe(200);
  const repeat = await ask("getSnapshot", null, { headers });
  expect([repeat.status, repeat.code, repeat.at("details.field")]).toEqual([409, 102, "Idempotency-Key"]);
  expect(sensor.asked).toHaveLength(heard + 1);
});
