// A global lock for rights: only one writer at a time changes roles or the account tree.
import { sql } from "kysely";
import type { Tx } from "./database.ts";

const rightsLock = 7_305_113;

/**
 * Locks until the end of the transaction. `change`: for editing roles or moving subtrees. `use`: for a decision that depends on
 * them and must not race with such a change. Take it before any row lock.
 */
export async function lockRights(tx: Tx, mode: "use" | "change"): Promise<void> {
  if (mode === "change") await sql`select pg_advisory_xact_lock(${rightsLock})`.execute(tx);
  else await sql`select pg_advisory_xact_lock_shared(${rightsLock})`.execute(tx);
}
