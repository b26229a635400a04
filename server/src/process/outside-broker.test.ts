// Runs the whole server with a broker that asks it over HTTP, also about the server's own login, and a simulated sensor.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createDatabaseWire } from "../testing/database/database-wire.ts";
import { type AskingBroker, startAskingBroker } from "../testing/devices/asking-broker.ts";
import { until } from "../testing/devices/device-world.ts";
import { requestInitToken } from "../testing/devices/remote-sensor.ts";
import { findFreePorts } from "../testing/free-ports.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

const secret = randomBytes(24).toString("hex");
let broker: AskingBroker;
let world: World;
let owner: Person;

beforeAll(async () => {
  const [port = 0] = await findFreePorts(1);
  broker = await startAskingBroker(`http://127.0.0.1:${port}`, secret);
  world = await createWorld({
    env: {
      PORT: String(port),
      PARTS: "api,gateway",
      MQTT_URL: `mqtt://gateway:${randomBytes(16).toString("hex")}@127.0.0.1:${broker.port}`,
      MQTT_AUTH: "http",
      MQTT_AUTH_SECRET: secret,
    },
  });
  owner = await world.account("Owner", world.root, fullPermissions);
});
afterAll(async () => {
  await world.stop();
  await broker.stop();
});

test("DE-02 a simulated sensor works through a broker that asks over HTTP until it is deleted", async () => {
  const id = "02:0C:1A:2B:01:01";
  const token = await requestInitToken(world, owner);
  // A station is open every day.
  const options = { url: world.url, token, id, kind: "station", history: "1d" };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const simulator = join(import.meta.dirname, "../../../simulator/src/main.ts");
  const child = spawn(process.execPath, [simulator, "one", ...args, "--exit-with-parent"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  onTestFinished(() => void child.kill());
  await until("it is online", async () => {
    const reply = await world.call(owner, "GET", `/api/sensor/${id}`);
    return reply.at("scomState.isConnected") === true;
  });
  const wire = "020c1a2b0101";
  expect(broker.isConnected(wire)).toBe(true);
  await until("its counts are stored", async () => {
    const row = await world.ctx.db.selectFrom("count_day").select("sensor_num").executeTakeFirst();
    return row !== undefined;
  });
  expect((await world.call(owner, "DELETE", `/api/sensor/${id}`)).status).toBe(200);
  await until("it is disconnected", () => !broker.isConnected(wire));
});

test("a process whose broker is away starts, serves, and becomes ready when the broker comes", async () => {
  const [port = 0] = await findFreePorts(1);
  const far = await startAskingBroker(`http://127.0.0.1:${port}`, secret);
  const wire = await createDatabaseWire(`mqtt://gateway:${secret}@127.0.0.1:${far.port}`);
  wire.cut();
  const logged: string[] = [];
  const waiting = await createWorld({
    env: {
      PORT: String(port),
      PARTS: "api,gateway,worker",
      MQTT_URL: wire.url,
      MQTT_AUTH: "http",
      MQTT_AUTH_SECRET: secret,
    },
    log: pino({ level: "warn" }, { write: (line) => void logged.push(line) }),
  });
  onTestFinished(async () => {
    wire.cut();
    await waiting.stop();
    await far.stop();
  });
  const ready = async () => (await waiting.call(null, "GET", "/health/ready")).status;
  expect(await ready()).toBe(503);
  expect(logged.join("")).toContain("the broker is not connected");
  expect((await waiting.call(waiting.root, "GET", "/api/auth/user")).status).toBe(200);
  await wire.mend();
  await until("ready", async () => (await ready()) === 200);
});

test("T-32 requests of the broker that can't be read are denied; without its secret nothing is read", async () => {
  const ask = async (path: string, body: string, headers: Record<string, string> = {}) =>
    world.call(null, "POST", path, { body, headers: { "content-type": "application/json", ...headers } });
  const known = { authorization: `Bearer ${secret}` };
  for (const body of ["", "{", "[]", "null", "{}", JSON.stringify({ topic: "x".repeat(500_000) })])
    for (const path of ["/broker/v1/authorize", "/broker/v1/authenticate"]) {
      expect(await ask(path, body, known)).toMatchObject({ status: 200, body: { result: "deny" } });
      expect((await ask(path, body)).status).toBe(401);
    }
  expect((await world.call(world.root, "POST", "/broker/v1/authorize", { body: {} })).status).toBe(401);
  for (const path of ["/broker", "/broker/v1", "/broker/v1/authorize"])
    expect((await world.call(null, "GET", path)).status).toBe(404);
});
