// The transactional outbox: a mail is a row that commits with the change it reports; `mailer.ts` sends it.
import type { Context } from "../context.ts";
import { uuidv7 } from "../kit/uuid.ts";
import type { Tx } from "../db/database.ts";
import type { UnitOfWork } from "../db/write.ts";
import type { MailBody } from "./layout.ts";
import { deleteUnsentMails, insertAttachment, insertMails } from "./mail.store.ts";

type Mail = MailBody & {
  to: string;
  /** A POST to this URL unsubscribes (RFC 8058); mail programs offer it to the reader. */
  unsubscribeUrl?: string;
  /** Files that `keepAttachment` stored; mails may share them. */
  attachmentIds?: readonly string[];
};

type Queued = { at: Date; ids: string[] };

export async function queueMail(ctx: Context, w: Pick<UnitOfWork, "tx" | "announce">, mail: Mail): Promise<void> {
  await queueMails(ctx, w, [mail], { bulk: false });
}

/** Queues several mails. `bulk` mails are sent after all others. Returns when they were queued, and the ids of the mails. */
export async function queueMails(
  ctx: Context,
  w: Pick<UnitOfWork, "tx" | "announce">,
  mails: readonly Mail[],
  { bulk }: { bulk: boolean },
): Promise<Queued> {
  const now = ctx.clock.date();
  if (mails.length === 0) return { at: now, ids: [] };
  const rows = mails.map((mail) => ({
    id: uuidv7(now.getTime()),
    recipient: mail.to,
    subject: mail.subject,
    text_body: mail.text,
    html_body: mail.html,
    queued_at: now,
    not_before: now,
    last_error: null,
    unsubscribe_url: mail.unsubscribeUrl ?? null,
    attachment_ids: [...(mail.attachmentIds ?? [])],
    bulk,
  }));
  await insertMails(w.tx, rows);
  w.announce({ name: "mailQueued", event: {} });
  return { at: now, ids: rows.map(({ id }) => id) };
}

export type AttachedFile = { name: string; contentType: string; content: Buffer };

/** Stores a file for mails, and returns its id. The noun that stores it also deletes it. */
export async function keepAttachment(ctx: Context, tx: Tx, file: AttachedFile): Promise<string> {
  const id = uuidv7(ctx.clock.now());
  const { name, contentType: content_type, content } = file;
  await insertAttachment(tx, { id, name, content_type, content, created_at: ctx.clock.date() });
  return id;
}

export function withdrawMails(tx: Tx, recipient: string, unsubscribeUrl: string): Promise<Date[]> {
  return deleteUnsentMails(tx, recipient, unsubscribeUrl);
}
