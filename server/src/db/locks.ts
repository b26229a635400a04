// The one lock above rows: who may do what, and who hangs below whom, changes for one writer at a time.
import { sql } from "kysely";
import type { Tx } from "./database.ts";

const rightsLock = 7_305_113;

/**
 * Held to the end of the transaction. `change`: roles are edited or subtrees move. `use`: something is decided by them
 * that must not race with such a change, like giving a role away. Take it first, before any row.
 */
export async function lockRights(tx: Tx, mode: "use" | "change"): Promise<void> {
  if (mode === "change") await sql`select pg_advisory_xact_lock(${rightsLock})`.execute(tx);
  else await sql`select pg_advisory_xact_lock_shared(${rightsLock})`.execute(tx);
}
