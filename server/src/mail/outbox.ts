// The transactional outbox: a mail is a row that commits with what it tells about; sending is somebody else's work.
import type { Context } from "../context.ts";
import { uuidv7 } from "../db/uuid.ts";
import type { Write } from "../db/write.ts";
import type { MailBody } from "./layout.ts";

type Mail = MailBody & { to: string };

/** Puts a mail into the outbox and wakes the sender after the commit. */
export async function queueMail(ctx: Context, w: Pick<Write, "tx" | "announce">, mail: Mail): Promise<void> {
  const now = ctx.clock.date();
  await w.tx
    .insertInto("mail_outbox")
    .values({
      id: uuidv7(now.getTime()),
      recipient: mail.to,
      subject: mail.subject,
      text_body: mail.text,
      html_body: mail.html,
      queued_at: now,
      not_before: now,
      last_error: null,
    })
    .execute();
  w.announce({ name: "mailQueued", event: {} });
}
