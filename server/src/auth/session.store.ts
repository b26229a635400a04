// SQL about the open sessions of one login, nothing else.
import type { Reader, Tx } from "../db/database.ts";

const columns = ["id", "created_at", "last_used_at", "expires_at", "user_agent"] as const;

/** Sessions of the login that still open something: not expired, and used since `idleSince`. */
export async function findOpenSessions(db: Reader, credentialId: string, now: Date, idleSince: Date) {
  return db
    .selectFrom("session")
    .select(columns)
    .where("credential_id", "=", credentialId)
    .where("expires_at", ">", now)
    .where("last_used_at", ">", idleSince)
    .orderBy("last_used_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

/** Locks the sessions of the login that are meant: one of them, or all but one. */
export async function lockSessions(tx: Tx, credentialId: string, which: { only: string } | { but: string }) {
  return tx
    .selectFrom("session")
    .select(columns)
    .where("credential_id", "=", credentialId)
    .where("id", "only" in which ? "=" : "!=", "only" in which ? which.only : which.but)
    .orderBy("id")
    .forUpdate()
    .execute();
}
export type StoredSession = Awaited<ReturnType<typeof lockSessions>>[number];

export async function findPasswordHash(db: Reader, credentialId: string): Promise<string | null> {
  const row = await db
    .selectFrom("credential")
    .select("password_hash")
    .where("id", "=", credentialId)
    .where("is_deleted", "=", false)
    .executeTakeFirst();
  return row?.password_hash ?? null;
}

/** False when the session has ended. Whoever ends it from now on waits for the commit. */
export async function holdSession(tx: Tx, id: string, now: Date): Promise<boolean> {
  const row = await tx
    .selectFrom("session")
    .select("id")
    .where("id", "=", id)
    .where("expires_at", ">", now)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}
