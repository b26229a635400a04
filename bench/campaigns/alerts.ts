// Kills the server at random moments while sensors develop issues, then compares the mails with the issue log. Every issue must
// have one log entry and a mail, with at most one duplicate mail per recipient and kill. `--kills 20 --sensors 200 --seed 1`.
import { parseArgs } from "node:util";
import { monitoringDefaults } from "@psp/contract/monitoring/limits.ts";
import type pg from "pg";
import { SMTPServer } from "smtp-server";
import { withDatabase } from "../database.ts";
import { admin, createProduct, signIn } from "../product.ts";

const { values: flags } = parseArgs({
  options: {
    kills: { type: "string", default: "20" },
    sensors: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const [kills, sensors] = [Number(flags.kills), Number(flags.sensors)];
const perLocation = 5;
const other = "door@example.com";
const minuteMs = 60_000;

let state = Number(flags.seed) || 1;
/** A seeded random integer from 0 to `n` - 1. */
function below(n: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
}

const arrived: { to: string; ids: string[] }[] = [];
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData(stream, session, done) {
    let text = "";
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    stream.on("end", () => {
      const plain = text.split("Content-Type: text/html")[0]?.replaceAll("=\r\n", "") ?? "";
      const ids = new Set(plain.slice(plain.indexOf("\r\n\r\n")).match(/02(:[0-9A-F]{2}){5}/g) ?? []);
      for (const { address } of session.envelope.rcptTo) arrived.push({ to: address, ids: [...ids] });
      done();
    });
  },
});
// A killed server breaks its connection, which is no failure.
smtp.on("error", () => undefined);
await new Promise<void>((resolve) => void smtp.listen(0, "127.0.0.1", resolve));
const address = smtp.server.address();
const mailPort = typeof address === "object" && address ? address.port : 0;

const product = await createProduct({
  PARTS: "api,worker",
  TEST_CLOCK: "on",
  MAIL_URL: `smtp://127.0.0.1:${mailPort}`,
});
await product.start();
const ids = await layOut();

/** The time of the server's test clock, which is set again after each kill. */
let now = Date.now() + minuteMs;
let done = 0;
const trouble = ids.toSorted(() => below(3) - 1);

for (let round = 0; done < trouble.length || round < kills; round += 1) {
  const some = trouble.slice(done, done + Math.ceil(trouble.length / kills));
  done += some.length;
  await obstruct(some);
  now += (5 + below(20)) * minuteMs;
  const moved = moveClock();
  if (round < kills) {
    // The kill may hit any moment between check, state change, mail and delivery.
    await new Promise((resolve) => setTimeout(resolve, below(400)));
    await product.kill("server");
    await moved;
    await product.start();
  }
  await moveClock();
}
// After three mail intervals, no mail may be pending.
for (let i = 0; i < 3; i += 1) {
  now += 16 * minuteMs;
  await moveClock();
}

const [entries, waiting] = await inDatabase(
  async (client) =>
    [
      (
        await client.query<{ id: string; n: string }>(
          "select s.id, count(*) as n from monitoring_status m join sensor s on s.num = m.sensor_num group by s.id",
        )
      ).rows,
      (await client.query<{ n: string }>("select count(*) as n from alert where sent_at is null and dropped is null"))
        .rows,
    ] as const,
);
const faults: string[] = [];
if (entries.length !== ids.length) faults.push(`${ids.length - entries.length} sensors without an entry`);
for (const { id, n } of entries) if (Number(n) !== 1) faults.push(`${n} entries of ${id}`);
if (Number(waiting[0]?.n) > 0) faults.push(`${waiting[0]?.n} alerts still wait`);
for (const to of [admin.email, other]) {
  const mails = arrived.filter((mail) => mail.to === to);
  const twice = mails.length - new Set(mails.map((mail) => mail.ids.toSorted().join())).size;
  // A process sends the mails of both recipients at the same time, so a kill can repeat one for each.
  if (twice > kills) faults.push(`${twice} mails twice to ${to} with ${kills} kills`);
  const named = new Set(mails.flatMap((mail) => mail.ids));
  const missing = ids.filter((id) => !named.has(id));
  if (missing.length > 0)
    faults.push(`${to} was not mailed about ${missing.length} sensors: ${missing.slice(0, 3).join()}`);
  process.stdout.write(`${to}: ${mails.length} mails about ${named.size} sensors, ${twice} of them twice\n`);
}
process.stdout.write(
  faults.length === 0
    ? `alerts: ${kills} kills, ${ids.length} issues, nothing lost\n`
    : `seed ${flags.seed}: ${faults.join("; ")}\n`,
);
await product.end();
await new Promise<void>((resolve) => smtp.close(() => resolve()));
process.exitCode = faults.length === 0 ? 0 : 1;

async function layOut(): Promise<string[]> {
  const api = await signIn(product.url);
  const user = await api.call("GET", "/api/auth/user");
  const owner = String((user as { _id: string })._id);
  const config = {
    ...monitoringDefaults,
    alert: { email: { onWarning: true, onError: true, toOwner: true, toOther: [other] } },
  };
  const made: string[] = [];
  for (let i = 0; i < sensors; i += 1) {
    if (i % perLocation === 0) {
      const place = await api.call("POST", "/api/measurement", { name: `Site ${i}`, owner, monitoringConfig: config });
      made.push(String((place as { _id: string })._id));
    }
  }
  const { rows } = await inDatabase((client) =>
    client.query<{ id: string }>(
      `insert into sensor (id, owner_id, owner_path, type, location_id, license_monitoring, is_connected)
      select '02:00:00:00:' || upper(lpad(to_hex(n / 256), 2, '0')) || ':' || upper(lpad(to_hex(n % 256), 2, '0')),
        a.id, a.path, 'APS', ($1::uuid[])[n / ${perLocation} + 1], true, true
      from generate_series(0, $2::int - 1) n, account a where a.parent_id is null returning id`,
      [made, sensors],
    ),
  );
  return rows.map(({ id }) => id);
}

/** Stores the event and its mark in one transaction, as the gateway does. */
async function obstruct(some: readonly string[]): Promise<void> {
  await inDatabase(async (client) => {
    await client.query("begin");
    await client.query(
      `insert into device_record (kind, sensor_num, start_ms, sub, end_ms, is_ahead, body)
      select 'event', num, $2, 'osd', $2, false, '{"kind":"osd","from":0,"to":1}' from sensor where id = any($1)`,
      [some, now],
    );
    await client.query("insert into fact_mark (sensor_num, from_ms) select num, $2 from sensor where id = any($1)", [
      some,
      now,
    ]);
    await client.query("commit");
  });
}

async function inDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withDatabase(await product.databaseUrl(), work);
}

/** Sets the server's clock. The server runs all due jobs before it responds; a killed server never responds. */
async function moveClock(): Promise<void> {
  await fetch(`${product.url}/dev/clock`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ now: new Date(now).toISOString() }),
  }).catch(() => undefined);
}
