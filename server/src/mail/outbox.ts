// The transactional outbox: a mail is a row that commits with what it tells about; sending is somebody else's work.
import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { Database } from "../db/database.ts";
import { uuidv7 } from "../kit/uuid.ts";
import type { Write } from "../db/write.ts";
import type { MailBody } from "./layout.ts";

type Mail = MailBody & { to: string };

/** Puts a mail into the outbox and wakes the sender after the commit. */
export async function queueMail(ctx: Context, w: Pick<Write, "tx" | "announce">, mail: Mail): Promise<void> {
  await queueMails(ctx, w, [mail], { bulk: false });
}

/** Deletes mails that were sent until then, and those that were given up: never to be sent, and not before the end of time. */
export async function deleteOldMails(db: Database, until: Date): Promise<void> {
  await db.deleteFrom("mail_outbox").where("sent_at", "<=", until).execute();
  await db
    .deleteFrom("mail_outbox")
    .where("sent_at", "is", null)
    .where("not_before", "=", sql<Date>`'infinity'`)
    .where("queued_at", "<=", until)
    .execute();
}

/** The same for several; `bulk` ones are sent when nothing else waits. */
export async function queueMails(
  ctx: Context,
  w: Pick<Write, "tx" | "announce">,
  mails: readonly Mail[],
  { bulk }: { bulk: boolean },
): Promise<void> {
  if (mails.length === 0) return;
  const now = ctx.clock.date();
  const rows = mails.map((mail) => ({
    id: uuidv7(now.getTime()),
    recipient: mail.to,
    subject: mail.subject,
    text_body: mail.text,
    html_body: mail.html,
    queued_at: now,
    not_before: now,
    last_error: null,
    bulk,
  }));
  await w.tx.insertInto("mail_outbox").values(rows).execute();
  w.announce({ name: "mailQueued", event: {} });
}
