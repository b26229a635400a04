// Queries for sign-ins, sessions, tickets, known browsers and forgotten passwords.
import { type Insertable, sql } from "kysely";
import type { Database, Reader, Tx } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";

const browsersKept = 20;
/** For an unknown address, the same statement runs with this id, so that it takes the same time. */
const noId = "00000000-0000-0000-0000-000000000000";

export type LoginRow = {
  credential_id: string;
  account_id: string;
  account_path: string;
  account_deleted: boolean;
  password_hash: string | null;
  step: number;
  is_known_browser: boolean;
};

export async function findLogin(db: Reader, email: string, browser: Buffer | null): Promise<LoginRow | null> {
  const { rows } = await sql<LoginRow>`
    select c.id as credential_id, c.account_id, a.path as account_path, a.is_deleted as account_deleted, c.password_hash,
      c.step,
      exists (select 1 from known_browser b where b.credential_id = c.id and b.browser_hash = ${browser}::bytea) as is_known_browser
    from credential c join account a on a.id = c.account_id
    where lower(c.email) = lower(${email}) and not c.is_deleted`.execute(db);
  return rows[0] ?? null;
}

/** Counts an attempt. Returns false if none is left. Without a credential, still runs the statement, to take the same time. */
export async function takeAttempt(db: Database, credentialId: string | null, max: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("credential")
    .set({ failed_logins: sql<number>`failed_logins + 1` })
    .where("id", "=", credentialId ?? noId)
    .where("failed_logins", "<", max)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Takes back a counted attempt. Without a credential, still runs the statement, to take the same time. */
export async function returnAttempt(db: Database, credentialId: string | null): Promise<void> {
  await db
    .updateTable("credential")
    .set({ failed_logins: sql<number>`failed_logins - 1` })
    .where("id", "=", credentialId ?? noId)
    .where("failed_logins", ">", 0)
    .execute();
}

/** Locks the login until the commit. Returns false if the password changed since the comparison. */
export async function lockCredential(tx: Tx, credentialId: string, passwordHash: string): Promise<boolean> {
  const row = await tx
    .selectFrom("credential")
    .innerJoin("account", "account.id", "credential.account_id")
    .where("credential.id", "=", credentialId)
    .where("credential.is_deleted", "=", false)
    .where("credential.step", "=", 2)
    .where("credential.password_hash", "=", passwordHash)
    .where("account.is_deleted", "=", false)
    .select("credential.id")
    .forUpdate("credential")
    .executeTakeFirst();
  return row !== undefined;
}

export async function clearFailedLogins(tx: Tx, credentialId: string): Promise<void> {
  await tx.updateTable("credential").set({ failed_logins: 0 }).where("id", "=", credentialId).execute();
}

export async function rememberBrowser(tx: Tx, credentialId: string, browser: Buffer, at: Date): Promise<void> {
  await tx
    .insertInto("known_browser")
    .values({ credential_id: credentialId, browser_hash: browser, last_used_at: at })
    .onConflict((conflict) => conflict.columns(["credential_id", "browser_hash"]).doUpdateSet({ last_used_at: at }))
    .execute();
  await sql`
    delete from known_browser where credential_id = ${credentialId} and browser_hash in (
      select browser_hash from known_browser where credential_id = ${credentialId}
      order by last_used_at desc offset ${browsersKept})`.execute(tx);
}

export async function insertSession(tx: Tx, session: Insertable<Tables["session"]>): Promise<void> {
  await tx.insertInto("session").values(session).execute();
  await tx
    .updateTable("account")
    .set({ last_seen_at: session.created_at })
    .where("id", "=", session.account_id)
    .execute();
}

/** Returns false if the session has ended. */
export async function insertTicket(db: Database, { hash, session_id, expires_at }: Insertable<Tables["ticket"]>) {
  // Waits for a concurrent deletion of the session, and then inserts nothing.
  const { numAffectedRows } = await sql`
    insert into ticket (hash, session_id, expires_at)
    select ${hash}, id, ${expires_at} from session where id = ${session_id} for key share`.execute(db);
  return numAffectedRows === 1n;
}

/** Deletes a ticket and returns its session. Returns null if the ticket is unknown, used or expired. */
export async function consumeTicket(db: Database, hash: Buffer, now: Date): Promise<string | null> {
  const row = await db
    .deleteFrom("ticket")
    .where("hash", "=", hash)
    .returning(["session_id", "expires_at"])
    .executeTakeFirst();
  return row && row.expires_at > now ? row.session_id : null;
}

export async function touchPresence(db: Reader, accountId: string, at: Date): Promise<void> {
  await db.updateTable("account").set({ last_seen_at: at }).where("id", "=", accountId).execute();
}

export type ResetRow = {
  credential_id: string;
  email: string;
  password_hash: string | null;
  account_id: string;
  account_path: string;
  account_name: string;
  binding: Buffer | null;
};

/** Finds the complete login of an address or id, with the binding of its newest mail. `hold` locks the login until the commit. */
export async function findResettableLogin(db: Reader, by: { email: string } | { id: string }, hold: boolean) {
  const which = sql`${"id" in by ? sql`c.id = ${by.id}` : sql`lower(c.email) = lower(${by.email})`} and not c.is_deleted`;
  // Locks in a separate statement: a single one would wait for the lock, but still read the earlier binding.
  if (hold) await sql`select from credential c where ${which} for update`.execute(db);
  const { rows } = await sql<ResetRow>`
    select c.id as credential_id, c.email, c.password_hash, a.id as account_id, a.path as account_path, a.name as account_name,
      r.binding
    from credential c join account a on a.id = c.account_id left join password_reset r on r.credential_id = c.id
    where ${which} and c.step = 2 and not a.is_deleted`.execute(db);
  return rows[0] ?? null;
}

export async function findResetMailTimes(tx: Tx, credentialId: string): Promise<Date[]> {
  const row = await tx
    .selectFrom("password_reset")
    .select("mailed_at")
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
  return row?.mailed_at ?? [];
}

/** Invalidates earlier links. */
export async function saveResetBinding(tx: Tx, credentialId: string, binding: Buffer, mailedAt: Date[]): Promise<void> {
  const mailed_at = sql<Date[]>`${mailedAt.map((at) => at.toISOString())}::timestamptz[]`;
  await tx
    .insertInto("password_reset")
    .values({ credential_id: credentialId, binding, mailed_at })
    .onConflict((conflict) => conflict.column("credential_id").doUpdateSet({ binding, mailed_at }))
    .execute();
}

/** Also unlocks the login and invalidates the reset link. */
export async function replacePassword(tx: Tx, credentialId: string, passwordHash: string): Promise<void> {
  await tx
    .updateTable("credential")
    .set({ password_hash: passwordHash, failed_logins: 0 })
    .where("id", "=", credentialId)
    .execute();
  await tx.updateTable("password_reset").set({ binding: null }).where("credential_id", "=", credentialId).execute();
}
