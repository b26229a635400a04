// Queries for recipients of reports, and for the consent of addresses without a login in the owner's accounts.
import type { RecipientStatus } from "@psp/contract/report/report.ts";
import { type RawBuilder, sql } from "kysely";
import { isAtOrBelow } from "../../db/account-path.ts";
import type { Reader, Tx } from "../../db/database.ts";
import { whereViewable } from "../../db/visible.ts";
import type { Caller } from "../../kit/caller.ts";

/**
 * The status of recipient `r` of `report`. Logins of accounts that the viewer may not view count as strangers, so that the status does
 * not reveal them.
 */
export function recipientStatus(viewer: Caller): RawBuilder<RecipientStatus> {
  const seen = whereViewable(viewer, "owner", "a");
  return sql<RecipientStatus>`case when r.ended_at is not null then 'ended' when r.refused_at is not null then 'refused'
    when exists (
      select from credential c join account a on a.id = c.account_id
      where lower(c.email) = r.email and c.step = 2 and not c.is_deleted and not a.is_deleted
        and ${isAtOrBelow("a.path", sql.ref("report.owner_path"))} and ${seen}
    ) or exists (
      select from report_address d where d.account_id = report.owner_id and d.email = r.email and d.confirmed_at is not null
    ) then 'confirmed' else 'waiting' end`;
}

export type Recipient = { email: string; status: RecipientStatus; askedAt: Date | null };

/** Recipients that were not removed, in the order in which they were entered. */
export async function findRecipients(reader: Reader, viewer: Caller, reportId: string): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select r.email, ${recipientStatus(viewer)} as status, d.asked_at as "askedAt"
    from report_recipient r join report on report.id = r.report_id
    left join report_address d on d.account_id = report.owner_id and d.email = r.email
    where r.report_id = ${reportId} and not r.is_removed order by r.position, r.email`.execute(reader);
  return rows;
}

/** Replaces the recipients. Addresses that have unsubscribed keep their rows. Returns the addresses that are new. */
export async function replaceRecipients(tx: Tx, reportId: string, emails: readonly string[]): Promise<string[]> {
  const { rows: before } = await sql<{ email: string }>`
    select email from report_recipient where report_id = ${reportId} and not is_removed`.execute(tx);
  await sql`
    update report_recipient set is_removed = true where report_id = ${reportId} and not email = any(${[...emails]}::text[])`.execute(
    tx,
  );
  await sql`delete from report_recipient where report_id = ${reportId} and is_removed and ended_at is null`.execute(tx);
  await sql`
    insert into report_recipient as r (report_id, email, position)
    select ${reportId}, email, n from unnest(${[...emails]}::text[]) with ordinality u (email, n)
    on conflict (report_id, email) do update set position = excluded.position, is_removed = false`.execute(tx);
  const known = new Set(before.map(({ email }) => email));
  return emails.filter((email) => !known.has(email));
}

export async function deleteRecipients(tx: Tx, reportId: string): Promise<void> {
  await tx.deleteFrom("report_recipient").where("report_id", "=", reportId).execute();
}

/** Serializes the confirmation mails of an account, so that its daily limit holds. */
export async function lockAsking(tx: Tx, accountId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`report recipients ${accountId}`}, 0))`.execute(tx);
}

export async function countAsked(tx: Tx, accountId: string, since: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from report_address where account_id = ${accountId} and asked_at > ${since}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/**
 * Returns which addresses were asked at least `max` times since then, by any account. Concurrent calls for an address wait for the
 * commit; the order of the locks is the same everywhere.
 */
export async function lockOftenAsked(
  tx: Tx,
  emails: readonly string[],
  { since, max }: { since: Date; max: number },
): Promise<Set<string>> {
  await sql`
    select pg_advisory_xact_lock(key) from (
      select distinct hashtextextended('report address ' || email, 0) as key from unnest(${[...emails]}::text[]) u (email)
      order by key) keys`.execute(tx);
  const { rows } = await sql<{ email: string }>`
    select email from report_address where email = any(${[...emails]}::text[]) and asked_at > ${since}
    group by email having count(*) >= ${max}`.execute(tx);
  return new Set(rows.map(({ email }) => email));
}

export async function markAsked(tx: Tx, accountId: string, emails: readonly string[], now: Date): Promise<void> {
  await sql`
    insert into report_address (account_id, email, asked_at)
    select ${accountId}, email, ${now} from unnest(${[...emails]}::text[]) u (email)
    on conflict (account_id, email) do update set asked_at = excluded.asked_at`.execute(tx);
}

export type Subscription = {
  ownerId: string;
  ownerPath: string;
  creatorId: string | null;
  isWeekly: boolean;
  isEnabled: boolean;
  name: string;
  /** Whether the address is a recipient that has not unsubscribed, of a report that is not deleted. */
  isRecipient: boolean;
  isConfirmed: boolean;
  /** Whether no other address gets the report. */
  isOnly: boolean;
};

export async function findSubscription(
  reader: Reader,
  reportId: string,
  email: string,
): Promise<Subscription | undefined> {
  const { rows } = await sql<Subscription>`
    select report.owner_id as "ownerId", report.owner_path as "ownerPath", report.creator_id as "creatorId",
      report.is_weekly as "isWeekly", report.is_enabled as "isEnabled", report.name,
      r.ended_at is null and not r.is_removed and not report.is_deleted as "isRecipient",
      exists (select from report_address d
        where d.account_id = report.owner_id and d.email = r.email and d.confirmed_at is not null) as "isConfirmed",
      not exists (select from report_recipient o where o.report_id = report.id and o.email <> r.email
        and not o.is_removed and o.ended_at is null) as "isOnly"
    from report_recipient r join report on report.id = r.report_id
    where report.id = ${reportId} and r.email = ${email}`.execute(reader);
  return rows[0];
}

export async function endRecipient(tx: Tx, reportId: string, email: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ email: string }>`
    update report_recipient set ended_at = ${now} where report_id = ${reportId} and email = ${email} and ended_at is null
    returning email`.execute(tx);
  return rows.length > 0;
}

/** Also brings back mails that the address had ended. */
export async function confirmRecipient(tx: Tx, accountId: string, reportId: string, email: string, now: Date) {
  await sql`
    insert into report_address as d (account_id, email, confirmed_at) values (${accountId}, ${email}, ${now})
    on conflict (account_id, email) do update set confirmed_at = coalesce(d.confirmed_at, excluded.confirmed_at)`.execute(
    tx,
  );
  await sql`
    update report_recipient set ended_at = null, refused_at = null where report_id = ${reportId} and email = ${email}`.execute(
    tx,
  );
}

/** Adds the recipient, or brings back one that had unsubscribed or was removed. */
export async function restoreRecipient(tx: Tx, reportId: string, email: string): Promise<void> {
  await sql`
    insert into report_recipient (report_id, email, position) values (${reportId}, ${email}, 0)
    on conflict (report_id, email) do update set ended_at = null, refused_at = null, is_removed = false`.execute(tx);
}

/** Marks recipients whose mail server refused the mail for good. They get no more mails until they are removed and added again. */
export async function markRefused(tx: Tx, reportId: string, emails: readonly string[], now: Date): Promise<void> {
  await sql`
    update report_recipient set refused_at = ${now} where report_id = ${reportId} and email = any(${[...emails]}::text[])`.execute(
    tx,
  );
}
