// Starts the embedded database unless another one is configured, migrates it and opens the pool.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { type Config } from "../../config.ts";
import { ConfigError } from "../../environment.ts";
import { inspectPooling, type Pooling } from "../connection/pooling.ts";
import { type Database, defaultStatementTimeoutMs, isDatabaseUnavailable, openDatabase } from "../database.ts";
import { migrate } from "../migrate.ts";
import { inspectReplica } from "../replica/inspect.ts";
import { archiveFolder } from "./archive-folder.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import { readInstallationNumber } from "./installation.ts";
import { archiveSettings, dropArchiveSlot, startWalArchive } from "./wal-archive.ts";

type Add = (running: { stop(): Promise<void> }) => void;

export type StartedDatabase = {
  /** For connections that hold a session: notifications and locks. */
  directUrl: string;
  db: Database;
  /** For locks of sessions. The same as `db`, unless a pooler of transactions is in between. */
  direct: Database;
};

/** Calls `add` with each started part, in the order of the start, so that the caller can stop them. */
export async function startDatabase(config: Config, log: Logger, add: Add): Promise<StartedDatabase & { url: string }> {
  const open = (url: string, pool: number, pooling?: Pooling) => {
    const db = openDatabase(url, { pool, log, ...(pooling && { pooling }) });
    add({ stop: () => db.destroy() });
    return db;
  };
  const { url, directUrl } = config.database;
  if (url === null || directUrl === null) {
    const { url: ownUrl, archive } = await startOwn(config, log, add);
    const db = open(ownUrl, config.database.pool);
    await archive(db);
    return { url: ownUrl, directUrl: ownUrl, db, direct: db };
  }
  const pooling = await whenAvailable(() => inspectPooling({ url, directUrl }, defaultStatementTimeoutMs), log);
  if (pooling !== "none") log.info({ pooling }, "the database is behind a pooler");
  await whenAvailable(() => migrateLogging(directUrl, log), log);
  const { readUrl } = config.database;
  if (readUrl !== null) await whenAvailable(() => inspectReplica({ url: directUrl, readUrl }, log), log);
  const db = open(url, config.database.pool, pooling);
  const direct = pooling === "transaction" ? open(directUrl, directPool) : db;
  return { url, directUrl, db, direct };
}

/** Starts the embedded database. Call `archive` once the pool is open, so that the archive stops before it. */
async function startOwn({ dataDir, backupDir }: Config, log: Logger, add: Add) {
  if (existsSync(switchFile(dataDir)))
    throw new ConfigError("A restore into DATA_DIR was interrupted. Run the same `npm run restore` again to finish it");
  const folder = join(dataDir, "postgres");
  const settings = backupDir === null ? {} : archiveSettings;
  const { url, superuserUrl, stop } = await startEmbeddedPostgres({ dataDir: folder, log, settings });
  add({ stop });
  if (backupDir === null) await withSuperuser(superuserUrl, dropArchiveSlot);
  await migrateLogging(url, log);
  async function archive(db: Database): Promise<void> {
    if (backupDir === null) return;
    const target = archiveFolder(backupDir, await readInstallationNumber(db));
    add(startWalArchive({ url: superuserUrl, dataDir: folder, folder: target, log }));
  }
  return { url, archive };
}

/** Exists while a restore replaces the folders of DATA_DIR. */
export function switchFile(dataDir: string): string {
  return join(dataDir, "restoring", "switch.json");
}

export async function withSuperuser<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: "ps-platform backup" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
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
