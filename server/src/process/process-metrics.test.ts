// Tests what a process reports about itself and its database pool.
import { afterAll, beforeAll, expect, test } from "vitest";
import { pino } from "pino";
import { readConfig } from "../config.ts";
import { type Context, createContext } from "../context.ts";
import { openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../testing/postgres.ts";
import { registerProcessMetrics } from "./process-metrics.ts";

let place: TestDatabase;
let ctx: Context;
beforeAll(async () => {
  place = await createTestDatabase(migrate);
  const log = pino({ level: "silent" });
  const secrets = {
    SESSION_SECRET: "s".repeat(40),
    DISPLAY_PRIVATE_KEY: "d".repeat(40),
    FIRMWARE_SIGNING_KEY: "f".repeat(40),
  };
  const config = readConfig({ ...secrets, HOST: "127.0.0.1", INSTANCE_NAME: "worker-2", PARTS: "worker" });
  ctx = createContext({ config, db: openDatabase(place.url, { pool: 2, log }), log });
  registerProcessMetrics(ctx);
});
afterAll(async () => {
  await ctx.db.destroy();
  await place.drop();
});

const connections = async () =>
  Object.fromEntries(
    [...(await ctx.metrics.registry.metrics()).matchAll(/^psp_database_connections\{state="(\w+)"\} (\d+)$/gm)].map(
      ([, state, value]) => [state, Number(value)],
    ),
  );

test("the metrics name the process, its version and its parts", async () => {
  const text = await ctx.metrics.registry.metrics();
  expect(text).toMatch(/^psp_process_info\{process="worker-2",version="\d+\.\d+\.\d+",parts="worker"\} 1$/m);
});

test("the metrics show busy and idle connections, and statements that wait for one", async () => {
  const gate = Promise.withResolvers<void>();
  const began = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const busy = began.map(({ resolve }) =>
    ctx.db.connection().execute(() => {
      resolve();
      return gate.promise;
    }),
  );
  await Promise.all(began.map(({ promise }) => promise));
  const third = ctx.db.connection().execute(async () => undefined);
  await expect.poll(connections).toEqual({ busy: 2, idle: 0, waiting: 1, limit: 2 });
  gate.resolve();
  await Promise.all([...busy, third]);
  expect(await connections()).toEqual({ busy: 0, idle: 2, waiting: 0, limit: 2 });
});
