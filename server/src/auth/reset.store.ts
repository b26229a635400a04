// SQL about forgotten passwords, nothing else.
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";

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
