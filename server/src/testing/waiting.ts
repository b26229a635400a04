// For interleavings that a test decides: it holds a row, and releases it when somebody is known to wait for it.
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { until } from "./devices/device-world.ts";

/** Resolves when some statement of this database waits for a lock, or as many as are named. */
export async function untilSomebodyWaits(db: Database, atLeast = 1): Promise<void> {
  await until("somebody waits for a lock", async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows.length >= atLeast;
  });
}
