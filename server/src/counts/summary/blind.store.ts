// Query that limits the blind sensors of a report to those that the caller may view.
import { sql } from "kysely";
import type { Reader } from "../../db/database.ts";
import { whereViewable } from "../../db/visible.ts";
import type { Caller } from "../../kit/caller.ts";

export async function filterVisibleSensors(db: Reader, caller: Caller, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from sensor where id = any(${[...ids]}::text[]) and not is_deleted and ${whereViewable(caller, "sensor", "sensor")}`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}
