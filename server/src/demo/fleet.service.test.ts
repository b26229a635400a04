// Checks that the simulated fleet, a child process, ends with its parent.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "../testing/world.ts";
import { startFleet } from "./fleet.service.ts";
import { seedDemo } from "./demo.seed.ts";

let world: World;
beforeAll(async () => void (world = await createWorld({ env: { DEMO: "on", DEMO_SENSORS: "12" } })));
afterAll(() => world.stop());

function workingIn(folder: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(folder);
    } catch {
      return false;
    }
  });
}

test.skipIf(process.platform !== "linux")("stopping waits for the end of a busy fleet without a gateway", async () => {
  const file = await seedDemo(world.ctx);
  const folder = join(world.ctx.config.dataDir, "fleet");
  const fleet = startFleet(world.ctx, file ?? "", world.url, 1);
  await expect.poll(() => existsSync(folder)).toBe(true);
  expect(workingIn(folder)).toHaveLength(1);
  await fleet.stop();
  expect(workingIn(folder)).toEqual([]);
});
