// Controls interleavings: the test holds a row lock until another transaction waits for it.
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { until } from "./devices/device-world.ts";

/** Resolves when at least this many statements of the database wait for a lock. */
export async function untilSomebodyWaits(db: Database, atLeast = 1): Promise<void> {
  await until("somebody waits for a lock", async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows.length >= atLeast;
  });
}
