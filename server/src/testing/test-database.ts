// A migrated database for the tests of one file, without a server.
import { pino } from "pino";
import { type Database, openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { createTestDatabase } from "./postgres.ts";

/** `pool`: maximum of connections. */
export async function openTestDatabase(pool: number): Promise<{ db: Database; close: () => Promise<void> }> {
  const { url, drop } = await createTestDatabase(migrate);
  const db = openDatabase(url, { pool, log: pino({ level: "silent" }) });
  return { db, close: () => db.destroy().then(drop) };
}
