// Starts the embedded database unless another one is configured, migrates it and opens the pool.
import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import { type Database, openDatabase } from "../database.ts";
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
  const applied = await migrate(url);
  if (applied.length > 0) log.info({ applied }, "the database schema is up to date");
  const db = openDatabase(url, { pool: database.pool, log });
  add({ stop: () => db.destroy() });
  return { url, db };
}
