// Records the responses to all calls by all kinds of callers in a file, to prove that two commits behave the same.
// Usage:
// node bench/campaigns/answers.ts record FILE [--seed 1]: sends requests and records them with their responses.
// node bench/campaigns/answers.ts compare FILE: repeats the recorded requests and lists the differences.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { calls } from "@psp/contract/api.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import fc from "fast-check";
import pg from "pg";
import type { Answer } from "../../server/src/testing/requests/failure.ts";
import { createFire } from "../../server/src/testing/requests/fire.ts";
import { fillPlaceholders, updatePool, type Shot, shotArbitrary } from "../../server/src/testing/requests/fuzz.ts";
import type { IdPool } from "../../server/src/testing/requests/fuzz-values.ts";
import { type Api, createProduct, signIn } from "../product.ts";
import { addPerson, newToken, openSession } from "./people.ts";

/** A request with placeholders for ids, and its response. */
type Entry = { caller: string; shot: Omit<Shot, "call"> & { call: string }; answer: string };
type Made = { _id: string };
type Caller = { name: string; id: string | null; token: string | null };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" } },
});
const [mode, file] = positionals;
if ((mode !== "record" && mode !== "compare") || file === undefined)
  throw new Error("usage: answers.ts record|compare FILE");

const rightsOf: Record<string, object | null> = {
  dealer: fullPermissions,
  customer: fullPermissions,
  // Sees what the operator sees, but may change nothing.
  viewer: {
    ownable: Object.fromEntries(
      ["sensor", "measurement", "role", "artifact"].map((type) => [
        type,
        { canViewObject: { me: true, relativeAncestorLevel: 1 } },
      ]),
    ),
  },
  poor: {},
};

/** Calls that are not recorded, because they would lock the callers out or wait for mails. Other tests cover these calls. */
const minutesLong = new Set(["login", "forgotPassword", "evaluatePassword"]);

async function build(url: string, db: pg.Client): Promise<{ callers: Caller[]; pool: IdPool }> {
  const root = await signIn(url);
  const { _id: top } = await root.call<Made>("GET", "/api/auth/user");
  const callers: Caller[] = [{ name: "operator", id: top, token: root.token }];
  let parent = root;
  for (const [name, permissions] of Object.entries(rightsOf)) {
    const id = await addPerson(root, name === "viewer" ? root : parent, name, permissions ?? {});
    const caller = { name, id, token: newToken() };
    await openSession(db, id, caller.token);
    callers.push(caller);
    if (name === "dealer") parent = { ...root, token: caller.token, call: as(url, caller.token) };
  }
  callers.push({ name: "stranger", id: null, token: null });
  const owners = callers.flatMap(({ id }) => (id === null ? [] : [id]));
  const make = async (path: string, body: object) => (await root.call<Made>("POST", path, body))._id;
  const ofEach = async (path: string, body: (owner: string, n: number) => object) => {
    const made: string[] = [];
    for (const [n, owner] of owners.entries()) made.push(await make(path, body(owner, n)));
    return made;
  };
  const { rows } = await db.query<{ id: string }>(
    `insert into firmware (id, owner_id, owner_path, type, name, precedence)
     select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, id, path, 'APS', '7.0.' || n, lpad(n::text, 9, '0')
     from account, generate_series(1, 40) n where id = $1 returning id`,
    [owners[2]],
  );
  const pool: IdPool = {
    account: owners,
    victim: [await addPerson(root, root, "victim", {}), await addPerson(root, parent, "second-victim", {})],
    role: await ofEach("/api/role", (owner, n) => ({ name: `Janitor ${n}`, owner })),
    sensor: await ofEach("/api/sensor", (owner, n) => ({ _id: `02:00:00:00:00:0${n + 1}`, owner, type: "APS" })),
    batch: ["00000000-0000-7000-8000-000000000000"],
    location: await ofEach("/api/measurement", (owner, n) => ({ name: `Harbour Shop ${n}`, owner })),
    event: await ofEach("/api/v2/event", (owner, n) => ({
      name: `Sale ${n}`,
      owner,
      from: "2024-05-06",
      to: "2024-05-11",
      scope: { owner },
    })),
    initToken: await ofEach("/api/init_token", (owner, n) => ({ name: `Roll-out ${n}`, owner })),
    report: await ofEach("/api/report", (owner, n) => ({
      name: `Report ${n}`,
      owner,
      range: "lastWeek",
      recipients: ["manager@example.com"],
      schedule: { every: "week", on: "mo", at: "07:00", zone: null },
    })),
    firmware: rows.map(({ id }) => id),
    issue: ["00000000-0000-7000-8000-000000000000"],
  };
  return { callers, pool };
}

const as =
  (url: string, token: string): Api["call"] =>
  async <T>(method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const reply = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!reply.ok) throw new Error(`${method} ${path} → ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as T;
  };

const shares = { valid: 6, near: 2, mangled: 1 };

/** Returns requests for each call by every caller; the same seed always returns the same requests. */
function draw(): Omit<Entry, "answer">[] {
  const entries: Omit<Entry, "answer">[] = [];
  const seed = Number(values.seed);
  for (const [n, call] of calls.entries()) {
    if (minutesLong.has(call.name) || call.upload) continue;
    const shots = fc.sample(shotArbitrary([call]), { seed: seed * 1000 + n, numRuns: 60 });
    const ofEach = Object.entries(shares).flatMap(([kind, n]) => shots.filter((one) => one.kind === kind).slice(0, n));
    for (const { call: _call, ...shot } of ofEach)
      for (const caller of ["operator", ...Object.keys(rightsOf), "stranger"])
        entries.push({ caller, shot: { ...shot, call: call.name } });
  }
  // Shuffled, so that requests find objects created by others; deletions come last.
  const order = createHash("sha256");
  const rank = (text: string) => order.copy().update(text).digest("hex");
  return entries
    .map((entry, n) => ({ entry, rank: `${entry.shot.method === "DELETE" ? 1 : 0} ${rank(`${seed} ${n}`)}` }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ entry }) => entry);
}

/** Replaces values that differ in each run, such as ids, times and secrets. Ids become numbers in order of appearance. */
function createLevelling(): (text: string) => string {
  const seen = new Map<string, number>();
  const numbered = (id: string) => {
    const n = seen.get(id) ?? seen.size + 1;
    seen.set(id, n);
    return `#${n}`;
  };
  return (text) =>
    text
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi, (id) => numbered(id.toLowerCase()))
      .replaceAll(/\b20[2-9]\d-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, "<instant>")
      .replaceAll(/psi_[\w-]{43}/g, "<init token>")
      .replaceAll(/feed_[\w-]{43}/g, "<feed token>")
      .replaceAll(/"displayPublicKey":"[^"]+"/g, '"displayPublicKey":"<key>"')
      .replaceAll(/\bassets\/[\w.-]+/g, "<asset>")
      .replaceAll(/"requestId":"[\da-f]{12}-\w+/g, '"requestId":"<request>')
      .replaceAll(/"lastSeenAt":(null|"<instant>")/g, '"lastSeenAt":<seen>')
      .replaceAll(/"retryAfter":\d+/g, '"retryAfter":<seconds>')
      .replaceAll(/"(claimingCode|token|ticket|code)":"[^"]+"/g, '"$1":"<secret>"')
      .replaceAll(/\b1[789]\d{8,11}\b/g, "<epoch>");
}

const textOf = ({ status, contentType, text, requestId }: Answer, url: string) =>
  `${status} ${contentType}\n${text.replaceAll(url, "<url>").replaceAll(requestId ?? "no request", "<request>")}`;

const product = await createProduct({ LOG_LEVEL: "silent" });
try {
  await product.start();
  const db = new pg.Client({ connectionString: await product.databaseUrl() });
  // The shutdown of the server also breaks this connection.
  db.on("error", () => {});
  await db.connect();
  const { callers, pool } = await build(product.url, db);
  const noted = mode === "compare" ? (JSON.parse(readFileSync(file, "utf8")) as Entry[]) : [];
  const plan: Omit<Entry, "answer">[] = mode === "compare" ? noted : draw();
  const { fire, stop } = createFire(product.url, 1);
  const level = createLevelling();
  const heard: Entry[] = [];
  for (const { caller: name, shot: asked } of plan) {
    const caller = callers.find((one) => one.name === name) as Caller;
    const call = calls.find((one) => one.name === asked.call);
    if (!call) {
      heard.push({ caller: name, shot: asked, answer: "no such call" });
      continue;
    }
    if (caller.id !== null && caller.token !== null) await openSession(db, caller.id, caller.token);
    const shot = fillPlaceholders({ ...asked, call }, pool);
    const answer = await fire(shot, caller.token);
    updatePool(pool, shot, answer);
    heard.push({ caller: name, shot: asked, answer: level(textOf(answer, product.url)) });
  }
  stop();
  await db.end();
  report(heard, noted);
} finally {
  await product.end();
}

function report(heard: Entry[], noted: Entry[]): void {
  const names = new Set(heard.map(({ shot }) => shot.call));
  const statuses = Map.groupBy(heard, ({ answer }) => answer.slice(0, 3));
  console.log(
    `${heard.length} requests, ${names.size} calls, ${new Set(heard.map(({ caller }) => caller)).size} callers`,
  );
  console.log([...statuses].map(([status, list]) => `${status}: ${list.length}`).join(", "));
  if (mode === "record") return writeFileSync(file as string, JSON.stringify(heard));
  const others = heard.filter(({ answer }, n) => answer !== noted[n]?.answer);
  for (const [n, entry] of heard.entries()) {
    const before = noted[n]?.answer;
    if (entry.answer === before) continue;
    console.log(`\n${entry.caller} ${entry.shot.method} ${entry.shot.path} ${entry.shot.body?.slice(0, 200) ?? ""}`);
    const parting = [...entry.answer].findIndex((letter, at) => letter !== before?.[at]);
    const from = Math.max(0, parting - 300);
    console.log(`- ${before?.slice(from, from + 1500)}\n+ ${entry.answer.slice(from, from + 1500)}`);
  }
  console.log(`\n${others.length} of ${heard.length} answers differ`);
  if (others.length > 0) process.exitCode = 1;
}
