// Sends the outbox by SMTP, or as .eml files where no mail server is configured (docs/rules/start-and-configuration.md#mail).
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import nodemailer from "nodemailer";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import * as store from "./mail.store.ts";
import type { Job } from "../kit/job.ts";

type Row = store.MailRow;

const atOnce = 8;
const firstRetryMs = 30_000;
const maxRetryMs = 6 * 3_600_000;
/** Retries span about two and a half days. */
export const maxAttempts = 20;

/** Clears the content of finished mails, because their links give access to accounts; other tables store only hashes of links. */
const spent = { text_body: "", html_body: "", unsubscribe_url: null };

type Files = Awaited<ReturnType<typeof store.findAttachments>>;
type Transport = { send(row: Row, files: Files): Promise<void>; close(): void };

export function mailJob(ctx: Context): Job {
  const transport = ctx.config.mail.url === null ? fileTransport(ctx) : smtpTransport(ctx, ctx.config.mail.url);
  return {
    name: "mail",
    everyMs: 15_000,
    wakeOn: "mailQueued",
    run: async (stopping) => {
      while ((await sendSome(ctx, transport)) === "more" && !stopping?.aborted);
    },
    close: () => transport.close(),
  };
}

/**
 * Sends the oldest due mails; bulk mails come last. Rows stay locked until the outcome is stored, so that no other process sends them
 * too. Only a crash between the mail server's reply and the commit repeats a mail, with the same Message-ID.
 */
async function sendSome(ctx: Context, transport: Transport): Promise<"more" | "done"> {
  return ctx.db.transaction().execute(async (tx) => {
    const due = await store.lockDueMails(tx, ctx.clock.date(), atOnce);
    const files = await store.findAttachments(
      tx,
      due.flatMap((row) => row.attachment_ids),
    );
    const filesOf = (row: Row) => files.filter(({ id }) => row.attachment_ids.includes(id));
    const outcomes = await Promise.allSettled(due.map((row) => transport.send(row, filesOf(row))));
    let sent = 0;
    for (const [n, row] of due.entries()) {
      const outcome = outcomes[n];
      if (outcome?.status === "fulfilled") {
        await store.updateMail(tx, row.id, { sent_at: ctx.clock.date(), ...spent });
        ctx.metrics.mails.inc({ outcome: "sent" });
        sent += 1;
      } else await noteFailure(ctx, tx, row, outcome?.reason);
    }
    // If no mail was accepted, the mail server is probably unavailable, so the remaining mails wait for the next run.
    return due.length === atOnce && sent > 0 ? "more" : "done";
  });
}

/**
 * Whether the mail server refused the mail for good, and whether because of its recipient. A refused login is a fault of the
 * configuration, which an operator can repair.
 */
function judgeFailure(reason: unknown): { isForGood: boolean; isRecipient: boolean } {
  const { code, command, responseCode } = Object(reason) as {
    code?: unknown;
    command?: unknown;
    responseCode?: unknown;
  };
  const isForGood = Number(responseCode) >= 500 && code !== "EAUTH";
  return { isForGood, isRecipient: isForGood && code === "EENVELOPE" && command === "RCPT TO" };
}

async function noteFailure(ctx: Context, tx: Tx, row: Row, reason: unknown): Promise<void> {
  const attempts = row.attempts + 1;
  const { isForGood, isRecipient } = judgeFailure(reason);
  const hopeless = isForGood || attempts >= maxAttempts;
  const wait = Math.min(maxRetryMs, firstRetryMs * 2 ** (attempts - 1));
  const message = (reason instanceof Error ? reason.message : String(reason)).slice(0, 500);
  // An abandoned mail keeps its row with the server's error until housekeeping deletes it.
  await store.updateMail(tx, row.id, {
    attempts,
    last_error: message,
    is_refused: isRecipient,
    ...(hopeless ? { not_before: "infinity", ...spent } : { not_before: new Date(ctx.clock.now() + wait) }),
  });
  ctx.metrics.mails.inc({ outcome: hopeless ? "given up" : "failed" });
  ctx.log.warn({ mail: row.id, attempts, hopeless, error: message }, "a mail was not sent");
}

/** One-click unsubscribe (RFC 8058). */
function unsubscribeHeaders(url: string | null): Record<string, string> {
  return url === null ? {} : { "List-Unsubscribe": `<${url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
}

function messageOf(ctx: Context, row: Row, files: Files) {
  const host = new URL(ctx.config.publicUrl).hostname;
  return {
    from: ctx.config.mail.from,
    // An object, because a string with commas would be parsed as several addresses.
    to: { name: "", address: row.recipient },
    subject: row.subject,
    text: row.text_body,
    html: row.html_body,
    date: row.queued_at,
    messageId: `<${row.id}@${host}>`,
    headers: { "Auto-Submitted": "auto-generated", ...unsubscribeHeaders(row.unsubscribe_url) },
    attachments: files.map((file) => ({
      filename: file.name,
      contentType: file.content_type,
      content: file.content,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function smtpTransport(ctx: Context, url: string): Transport {
  const smtp = nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: 4,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
  });
  return {
    send: async (row, files) => void (await smtp.sendMail(messageOf(ctx, row, files))),
    close: () => smtp.close(),
  };
}

/** One file per mail, named by time and id. Written to a temporary name and renamed, so that readers never see a partial mail. */
function fileTransport(ctx: Context): Transport {
  const folder = join(ctx.config.dataDir, "mail");
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: "unix" });
  return {
    async send(row, files) {
      const { message } = await composer.sendMail(messageOf(ctx, row, files));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, `${row.queued_at.toISOString().replaceAll(/[^\dT]/g, "")}-${row.id}.eml`);
      await writeFile(`${file}.part`, message as Buffer, { mode: 0o600 });
      await rename(`${file}.part`, file);
    },
    close: () => undefined,
  };
}
