// Sends malformed queries to every call that lists or reads: their meaning is never guessed, refusals are 102 or 400, and no response
// contains internal details (T-23).
import { calls } from "@psp/contract/api.ts";
import type { AnyEndpoint } from "@psp/contract/kit/endpoint.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { findFailureFault } from "../testing/requests/failure.ts";
import { addressOf, sampleOf } from "../testing/scenes/samples.ts";
import { createScene, type Scene } from "../testing/scenes/scene.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";
import { forEachAtOnce } from "../testing/at-once.ts";

let scene: Scene;
beforeAll(async () => void (scene = await createScene()));
afterAll(() => scene.world.stop());

const reading = calls.filter((call) => call.caller === "session" && call.method === "GET");
const schemaOf = (call: AnyEndpoint) =>
  z.toJSONSchema(call.query as z.ZodType, { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, Record<string, unknown>>;
  };
const parametersOf = (call: AnyEndpoint) => Object.keys(call.query ? (schemaOf(call).properties ?? {}) : {});
const paged = reading.filter((call) => parametersOf(call).includes("limit"));

/** Makes the sample call with this query added; returns status and code. Checks the format of failures. */
async function ask(call: AnyEndpoint, query: string): Promise<[number, unknown]> {
  const sample = sampleOf(call, scene.ids);
  const names = new Set(query.split("&").map((part) => part.split("=")[0]));
  const rest = (sample.query ?? "").split("&").filter((part) => part !== "" && !names.has(part.split("=")[0]));
  const path = addressOf(call, { ...sample, query: [...rest, query].join("&") });
  const reply = await scene.world.call(scene.customer, "GET", path);
  if (reply.status < 300) return [reply.status, null];
  const fault = findFailureFault({
    status: reply.status,
    contentType: reply.headers.get("content-type") ?? "",
    requestId: reply.headers.get("x-request-id"),
    text: JSON.stringify(reply.body),
  });
  if (fault !== null) throw new Error(`${fault}: ${path} → ${JSON.stringify(reply.body)}`);
  return [reply.status, reply.code];
}

const numbers = [
  "",
  " ",
  "NaN",
  "Infinity",
  "1e2",
  "1.5",
  "0x10",
  "1,2",
  "--1",
  "+1",
  "1;drop",
  "99999999999999999999",
  "null",
  "%00",
  "１",
];

test("ER-03 T-23 invalid or repeated limit and skip: 102", async () => {
  expect(paged.length).toBeGreaterThan(8);
  await forEachAtOnce(paged, async (call) => {
    for (const limit of everyNth(7, ["501", "0", "-1", "1000000000", ...numbers])) {
      expect(await ask(call, `limit=${limit}`), `${call.name} limit=${limit}`).toEqual([400, 102]);
    }
    for (const skip of everyNth(7, ["-1", "-0.5", "1000000001", ...numbers])) {
      expect(await ask(call, `skip=${skip}`), `${call.name} skip=${skip}`).toEqual([400, 102]);
    }
    expect(await ask(call, "limit=5&limit=6"), `${call.name} limit twice`).toEqual([400, 102]);
    expect(await ask(call, "skip=0&skip=0"), `${call.name} skip twice`).toEqual([400, 102]);
    for (const fine of ["limit=500", "limit=1", "skip=1000000000", "skip=0"]) {
      expect(await ask(call, fine), `${call.name} ${fine}`).toEqual([200, null]);
    }
  });
});

test("ER-03 T-23 sorting by an unlisted field: 102", async () => {
  const fields = [
    "password",
    "password_hash",
    "owner.password",
    "token",
    "token_hash",
    "claimingCode",
    "path",
    "ctid",
    "1",
    "--_id",
    "_id;",
    "_id desc",
    "__proto__",
    "constructor",
    "(select 1)",
    "%00",
    "",
  ];
  const forms = fields.flatMap((field) => [`sortBy=${field}`, `sortBy=-${field}`, `sortBy=${field}&sortDesc=true`]);
  await forEachAtOnce(paged, async (call) => {
    for (const form of everyNth(17, forms)) expect(await ask(call, form), `${call.name} ${form}`).toEqual([400, 102]);
    expect(await ask(call, "sortDesc=maybe"), call.name).toEqual([400, 102]);
  });
});

test("ER-03 T-23 unknown parameters and JSON operators: 102", async () => {
  await forEachAtOnce(reading, async (call) => {
    const own = parametersOf(call);
    const tricks = [
      "foo=1",
      "isDeleted=true",
      "__proto__=1",
      "__proto__[x]=1",
      "constructor=1",
      "toString=1",
      "where=1%3D1",
      "$where=1",
      "_method=DELETE",
      "=1",
      "%00=1",
    ];
    for (const name of own) tricks.push(`${name}[$ne]=x`, `${name}[]=x`, `${name}.x=1`, `${name.toUpperCase()}S=1`);
    for (const trick of everyNth(11, tricks))
      expect(await ask(call, trick), `${call.name} ${trick}`).toEqual([400, 102]);
  });
});

test("ER-03 brackets and control characters in typed filters: 400", async () => {
  const typed: Record<string, string[]> = {
    listAccounts: ["name", "email"],
    listRoles: ["name"],
    listInitTokens: ["name"],
    listFirmware: ["name"],
    listLocations: ["name", "country", "tag", "tagAny"],
    listSensors: ["sensorID", "groups", "infoSoftwareFirmwareVersion"],
  };
  const places = Object.entries(typed).flatMap(([name, fields]) => fields.map((field) => [name, field] as const));
  await forEachAtOnce(places, async ([name, field]) => {
    const call = reading.find((one) => one.name === name) as AnyEndpoint;
    for (const mark of ["<", ">", "[", "]", "{", "}", "%00", "%0a", "%7f", "%e2%80%a8"]) {
      expect(
        await ask(call, `${field}=a${mark.length === 1 ? encodeURIComponent(mark) : mark}b`),
        `${name} ${field} ${mark}`,
      ).toEqual([400, 400]);
    }
    expect(await ask(call, `${field}=${"x".repeat(201)}`), `${name} ${field} too long`).toEqual([400, 102]);
    for (const fine of ["%25", "_", "\\", "'", "%22", "(a%2B)%2B$", "*", "%F0%9F%98%80"]) {
      expect(await ask(call, `${field}=${fine}`), `${name} ${field}=${fine}`).toEqual([200, null]);
    }
  });
});

test("ER-03 impossible ids match nothing or get 102, never an internal error", async () => {
  const odd = [
    "%00",
    "x%00y",
    "%ff",
    "%ed%a0%80",
    "'",
    "../..",
    "0",
    "null",
    "x".repeat(64),
    "{}",
    "%7B%22$ne%22:1%7D",
  ];
  await forEachAtOnce(
    reading,
    async (call) => {
      for (const name of parametersOf(call).filter((one) =>
        /ids?$|who|objectType|after|sens$|filter|token/i.test(one),
      )) {
        for (const value of everyNth(4, odd)) {
          const [status, code] = await ask(call, `${name}=${value}`);
          const fine =
            status === 200 ||
            (status === 400 && (code === 102 || code === 400)) ||
            (status === 404 && code === 105) ||
            (status === 401 && name === "token");
          expect(fine, `${call.name} ${name}=${value} → ${status} ${String(code)}`).toBe(true);
        }
        const many = Array.from({ length: 501 }, (_, n) => `${name}=${n}`).join("&");
        expect((await ask(call, many))[0], `${call.name} ${name} 501 times`).toBe(400);
      }
    },
    2,
  );
});

test("ER-03 extreme dates are accepted or refused with 102, never an internal error", async () => {
  const dates = [
    "0000-01-01T00:00:00Z",
    "0000-01-01T00:00:00%2B14:00",
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00%2B14:00",
    "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59-14:00",
    "1969-12-31T23:59:59.999Z",
  ];
  const never = [
    "2024-02-30T00:00:00Z",
    "2024-13-01T00:00:00Z",
    "2024-01-01",
    "1704067200",
    "now",
    "",
    "%2B012024-01-01T00:00:00Z",
    "-000001-01-01T00:00:00Z",
    "2024-01-01T25:00:00Z",
  ];
  /** Their `from` and `to` are local dates, not instants. */
  const byDate = new Set(["listEvents", "getLocationOpeningDays"]);
  const dated = reading.filter((call) => parametersOf(call).includes("from"));
  expect(dated.length).toBeGreaterThan(5);
  const shots = dated.flatMap((call) =>
    ["from", "to"].flatMap((field) => [
      ...dates.map((date) => ({ call, field, date, isRefused: false })),
      ...never
        .filter((date) => !(byDate.has(call.name) && date === "2024-01-01"))
        .map((date) => ({ call, field, date, isRefused: true })),
    ]),
  );
  // The number of dates is no multiple of seven, so other calls get other dates.
  await forEachAtOnce(
    everyNth(7, shots),
    async ({ call, field, date, isRefused }) => {
      const sample = sampleOf(call, scene.ids);
      const query = (sample.query ?? "").replace(/&?preset=\w+/, "").replace("acc=hour", "acc=year");
      const path = addressOf(call, { ...sample, query: `${query}&${field}=${date}`.replace(/^&/, "") });
      const reply = await scene.world.call(scene.customer, "GET", path);
      if (isRefused) return expect([reply.status, reply.code], path).toEqual([400, 102]);
      expect([200, 400], `${path} → ${JSON.stringify(reply.body).slice(0, 200)}`).toContain(reply.status);
      if (reply.status === 400) expect(reply.code, path).toBe(102);
    },
    2,
  );
});

test("T-23 a bad If-Match or Idempotency-Key is 102, an outdated version 412", async () => {
  const { world, customer, ids } = scene;
  const put = (headers: Record<string, string>) =>
    world.call(customer, "PUT", `/api/measurement/${ids.location}`, { body: { name: "Harbour Shop" }, headers });
  for (const match of ["x", "-1", "1.5", '"', "99999999999", "1, 2"]) {
    const reply = await put({ "if-match": match });
    expect([reply.status, reply.code], match).toEqual([400, 102]);
  }
  const old = await put({ "if-match": "999" });
  expect([old.status, old.code]).toEqual([412, 102]);
  const long = await put({ "idempotency-key": "x".repeat(201) });
  expect([long.status, long.code]).toEqual([400, 102]);
});
