// Tests which error takes precedence if a call has several faults (docs/rules/errors.md#order-of-checks), so that strangers learn
// nothing.
import { calls } from "@psp/contract/api.ts";
import type { AnyEndpoint } from "@psp/contract/kit/endpoint.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addressOf, sampleOf } from "../testing/scenes/samples.ts";
import { createScene, type Scene } from "../testing/scenes/scene.ts";
import type { Reply } from "../testing/world.ts";

let scene: Scene;
beforeAll(async () => void (scene = await createScene()));
afterAll(() => scene.world.stop());

const missing = "0190a000-0000-7000-8000-ffffffffffff";
const missingSensor = "02:00:00:00:00:99";
const answer = (reply: Reply) => [reply.status, reply.code];

const addressed = calls.filter(
  (call) =>
    call.path.includes("{id}") &&
    call.caller !== "device" &&
    call.upload === undefined &&
    // These calls never reveal whether an object exists: any wrong key or token gets a 401.
    !["exchangeDisplayKey", "getVehiclePositions"].includes(call.name),
);

function addressOfNothing(call: AnyEndpoint, query?: string): string {
  const { params = {} } = sampleOf(call, scene.ids);
  const id = params["id"]?.includes(":") ? missingSensor : missing;
  return addressOf(call, { params: { ...params, id }, ...(query === undefined ? {} : { query }) });
}

test("T-02 PE-04 a missing id is 404 before query, body and headers are checked", async () => {
  expect(addressed.length).toBeGreaterThan(25);
  const { world, customer } = scene;
  for (const call of addressed) {
    const ask = async (wrong: string, query: string | undefined, options: Parameters<typeof world.call>[3]) => {
      const reply = await world.call(customer, call.method, addressOfNothing(call, query), options);
      expect(answer(reply), `${call.name} with ${wrong}`).toEqual([404, 105]);
    };
    const sent = call.method === "GET" ? {} : { body: {} };
    await ask("a foreign parameter", "planet=Mars", sent);
    await ask("a bad If-Match", undefined, { ...sent, headers: { "if-match": "x" } });
    await ask("an old If-Match", undefined, { ...sent, headers: { "if-match": "999" } });
    await ask("a bad Idempotency-Key", undefined, { ...sent, headers: { "idempotency-key": "x".repeat(201) } });
    if (call.method === "GET") continue;
    await ask("a foreign field", undefined, { body: { planet: "Mars" } });
    await ask("broken JSON", undefined, { body: "{" });
  }
});

test("ER-03 calls without a body refuse a broken one, too", async () => {
  const { world, customer } = scene;
  const bodiless = calls.filter((call) => call.caller === "session" && call.method !== "GET" && !call.body);
  for (const call of bodiless.filter(({ upload }) => upload === undefined)) {
    const send = (body: string) =>
      world.call(customer, call.method, addressOf(call, sampleOf(call, scene.ids)), { body });
    if (call.name === "endSession") continue;
    expect(answer(await send("{")), call.name).toEqual([400, 102]);
    for (const body of ['"text"', "[]", "7"]) expect(answer(await send(body)), call.name).toEqual([400, 402]);
    expect(answer(await send('{"planet":"Mars"}')), call.name).toEqual([400, 402]);
  }
});

test("T-27 an outdated version is reported last: after references and rights", async () => {
  const { world, customer, viewer, ids } = scene;
  const headers = { "if-match": "999" };
  const put = (who: typeof customer, path: string, body: object) => world.call(who, "PUT", path, { body, headers });
  const owned = [
    `/api/role/${ids.role}`,
    `/api/sensor/${ids.sensor}`,
    `/api/measurement/${ids.location}`,
    `/api/init_token/${ids.initToken}`,
    `/api/artifact/${ids.firmware}`,
  ];
  for (const path of owned) {
    expect(answer(await put(customer, path, { owner: missing })), path).toEqual([400, 103]);
    expect(answer(await put(viewer, path, { owner: missing })), path).toEqual([403, 305]);
    expect(answer(await put(customer, path, {})), path).toEqual([412, 102]);
  }
  const child = `/api/account/${ids.child}`;
  expect(answer(await put(customer, child, { role: missing }))).toEqual([400, 107]);
  expect(answer(await put(customer, child, {}))).toEqual([412, 102]);
  // The account has a child, which is checked before the version.
  const parent = await world.call(world.root, "DELETE", `/api/account/${ids.account}`, { headers });
  expect(answer(parent)).toEqual([403, 304]);
});

test("AC-11 an incomplete registration is reported after a bad role", async () => {
  const { world, customer, ids } = scene;
  const body = { name: "Kiosk", role: ids.role, email: "kiosk@example.com" };
  const kiosk = await world.call(customer, "POST", "/api/account", { body });
  const credentialChanges = [
    { operation: "ADD", email: "second@example.com", newPassword: "amber-compass-wheelhouse" },
  ];
  const put = (change: object) => world.call(customer, "PUT", `/api/account/${kiosk.id}`, { body: change });
  expect(answer(await put({ role: missing, credentialChanges }))).toEqual([400, 107]);
  expect(answer(await put({ credentialChanges }))).toEqual([409, 207]);
});

test("PE-01 ids are case-insensitive everywhere", async () => {
  const { world, customer, ids } = scene;
  const { root } = world;
  const owner = customer.id.toUpperCase();
  const sees = (roles: string[]) => ({ ownable: { role: { canViewObject: { roles } } } });
  const made = await world.call(root, "POST", "/api/role", {
    body: { name: "Loud", owner, permissions: sees([ids.role.toUpperCase()]) },
  });
  // Stored scopes are normalized, because they are compared as strings.
  expect([made.status, made.at("permissions.ownable.role.canViewObject.roles")]).toEqual([200, [ids.role]]);
  const path = `/api/role/${made.id.toUpperCase()}`;
  const same = await world.call(root, "PUT", path, { body: { owner } });
  expect([same.status, same.at("owner._id")]).toEqual([200, customer.id]);
  const spelled = [`objectID=${made.id.toUpperCase()}`, `objectID=${ids.sensor.replaceAll(":", "").toLowerCase()}`];
  for (const query of spelled) {
    const { list } = await world.call(root, "GET", `/api/v2/audit?${query}`);
    expect(list.length, query).toBeGreaterThan(0);
  }
});
