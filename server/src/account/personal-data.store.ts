// SQL that finds and forgets the people behind deleted accounts and logins, nothing else.
import { registrationSteps } from "@psp/contract/account/account.ts";
import { sql } from "kysely";
import type { Database, Tx } from "../db/database.ts";

/** Accounts with an invitation unanswered since then. */
export async function findOldInvitations(db: Database, before: Date, limit: number) {
  return db
    .selectFrom("credential")
    .select(["id", "account_id"])
    .where("step", "=", registrationSteps.invited)
    .where("is_deleted", "=", false)
    .where("invited_at", "<=", before)
    .orderBy("invited_at")
    .limit(limit)
    .execute();
}

/** True while the invitation is as unanswered as it was; held until the commit. */
export async function holdInvitation(tx: Tx, credentialId: string): Promise<boolean> {
  const row = await tx
    .selectFrom("credential")
    .select("id")
    .where("id", "=", credentialId)
    .where("step", "=", registrationSteps.invited)
    .where("is_deleted", "=", false)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

export type DueLogin = { id: string; account_id: string; email: string };

export async function findDueLogins(db: Database, before: Date, limit: number): Promise<DueLogin[]> {
  return db
    .selectFrom("credential")
    .select(["id", "account_id", "email"])
    .where("is_deleted", "=", true)
    .where("deleted_at", "<=", before)
    .orderBy("deleted_at")
    .limit(limit)
    .execute();
}

/** The ids of those whose address another login of the same account has, living or deleted only lately. */
export async function stillKnown(db: Database, logins: readonly DueLogin[], before: Date): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select d.id from credential d join credential o on o.account_id = d.account_id and lower(o.email) = lower(d.email)
    where d.id = any(${logins.map(({ id }) => id)}::uuid[]) and (not o.is_deleted or o.deleted_at > ${before})`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Takes the addresses from the trail of their accounts, some rows at a time; returns how many. */
export async function forgetEmailsInTrail(db: Database, logins: readonly DueLogin[], limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    with due as (
      select account, array_agg(lower(email)) as emails
      from unnest(${logins.map((one) => one.account_id)}::text[], ${logins.map((one) => one.email)}::text[]) as one (account, email)
      group by account
    ), found as (
      select audit.id, due.emails from due join audit on audit.object_type = 'account' and audit.object_id = due.account
      where without_emails(audit.before, due.emails) is distinct from audit.before
        or without_emails(audit.after, due.emails) is distinct from audit.after
      limit ${limit}
    )
    update audit set before = without_emails(audit.before, found.emails), after = without_emails(audit.after, found.emails)
    from found where audit.id = found.id`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Deletes the rows of the logins with all that hangs on them, and mails that were for no one else. */
export async function deleteLogins(tx: Tx, logins: readonly DueLogin[]): Promise<void> {
  const ids = logins.map(({ id }) => id);
  // Both are gone since the login is, unless a restored backup brought them back.
  await tx.deleteFrom("session").where("credential_id", "in", ids).execute();
  await tx.deleteFrom("known_browser").where("credential_id", "in", ids).execute();
  await tx.deleteFrom("credential").where("id", "in", ids).execute();
  await sql`
    delete from mail_outbox where lower(recipient) = any(${logins.map(({ email }) => email.toLowerCase())}::text[])
      and not exists (select from credential c where lower(c.email) = lower(recipient)
        and not c.is_deleted)`.execute(tx);
}

export async function findDueAccounts(db: Database, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("account")
    .select("id")
    .where("is_deleted", "=", true)
    .where("purged_at", "is", null)
    .where("deleted_at", "<=", before)
    .orderBy("deleted_at")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Leaves only ids in the trail of these accounts, some rows at a time; returns how many. */
export async function forgetNamesInTrail(db: Database, accountIds: readonly string[], limit: number): Promise<number> {
  const onlyIds = (entry: "before" | "after") => sql`case when ${sql.ref(entry)} is null then null else
    jsonb_strip_nulls(jsonb_build_object('role', ${sql.ref(entry)} -> 'role', 'parent', ${sql.ref(entry)} -> 'parent')) end`;
  const { numAffectedRows } = await sql`
    update audit set before = ${onlyIds("before")}, after = ${onlyIds("after")} where id in (
      select id from audit where object_type = 'account' and object_id = any(${[...accountIds]}::text[])
        and (${onlyIds("before")} is distinct from before or ${onlyIds("after")} is distinct from after)
      limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** The rows themselves stay: they hold the place in the tree, and things are owned by them. Returns those that were due. */
export async function forgetAccounts(tx: Tx, ids: readonly string[], now: Date) {
  const nothing = { phone: null, street: null, street_number: null, zip: null, city: null, country: null };
  return tx
    .updateTable("account")
    .set({ name: "Deleted account", ...nothing, supplier: null, last_seen_at: null, purged_at: now })
    .set({ version: sql<number>`version + 1` })
    .where("id", "in", [...ids])
    .where("purged_at", "is", null)
    .returning(["id", "path"])
    .execute();
}
