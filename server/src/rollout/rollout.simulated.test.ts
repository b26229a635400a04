// A simulated older APS gets its firmware through REST, from the upload to the running version.
import { type ChildProcess, spawn } from "node:child_process";

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestInitToken } from "../testing/devices/remote-sensor.ts";
import { until } from "../testing/devices/device-world.ts";
import { createRolloutScene, type RolloutScene } from "./scene.testing.ts";

const simulator = join(import.meta.dirname, "../../../simulator/src/main.ts");
const password = "harbour-lantern-9";
const folder = mkdtempSync(join(tmpdir(), "psp-rest-"));
const installsFile = join(folder, "installs");

let scene: RolloutScene;
let fleet: ChildProcess | null = null;
let ids: string[];
beforeAll(async () => {
  scene = await createRolloutScene();
  const token = await requestInitToken(scene.world, scene.owner);
  const options = {
    count: "2",
    types: "APS",
    url: scene.world.url,
    token,
    rest: password,
    hurry: "100",
    installs: installsFile,
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  fleet = spawn(process.execPath, [simulator, "fleet", ...args], { stdio: ["ignore", "ignore", "inherit"] });
  ids = await until("two simulated sensors with a tunnel", async () => {
    const { list } = await scene.world.call(scene.owner, "GET", "/api/v2/sensor?connected=connected");
    const there = list.filter((sensor) => JSON.stringify(sensor["psconnect"] ?? null).includes('"connected"'));
    return there.length === 2 && there.map((sensor) => String(sensor["_id"]));
  });
});
afterAll(async () => {
  fleet?.kill("SIGKILL");
  await scene.stop();
  rmSync(folder, { recursive: true, force: true });
});

const enter = (id: string, entry: object) =>
  scene.world.call(scene.owner, "PUT", `/api/sensor/${id}`, { body: { sensorFeatureCredentials: [entry] } });
const statusOf = (id: string) => until("an outcome", async () => (await scene.seen(id)).status);

test("FW-03 SE-09 SE-10 the simulated sensor downloads and runs an assigned firmware", async () => {
  const [id = ""] = ids;
  await enter(id, { feature: "restapi", username: "user-role-edit", password });
  const firmware = await scene.firmware("1.19.0");
  expect((await scene.assign(id, firmware)).status).toBe(200);
  expect(await statusOf(id)).toBe("UpdateInitiatedOnSensor");
  await until("the new version", async () => (await scene.seen(id)).running === "1.19.0");
  await until("the proof", async () => (await scene.seen(id)).install?.state === "FINISHED");
  const { body } = await scene.world.call(scene.owner, "GET", `/api/sensor/${id}`);
  expect(body).toMatchObject({
    artifactRunning: { _id: firmware, name: "1.19.0" },
    sensorUpdateTask: { status: "UpdateInitiatedOnSensor" },
    psconnect: { connectionStatus: expect.any(String) as string },
  });
  const installs = readFileSync(installsFile, "utf8").trim().split("\n");
  expect(installs.map((line) => JSON.parse(line) as object)).toMatchObject([{ sensor: id, version: "1.19.0" }]);
});

test("SE-09 SE-10 a wrong password and a user without the right are named as the reason", async () => {
  const [, id = ""] = ids;
  const firmware = await scene.firmware("1.20.0");
  const cases = [
    ["user-role-edit", "not-this-one", /credentials/],
    ["user-role-view", password, /update \(403\): This user can't update/],
  ] as const;
  for (const [username, given, info] of cases) {
    await enter(id, { feature: "restapi", username, password: given });
    await scene.assign(id, firmware);
    expect(await statusOf(id)).toBe("UpdateFailed");
    expect((await scene.seen(id)).info).toMatch(info);
    await scene.assign(id, null);
  }
  expect(readFileSync(installsFile, "utf8")).not.toContain(id);
});
