// Sends many fuzzed requests to a server in a separate process. No response may be an unexpected 5xx or differ from its
// specification, and memory must not grow.
// Usage: node bench/campaigns/fuzz.ts [--requests 20000] [--seed 1] [--parallel 8]
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { calls } from "@psp/contract/api.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import fc from "fast-check";
import pg from "pg";
import { createFire, type Fire } from "../../server/src/testing/requests/fire.ts";
import {
  fillPlaceholders,
  findAnswerFault,
  updatePool,
  type Shot,
  shotArbitrary,
} from "../../server/src/testing/requests/fuzz.ts";
import type { IdPool } from "../../server/src/testing/requests/fuzz-values.ts";
import { type Api, createProduct, signIn } from "../product.ts";
import { addPerson, newToken, openSession } from "./people.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    parallel: { type: "string", default: "8" },
  },
});
const requests = Number(values.requests);
const seed = Number(values.seed);
const parallel = Number(values.parallel);
/** Requests generated at a time, to limit memory. */
const portion = 2000;

type Made = { _id: string };
type Crowd = { pool: IdPool; tokens: (string | null)[] };

async function person(root: Api, db: pg.Client, name: string, permissions: object) {
  const id = await addPerson(root, root, name, permissions);
  const token = newToken();
  await openSession(db, id, token);
  return { id, token };
}

async function gather(root: Api, db: pg.Client): Promise<Crowd> {
  const { _id: top } = await root.call<Made>("GET", "/api/auth/user");
  const customer = await person(root, db, "Customer", fullPermissions);
  const viewer = await person(root, db, "Viewer", {
    ownable: { sensor: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
  });
  const poor = await person(root, db, "Poor", {});
  const victim = await person(root, db, "Victim", {});
  const owner = customer.id;
  const make = async (path: string, body: object) => (await root.call<Made>("POST", path, body))._id;
  // JSON requests can't create firmware, so the database gets enough firmware for all deletions.
  const { rows } = await db.query<{ id: string }>(
    `insert into firmware (id, owner_id, owner_path, type, name, precedence)
     select gen_random_uuid(), id, path, 'APS', '7.0.' || n, n::text from account, generate_series(1, 200) n where id = $1 returning id`,
    [owner],
  );
  return {
    pool: {
      account: [top, owner, viewer.id],
      victim: [victim.id],
      role: [await make("/api/role", { name: "Janitor", owner })],
      sensor: [await make("/api/sensor", { _id: "02:00:00:00:00:01", owner, type: "APS" })],
      // Batches return no id, so the requests use an unknown one.
      batch: ["00000000-0000-7000-8000-000000000000"],
      location: [await make("/api/measurement", { name: "Harbour Shop", owner })],
      event: [await make("/api/v2/event", { name: "Sale", from: "2024-05-06", to: "2024-05-11", scope: { owner } })],
      initToken: [await make("/api/init_token", { name: "Roll-out", owner })],
      report: [
        await make("/api/report", {
          name: "Weekly numbers",
          owner,
          range: "lastWeek",
          recipients: ["manager@example.com"],
          schedule: { every: "week", on: "mo", at: "07:00", zone: null },
        }),
      ],
      firmware: rows.map(({ id }) => id),
      issue: ["00000000-0000-7000-8000-000000000000"],
    },
    tokens: [root.token, customer.token, customer.token, viewer.token, poor.token, null, "x".repeat(43)],
  };
}

/** Resident memory in megabytes; 0 if unknown. */
function memoryOf(pid: number | null): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

const product = await createProduct();
const faults: string[] = [];
const statuses = new Map<number, number>();
let sent = 0;
let slowest = 0;

async function volley(shots: Shot[], { pool, tokens }: Crowd, fire: Fire): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let n = (next += 1) - 1; n < shots.length; n = (next += 1) - 1) {
      const shot = fillPlaceholders(shots[n] as Shot, pool);
      const call = `${shot.kind} ${shot.method} ${shot.path} ${JSON.stringify(shot.headers)} ${shot.body?.slice(0, 500)}`;
      const from = performance.now();
      try {
        const answer = await fire(shot, tokens[Math.floor(n / 3) % tokens.length] ?? null);
        const fault = findAnswerFault(shot, answer);
        if (fault !== null) faults.push(`${fault} <- ${call}`);
        updatePool(pool, shot, answer);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      } catch (error) {
        faults.push(`${String(error)} <- ${call}`);
      }
      slowest = Math.max(slowest, performance.now() - from);
      sent += 1;
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

try {
  await product.start();
  const root = await signIn(product.url);
  const db = new pg.Client({ connectionString: await product.databaseUrl() });
  await db.connect();
  const crowd = await gather(root, db);
  await db.end();
  const { fire, stop } = createFire(product.url, parallel);
  const arbitrary = shotArbitrary(calls);
  let warm = 0;
  for (let n = 0; sent < requests && faults.length < 20; n += 1) {
    await volley(
      fc.sample(arbitrary, { seed: seed * 1_000_003 + n, numRuns: Math.min(portion, requests - sent) }),
      crowd,
      fire,
    );
    // The baseline is the memory after the first portion.
    if (n === 0) warm = memoryOf(product.pid());
    process.stdout.write(`${sent} requests, ${faults.length} faults, ${memoryOf(product.pid()).toFixed(0)} MB\n`);
  }
  stop();
  const call = [...statuses].toSorted(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
  process.stdout.write(
    `seed ${seed}: ${call.join(", ")}; slowest ${slowest.toFixed(0)} ms; ${warm.toFixed(0)} MB after the first ${portion}, ${memoryOf(product.pid()).toFixed(0)} MB at the end\n`,
  );
} finally {
  await product.end();
}
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.exitCode = faults.length === 0 && sent >= requests ? 0 : 1;
