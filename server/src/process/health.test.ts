// Tests the probes of load balancers and orchestrators while the process starts, works and loses its database.
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastifyCookie from "@fastify/cookie";
import fastify from "fastify";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../config.ts";
import { migrate } from "../db/migrate.ts";
import { consoleRoutes } from "../http/console.ts";
import { sendError } from "../http/error-reply.ts";
import type { StaticFile } from "../http/static-files.ts";
import { createRunningParts } from "../open/part.ts";
import { createDatabaseWire } from "../testing/database/database-wire.ts";
import { until } from "../testing/devices/device-world.ts";
import { findFreePorts } from "../testing/free-ports.ts";
import { createTestDatabase } from "../testing/postgres.ts";
import { createWorld } from "../testing/world.ts";
import { startServer } from "./server.ts";

async function wiredDatabase() {
  const database = await createTestDatabase(migrate);
  const wire = await createDatabaseWire(database.url);
  onTestFinished(async () => {
    wire.cut();
    await database.drop();
  });
  return wire;
}

async function statusOf(url: string, path: string): Promise<[number, unknown]> {
  const response = await fetch(url + path);
  expect(response.headers.get("content-type"), path).toMatch(/json/);
  const body = (await response.json()) as { status?: unknown };
  return [response.status, body.status];
}

const probes = ["/health/live", "/health/ready", "/health"];
const all = (url: string) => Promise.all(probes.map((path) => statusOf(url, path)));

test("a process that waits for its database is alive, not ready, and starts when the database comes", async () => {
  const wire = await wiredDatabase();
  wire.cut();
  const dataDir = mkdtempSync(join(tmpdir(), "psp-health-"));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const [port = 0] = await findFreePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const config = readConfig({
    DATABASE_URL: wire.url,
    DATA_DIR: dataDir,
    HOST: "127.0.0.1",
    PORT: String(port),
    PARTS: "api",
    LOG_LEVEL: "silent",
    TEST_HASHING: "on",
  });
  const atReady: unknown[] = [];
  const starting = startServer(config, pino({ level: "silent" }), {
    async beforeReady() {
      atReady.push(...(await all(url)));
    },
  });
  await until("it listens", () =>
    fetch(`${url}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const waiting = [
    [200, "ok"],
    [503, "starting"],
    [503, "starting"],
  ];
  expect(await all(url)).toEqual(waiting);
  expect(await statusOf(url, "/api/auth/user")).toEqual([503, 503]);
  await wire.mend();
  const server = await starting;
  onTestFinished(() => server.stop());
  expect(atReady).toEqual(waiting);
  expect((await all(url)).map(([status]) => status)).toEqual([200, 200, 200]);
});

test("a process with a database that hangs is alive, answers within the bound, and recovers", async () => {
  const wire = await wiredDatabase();
  const world = await createWorld({ env: { DATABASE_URL: wire.url } });
  onTestFinished(() => world.stop());
  wire.freeze();
  // Many monitors at once share one attempt.
  const answers = await Promise.all(Array.from({ length: 20 }, () => all(world.url)));
  wire.thaw();
  for (const answer of answers)
    expect(answer).toEqual([
      [200, "ok"],
      [503, "unavailable"],
      [503, "unavailable"],
    ]);
  await until("it is ready again", async () => (await statusOf(world.url, "/health/ready"))[0] === 200);
});

test("a process that drains is alive, not ready, and closes the connection with each response", async () => {
  const world = await createWorld({ env: { DRAIN_SECONDS: "0" } });
  onTestFinished(() => world.stop());
  expect((await fetch(`${world.url}/health/live`)).headers.get("connection")).toBe("keep-alive");
  await world.server.drain();
  expect(await all(world.url)).toEqual([
    [200, "ok"],
    [503, "stopping"],
    [503, "stopping"],
  ]);
  const call = await world.call(world.root, "GET", "/api/auth/user");
  expect([call.status, call.headers.get("connection")]).toEqual([200, "close"]);
});

test("a part that is not ready keeps the traffic away", () => {
  const running = createRunningParts(pino({ level: "silent" }));
  let answer: true | string = "the broker is not connected";
  running.add({ stop: () => undefined });
  running.add({ stop: () => undefined, isReady: () => answer });
  expect(running.findMissing()).toEqual(["the broker is not connected"]);
  answer = true;
  expect(running.findMissing()).toEqual([]);
});

test("unknown paths of operators, devices and calls are 404 as JSON, never the console's page", async () => {
  const world = await createWorld();
  onTestFinished(() => world.stop());
  const app = fastify();
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, world.ctx.log));
  await app.register(fastifyCookie);
  const html = { bytes: Buffer.from('<html><script src="/config.js"></script></html>'), encoding: "identity" };
  const page = { type: "text/html", variants: new Map([["identity", html]]) } as unknown as StaticFile;
  const files = new Map([["/index.html", page]]);
  await consoleRoutes(
    app,
    world.ctx,
    () => Promise.resolve(null),
    { files, scriptHashes: [] },
    () => null,
  );
  const typeOf = async (url: string) => {
    const { statusCode, headers } = await app.inject({ url });
    return [url, statusCode, headers["content-type"]];
  };
  const parents = ["/health", "/metrics", "/dev", "/data", "/live", "/device", "/api", "/api/v2", "/assets", "/mqtt"];
  const paths = [
    ...parents.flatMap((parent) => [`${parent}/x`, `${parent}/x/y`, `${parent}/`]),
    "/healthz",
    "/livez",
    "/readyz",
    "/ready",
    "/healthz?verbose",
    "/health/live/x",
    "/health/ready/",
  ];
  for (const path of paths) expect(await typeOf(path)).toEqual([path, 404, "application/problem+json; charset=utf-8"]);
  for (const path of ["/", "/sensor/x", "/healthy", "/lively", "/status"])
    expect(await typeOf(path)).toEqual([path, 200, "text/html"]);
});
