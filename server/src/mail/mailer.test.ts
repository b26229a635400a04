// Tests the outbox: a mail commits with the change it reports, arrives once, and survives an unavailable mail server.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { type Context, createContext } from "../context.ts";
import { openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { write } from "../db/write.ts";
import { createAllJobs } from "../process/nouns.ts";
import { createScheduler } from "../jobs/scheduler.ts";
import { createMetrics } from "../kit/metrics.ts";
import { createTestDatabase, type TestDatabase } from "../testing/postgres.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { renderMail } from "./layout.ts";
import { mailJob, maxAttempts } from "./mailer.ts";
import { queueMail } from "./outbox.ts";
import { registerOutboxMetrics } from "./outbox-metrics.ts";

let place: TestDatabase;
let ctx: Context;
let folder: string;
let smtp: SMTPServer;
let smtpUrl: string;
/** Mails that the SMTP server accepted. It replies with the codes in `answers`, then always with 250, which accepts a mail. */
let received: string[] = [];
let answers: number[] = [];

beforeAll(async () => {
  place = await createTestDatabase(migrate);
  folder = await mkdtemp(join(tmpdir(), "psp-mail-"));
  const log = pino({ level: "silent" });
  ctx = createContext({
    config: readConfig({
      DATA_DIR: folder,
      PUBLIC_URL: "https://console.example.com",
      MAIL_FROM: "PS.Platform <no-reply@example.com>",
    }),
    db: openDatabase(place.url, { pool: 6, log }),
    clock: createStillClock(),
    log,
  });
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
      stream.on("end", () => {
        const code = answers.shift() ?? 250;
        if (code === 250) received.push(Buffer.concat(chunks).toString());
        done(code === 250 ? null : Object.assign(new Error("refused here"), { responseCode: code }));
      });
    },
  });
  await new Promise<void>((resolve) => void smtp.listen(0, "127.0.0.1", resolve));
  const address = smtp.server.address();
  smtpUrl = `smtp://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
});
beforeEach(async () => {
  received = [];
  answers = [];
  await ctx.db.deleteFrom("mail_outbox").execute();
});
afterAll(async () => {
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
  await ctx.db.destroy();
  await place.drop();
  await rm(folder, { recursive: true, force: true });
});

const overSmtp = (url = smtpUrl): Context => ({ ...ctx, config: { ...ctx.config, mail: { ...ctx.config.mail, url } } });
const letter = renderMail({
  subject: "Hello\r\nBcc: everybody@example.com",
  paragraphs: ["<b>5 & 6</b> Straße"],
  action: { label: "Go", link: "https://x.example/?a=1&b=2" },
});
async function queue(to: string): Promise<void> {
  await write(ctx, { system: "test" }, (w) => queueMail(ctx, w, { to, ...letter }));
}
const rowsLeft = () => ctx.db.selectFrom("mail_outbox").selectAll().where("sent_at", "is", null).execute();

async function deliver(context: Context): Promise<void> {
  const scheduler = createScheduler(context, [mailJob(context)]);
  await scheduler.runDue();
  await scheduler.stop();
}

test("the outbox reports waiting mails, their age, and which are late", async () => {
  const context = { ...ctx, metrics: createMetrics() };
  registerOutboxMetrics(context);
  const figures = async () => {
    const text = await context.metrics.registry.metrics();
    return ["waiting", "oldest_seconds", "late"].map((name) =>
      Number(new RegExp(`^psp_mails_${name} (.+)$`, "m").exec(text)?.[1]),
    );
  };
  expect(await figures()).toEqual([0, 0, 0]);
  await queue("first@example.com");
  ctx.clock.moveTo(ctx.clock.now() + 5 * 60_000 + 1);
  await queue("second@example.com");
  expect(await figures()).toEqual([2, 300.001, 1]);
  answers = [451, 550];
  await deliver(overSmtp());
  // One is tried again later, the other one was given up.
  expect((await figures())[0]).toBe(1);
});

describe("by SMTP", () => {
  test("mail content can't inject headers or recipients, and HTML is escaped", async () => {
    await queue('"a,b"@example.com');
    await deliver(overSmtp());
    const [raw = ""] = received;
    const mail = await PostalMime.parse(raw);
    expect(mail.subject).toBe("Hello Bcc: everybody@example.com");
    expect(mail.from?.address).toBe("no-reply@example.com");
    expect(mail.to).toHaveLength(1);
    expect(mail.bcc ?? []).toEqual([]);
    expect(mail.text).toContain("<b>5 & 6</b> Straße");
    expect(mail.html).toContain("&#60;b&#62;5 &#38; 6&#60;/b&#62; Straße");
    expect(mail.html).toContain('href="https://x.example/?a=1&#38;b=2"');
    expect(mail.messageId).toMatch(/^<[0-9a-f-]{36}@console\.example\.com>$/);
  });

  test("T-30 links of sent and abandoned mails are removed from the database", async () => {
    answers = [250, 550];
    await queue("sent@example.com");
    await deliver(overSmtp());
    await queue("refused@example.com");
    await deliver(overSmtp());
    const rows = await ctx.db.selectFrom("mail_outbox").selectAll().orderBy("recipient").execute();
    expect(rows.map((row) => [row.recipient, row.sent_at === null, row.last_error === null])).toEqual([
      ["refused@example.com", true, false],
      ["sent@example.com", false, true],
    ]);
    expect(JSON.stringify(rows)).not.toContain("x.example");
  });

  test("sixty mails sent by three processes arrive once each", async () => {
    for (let n = 0; n < 60; n += 1) await queue(`p${n}@example.com`);
    // Runs without the scheduler's lock, as after a lost connection: row locks must prevent duplicates.
    const jobs = [1, 2, 3].map(() => mailJob(overSmtp()));
    await Promise.all(jobs.map((job) => job.run()));
    for (const job of jobs) job.close?.();
    const recipients = await Promise.all(received.map(async (raw) => (await PostalMime.parse(raw)).to?.[0]?.address));
    expect(recipients).toHaveLength(60);
    expect(new Set(recipients).size).toBe(60);
    expect(await rowsLeft()).toEqual([]);
  });

  test("an unavailable mail server is retried with increasing delays", async () => {
    await queue("later@example.com");
    await deliver(overSmtp("smtp://127.0.0.1:1"));
    const [first] = await rowsLeft();
    expect(first?.attempts).toBe(1);
    expect(first?.last_error).toContain("ECONNREFUSED");
    answers = [451];
    await deliver(overSmtp());
    expect((await rowsLeft())[0]?.attempts).toBe(1);
    ctx.clock.moveTo(ctx.clock.now() + 30_000);
    await deliver(overSmtp());
    expect((await rowsLeft())[0]?.attempts).toBe(2);
    ctx.clock.moveTo(ctx.clock.now() + 59_000);
    await deliver(overSmtp());
    expect(received).toEqual([]);
    ctx.clock.moveTo(ctx.clock.now() + 1_000);
    await deliver(overSmtp());
    expect(received).toHaveLength(1);
  });

  test("a mail refused permanently or for days is abandoned with its reason", async () => {
    await queue("someone@example.com");
    answers = [550];
    await deliver(overSmtp());
    await queue("somebody@example.com");
    ctx.clock.moveTo(ctx.clock.now() + 86_400_000);
    await deliver(overSmtp());
    expect(received).toHaveLength(1);
    expect((await rowsLeft()).map(({ recipient, attempts }) => [recipient, attempts])).toEqual([
      ["someone@example.com", 1],
    ]);
    await queue("unlucky@example.com");
    answers = Array.from({ length: 100 }, () => 451);
    for (let n = 0; n < maxAttempts + 5; n += 1) {
      await deliver(overSmtp());
      ctx.clock.moveTo(ctx.clock.now() + 6 * 3_600_000);
    }
    expect(100 - answers.length).toBe(maxAttempts);
    // Abandoned mails are kept for a month for inspection, then deleted like sent mails.
    ctx.clock.moveTo(ctx.clock.now() + 31 * 86_400_000);
    await createAllJobs(ctx)
      .find(({ name }) => name === "housekeeping")
      ?.run();
    expect(await ctx.db.selectFrom("mail_outbox").selectAll().execute()).toEqual([]);
  });
});

test("without a mail server each mail is written once as a readable file", async () => {
  await queue("file@example.com");
  await deliver(ctx);
  await deliver(ctx);
  const files = await readdir(join(folder, "mail"));
  expect(files).toHaveLength(1);
  expect(files[0]).toMatch(/^[\w.@+-]+\.eml$/);
  const mail = await PostalMime.parse(await readFile(join(folder, "mail", files[0] ?? ""), "utf8"));
  expect(mail.to?.[0]?.address).toBe("file@example.com");
  expect(mail.text).toContain("https://x.example/?a=1&b=2");
});

test("a mail is not sent if its transaction is rolled back", async () => {
  await write(ctx, { system: "test" }, async (w) => {
    await queueMail(ctx, w, { to: "never@example.com", ...letter });
    throw new Error("no");
  }).catch(() => undefined);
  await deliver(overSmtp());
  expect([received, await rowsLeft()]).toEqual([[], []]);
});

test("a running worker sends a mail as soon as it is queued", async () => {
  const context = overSmtp();
  const scheduler = createScheduler(context, [mailJob(context)]);
  scheduler.start();
  await queue("soon@example.com");
  await expect.poll(() => received.length).toBe(1);
  await scheduler.stop();
  expect(received).toHaveLength(1);
});
