// Two processes that read counts, files, reports and statistics from a replica: which calls do, what they see while it is behind, and what
// the start refuses.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Context } from "../context.ts";
import { openCountsFile } from "../counts/file/file.service.ts";
import { streamAggregates, streamDatapoints } from "../datapoint/data.service.ts";
import { connect } from "../db/connection/connect.ts";
import { connectionsOf, overConnections } from "../db/database.ts";
import type { Caller, LongCall, RightsCheck } from "../kit/caller.ts";
import { createReplicaWorld, type ReplicaWorld } from "../testing/database/replica-world.ts";
import { createTransactionPooler } from "../testing/database/transaction-pooler.ts";
import { until } from "../testing/devices/device-world.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

let at: ReplicaWorld;
let world: World;
let owner: Person;
let shop: string;
let report: string;
beforeAll(async () => {
  at = await createReplicaWorld();
  ({ world } = at);
  owner = await world.account("Harbour Stores", world.root, fullPermissions);
  shop = await createLocation("Harbour Shop");
  report = (await call(owner, "POST", "/api/report", reportOf(owner))).id;
});
afterAll(() => at.stop());

const reportOf = ({ id, email }: Person) => ({
  name: "Numbers",
  owner: id,
  range: "lastWeek",
  recipients: [email],
  schedule: { every: "week", on: "mo", at: "07:00", zone: "Europe/Berlin" },
});

async function call(who: Person, method: string, path: string, body?: unknown) {
  const reply = await world.call(who, method, path, body === undefined ? {} : { body });
  expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBe(200);
  return reply;
}
const createLocation = async (name: string, by = owner) =>
  (await call(by, "POST", "/api/measurement", { name, owner: by.id })).id;

/** A call at the process `n`, after it has read what the other one announced. */
async function readAt(n: number, who: Person, path: string): Promise<{ status: number; text: string }> {
  const { url, ctx } = [world.server, at.beside][n] ?? world.server;
  await ctx.announcements.pull();
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${who.token}` } });
  return { status: response.status, text: await response.text() };
}
const compared = "/api/v2/counts/locations?range=today";
const untilReplicaAnswers = () =>
  until("the replica answers", async () => {
    const before = await at.answered("primary");
    await call(owner, "GET", compared);
    return (await at.answered("primary")) === before;
  });

const replicaCalls = (): string[] => [
  `/api/v2/counts?filter=meas:${shop}&range=last30days&by=hour`,
  `/api/v2/counts/week?filter=meas:${shop}&range=thisYear`,
  compared,
  `${compared}&groupBy=owner`,
  "/api/v2/counts/total?range=thisYear",
  "/api/v2/counts/today",
  "/data/v2/counts/file?range=last30days&by=day&compare=previous",
  "/data/v2/counts/file?range=last30days&by=day&format=xlsx&groupBy=owner",
  `/api/measurement/${shop}/datapoints`,
  `/data/v2/download/csv?filter=meas:${shop}`,
  `/data/v2/aggregate/xlsx?filter=meas:${shop}&acc=day&preset=last30days`,
  `/api/report/${report}/preview`,
  "/api/v2/sensor/stats",
  "/api/v2/measurement/stats",
  "/api/v2/audit",
  `/api/v2/audit/csv?objectType=measurement&objectID=${shop}`,
];

test("a caught-up replica answers counts, files, reports and statistics", async () => {
  await untilReplicaAnswers();
  for (const path of replicaCalls()) {
    const before = [await at.answered("replica"), await at.answered("primary")];
    expect((await readAt(0, owner, path)).status, path).toBe(200);
    expect(await at.answered("replica"), path).toBeGreaterThan(before[0] ?? 0);
    expect(await at.answered("primary"), path).toBe(before[1]);
  }
  const statements = await at.onReplica("select query from pg_stat_activity where application_name = 'ps-platform'");
  expect(JSON.stringify(statements)).toContain("(select audit.* from audit");
});

test("a write is seen by its author at every process while the replica is behind", async () => {
  await untilReplicaAnswers();
  await at.pause();
  onTestFinished(at.resume);
  const added = await createLocation("Added");
  for (const n of [0, 1, 1, 0]) expect((await readAt(n, owner, compared)).text).toContain(added);
  await call(owner, "DELETE", `/api/measurement/${added}`);
  for (const n of [1, 0]) expect((await readAt(n, owner, compared)).text).not.toContain(added);
});

test("while the replica is behind, no process answers under a former right, owner or session", async () => {
  const guest = await world.account("Guest", owner, fullPermissions);
  const theirs = await createLocation("Theirs", guest);
  const other = await world.account("Other", owner, fullPermissions);
  await untilReplicaAnswers();
  await at.pause();
  onTestFinished(at.resume);
  const readers = [0, 1, 1, 0];
  for (const n of readers) expect((await readAt(n, guest, compared)).text).toContain(theirs);

  await call(owner, "PUT", `/api/measurement/${theirs}`, { owner: other.id });
  for (const n of readers) {
    expect((await readAt(n, guest, compared)).text).not.toContain(theirs);
    expect((await readAt(n, guest, `/data/v2/download/json?filter=meas:${theirs}`)).status).toBe(404);
    expect((await readAt(n, other, compared)).text).toContain(theirs);
  }

  const permissions = { owner: {}, ownable: { measurement: {} } };
  await call(world.root, "PUT", `/api/role/${other.roleId}`, { permissions });
  for (const n of readers) expect((await readAt(n, other, compared)).text).not.toContain(theirs);

  await call(owner, "DELETE", `/api/account/${guest.id}`);
  for (const n of readers) expect((await readAt(n, guest, compared)).status).toBe(401);
});

test("a file ends when its reader loses the right, although the replica does not know it yet", async () => {
  const reader = await world.account("Reader", owner, fullPermissions);
  const ids: string[] = [];
  for (let n = 0; n < 8; n += 1) ids.push(await createLocation(`Shop ${n}`, reader));
  await untilReplicaAnswers();
  const path = "/data/v2/counts/file?range=2016-01-01,2025-12-31&by=hour";
  const response = await fetch(world.url + path, { headers: { authorization: `Bearer ${reader.token}` } });
  expect(response.status).toBe(200);
  const body = response.body?.getReader();
  await body?.read();
  await at.pause();
  onTestFinished(at.resume);
  await call(owner, "PUT", `/api/measurement/${ids[5]}`, { owner: owner.id });
  await expect(
    (async () => {
      while (!(await body?.read())?.done);
    })(),
  ).rejects.toThrow();
});

test("rights of a running stream are checked on the primary only", async () => {
  const { ctx, sessions } = world.server;
  const actor = await sessions.byToken(owner.token);
  if (!actor) throw new Error("no session");
  const caller: Caller = { ...actor, request: { id: "", idempotency: null, ifMatch: null } };
  const query = { filter: [`meas:${shop}`] };
  const range = { range: "last7days", format: "csv", layout: "long" } as const;
  const streams: ((own: Context, longCall: LongCall) => Promise<unknown>)[] = [
    (own, longCall) => openCountsFile(own, longCall, range),
    (own, longCall) => streamDatapoints(own, longCall, query),
    (own, longCall) => streamAggregates(own, longCall, { ...query, acc: "day" }),
  ];
  for (const stream of streams) {
    let isOpening = true;
    const connect = connectionsOf(ctx.db, undefined);
    const db = overConnections(() => (isOpening ? connect() : Promise.reject(new Error("not the primary"))));
    const checks: RightsCheck[] = [];
    const signal = new AbortController().signal;
    await stream({ ...ctx, db }, { caller, signal, reliesOn: (check) => void checks.push(check) });
    isOpening = false;
    expect(checks).toHaveLength(1);
    for (const check of checks) await check(caller);
  }
});

test("no call fails while the replica is killed and comes back", async () => {
  await untilReplicaAnswers();
  const statuses: number[] = [];
  let isOver = false;
  const reading = [owner, world.root].map(async (who, lane) => {
    for (let n = lane; !isOver; n += 1) {
      const paths = replicaCalls();
      const { status } = await readAt(n % 2, who, paths[n % paths.length] ?? "");
      statuses.push(status);
    }
  });
  const readOn = (count: number) => {
    const end = statuses.length + count;
    return until("reads go on", () => statuses.length >= end);
  };
  await readOn(5);
  await at.postgres.killSecond();
  await readOn(10);
  await at.postgres.startSecond();
  await readOn(5);
  isOver = true;
  await Promise.all(reading);
  expect(new Set(statuses)).toEqual(new Set([200]));
  await untilReplicaAnswers();
});

async function start(env: Record<string, string>) {
  const started = await createWorld({ env: { ...at.env, ...env } });
  onTestFinished(started.stop);
  return started;
}

test("the start refuses a DATABASE_READ_URL that leads elsewhere, and waits for no replica", async () => {
  const { DATABASE_URL: primary, DATABASE_READ_URL: replica } = at.env;
  const pooler = await createTransactionPooler(replica);
  onTestFinished(pooler.close);
  for (const [url, message] of [
    [at.postgres.secondUrlOf("postgres"), "DATABASE_READ_URL leads to another database than DATABASE_URL"],
    [world.databaseUrl, "DATABASE_READ_URL leads to another database than DATABASE_URL"],
    [pooler.url, "DATABASE_READ_URL must not lead through a pooler"],
    [replica.replace("psp@", "stranger@"), 'DATABASE_READ_URL: role "stranger" does not exist'],
    [`${replica}?target_session_attrs=read-write`, "target_session_attrs of the database's URL must be standby or any"],
  ] as const)
    await expect(start({ DATABASE_READ_URL: url }), url).rejects.toThrow(message);
  await expect(start({ DATABASE_URL: "" })).rejects.toThrow("DATABASE_READ_URL needs DATABASE_URL");
  for (const url of [primary, "postgres://psp@127.0.0.1:1/psp"]) {
    const { call: ask, root } = await start({ DATABASE_READ_URL: url });
    expect((await ask(root, "GET", compared)).status).toBe(200);
  }
});

test.each(["the database", "its tables"])("the start does not wait for a replica that lacks %s", async (missing) => {
  const name = missing === "the database" ? "fresh" : "empty";
  const admin = await connect(at.postgres.firstUrl);
  onTestFinished(() => admin.end());
  if (missing === "the database") await at.pause();
  await admin.query(`create database ${name} owner psp`);
  const urls = {
    DATABASE_URL: at.env.DATABASE_URL.replace(/psp$/, name),
    DATABASE_READ_URL: at.env.DATABASE_READ_URL.replace(/psp$/, name),
  };
  if (missing === "its tables") {
    const hasDatabase = () => connect(urls.DATABASE_READ_URL).then((client) => client.end());
    await until("the replica has the database", () =>
      hasDatabase().then(
        () => true,
        () => false,
      ),
    );
    await at.pause();
  }
  onTestFinished(at.resume);
  const { call: ask, root } = await start(urls);
  expect((await ask(root, "GET", compared)).status).toBe(200);
});
