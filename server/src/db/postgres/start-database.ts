// Starts the embedded database unless another one is configured, migrates it and opens the pool.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import { inspectPooling, type Pooling } from "../connection/pooling.ts";
import { type Database, defaultStatementTimeoutMs, isDatabaseUnavailable, openDatabase } from "../database.ts";
import { migrate } from "../migrate.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";

export type StartedDatabase = {
  /** For connections that hold a session: notifications and locks. */
  directUrl: string;
  db: Database;
  /** For locks of sessions. The same as `db`, unless a pooler of transactions is in between. */
  direct: Database;
};

/** Calls `add` with each started part, in the order of the start, so that the caller can stop them. */
export async function startDatabase(
  { database, dataDir }: Config,
  log: Logger,
  add: (running: { stop(): Promise<void> }) => void,
): Promise<StartedDatabase & { url: string }> {
  const open = (url: string, pool: number, pooling: Pooling = "none") => {
    const db = openDatabase(url, { pool, log, pooling });
    add({ stop: () => db.destroy() });
    return db;
  };
  const { url, directUrl } = database;
  if (url === null || directUrl === null) {
    const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, "postgres"), log });
    add(postgres);
    await migrateLogging(postgres.url, log);
    const db = open(postgres.url, database.pool);
    return { url: postgres.url, directUrl: postgres.url, db, direct: db };
  }
  const pooling = await whenAvailable(() => inspectPooling({ url, directUrl }, defaultStatementTimeoutMs), log);
  if (pooling !== "none") log.info({ pooling }, "the database is behind a pooler");
  await whenAvailable(() => migrateLogging(directUrl, log), log);
  const db = open(url, database.pool, pooling);
  const direct = pooling === "transaction" ? open(directUrl, directPool) : db;
  return { url, directUrl, db, direct };
}

/** Jobs share one connection for their locks; another one replaces it after it was lost. */
const directPool = 2;

async function migrateLogging(url: string, log: Logger): Promise<void> {
  const applied = await migrate(url, undefined, log);
  if (applied.length > 0) log.info({ applied }, "the database schema is up to date");
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
