// Tests remote functions with the simulator as the sensor, as in the demo.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { requestInitToken } from "../testing/devices/remote-sensor.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

const simulator = join(import.meta.dirname, "../../../simulator/src/main.ts");

let world: World;
let owner: Person;
const fleets: ChildProcess[] = [];
let id: string;
beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway" } });
  owner = await world.account("Harbour Stores", world.root, fullPermissions);
  id = await simulated(world.url, "here");
});
afterAll(async () => {
  for (const fleet of fleets) fleet.kill("SIGKILL");
  await world.stop();
});

async function simulated(url: string, seed: string): Promise<string> {
  const before = new Set(await online());
  const token = await requestInitToken(world, owner);
  const args = [simulator, "fleet", "--count", "1", "--seed", seed, "--url", url, "--token", token];
  fleets.push(spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] }));
  return until("the simulated sensor online", async () => (await online()).find((one) => !before.has(one)));
}

async function online(): Promise<string[]> {
  const { list } = await world.call(owner, "GET", "/api/v2/sensor?connected=connected");
  return list.map((row) => String(row["_id"]));
}

const ask = (func: string, options: object | null = null, to = id) =>
  world.call(owner, "POST", `/api/sensor/${to}/request`, {
    body: {
      func,
      data: options === null ? "" : Buffer.from(JSON.stringify(options)).toString("base64"),
      timeout: 10_000,
    },
  });
const bytesOf = (data: unknown) => Buffer.from(String(data), "base64");
const jsonOf = (data: unknown): unknown => JSON.parse(bytesOf(data).toString());

test("SE-11 DE-02 a snapshot of the simulated sensor is a picture of the width asked for, taken now", async () => {
  const reply = await ask("getSnapshot", { width: 320, blur: true });
  expect([reply.status, reply.at("ct")], JSON.stringify(reply.body).slice(0, 200)).toEqual([200, "image/png"]);
  const picture = bytesOf(reply.at("data"));
  expect(picture.subarray(1, 4).toString()).toBe("PNG");
  expect(picture.readUInt32BE(16)).toBe(320);
  expect(Math.abs(Number(reply.at("timestamp")) - Date.now())).toBeLessThan(60_000);
});

test("SE-11 DE-02 the simulated sensor uploads to this server, tells how fast, and resets its network", async () => {
  expect(jsonOf((await ask("generalUploadTest", { bytes: 20_000 })).at("data"))).toMatchObject({
    http: 200,
    bytes: 20_000,
  });
  expect(jsonOf((await ask("resetNetworkConfig")).at("data"))).toMatchObject({ willApplyInS: 5 });
});

test("SE-11 DE-02 refusals of the simulated sensor are 510 with its message", async () => {
  // This sensor knows the server by another host name than that of the upload URL.
  const elsewhere = await simulated(world.url.replace("127.0.0.1", "localhost"), "elsewhere");
  const reply = await ask("generalUploadTest", null, elsewhere);
  expect([reply.code, reply.at("details.deviceCode")]).toEqual([510, "FOREIGN_URL"]);
});
