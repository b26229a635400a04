// Starts the embedded database unless another one is configured, migrates it and opens the pool.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import { type Database, isDatabaseUnavailable, openDatabase } from "../database.ts";
import { migrate } from "../migrate.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";

/** Calls `add` with each started part, in the order of the start, so that the caller can stop them. */
export async function startDatabase(
  { database, dataDir }: Config,
  log: Logger,
  add: (running: { stop(): Promise<void> }) => void,
): Promise<{ url: string; db: Database }> {
  let { url } = database;
  if (url === null) {
    const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, "postgres"), log });
    add(postgres);
    ({ url } = postgres);
  }
  const applied = await whenAvailable(() => migrate(url, undefined, log), log);
  if (applied.length > 0) log.info({ applied }, "the database schema is up to date");
  const db = openDatabase(url, { pool: database.pool, log });
  add({ stop: () => db.destroy() });
  return { url, db };
}

const retryMs = 250;
const warnEveryMs = 30_000;

/** Waits for a database that restarts or fails over, because a process that gave up would be restarted later and later. */
async function whenAvailable<T>(work: () => Promise<T>, log: Logger): Promise<T> {
  let warnedAt = -warnEveryMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (performance.now() - warnedAt >= warnEveryMs) {
        warnedAt = performance.now();
        log.warn(
          { reason: error instanceof Error ? error.message : error },
          "the database is not available; waiting for it",
        );
      }
      await delay(retryMs);
    }
  }
}
