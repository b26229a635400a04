// Compares the feed of a simulated coach with the preview of its sensor.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { FeedMessage } from "@psp/contract/feed/feed.api.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { requestInitToken } from "../testing/devices/remote-sensor.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";
import { createFeedGenerator } from "./feed.service.ts";

/** At this time the coach is outside railway tunnels and its camera is not covered. */
const from = "2026-01-05T12:01:00Z";
const simulator = join(import.meta.dirname, "../../../simulator/src/main.ts");
let world: World;
let owner: Person;
let fleet: ChildProcess;
beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway" } });
  owner = await world.account("Tram Lines", world.root, fullPermissions);
  const args = ["fleet", "--count", "1", "--types", "ZOD", "--seed", "feed", "--from", from, "--url", world.url];
  const token = await requestInitToken(world, owner);
  fleet = spawn(process.execPath, [simulator, ...args, "--token", token], { stdio: ["ignore", "ignore", "inherit"] });
});
afterAll(async () => {
  fleet.kill("SIGKILL");
  await world.stop();
});

async function feedNow(): Promise<FeedMessage> {
  const { bytes } = await createFeedGenerator(world.ctx)({ ...owner, permissions: fullPermissions }, "json");
  return JSON.parse(bytes.toString()) as FeedMessage;
}

test("SE-06 a simulated coach is in the feed with vehicle id, position and occupancy", async () => {
  const sensor = await until("the sensor", async () => (await world.call(owner, "GET", "/api/v2/sensor")).list[0]);
  const rpc = async (method: string, params: JsonObject) => {
    const body = { jsonrpc: "2.0", id: 1, method, params };
    return world.call(owner, "POST", `/api/sensor/${String(sensor["_id"])}/rpc`, { body });
  };
  // The feed and the preview are read one after the other. They are read again if people passed the door in between.
  const { vehicle, position, gps } = await until("a count and a position, and the same count in both", async () => {
    const [entity] = (await feedNow()).entity;
    const [seen, fix] = [await rpc("preview.get", { kind: "occupancy" }), await rpc("preview.get", { kind: "gps" })];
    const { vehicle: coach, position: place, occupancyPercentage } = entity?.vehicle ?? {};
    if (seen.status !== 200 || fix.status !== 200 || fix.at("result.fix") === "none") return null;
    if (!coach || !place || occupancyPercentage === undefined) return null;
    const sections = seen.at("result.sections") as { persons: number | null; capacity: number }[];
    const places = sections.reduce((sum, { capacity }) => sum + capacity, 0);
    const people = sections.reduce((sum, { persons }) => sum + (persons ?? Number.NaN), 0);
    const isSame = occupancyPercentage === Math.round((people * 100) / places);
    return isSame && { vehicle: coach, position: place, gps: fix };
  });
  const group = await rpc("config.get", { section: "group" });
  expect(vehicle.id).toBe(group.at("result.values.coach.vehicleId"));
  expect(Math.abs(Number(gps.at("result.lat")) - position.latitude)).toBeLessThan(0.1);
  expect(Math.abs(Number(gps.at("result.lng")) - position.longitude)).toBeLessThan(0.1);
});
