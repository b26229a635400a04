// Tests that neither the server process nor its parent process outlives the other.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "./db/database.ts";
import { migrate } from "./db/migrate.ts";
import { createTestDatabase, type TestDatabase } from "./testing/postgres.ts";
import { until } from "./testing/devices/device-world.ts";
import { untilSomebodyWaits } from "./testing/waiting.ts";

let place: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  place = await createTestDatabase(migrate);
  dataDir = mkdtempSync(join(tmpdir(), "psp-main-"));
});
afterAll(async () => {
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

function start() {
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts")], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: {
      PATH: process.env["PATH"] ?? "",
      DATABASE_URL: place.url,
      DATA_DIR: dataDir,
      DRAIN_SECONDS: "0",
      HOST: "127.0.0.1",
      PORT: "0",
      MQTT_PORT: "0",
      LOG_LEVEL: "info",
      INSTANCE_NAME: "one",
    },
  });
  let said = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (said += text));
  const logged = () => said.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as object] : []));
  const isReady = () => said.includes("is ready at");
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  return { child, isReady, isGone, logged };
}

test("a starting process ends with its parent", { tags: "prove" }, async () => {
  const early = start();
  early.child.disconnect();
  const db = openDatabase(place.url, { pool: 2, log: pino({ level: "silent" }) });
  const halfWay = await db.transaction().execute(async (tx) => {
    await sql`lock table account in access exclusive mode`.execute(tx);
    const started = start();
    try {
      await untilSomebodyWaits(db);
      started.child.disconnect();
      // The lock blocks the start until both processes are gone.
      await until("both are gone", () => early.isGone() && started.isGone());
    } finally {
      for (const { child } of [early, started]) child.kill("SIGKILL");
    }
    return started;
  });
  expect([early.isReady(), halfWay.isReady()]).toEqual([false, false]);
  await db.destroy();
});

test("a running process ends with its parent; each log line has its name and parts", async () => {
  const { child, isReady, isGone, logged } = start();
  try {
    await until("it is ready", isReady);
    child.disconnect();
    await until("it is gone", isGone);
    expect(child.exitCode).toBe(0);
    const lines = logged();
    expect(lines).toContainEqual(expect.objectContaining({ msg: "stopping" }));
    for (const line of lines) expect(line).toMatchObject({ process: "one", parts: "api,gateway,worker" });
  } finally {
    child.kill("SIGKILL");
  }
});

test("a killed process leaves compiled code for the next start", { tags: "prove" }, async () => {
  const cache = join(dataDir, "cache");
  const countFiles = async () => (await readdir(cache, { recursive: true }).catch(() => [])).length;
  const startAndKill = async (isDone: () => Promise<boolean>) => {
    const { child, isGone } = start();
    try {
      await until("it is ready and has written its code", isDone);
    } finally {
      child.kill("SIGKILL");
      await until("it is gone", isGone);
    }
  };
  await rm(cache, { recursive: true, force: true });
  await startAndKill(async () => existsSync(cache));
  expect(await countFiles()).toBe(0);
  await startAndKill(async () => (await countFiles()) > 100);
});
