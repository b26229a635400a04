// SQL about sensors that wait for their device, nothing else.
import type { Tx } from "../../db/database.ts";

/** Sensors that are waited for since then or longer, the oldest first. */
export async function findAwaited(tx: Tx, since: Date, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom("sensor")
    .select("id")
    .where("awaited_since", "<=", since)
    .where("is_deleted", "=", false)
    .orderBy("awaited_since")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Those of them that are waited for still, locked in the order in which everybody locks them. */
export async function lockAwaited(tx: Tx, ids: readonly string[], since: Date): Promise<string[]> {
  const rows = await tx
    .selectFrom("sensor")
    .select("id")
    .where("id", "in", ids)
    .where("awaited_since", "<=", since)
    .where("is_deleted", "=", false)
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows.map(({ id }) => id);
}
