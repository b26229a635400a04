// Device credentials are refused by endpoints for people, and user credentials by endpoints for devices (T-16).
import { calls } from "@psp/contract/api.ts";
import type { AnyEndpoint } from "@psp/contract/kit/endpoint.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";
import { connect } from "mqtt";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { rawRequest } from "../testing/requests/raw-http.ts";
import { addressOf, sampleOf } from "../testing/scenes/samples.ts";
import { createScene, type Scene } from "../testing/scenes/scene.ts";
import { type Snapshot, captureSnapshot } from "../testing/snapshot.ts";
import { basicAuthHeader, fetchRefusal } from "../testing/devices/tunnel-device.ts";

const ownOrigin = "https://console.example.com";
const wire = "020000000050";
let scene: Scene;
let before: Snapshot;
let initToken = "";
let secret = "";

beforeAll(async () => {
  scene = await createScene({ PUBLIC_URL: ownOrigin, PARTS: "api,gateway" });
  const { world, customer, ids } = scene;
  initToken = String((await world.call(customer, "GET", `/api/init_token/${ids.initToken}`)).at("token"));
  const enrolled = await world.call(null, "POST", "/device/v1/enrol", {
    body: { token: initToken, id: "02:00:00:00:00:50", type: "APS", nonce: "1", time: world.ctx.clock.now() },
  });
  expect(enrolled.at("mqtt.username")).toBe(wire);
  secret = String(enrolled.at("mqtt.password"));
});
afterAll(() => scene.world.stop());
beforeEach(async () => void (before = await captureSnapshot(scene.world.ctx.db)));

const unchanged = async () => expect(await captureSnapshot(scene.world.ctx.db)).toEqual(before);

async function knock(call: AnyEndpoint, headers: Record<string, string>, path?: string): Promise<[number, unknown]> {
  const sample = sampleOf(call, scene.ids);
  const body = sample.body && JSON.stringify(sample.body);
  const reply = await rawRequest(scene.world.url, call.method, path ?? addressOf(call, sample), {
    headers: { ...(body ? { "content-type": "application/json" } : {}), ...headers },
    ...(body ? { body } : {}),
  });
  return [reply.status, (JSON.parse(reply.text) as { code: unknown }).code];
}

test("T-16 device credentials are refused by calls for people and by the live socket", async () => {
  const people = calls.filter(({ caller }) => caller === "session");
  expect(people.length).toBeGreaterThan(40);
  const ways: Record<string, Record<string, string>> = { Basic: basicAuthHeader({ wire, password: secret }) };
  for (const [what, value] of Object.entries({ "init token": initToken, "device secret": secret, "wire id": wire })) {
    ways[`${what} as bearer`] = { authorization: `Bearer ${value}` };
    ways[`${what} as cookie`] = { cookie: `__Host-psp_session=${value}`, origin: ownOrigin };
  }
  const knocks = people.flatMap((call) => Object.entries(ways).map(([way, headers]) => ({ call, way, headers })));
  for (const { call, way, headers } of everyNth(3, knocks))
    expect(await knock(call, headers), `${call.name} with ${way}`).toEqual([401, 106]);
  for (const call of people) {
    if (call.root !== "/data") continue;
    const address = addressOf(call, sampleOf(call, scene.ids));
    for (const value of [initToken, secret])
      expect(await knock(call, {}, `${address}&token=${value}`), call.name).toEqual([401, 106]);
  }
  for (const value of [initToken, secret, wire]) {
    const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const reply = await rawRequest(scene.world.url, "GET", `/live?token=${value}`, {
      headers: { ...upgrade, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" },
    });
    expect(reply.status).toBe(401);
  }
  await unchanged();
});

test("T-16 sessions and init tokens are refused by device calls, tunnels and MQTT", async () => {
  const { world, customer, ids } = scene;
  const devices = calls.filter(({ caller }) => caller === "device");
  expect(devices.length).toBeGreaterThan(2);
  for (const { token } of [customer, world.root]) {
    const headers = [
      { authorization: `Bearer ${token}` },
      { cookie: `__Host-psp_session=${token}`, origin: ownOrigin },
    ];
    for (const call of devices) {
      const params = Object.fromEntries([...call.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, token]));
      for (const who of headers) {
        expect([401, 404], call.name).toContain((await knock(call, who))[0]);
        // Sends the user's token in place of the device's credential in the path.
        if (Object.keys(params).length === 0) continue;
        expect([401, 404], call.name).toContain((await knock(call, who, addressOf(call, { params })))[0]);
      }
    }
    const body = { token, id: "02:00:00:00:00:51", type: "APS", nonce: "1", time: world.ctx.clock.now() };
    expect((await world.call(customer, "POST", "/device/v1/enrol", { body })).code).toBe(106);
    for (const password of [token, initToken]) {
      for (const login of [
        headers[0] ?? {},
        headers[1] ?? {},
        basicAuthHeader({ wire, password }),
        basicAuthHeader({ wire: ids.account, password }),
      ])
        expect(await fetchRefusal(world.url, login)).toBe("401");
      for (const username of [wire, customer.email, ids.account])
        expect(await entersMqtt(world.server.mqttPort ?? 0, username, password), username).toBe(false);
    }
  }
  expect(await entersMqtt(world.server.mqttPort ?? 0, wire, secret)).toBe(true);
});

function entersMqtt(port: number, username: string, password: string): Promise<boolean> {
  const client = connect(`mqtt://127.0.0.1:${port}`, {
    protocolVersion: 5,
    username,
    clientId: username,
    password,
    reconnectPeriod: 0,
  });
  client.on("error", () => undefined);
  return new Promise<boolean>((resolve) => {
    client.once("connect", () => resolve(true));
    client.once("close", () => resolve(false));
  }).finally(() => client.end(true));
}

test("T-32 without MQTT_AUTH=http no broker is answered", async () => {
  for (const path of ["/broker/v1/authenticate", "/broker/v1/authorize"])
    for (const authorization of ["Bearer ", "Bearer undefined", "Bearer null", `Bearer ${secret}`])
      expect((await scene.world.call(null, "POST", path, { body: {}, headers: { authorization } })).status).toBe(404);
});
