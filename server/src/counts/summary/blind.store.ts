// Query that limits the blind sensors of a report to those that the caller may view.
import { sql } from "kysely";
import type { Reader } from "../../db/database.ts";
import type { Caller } from "../../kit/caller.ts";
import { visibleSensors } from "../../sensor/sensor.rights.ts";

export async function filterVisibleSensors(db: Reader, caller: Caller, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from sensor where id = any(${[...ids]}::text[]) and not is_deleted and ${visibleSensors(caller)}`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}
