// Queries that find and erase personal data of deleted accounts and logins.
import { registrationSteps } from "@psp/contract/account/account.ts";
import { sql } from "kysely";
import type { Database, Tx } from "../../db/database.ts";

/** The last row found, after which the search continues. The time is text, because a Date loses microseconds. */
export type PersonalDataCursor = { id: string; at: string };

/** Rows to read: those with a time until `before`, after the row `last`. */
export type PersonalDataPart = { before: Date; last: PersonalDataCursor | null; limit: number };

/** Condition, order and limit of a part. */
const partBy = (column: string, { before, last, limit }: PersonalDataPart) => {
  const at = sql.ref(column);
  const isLater = last === null ? sql`true` : sql`(${at}, id) > (${last.at}::timestamptz, ${last.id}::uuid)`;
  return sql`${at} <= ${before} and ${isLater} order by ${at}, id limit ${limit}`;
};

export async function findOldInvitations(db: Database, part: PersonalDataPart) {
  const { rows } = await sql<PersonalDataCursor & { account_id: string }>`
    select id, account_id, invited_at::text as at from credential
    where step = ${registrationSteps.invited} and not is_deleted and ${partBy("invited_at", part)}`.execute(db);
  return rows;
}

/** Locks an unanswered invitation until the commit. Returns false if it was answered. */
export async function lockInvitation(tx: Tx, credentialId: string): Promise<boolean> {
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

export type DueLogin = PersonalDataCursor & { account_id: string; email: string };

export async function findDueLogins(db: Database, part: PersonalDataPart): Promise<DueLogin[]> {
  const { rows } = await sql<DueLogin>`
    select id, account_id, email, deleted_at::text as at from credential
    where is_deleted and ${partBy("deleted_at", part)}`.execute(db);
  return rows;
}

/** Whether the account has another login with this address that is active or was removed after `before`. */
export async function isEmailStillUsed(
  db: Database,
  { id, account_id, email }: DueLogin,
  before: Date,
): Promise<boolean> {
  const { rows } = await sql`
    select from credential where account_id = ${account_id} and id <> ${id} and lower(email) = lower(${email})
      and (not is_deleted or deleted_at > ${before}) limit 1`.execute(db);
  return rows.length > 0;
}

/** Erases the address from at most `limit` rows of the account's audit log. Returns the number of rows. */
export async function eraseEmailInAudit(db: Database, { account_id, email }: DueLogin, limit: number): Promise<number> {
  const emails = sql`array[lower(${email}::text)]`;
  const { numAffectedRows } = await sql`
    update audit set before = without_emails(before, ${emails}), after = without_emails(after, ${emails}) where id in (
      select id from audit where object_type = 'account' and object_id = ${account_id}
        and (without_emails(before, ${emails}) is distinct from before or without_emails(after, ${emails}) is distinct from after)
      limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Replaces the address of a purged login in the mail log. */
const noOne = "Deleted login";

/**
 * Deletes a login with its sessions and displays. The log of issue mails keeps its rows, without the address. Queued mails to the
 * address, and its entries in reports, are deleted, unless an active login has it.
 */
export async function deleteLogin(tx: Tx, { id, email }: DueLogin): Promise<void> {
  await sql`
    update alert set recipient = ${noOne}, credential_id = null,
      dropped = case when sent_at is null then coalesce(dropped, 'this login no longer has access') else dropped end
    where credential_id = ${id}`.execute(tx);
  await tx.deleteFrom("credential").where("id", "=", id).execute();
  const isFree = sql<boolean>`not exists (select from credential c where lower(c.email) = lower(${email}) and not c.is_deleted)`;
  await sql`delete from mail_outbox where lower(recipient) = lower(${email}) and ${isFree}`.execute(tx);
  await sql`delete from alert_recipient where recipient = ${email} and ${isFree}`.execute(tx);
  for (const table of ["report_recipient", "report_address", "report_delivery"])
    await sql`delete from ${sql.table(table)} where email = lower(${email}) and ${isFree}`.execute(tx);
}

export async function findDueAccounts(db: Database, part: PersonalDataPart): Promise<PersonalDataCursor[]> {
  const { rows } = await sql<PersonalDataCursor>`
    select id, deleted_at::text as at from account
    where is_deleted and purged_at is null and ${partBy("deleted_at", part)}`.execute(db);
  return rows;
}

/** Erases everything but ids from at most `limit` rows of the account's audit log. Returns the number of rows. */
export async function eraseNamesInAudit(db: Database, accountId: string, limit: number): Promise<number> {
  const onlyIds = (entry: "before" | "after") => sql`case when ${sql.ref(entry)} is null then null else
    jsonb_strip_nulls(jsonb_build_object('role', ${sql.ref(entry)} -> 'role', 'parent', ${sql.ref(entry)} -> 'parent')) end`;
  const { numAffectedRows } = await sql`
    update audit set before = ${onlyIds("before")}, after = ${onlyIds("after")} where id in (
      select id from audit where object_type = 'account' and object_id = ${accountId}
        and (${onlyIds("before")} is distinct from before or ${onlyIds("after")} is distinct from after)
      limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Erases who got the account's reports, with what their mail servers said, and the mails to them. */
export async function eraseReports(tx: Tx, accountId: string): Promise<void> {
  const runs = sql`select r.id from report_run r join report on report.id = r.report_id where report.owner_id = ${accountId}`;
  await sql`
    delete from mail_outbox where id in (select mail_id from report_delivery where run_id in (${runs}))`.execute(tx);
  await sql`delete from report_delivery where run_id in (${runs})`.execute(tx);
  await sql`update report_run set reason = null where reason is not null and id in (${runs})`.execute(tx);
  await sql`
    delete from report_recipient where report_id in (select id from report where owner_id = ${accountId})`.execute(tx);
  await sql`delete from report_address where account_id = ${accountId}`.execute(tx);
}

/** Keeps the row, which has a position in the tree and owns objects. Returns undefined if the account was already purged. */
export async function eraseAccount(tx: Tx, id: string, now: Date) {
  const nothing = { phone: null, street: null, street_number: null, zip: null, city: null, country: null };
  return tx
    .updateTable("account")
    .set({ name: "Deleted account", ...nothing, supplier: null, last_seen_at: null, purged_at: now })
    .set({ version: sql<number>`version + 1` })
    .where("id", "=", id)
    .where("purged_at", "is", null)
    .returning(["id", "path"])
    .executeTakeFirst();
}

/** Marks accounts as deleted that are not erased. Returns their ids. */
export async function markDeletedAgain(db: Database, ids: readonly string[], at: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update account set is_deleted = true, deleted_at = coalesce(deleted_at, ${at}), version = version + 1
    where id = any(${[...ids]}::uuid[]) and purged_at is null returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Finds these logins and those of the accounts, deleted or not. */
export async function findLoginsToErase(
  db: Database,
  ids: readonly string[],
  accountIds: readonly string[],
): Promise<DueLogin[]> {
  const { rows } = await sql<DueLogin>`
    select id, account_id, email, coalesce(deleted_at, created_at)::text as at from credential
    where id = any(${[...ids]}::uuid[]) or account_id = any(${[...accountIds]}::uuid[])`.execute(db);
  return rows;
}
