// Kills servers and database at random moments while reports are due at 07:00 in twelve zones and their mails are sent. Every report
// must have one finished run, and every recipient one mail per run. A mail may arrive again only with the same Message-ID, and only
// if a kill hid its acceptance. `--reports 10000 --kills 10 --servers 2 --recipients 2 --seed 1`.
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import type pg from "pg";
import { SMTPServer } from "smtp-server";
import { startEmbeddedPostgres } from "../../server/src/db/postgres/embedded-postgres.ts";
import { withDatabase } from "../database.ts";
import { createProduct, type Product } from "../product.ts";
import { pick, plantChains, plantReports, type PlantedReport, zones } from "../report-dataset.ts";

const { values: flags } = parseArgs({
  options: {
    reports: { type: "string", default: "10000" },
    kills: { type: "string", default: "10" },
    servers: { type: "string", default: "2" },
    recipients: { type: "string", default: "2" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const [reports, kills, servers] = [Number(flags.reports), Number(flags.kills), Number(flags.servers)];
const recipients = Number(flags.recipients);
const total = reports * recipients;
/** Mails that a process sends at a time; a kill may hide the acceptance of all of them. */
const mailsAtOnce = 8;
/** The campaign fails if no mail arrives for so long. Deliveries are noted once a minute. */
const stallMs = 3 * 60_000;

let state = Number(flags.seed) || 1;
/** A seeded random integer from 0 to `n` - 1. */
function below(n: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
}
const tell = (text: string) => void process.stdout.write(`${text}\n`);

type Arrived = { to: string; id: string; subject: string; files: number };
const arrived: Arrived[] = [];
const distinct = new Set<string>();
/** Called for the next mail, after it has arrived and before the reply to the sender. */
let beforeReply: (() => Promise<void>) | null = null;

function headerOf(text: string, name: string): string {
  const head = text.slice(0, text.indexOf("\r\n\r\n")).replaceAll(/\r\n[ \t]+/g, " ");
  return new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1] ?? "";
}

async function reply(done: () => void): Promise<void> {
  const held = beforeReply;
  beforeReply = null;
  await held?.();
  done();
}

const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData(stream, session, done) {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
    stream.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const id = headerOf(text, "Message-ID");
      const files = text.match(/^Content-Disposition: attachment/gim)?.length ?? 0;
      for (const { address } of session.envelope.rcptTo)
        arrived.push({ to: address, id, subject: headerOf(text, "Subject"), files });
      distinct.add(id);
      void reply(done);
    });
  },
});
// A killed server breaks its connection, which is no failure.
smtp.on("error", () => undefined);
await new Promise<void>((resolve) => void smtp.listen(0, "127.0.0.1", resolve));
const address = smtp.server.address();
const mailPort = typeof address === "object" && address ? address.port : 0;

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const folder = await mkdtemp(join(tmpdir(), "psp-reports-"));
// The campaign runs the database itself, so that any server can be killed alone.
const database = await startEmbeddedPostgres({ dataDir: join(folder, "postgres"), log });
const products: Product[] = [];
for (let n = 0; n < servers; n += 1)
  products.push(
    await createProduct({
      PARTS: "api,worker",
      DATABASE_URL: database.url,
      SESSION_SECRET: "reports-campaign-session-secret-0123456789",
      DISPLAY_PRIVATE_KEY: randomBytes(32).toString("base64url"),
      MAIL_URL: `smtp://127.0.0.1:${mailPort}`,
    }),
  );

const inDatabase = <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => withDatabase(database.url, work);

process.exitCode = await main();
await new Promise<void>((resolve) => smtp.close(() => resolve()));

async function main(): Promise<number> {
  await products[0]?.start();
  const planted = await inDatabase(async (client) => {
    const shops = await plantChains(client, database.url, Math.max(3, Math.ceil(reports / 100)));
    return plantReports(client, {
      reports,
      recipients,
      isDue: true,
      range: "yesterday",
      shopOf: (index) => pick(shops, index % shops.length),
      filtersOf: ({ id }) => ({ ids: [id] }),
      formatsOf: (index) => (index % 4 === 0 ? ["pdf"] : index % 4 === 1 ? ["csv"] : []),
    });
  });
  const from = performance.now();
  tell(`${reports} reports are due at 07:00 in ${zones.length} zones, ${total} mails`);
  await Promise.all(products.slice(1).map((product) => product.start()));
  const hits = await killAll();
  await until(async () => distinct.size >= total && (await countOpen()) === 0);
  const tookS = Math.round((performance.now() - from) / 1000);
  const { faults, repeated } = await verify(planted, hits);
  tell(
    faults.length === 0
      ? `reports: ${kills} kills, ${reports} runs and ${total} mails once each, ${repeated} of them repeated with the same Message-ID; ${tookS} s`
      : `seed ${flags.seed}: ${faults.slice(0, 20).join("; ")}`,
  );
  for (const product of products) await product.end();
  await database.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 30 });
  return faults.length === 0 ? 0 : 1;
}

type Victim = number | "database";

/** Spreads the kills over the mails. Every second one happens between the arrival of a mail and the reply to its sender. */
async function killAll(): Promise<Victim[]> {
  const marks = Array.from({ length: kills }, () => 1 + below(Math.max(1, Math.floor(total * 0.9)))).toSorted(
    (a, b) => a - b,
  );
  const victims: Victim[] = [];
  for (const [round, mark] of marks.entries()) {
    await until(async () => distinct.size >= mark);
    const victim: Victim = below(5) === 0 ? "database" : below(servers);
    victims.push(victim);
    const at = distinct.size;
    const isHeld = round % 2 === 0;
    if (isHeld) {
      let killed: Promise<void> | undefined;
      beforeReply = () => (killed = kill(victim));
      await until(async () => killed !== undefined || distinct.size >= total);
      beforeReply = null;
      await (killed ?? kill(victim));
    } else {
      await wait(below(400));
      await kill(victim);
    }
    const name = victim === "database" ? victim : `server ${victim + 1}`;
    tell(`kill ${round + 1}: ${name} ${isHeld ? "before a reply" : "at any time"}, at ${at} of ${total} mails`);
    if (victim !== "database") await products[victim]?.start();
  }
  return victims;
}

async function kill(victim: Victim): Promise<void> {
  if (victim !== "database") return products[victim]?.kill("server");
  const text = await readFile(join(folder, "postgres", "postmaster.pid"), "utf8");
  // Its children end with it, and it is started again at the same address.
  process.kill(Number(text.split("\n")[0]), "SIGKILL");
}

/** Runs and deliveries that are not finished, and reports without a run. */
async function countOpen(): Promise<number> {
  return inDatabase(async (client) => {
    const { rows } = await client.query<{ n: string }>(
      `select (select count(*) from report_run where state = 'due') + (select count(*) from report_delivery where state = 'queued')
        + (select count(*) from report r where not exists (select from report_run where report_id = r.id)) as n`,
    );
    return Number(rows[0]?.n);
  }).catch(() => 1);
}

async function verify(planted: readonly PlantedReport[], victims: readonly Victim[]) {
  const faults: string[] = [];
  const runs = await inDatabase(async (client) => {
    const { rows } = await client.query<{
      reportId: string;
      dueAt: Date;
      state: string;
      mails: string[];
      files: number;
    }>(
      `select r.report_id as "reportId", r.due_at as "dueAt", r.state,
        array(select d.email || ' ' || d.mail_id || ' ' || d.state from report_delivery d where d.run_id = r.id) as mails,
        (select count(*) from report_file f where f.run_id = r.id)::int as files from report_run r`,
    );
    const { rows: rest } = await client.query<{ attachments: number; linked: number; unsent: number; logged: number }>(
      `select (select count(*) from mail_attachment)::int as attachments, (select count(*) from report_file)::int as linked,
        (select count(*) from mail_outbox where sent_at is null)::int as unsent,
        (select count(*) from report where last_run_state = 'done')::int as logged`,
    );
    const [left] = rest;
    if (left?.attachments !== left?.linked) faults.push(`${left?.attachments} files for ${left?.linked} runs with one`);
    if (left?.unsent !== 0) faults.push(`${left?.unsent} mails were not sent`);
    if (left?.logged !== reports) faults.push(`${left?.logged} reports know their run`);
    return Map.groupBy(rows, ({ reportId }) => reportId);
  });
  const mailsTo = Map.groupBy(arrived, ({ to }) => to);
  for (const { id, name, zone, dueAt, emails } of planted) {
    const [run, ...more] = runs.get(id) ?? [];
    if (!run || more.length > 0) {
      faults.push(`${name} has ${run ? 1 + more.length : 0} runs`);
      continue;
    }
    if (run.state !== "done" || run.dueAt.getTime() !== dueAt.getTime())
      faults.push(`${name} in ${zone}: ${run.state}, due at ${run.dueAt.toISOString()}`);
    for (const email of emails) {
      const mails = mailsTo.get(email) ?? [];
      mailsTo.delete(email);
      const ids = new Set(mails.map((mail) => mail.id));
      if (ids.size !== 1) faults.push(`${email} has ${ids.size} mails of ${name}`);
      const [first] = ids;
      const mailId = /^<([^@]+)@/.exec(first ?? "")?.[1];
      if (!run.mails.includes(`${email} ${mailId} sent`))
        faults.push(`The mail to ${email} is not in the run of ${name}`);
      const isRight = mails.every(({ subject, files }) => subject.startsWith(`${name} `) && files === run.files);
      if (!isRight) faults.push(`The mail to ${email} is not about ${name}`);
    }
  }
  if (mailsTo.size > 0) faults.push(`Mails to ${mailsTo.size} others: ${[...mailsTo.keys()].slice(0, 3).join()}`);
  // The database forgets what any process was sending.
  const most = victims.reduce<number>((sum, one) => sum + mailsAtOnce * (one === "database" ? servers : 1), 0);
  const repeated = arrived.length - distinct.size;
  if (repeated > most) faults.push(`${repeated} mails were repeated, at most ${most} expected`);
  for (const zone of zones)
    if (reports >= zones.length && !planted.some((one) => one.zone === zone)) faults.push(`No report in ${zone}`);
  return { faults, repeated };
}

async function until(done: () => Promise<boolean>): Promise<void> {
  let [seen, since] = [distinct.size, performance.now()];
  while (!(await done())) {
    if (distinct.size > seen) [seen, since] = [distinct.size, performance.now()];
    if (performance.now() > since + stallMs) throw new Error(`No progress after ${seen} of ${total} mails`);
    await wait(50);
  }
}
