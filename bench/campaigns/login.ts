// Floods one login with guesses from many addresses. Then checks that neither responses nor their times tell known e-mail
// addresses from unknown ones (T-10). `--guesses 100000 --addresses 200 --parallel 300 --timings 2000`.
import { parseArgs } from "node:util";
import { withDatabase } from "../database.ts";
import { admin, createProduct, signIn } from "../product.ts";

const { values: flags } = parseArgs({
  options: {
    guesses: { type: "string", default: "100000" },
    addresses: { type: "string", default: "200" },
    parallel: { type: "string", default: "300" },
    timings: { type: "string", default: "2000" },
  },
});
const guesses = Number(flags.guesses);
const addresses = Number(flags.addresses);

type Reply = { status: number; body: string; cookie: string; ms: number };

const product = await createProduct({ TRUST_PROXY: "1" });
await product.start();
const failures: string[] = [];

async function login(email: string, password: string, from: string, cookie = ""): Promise<Reply> {
  const begin = performance.now();
  const reply = await fetch(`${product.url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": from, cookie },
    body: JSON.stringify({ email, password }),
  });
  const body = await reply.text();
  const ms = performance.now() - begin;
  return { status: reply.status, body, ms, cookie: cookieOf(reply) };
}

function cookieOf(reply: Response): string {
  const found = reply.headers.getSetCookie().find((one) => one.startsWith("psp_browser="));
  return found?.split(";")[0] ?? "";
}

async function compared(): Promise<number> {
  const text = await (await fetch(`${product.url}/metrics`)).text();
  return Number(/^psp_passwords_compared_total (\d+)/m.exec(text)?.[1]);
}

function expect(what: string, holds: boolean, seen: unknown): void {
  console.log(`${holds ? "ok" : "FAILED"}: ${what} (${String(seen)})`);
  if (!holds) failures.push(what);
}

const addressAt = (n: number) => `198.18.${Math.floor(n / 250)}.${(n % 250) + 1}`;

async function inParallel(count: number, parallel: number, task: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

async function flood(): Promise<void> {
  const { cookie } = await login(admin.email, admin.password, "203.0.113.1");
  const before = await compared();
  const statuses = new Map<number, number>();
  const owner: number[] = [];
  const attack = inParallel(guesses, Number(flags.parallel), async (n) => {
    // After the first 1,000 guesses, every 97th is right and would succeed if the server checked it.
    const password = n > 1000 && n % 97 === 0 ? admin.password : `guess-number-${n}-of-many`;
    const { status } = await login(admin.email, password, addressAt(n % addresses));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    // The owner logs in only after the server has stopped checking guesses: an earlier login would reset the limit of guesses.
    if (n > 1000 && n % Math.ceil(guesses / 6) === 0) {
      const own = await login(admin.email, admin.password, `203.0.113.${owner.length + 2}`, cookie);
      owner.push(own.status === 200 ? own.ms : Infinity);
    }
  });
  await attack;
  const opened = statuses.get(200) ?? 0;
  expect(`${guesses} guesses from ${addresses} addresses: none opened the account`, opened === 0, opened);
  const evaluated = (await compared()) - before - owner.length;
  expect("at most 100 were compared with the password", evaluated <= 100, evaluated);
  const slowest = Math.max(...owner);
  expect("the owner's browser got in within 3 s meanwhile", slowest <= 3000, `slowest ${slowest.toFixed(0)} ms`);
  console.log(`answers: ${[...statuses].map(([status, count]) => `${status}: ${count}`).join(", ")}`);
}

/**
 * Probability that a random response time for a known address exceeds one for an unknown address. 0.5 means that they can't be
 * distinguished.
 */
function auc(known: number[], unknown: number[]): number {
  const sorted = unknown.toSorted((a, b) => a - b);
  const below = (ms: number) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] ?? 0) < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return known.reduce((sum, ms) => sum + below(ms), 0) / (known.length * sorted.length);
}

const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;

async function timings(): Promise<void> {
  const api = await signIn(product.url);
  const role = await api.call<{ _id: string }>("POST", "/api/role", {
    name: "Someone",
    owner: (await api.call<{ _id: string }>("GET", "/api/auth/user"))._id,
  });
  const rounds = Number(flags.timings);
  const people = Math.ceil(rounds / 90);
  const emails: string[] = [];
  for (let n = 0; n < people; n += 1) {
    const email = `person${n}@example.com`;
    await api.call("POST", "/api/account", { name: `Person ${n}`, role: role._id, email });
    emails.push(email);
  }
  // The accounts must look as if their invitations were completed.
  await withDatabase(await product.databaseUrl(), (db) =>
    db.query(
      `update credential set step = 2, password_hash = (select password_hash from credential where email = $1)
     where email = any($2)`,
      [admin.email, emails],
    ),
  );
  const known: number[] = [];
  const unknown: number[] = [];
  const bodies = new Set<string>();
  const ask = async (email: string, n: number) => {
    const { ms, body, status } = await login(email, "another-long-password", `10.${n >> 8}.${n & 255}.9`);
    bodies.add(`${status} ${body.replace(/"requestId":"[^"]*"/, "")}`);
    return ms;
  };
  for (let n = 0; n < rounds; n += 1) {
    // The order alternates, so that drift and caches affect both kinds alike.
    const pair = [
      async () => void known.push(await ask(emails[n % people] ?? "", n)),
      async () => void unknown.push(await ask(`stranger${n % people}@example.com`, n)),
    ];
    for (const one of n % 2 === 0 ? pair : pair.toReversed()) await one();
  }
  expect("known and unknown addresses get one and the same answer", bodies.size === 1, bodies.size);
  const area = auc(known, unknown);
  const gap = Math.abs(median(known) - median(unknown));
  expect("times don't tell them apart: 0.45 ≤ AUC ≤ 0.55", area >= 0.45 && area <= 0.55, area.toFixed(3));
  expect("medians lie within 5 ms", gap < 5, `${gap.toFixed(2)} ms`);
}

try {
  await timings();
  await flood();
} finally {
  await product.end();
}
if (failures.length > 0) process.exitCode = 1;
