// Queries for sessions.
import { sql } from "kysely";
import { type Database, hasKey, type Reader, runByKey, type Tx } from "../db/database.ts";

const columns = ["id", "created_at", "last_used_at", "expires_at", "user_agent"] as const;

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

/** Locks an open session against deletion until the commit. Returns false if it has ended. */
export async function lockOpenSession(tx: Tx, id: string, now: Date): Promise<boolean> {
  const row = await tx
    .selectFrom("session")
    .select("id")
    .where("id", "=", id)
    .where("expires_at", ">", now)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

export type SessionFilter =
  | { sessionId: string }
  | { accountIds: string[] }
  /** `except`: the session to keep, because it changes the password of its own login. */
  | { credentialIds: string[]; except?: string };

export async function deleteSessions(tx: Tx, where: SessionFilter): Promise<string[]> {
  let query = tx.deleteFrom("session").returning("id");
  if ("sessionId" in where) query = query.where("id", "=", where.sessionId);
  else if ("accountIds" in where) query = query.where("account_id", "in", where.accountIds);
  else {
    if (where.credentialIds.length === 0) return [];
    query = query.where("credential_id", "in", where.credentialIds);
    if (where.except !== undefined) query = query.where("id", "!=", where.except);
  }
  return (await query.execute()).map(({ id }) => id);
}

/** Deletes sessions that have expired or were not used since `idleSince`. Returns their ids. */
export async function deleteExpiredSessions(db: Reader, now: Date, idleSince: Date): Promise<string[]> {
  const ended = await db
    .deleteFrom("session")
    .where((eb) => eb.or([eb("expires_at", "<=", now), eb("last_used_at", "<=", idleSince)]))
    .returning("id")
    .execute();
  return ended.map(({ id }) => id);
}

export async function deleteExpiredTicketsAndBrowsers(db: Database, now: Date, browsersSince: Date): Promise<void> {
  await db.deleteFrom("ticket").where("expires_at", "<=", now).execute();
  await db.deleteFrom("known_browser").where("last_used_at", "<=", browsersSince).execute();
}

function selectSessions(db: Reader) {
  return db
    .selectFrom("session")
    .innerJoin("account", "account.id", "session.account_id")
    .innerJoin("credential", "credential.id", "session.credential_id")
    .leftJoin("role", (join) => join.onRef("role.id", "=", "account.role_id").on("role.is_deleted", "=", false))
    .where("account.is_deleted", "=", false)
    .where("credential.is_deleted", "=", false)
    .select([
      "session.id as sessionId",
      "session.credential_id as credentialId",
      "session.last_used_at as lastUsedAt",
      "session.expires_at as expiresAt",
      "credential.email",
      "account.id",
      "account.name",
      "account.path",
      "account.ancestor_ids as parentAccounts",
      "role.id as roleId",
      "role.permissions",
    ]);
}

export type FoundSession = Awaited<ReturnType<typeof findSessions>>[number];

export async function findSessionsByToken(db: Reader, hashes: readonly Buffer[]) {
  const query = selectSessions(db)
    .select("session.token_hash as tokenHash")
    .where(hasKey("session.token_hash", "bytea", hashes));
  return runByKey(db, "sessions_by_token", query);
}

export async function findSessions(db: Reader, ids: readonly string[]) {
  const query = selectSessions(db).where(hasKey("session.id", "uuid", ids));
  return runByKey(db, "sessions_by_id", query);
}

/**
 * Stores when sessions and their accounts were last used. Skips rows that another transaction is changing, because waiting for several
 * rows could end in a deadlock. Their use is stored a minute later.
 */
export async function touchSessions(db: Database, used: readonly { sessionId: string; id: string }[], at: Date) {
  const [sessionIds, accountIds] = [used.map(({ sessionId }) => sessionId), used.map(({ id }) => id)];
  await sql`
    update session set last_used_at = ${at} where id in
      (select id from session where id = any(${sessionIds}::uuid[]) for no key update skip locked)`.execute(db);
  await sql`
    update account set last_seen_at = ${at} where id in
      (select id from account where id = any(${accountIds}::uuid[]) for no key update skip locked)`.execute(db);
}
