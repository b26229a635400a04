// Tests the order in which the parts of a process start and stop.
import { createServer } from "node:http";
import { pino } from "pino";
import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { createRunningParts, type Part, startParts } from "./part.ts";
import { createUpgradeGuard } from "./upgrade.ts";

const log = pino({ level: "silent" });
const host = {
  ctx: { log },
  config: readConfig({
    HOST: "127.0.0.1",
    SESSION_SECRET: "s".repeat(40),
    DISPLAY_PRIVATE_KEY: "d".repeat(40),
    FIRMWARE_SIGNING_KEY: "f".repeat(40),
  }),
  upgrades: createUpgradeGuard(createServer(), new Set()),
};

test("what a process runs stops one after another, the last one added first, also after a failure", async () => {
  const order: string[] = [];
  const running = createRunningParts(log);
  running.add({ stop: () => void order.push("database") });
  running.add({ stop: () => Promise.reject(new Error("stuck")) });
  running.add({ stop: async () => void order.push("HTTP") });
  await running.stop();
  expect(order).toEqual(["HTTP", "database"]);
  await running.stop();
  expect(order).toHaveLength(2);
});

test("the parts stop at the same time, before what all of them need", async () => {
  const order: string[] = [];
  const names = ["live", "gateway", "jobs"];
  const everyoneStops = Promise.withResolvers<void>();
  const part = (name: string): Part<typeof host> => ({
    name,
    runsIn: ["api"],
    start: () => ({
      async stop() {
        order.push(name);
        if (order.length === names.length) everyoneStops.resolve();
        await everyoneStops.promise;
        order.push(`${name} stopped`);
      },
    }),
  });
  const running = createRunningParts(log);
  running.add({ stop: () => void order.push("database") });
  await startParts(names.map(part), host, running);
  await running.stop();
  expect(order.slice(0, 3)).toEqual(["jobs", "gateway", "live"]);
  expect(order.slice(3, 6).toSorted()).toEqual(["gateway stopped", "jobs stopped", "live stopped"]);
  expect(order.slice(6)).toEqual(["database"]);
});

test("parts that have started also stop if a later one can't start", async () => {
  const order: string[] = [];
  const running = createRunningParts(log);
  const started: Part<typeof host> = {
    name: "live",
    runsIn: ["api"],
    start: () => ({ missed: () => void order.push("missed"), stop: () => void order.push("stopped") }),
  };
  const broken: Part<typeof host> = { name: "jobs", runsIn: ["api"], start: () => Promise.reject(new Error("no")) };
  await expect(startParts([started, broken], host, running)).rejects.toThrow("no");
  running.missed();
  await running.stop();
  expect(order).toEqual(["missed", "stopped"]);
});
