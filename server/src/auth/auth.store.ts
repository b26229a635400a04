// SQL about sign-ins, sessions, tickets, known browsers and forgotten passwords, nothing else.
import { type Insertable, sql } from "kysely";
import type { Database, Reader, Tx } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";

const browsersKept = 20;
/** The id of no credential: the failed try of an unknown address costs the same statement. */
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

/** The living credential of an address, with what signing in depends on; the address in any case. */
export async function findLogin(db: Reader, email: string, browser: Buffer | null): Promise<LoginRow | null> {
  const { rows } = await sql<LoginRow>`
    select c.id as credential_id, c.account_id, a.path as account_path, a.is_deleted as account_deleted, c.password_hash,
      c.step,
      exists (select 1 from known_browser b where b.credential_id = c.id and b.browser_hash = ${browser}::bytea) as is_known_browser
    from credential c join account a on a.id = c.account_id
    where lower(c.email) = lower(${email}) and not c.is_deleted`.execute(db);
  return rows[0] ?? null;
}

/** Takes one of the tries that are left; false when none is. For no credential it costs the same statement. */
export async function takeTry(db: Database, credentialId: string | null, max: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("credential")
    .set({ failed_logins: sql<number>`failed_logins + 1` })
    .where("id", "=", credentialId ?? noId)
    .where("failed_logins", "<", max)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives a taken try back. For no credential it costs the same statement. */
export async function returnTry(db: Database, credentialId: string | null): Promise<void> {
  await db
    .updateTable("credential")
    .set({ failed_logins: sql<number>`failed_logins - 1` })
    .where("id", "=", credentialId ?? noId)
    .where("failed_logins", ">", 0)
    .execute();
}

/** True when the credential still is what the password was compared with; held until the commit. */
export async function holdCredential(tx: Tx, credentialId: string, passwordHash: string): Promise<boolean> {
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

/** The right password: all tries are free again. */
export async function clearFailedLogins(tx: Tx, credentialId: string): Promise<void> {
  await tx.updateTable("credential").set({ failed_logins: 0 }).where("id", "=", credentialId).execute();
}

/** Remembers a browser, and forgets the oldest ones of the credential. */
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

/** False when the session has ended. */
export async function insertTicket(db: Database, { hash, session_id, expires_at }: Insertable<Tables["ticket"]>) {
  // It may be ending right now: then the lock is waited for, and nothing is there any more.
  const { numAffectedRows } = await sql`
    insert into ticket (hash, session_id, expires_at)
    select ${hash}, id, ${expires_at} from session where id = ${session_id} for key share`.execute(db);
  return numAffectedRows === 1n;
}

/** The session behind a ticket, which is used up by asking; null when unknown, used or expired. */
export async function takeTicket(db: Database, hash: Buffer, now: Date): Promise<string | null> {
  const row = await db
    .deleteFrom("ticket")
    .where("hash", "=", hash)
    .returning(["session_id", "expires_at"])
    .executeTakeFirst();
  return row && row.expires_at > now ? row.session_id : null;
}

export async function touchPresence(db: Database, accountId: string, at: Date): Promise<void> {
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

/** The complete login behind an address or id, with its newest mail's binding; `hold` keeps it until the commit. */
export async function findResettable(db: Reader, by: { email: string } | { id: string }, hold: boolean) {
  const which = sql`${"id" in by ? sql`c.id = ${by.id}` : sql`lower(c.email) = lower(${by.email})`} and not c.is_deleted`;
  // In a statement of its own: a transaction that waited for the lock would still see the earlier binding.
  if (hold) await sql`select from credential c where ${which} for update`.execute(db);
  const { rows } = await sql<ResetRow>`
    select c.id as credential_id, c.email, c.password_hash, a.id as account_id, a.path as account_path, a.name as account_name,
      r.binding
    from credential c join account a on a.id = c.account_id left join password_reset r on r.credential_id = c.id
    where ${which} and c.step = 2 and not a.is_deleted`.execute(db);
  return rows[0] ?? null;
}

/** When the last mails of this login went out. */
export async function findMailTimes(tx: Tx, credentialId: string): Promise<Date[]> {
  const row = await tx
    .selectFrom("password_reset")
    .select("mailed_at")
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
  return row?.mailed_at ?? [];
}

/** Stores the binding of a new mail, which voids the ones before. */
export async function putBinding(tx: Tx, credentialId: string, binding: Buffer, mailedAt: Date[]): Promise<void> {
  const mailed_at = sql<Date[]>`${mailedAt.map((at) => at.toISOString())}::timestamptz[]`;
  await tx
    .insertInto("password_reset")
    .values({ credential_id: credentialId, binding, mailed_at })
    .onConflict((conflict) => conflict.column("credential_id").doUpdateSet({ binding, mailed_at }))
    .execute();
}

/** Sets the password, opens a locked login again, and uses the link up. */
export async function replacePassword(tx: Tx, credentialId: string, passwordHash: string): Promise<void> {
  await tx
    .updateTable("credential")
    .set({ password_hash: passwordHash, failed_logins: 0 })
    .where("id", "=", credentialId)
    .execute();
  await tx.updateTable("password_reset").set({ binding: null }).where("credential_id", "=", credentialId).execute();
}
