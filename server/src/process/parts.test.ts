// Tests the server as several processes on one database: each is notified of what the others do.
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { upTopic } from "@psp/contract/device/device-topics.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { connectAsync } from "mqtt";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Server } from "./server.ts";
import { birth, connectDevice, until } from "../testing/devices/device-world.ts";
import { cookieOf, upgrade, visit } from "../testing/requests/page-browser.ts";
import { enrolSensor, requestInitToken } from "../testing/devices/remote-sensor.ts";
import { openTunnel } from "../testing/devices/tunnel-device.ts";
import { startBeside } from "../testing/scenes/second-server.ts";
import { createWorld, type World } from "../testing/world.ts";

let world: World;
let gateway: Server;
let secondApi: Server;
const folders: string[] = [];

async function part(parts: string): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "psp-part-"));
  folders.push(folder);
  return startBeside(world, parts, folder);
}

beforeAll(async () => {
  world = await createWorld();
  gateway = await part("gateway");
  secondApi = await part("api,worker");
});
afterAll(async () => {
  await secondApi.stop();
  await gateway.stop();
  await world.stop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

test("DE-01 a sensor at the gateway's process appears connected at the API's", async () => {
  const token = await requestInitToken(world, world.root);
  const { mqtt } = await enrolSensor(gateway.url, { token, id: "02:00:00:00:AA:01" });
  const live = await world.live(world.root);
  const device = await connectAsync(`mqtt://127.0.0.1:${gateway.mqttPort}`, {
    protocolVersion: 5,
    clientId: mqtt.clientId,
    username: mqtt.username,
    password: mqtt.password,
    reconnectPeriod: 0,
  });
  const birth = { online: true, sid: "s", n: 1, ep: "e", seq: { first: 1, next: 1 } };
  await device.publishAsync(upTopic("02:00:00:00:AA:01", "state"), JSON.stringify(birth), { qos: 1 });
  await until("the live frame of the sensor online", () =>
    live.frames.some(
      (frame) =>
        "obj" in frame &&
        (frame.obj as { _id: string; scomState?: { isConnected: boolean } })._id === "02:00:00:00:AA:01" &&
        (frame.obj as { scomState?: { isConnected: boolean } }).scomState?.isConnected === true,
    ),
  );
  await device.endAsync();
});

test("FW-03 an older sensor is updated by the process with its tunnel, regardless of the requester", async () => {
  const id = "02:00:00:00:AA:02";
  const enrolled = await enrolSensor(gateway.url, { token: await requestInitToken(world, world.root), id });
  const device = await connectDevice(gateway.mqttPort ?? 0, enrolled);
  await device.up("state", birth("s1"));
  const orders: string[] = [];
  const tunnel = await openTunnel(gateway.url, device, (request, answer, body) => {
    if (request.url !== "/auth") orders.push(body);
    answer.end(request.url === "/auth" ? JSON.stringify({ access_token: "t" }) : "");
  });
  const firmware = await world.upload(world.root, { type: "APS", name: "9.9.9" }, Buffer.from("image"));
  const login = { feature: "restapi", username: "user-role-edit", password: "harbour-lantern" };
  const changed = await world.call(world.root, "PUT", `/api/sensor/${id}`, {
    body: { artifact: firmware.id, sensorFeatureCredentials: [login] },
  });
  expect(changed.status, JSON.stringify(changed.body)).toBe(200);
  await until("the order accepted", async () => {
    const sensor = await world.call(world.root, "GET", `/api/sensor/${id}`);
    return (
      sensor.at("psconnect.connectionStatus") === "connected" &&
      sensor.at("sensorUpdateTask.status") === "UpdateInitiatedOnSensor"
    );
  });
  expect(orders).toHaveLength(1);
  expect((JSON.parse(orders[0] ?? "{}") as { Packet_url: string }).Packet_url).toContain(gateway.url);
  await world.call(world.root, "DELETE", `/api/sensor/${id}`);
  expect(await tunnel.closed).toBe(4401);
  await device.end();
});

test("a right removed at one API process is soon gone at the other", async () => {
  const person = await world.account("two doors", world.root, fullPermissions);
  const there = (path: string) =>
    fetch(secondApi.url + path, { headers: { authorization: `Bearer ${person.token}` } }).then((reply) => reply.status);
  expect(await there("/api/auth/user")).toBe(200);
  expect((await world.call(world.root, "DELETE", `/api/account/${person.id}`)).status).toBe(200);
  await until("the other process refuses", async () => (await there("/api/auth/user")) === 401);
});

test("the gateway alone serves only devices and operators", async () => {
  const status = (path: string) => fetch(gateway.url + path).then((reply) => reply.status);
  expect(await status("/health")).toBe(200);
  expect(await status("/metrics")).toBe(200);
  expect(await status("/api/openapi.json")).toBe(404);
  expect(await status("/")).toBe(404);
});

test("PC-01 PC-02 SE-06 sections and pages of a sensor work through the process with its tunnel", async () => {
  const owner = await world.account("Tram Lines", world.root, fullPermissions);
  const id = "02:00:00:00:53:77";
  const { mqtt } = await enrolSensor(gateway.url, { token: await requestInitToken(world, owner), id, type: "ZOD" });
  const picture = `/9j/${"A".repeat(60_000)}`;
  const camera = (n: number) => ({
    id: `c${n}`,
    name: `Camera ${n}`,
    state: "ok",
    width: 640,
    height: 360,
    jpeg: picture,
  });
  const tunnel = await openTunnel(
    gateway.url,
    { wire: mqtt.username, password: mqtt.password },
    (request, reply, body) => {
      if (request.url !== "/rpc") return void reply.end(`page of ${request.url}`);
      const { id: n, method } = JSON.parse(body) as { id: number; method: string };
      const result =
        method === "preview.get" ? { at: 1, cameras: [1, 2, 3, 4].map(camera) } : { rev: 2, applied: "now" };
      reply.writeHead(200).end(JSON.stringify({ jsonrpc: "2.0", id: n, result }));
    },
    (stream) => {
      stream.respond({ ":status": 200 });
      stream.pipe(stream);
    },
  );
  await until("connected", async () => {
    const sensor = await world.call(owner, "GET", `/api/sensor/${id}`);
    return sensor.at("psconnect.connectionStatus") === "connected";
  });
  const rpc = (method: string, params: object) =>
    world.call(owner, "POST", `/api/sensor/${id}/rpc`, { body: { jsonrpc: "2.0", id: 1, method, params } });
  expect((await rpc("preview.get", { kind: "cameras" })).at("result.cameras.3.jpeg")).toBe(picture);
  const endpoint = (n: number) => ({
    id: `e${n}`,
    name: `Receiver ${n}`,
    enabled: true,
    url: `https://receiver.example/${"x".repeat(200)}`,
    username: "u".repeat(64),
    password: "p".repeat(128),
  });
  const set = await rpc("config.set", {
    section: "dataendpoint",
    values: { endpoints: [1, 2, 3].map(endpoint) },
    rev: 1,
  });
  expect(set.at("result.rev")).toBe(2);
  const psconnect = await world.call(owner, "POST", `/api/sensor/${id}/psconnect`, {
    body: { func: "getAutoLoginToken", params: { service: "device-hmi", user: "user-role-edit" } },
  });
  const host = `${mqtt.username}.devices.localhost`;
  const cookie = `psp_remote=${cookieOf(await visit(world.url, host, `/?token=${String(psconnect.at("result"))}`))}`;
  for (const { url } of [world, gateway, secondApi])
    expect((await visit(url, host, "/x", { headers: { cookie } })).body).toBe("page of /x");
  const { socket, status } = await upgrade(world.url, host, "/live", { cookie });
  expect(status).toBe(101);
  socket?.write("echo");
  expect(await new Promise((resolve) => socket?.once("data", (chunk: Buffer) => resolve(chunk.toString())))).toBe(
    "echo",
  );
  const closed = new Promise((resolve) => socket?.once("close", resolve));
  const [session] = (await world.call(owner, "GET", `/api/sensor/${id}/remote-session`)).list;
  await world.call(owner, "DELETE", `/api/sensor/${id}/remote-session/${String(session?.["_id"])}`);
  await closed;
  for (const { url } of [world, gateway, secondApi])
    await until("ended here, too", async () => (await visit(url, host, "/x", { headers: { cookie } })).status === 403);
  tunnel.close();
});
