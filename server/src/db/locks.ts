// Locks that many writers take: a global one for rights, and rows of sensors.
import { sql } from "kysely";
import type { Tx } from "./database.ts";

const rightsLock = 7_305_113;

/**
 * Locks rights until the end of the transaction: only one writer at a time changes roles or the account tree. `change`: for editing roles or moving subtrees. `use`: for a decision that depends on
 * them and must not race with such a change. Take it before any row lock.
 */
export async function lockRights(tx: Tx, mode: "use" | "change"): Promise<void> {
  if (mode === "change") await sql`select pg_advisory_xact_lock(${rightsLock})`.execute(tx);
  else await sql`select pg_advisory_xact_lock_shared(${rightsLock})`.execute(tx);
}

/** Locks the rows in order of id, as all writers do, to prevent deadlocks. This also locks the tasks and devices of these sensors. */
export async function lockSensorRows(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`select from sensor where id = any(${[...ids]}::text[]) order by id for no key update`.execute(tx);
}
