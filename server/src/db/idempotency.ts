// Idempotency keys of the past.
import type { Database } from "./database.ts";

export async function deleteIdempotencyKeys(db: Database, until: Date): Promise<void> {
  await db.deleteFrom("idempotency").where("created_at", "<=", until).execute();
}
