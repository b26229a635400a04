// Tests audit rows of calls that write nothing themselves, which are exports and refused sign-ins, claims and writes: who can read the
// rows, and what they cost.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { enrollLabelled } from "../testing/rights/claiming.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type CallOptions, type JsonObject, type Person, type World } from "../testing/world.ts";

const clock = createStillClock();
let world: World;
let customer: Person;
let viewer: Person;
let watcher: Person;
let stranger: Person;
let sensor: string;
let location: string;
beforeAll(async () => {
  world = await createWorld({ clock, env: { TRUST_PROXY: "1" } });
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  const upwards = { me: true, relativeAncestorLevel: 1 };
  const sees = {
    owner: { canViewOwner: upwards },
    ownable: { sensor: { canViewObject: upwards }, measurement: { canViewObject: upwards } },
  };
  viewer = await world.account("Viewer", customer, sees);
  watcher = await world.account("Watcher", customer, sees);
  stranger = await world.account("Other Customer", world.root, fullPermissions);
  const owner = customer.id;
  const make = async (path: string, body: JsonObject) => (await world.call(customer, "POST", path, { body })).id;
  sensor = await make("/api/sensor", { _id: "02:00:00:00:30:01", owner, type: "APS" });
  location = await make("/api/measurement", { name: "Harbour Shop", owner });
});
afterAll(() => world.stop());

beforeEach(() => clock.moveTo(clock.now() + 60_000));

async function rows(who: Person, action: string): Promise<JsonObject[]> {
  const from = clock.date().toISOString();
  const reply = await world.call(who, "GET", `/api/v2/audit?from=${from}&sortBy=at&limit=500`);
  return reply.list.filter((row) => row["action"] === action);
}

async function callFrom(
  remoteAddress: string,
  who: Person | null,
  method: "PUT" | "POST",
  url: string,
  body: JsonObject,
): Promise<number> {
  return (await world.call(who, method, url, { body, headers: { "x-forwarded-for": remoteAddress } })).status;
}
const login = (email: string, from = "203.0.113.9") =>
  callFrom(from, null, "POST", "/api/auth/login", { email, password: "violet-lantern-someone" });
const rename = (who: Person, options: CallOptions = {}) =>
  world.call(who, "PUT", `/api/sensor/${sensor}`, { body: { groups: ["north"] }, ...options });

test("T-10 T-30 failed logins are visible to the account and its editors, once per minute and client", async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 7; n += 1) statuses.push(await login(viewer.email));
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  const row = {
    who: null,
    action: "login-refused",
    object: { type: "account", _id: viewer.id },
    after: { call: "login", status: 401, code: 106, error: "Unauthorized access." },
  };
  for (const who of [viewer, customer, world.root]) expect(await rows(who, "login-refused")).toMatchObject([row]);
  for (const who of [watcher, stranger]) expect(await rows(who, "login-refused")).toEqual([]);
  // All addresses of a /64 count as one client.
  await login(viewer.email, "2001:db8:1:2::1");
  await login(viewer.email, "2001:db8:1:2:ffff::7");
  expect(await rows(viewer, "login-refused")).toHaveLength(2);
  await login(viewer.email, "2001:db8:1:3::1");
  expect(await rows(viewer, "login-refused")).toHaveLength(3);
});

test("T-10 T-30 a login with an unknown address is visible to the operator, without the typed address", async () => {
  const typed = "my-password-by-mistake@example.com";
  expect(await login(typed)).toBe(401);
  const [row] = await rows(world.root, "login-refused");
  expect(row).toMatchObject({ who: null, object: { type: "account", _id: "" } });
  expect(JSON.stringify(row)).not.toContain("my-password");
  expect(await rows(customer, "login-refused")).toEqual([]);
});

test("PE-04 T-30 a refused write is visible to editors of the object and the caller, with its code", async () => {
  const refused = await rename(viewer);
  expect(refused.status).toBe(403);
  const row = {
    who: { _id: viewer.id, name: "Viewer" },
    requestId: refused.headers.get("x-request-id"),
    object: { type: "sensor", _id: sensor },
    before: null,
    after: { call: "updateSensor", status: 403, code: 305, error: "No permission to edit the given entity." },
  };
  for (const who of [viewer, customer, world.root]) expect(await rows(who, "write-refused")).toMatchObject([row]);
  for (const who of [watcher, stranger]) expect(await rows(who, "write-refused")).toEqual([]);
  expect((await rename(viewer)).status).toBe(403);
  expect((await world.call(viewer, "DELETE", `/api/measurement/${location}`)).status).toBe(403);
  expect(await rows(customer, "write-refused")).toHaveLength(1);
  expect((await rename(watcher)).status).toBe(403);
  expect(await rows(customer, "write-refused")).toHaveLength(2);
  clock.moveTo(clock.now() + 60_000);
  expect((await world.call(viewer, "DELETE", `/api/measurement/${location}`)).status).toBe(403);
  expect(await rows(customer, "write-refused")).toMatchObject([
    { object: { type: "measurement", _id: location }, after: { call: "deleteLocation", code: 304 } },
  ]);
  const query = `objectID=${sensor}&sortBy=-at&limit=1`;
  expect((await world.call(customer, "GET", `/api/v2/audit?${query}`)).at("objects.0.action")).toBe("write-refused");
  const changes = await world.call(customer, "GET", `/api/v2/audit?${query}&withoutRefused=true`);
  expect(changes.at("objects.0.action")).toBe("create");
});

test("PE-04 T-30 refused creations and batch items are audited; bad forms and foreign objects are not", async () => {
  const body = { _id: "02:00:00:00:30:02", owner: customer.id, type: "APS" };
  expect((await world.call(viewer, "POST", "/api/sensor", { body })).code).toBe(303);
  expect(await rows(viewer, "write-refused")).toMatchObject([
    { object: { type: "account", _id: viewer.id }, after: { call: "createSensor", code: 303 } },
  ]);
  const batch = { sensorIDs: [sensor], changes: { groups: ["north"] } };
  const done = await world.call(watcher, "PUT", "/api/v2/sensor/batch-update", { body: batch });
  expect([done.status, done.at("success"), done.at("fail.0.id")]).toEqual([200, 0, sensor]);
  expect(await rows(watcher, "write-refused")).toMatchObject([
    { object: { type: "sensor", _id: sensor }, after: { call: "batchUpdateSensors", code: 305 } },
  ]);
  expect((await rename(stranger)).status).toBe(404);
  expect((await rename(stranger, { body: { groups: [7] } })).status).toBe(404);
  expect((await rename(customer, { body: { groups: ["<b>"] } })).code).toBe(400);
  expect(await rows(stranger, "write-refused")).toEqual([]);
  expect(await rows(world.root, "write-refused")).toHaveLength(2);
});

test("CL-02 T-13 T-30 wrong registration codes are audited for the account, without the code", async () => {
  const code = "WRNG2222";
  expect((await world.call(viewer, "GET", `/api/claim/${code}`)).status).toBe(403);
  expect(await rows(viewer, "claim-refused")).toEqual([]);
  expect((await world.call(stranger, "GET", `/api/claim/${code}`)).status).toBe(404);
  const [row, ...more] = await rows(stranger, "claim-refused");
  expect(row).toMatchObject({
    who: { _id: stranger.id },
    object: { type: "account", _id: stranger.id },
    after: { call: "findClaimable", code: 105 },
  });
  expect([JSON.stringify(row).includes(code), more.length]).toEqual([false, 0]);
  expect(await rows(customer, "claim-refused")).toEqual([]);
  // The call succeeds, but one of its two claims is refused, which is audited anyway.
  clock.moveTo(clock.now() + 60_000);
  const label = await enrollLabelled(world, customer);
  const sensors = [label, { ...label, claimingCode: code }];
  expect((await world.call(stranger, "POST", "/api/claim/", { body: { sensors } })).status).toBe(200);
  expect(await rows(stranger, "claim-refused")).toMatchObject([{ after: { call: "claimSensors", code: 105 } }]);
});

test("DS-01 T-30 an export is audited with its filters and without the token", async () => {
  const filter = `meas:${location}:counting`;
  const get = (path: string, who: Person | null = customer, headers: Record<string, string> = {}) =>
    world.call(who, "GET", `/data/v2/${path}?filter=${filter}&preset=today`, { headers });
  // Requests of the console itself, recognized by the cookie, do not count as exports.
  const cookie = `psp_session=${customer.token}`;
  expect((await get("aggregate/json", null, { cookie })).status).toBe(200);
  expect(await rows(customer, "export")).toEqual([]);
  const byAddress = `/data/v2/download/csv?filter=${filter}&preset=today&token=${customer.token}`;
  expect((await world.call(null, "GET", byAddress)).status).toBe(200);
  const found = await rows(customer, "export");
  expect(found).toMatchObject([
    {
      who: { _id: customer.id },
      object: { type: "account", _id: customer.id },
      after: { call: "downloadCsv", filter: [filter], preset: "today" },
    },
  ]);
  expect(JSON.stringify(found)).not.toContain(customer.token);
  expect((await get("download/json")).status).toBe(200);
  expect(await rows(customer, "export")).toHaveLength(1);
  expect((await get("aggregate/json", stranger)).status).toBe(404);
  expect(await rows(stranger, "export")).toEqual([]);
  for (const path of ["download/json", "aggregate/csv", "aggregate/json"]) {
    clock.moveTo(clock.now() + 60_000);
    expect((await get(path)).status).toBe(200);
    expect(await rows(customer, "export"), path).toHaveLength(1);
  }
});

test("T-30 a crowd does not fill the log, and a refused call does not wait for it", async () => {
  const body = { groups: ["north"] };
  for (let n = 0; n < 130; n += 1)
    expect(await callFrom(`198.51.100.${n}`, viewer, "PUT", `/api/sensor/${sensor}`, body)).toBe(403);
  await expect.poll(async () => (await rows(customer, "write-refused")).length).toBe(100);
  clock.moveTo(clock.now() + 60_000);
  await world.ctx.db.transaction().execute(async (tx) => {
    await sql`lock table audit in access exclusive mode`.execute(tx);
    expect((await rename(viewer)).status).toBe(403);
    expect(await login(viewer.email)).toBe(401);
  });
  expect([await rows(viewer, "write-refused"), await rows(viewer, "login-refused")]).toMatchObject([
    [{ who: { _id: viewer.id } }],
    [{ who: null }],
  ]);
});

test("T-30 a row that is written later has the time of its event", async () => {
  const at = clock.date().toISOString();
  await world.ctx.db.transaction().execute(async (tx) => {
    await sql`lock table audit in access exclusive mode`.execute(tx);
    expect((await rename(viewer)).status).toBe(403);
    expect(await login(viewer.email)).toBe(401);
    clock.moveTo(clock.now() + 30_000);
  });
  const { list } = await world.call(viewer, "GET", `/api/v2/audit?from=${at}&sortBy=at`);
  expect(list.map((row) => [row["action"], row["at"]])).toEqual([
    ["write-refused", at],
    ["login-refused", at],
  ]);
});

test("T-30 a refusal about a missing object publishes no change of the caller's account", async () => {
  const announced: string[] = [];
  const off = world.ctx.bus.on("entityChanged", ({ id }) => void announced.push(id));
  const body = { name: "New role", owner: customer.id, permissions: {} };
  expect((await world.call(viewer, "POST", "/api/role", { body })).status).toBe(403);
  expect((await rename(viewer)).status).toBe(403);
  expect(await rows(viewer, "write-refused")).toHaveLength(1);
  clock.moveTo(clock.now() + 60_000);
  expect((await rename(viewer)).status).toBe(403);
  expect(await rows(viewer, "write-refused")).toHaveLength(1);
  off();
  expect(announced).toEqual([sensor]);
});
