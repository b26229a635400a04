// Queries for the mail outbox.
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Database, Reader, Tx } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import type { MailTable } from "./mail.tables.ts";

export type MailRow = Selectable<MailTable>;

export async function insertMails(tx: Tx, rows: readonly Insertable<MailTable>[]): Promise<void> {
  await tx.insertInto("mail_outbox").values(rows).execute();
}

export async function insertAttachment(tx: Tx, row: Insertable<Tables["mail_attachment"]>): Promise<void> {
  await tx.insertInto("mail_attachment").values(row).execute();
}

export async function findAttachments(db: Reader, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return db
    .selectFrom("mail_attachment")
    .select(["id", "name", "content_type", "content"])
    .where("id", "in", [...new Set(ids)])
    .execute();
}

/** Mails keep their text; a mail that is sent later than this has no file. */
export async function deleteOldAttachments(db: Database, until: Date): Promise<void> {
  await db.deleteFrom("mail_attachment").where("created_at", "<=", until).execute();
}

export type MailOutcome = { id: string; isSent: boolean; isRefused: boolean; error: string | null };

/** Returns which of these mails were sent or given up on. Omits queued mails. */
export async function findMailOutcomes(db: Reader, ids: readonly string[]): Promise<MailOutcome[]> {
  const { rows } = await sql<MailOutcome>`
    select id, sent_at is not null as "isSent", is_refused as "isRefused", last_error as error from mail_outbox
    where id = any(${[...ids]}::uuid[]) and (sent_at is not null or not_before = 'infinity')`.execute(db);
  return rows;
}

export type OutboxState = { waiting: number; oldestS: number; late: number };

/** Mails that are neither sent nor given up. `late`: queued before that time; `oldestS`: age of the oldest one. */
export async function findOutboxState(db: Reader, now: Date, lateBefore: Date): Promise<OutboxState> {
  const { rows } = await sql<OutboxState>`
    select count(*) as waiting, count(*) filter (where queued_at < ${lateBefore}) as late,
      coalesce(extract(epoch from ${now}::timestamptz - min(queued_at)), 0)::float as "oldestS"
    from mail_outbox where sent_at is null and not_before < 'infinity'`.execute(db);
  return rows[0] ?? { waiting: 0, oldestS: 0, late: 0 };
}

/** Locks the oldest due mails that no other process is sending; bulk mails come last. */
export async function lockDueMails(tx: Tx, now: Date, limit: number): Promise<MailRow[]> {
  return tx
    .selectFrom("mail_outbox")
    .selectAll()
    .where("sent_at", "is", null)
    .where("not_before", "<=", now)
    .where("is_held", "=", false)
    .orderBy("bulk")
    .orderBy("not_before")
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

export async function updateMail(tx: Tx, id: string, columns: Updateable<MailTable>): Promise<void> {
  await tx.updateTable("mail_outbox").set(columns).where("id", "=", id).execute();
}

/** Deletes unsent mails to this address with this unsubscribe link; returns when each was queued. Waits for a mail that is being sent. */
export async function deleteUnsentMails(tx: Tx, recipient: string, unsubscribeUrl: string): Promise<Date[]> {
  const rows = await tx
    .deleteFrom("mail_outbox")
    .where(sql`lower(recipient)`, "=", recipient.toLowerCase())
    .where("unsubscribe_url", "=", unsubscribeUrl)
    .where("sent_at", "is", null)
    .returning("queued_at")
    .execute();
  return rows.map(({ queued_at }) => queued_at);
}

/** Deletes mails sent at or before `until`, and abandoned mails (`not_before` is infinite) queued at or before `until`. */
export async function deleteOldMails(db: Database, until: Date): Promise<void> {
  await db.deleteFrom("mail_outbox").where("sent_at", "<=", until).execute();
  await db
    .deleteFrom("mail_outbox")
    .where("sent_at", "is", null)
    .where("not_before", "=", sql<Date>`'infinity'`)
    .where("queued_at", "<=", until)
    .execute();
}

const isQueued = sql<boolean>`sent_at is null and not_before <> 'infinity'`;

/** Holds all queued mails, after a restore (docs/rules/backup.md#after-a-restore). Returns their number. */
export async function holdQueuedMails(tx: Tx): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("mail_outbox")
    .set({ is_held: true })
    .where(isQueued)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export async function releaseHeldMails(db: Reader): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("mail_outbox")
    .set({ is_held: false })
    .where("is_held", "=", true)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Gives up on held mails. Their rows stay as long as those of other mails, without links. */
export async function dropHeldMails(db: Reader): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("mail_outbox")
    .set({ is_held: false, not_before: "infinity", text_body: "", html_body: "", unsubscribe_url: null })
    .set({ last_error: "not sent after a restore" })
    .where("is_held", "=", true)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
