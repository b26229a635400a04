// Checks that the simulated fleet finishes the seeded rollout.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "../testing/world.ts";
import { seedDemo } from "./demo.seed.ts";

let world: World;
let fleet: ChildProcess | null = null;
beforeAll(async () => {
  world = await createWorld({ env: { DEMO: "on", DEMO_SENSORS: "240", PARTS: "api,gateway,worker" } });
});
afterAll(async () => {
  fleet?.kill("SIGKILL");
  await world.stop();
});

type Seen = {
  _id: string;
  scomState: { isConnected: boolean; lastContactAt: string | null };
  sensorUpdateTask: { status: string | null; info: string | null } | null;
};

async function all(): Promise<Seen[]> {
  return (await world.call(world.root, "GET", "/api/v2/sensor?limit=500")).list as unknown as Seen[];
}

async function tasks(): Promise<NonNullable<Seen["sensorUpdateTask"]>[]> {
  return (await all()).flatMap(({ sensorUpdateTask }) => sensorUpdateTask ?? []);
}

test(
  "SE-09 FW-03 DB-01 the demo shows a rollout in all states and four sensors without contact",
  { timeout: 300_000, tags: "prove" },
  async () => {
    const file = await seedDemo(world.ctx);
    expect((await tasks()).map(({ status }) => status).filter((status) => status !== null)).toEqual(["UpdateCanceled"]);
    const simulator = join(import.meta.dirname, "../../../simulator/src/main.ts");
    const mqtt = `mqtt://127.0.0.1:${world.server.mqttPort}`;
    const args = ["fleet", "--credentials", file ?? "", "--mqtt", mqtt, "--url", world.url, "--hurry", "20"];
    fleet = spawn(process.execPath, [simulator, ...args], { stdio: ["ignore", "ignore", "inherit"] });
    const ends = async () =>
      (await tasks()).map(({ status, info }) => `${status} ${info?.split(":")[0] ?? ""}`.trim()).toSorted();
    const installed = Array.from({ length: 6 }, () => "UpdateInitiatedOnSensor");
    await expect
      .poll(ends, { timeout: 240_000, interval: 500 })
      .toEqual(["UpdateCanceled", "UpdateFailed SELFTEST", ...installed, "null", "null"]);
    // Four sensors are not simulated: three went offline days ago, and one was never connected.
    const state = async () => {
      const stats = await world.call(world.root, "GET", "/api/v2/sensor/stats");
      const states = stats.at("totalByScomState") as { _id: string; count: number }[];
      return Object.fromEntries(states.map(({ _id, count }) => [_id, count]));
    };
    await expect.poll(state).toEqual({ connected: 236, disconnected: 4 });
    const away = (await all()).filter(({ scomState }) => !scomState.isConnected).map(({ scomState }) => scomState);
    const days = away.map(({ lastContactAt: at }) => (at === null ? null : (Date.now() - Date.parse(at)) / 86_400_000));
    expect(new Set(days.map((n) => n && Math.floor(n)))).toEqual(new Set([2, 5, 9, null]));
  },
);
