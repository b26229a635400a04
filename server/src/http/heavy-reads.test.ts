// Checks that slow database reads are limited, and canceled when the client disconnects (T-23).
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { maxLocationDays } from "@psp/contract/counts/counts.api.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

/** Size of the connection pool; heavy reads use at most half of it. */
const connections = 12;
const perAccount = 3;
let world: World;
let reader: Person;
let other: Person;
let location: string;
let week: string;

beforeAll(async () => {
  world = await createWorld({ env: { DATABASE_POOL: String(connections) } });
  reader = await world.account("Reader", world.root, fullPermissions);
  other = await world.account("Other", reader, fullPermissions);
  location = (await world.call(reader, "POST", "/api/measurement", { body: { name: "Shop", owner: reader.id } })).id;
  week = `/api/v2/counts/week?filter=meas:${location}&range=2004-01-01,2023-12-31`;
});
afterAll(() => world.stop());

/** Every slow read, with a table that it needs. Locking the table blocks the read. */
const heavy = (): [path: string, table: string][] => [
  [week, "location"],
  [`/api/v2/counts?filter=meas:${location}&range=last30days&by=hour`, "location"],
  ["/api/v2/counts/locations?range=thisYear", "location"],
  ["/api/v2/counts/total?range=thisYear", "location"],
  ["/api/v2/audit?limit=500", "audit"],
  [`/api/v2/audit/csv?objectType=measurement&objectID=${location}`, "audit"],
  [`/api/measurement/${location}/datapoints?limit=500`, "occupancy_point"],
  [`/data/v2/download/json?filter=meas:${location}`, "location"],
  ["/data/v2/counts/file?range=last30days&by=hour&groupBy=tag", "location"],
  ["/data/v2/counts/file?range=last30days&by=hour&format=xlsx", "location"],
  [`/data/v2/aggregate/xlsx?filter=meas:${location}&acc=hour&preset=last30days`, "location"],
];

/** Sends a request without waiting for the response. */
function begin(who: Person, path: string): { socket: Socket; heard: () => string } {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  let heard = "";
  socket.on("data", (chunk: Buffer) => (heard += chunk.toString()));
  socket.on("error", () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${who.token}\r\n\r\n`);
  return { socket, heard: () => heard };
}

/** Number of blocked reads. The audit insert of an export runs separately and is not canceled. */
async function waiting(): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query !~* '^insert'`.execute(world.ctx.db);
  return rows.length;
}

async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  await world.ctx.db.transaction().execute(async (tx) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(tx);
    await work();
  });
}

test("T-23 a heavy read is canceled in the database when its client disconnects", async () => {
  for (const [path, table] of heavy())
    await whileLocked(table, async () => {
      const { socket } = begin(reader, path);
      await untilSomebodyWaits(world.ctx.db);
      await once(socket.destroy(), "close");
      await expect.poll(waiting, { message: path }).toBe(0);
    });
  // Every connection and every slot is free again.
  for (const [path] of heavy()) expect((await world.call(reader, "GET", path)).status, path).toBe(200);
});

test("T-23 an account has three running and fifty waiting heavy reads; further ones are refused", async () => {
  await whileLocked("location", async () => {
    const more = 4;
    const calls = Array.from({ length: perAccount + 50 + more }, () => begin(reader, week));
    const refused = () =>
      calls.filter(({ heard }) => /^HTTP\/1\.1 429 [^]*retry-after: 5\r\n[^]*"code":306,/i.test(heard()));
    await expect.poll(() => refused().length).toBe(more);
    await untilSomebodyWaits(world.ctx.db, perAccount);
    const theirs = begin(other, "/api/v2/counts/total?range=today");
    await untilSomebodyWaits(world.ctx.db, perAccount + 1);
    expect(await waiting()).toBe(perAccount + 1);
    for (const { socket } of calls) await once(socket.destroy(), "close");
    await expect.poll(waiting).toBe(1);
    expect(theirs.heard()).toBe("");
  });
  expect((await world.call(reader, "GET", week)).status).toBe(200);
});

test("T-23 heavy reads of all accounts use at most half of the database connections", async () => {
  const people = await Promise.all(["A", "B", "C"].map((name) => world.account(name, reader, fullPermissions)));
  await whileLocked("location", async () => {
    const calls = people.flatMap((who) =>
      Array.from({ length: perAccount }, () => begin(who, "/api/v2/counts/total?range=today")),
    );
    const each = people.flatMap((who) => Array.from({ length: perAccount }, () => begin(who, week)));
    await untilSomebodyWaits(world.ctx.db, connections / 2);
    expect((await world.call(reader, "GET", "/api/role")).status).toBe(200);
    expect(await waiting()).toBe(connections / 2);
    for (const { socket } of [...calls, ...each]) await once(socket.destroy(), "close");
    await expect.poll(waiting).toBe(0);
  });
});

test("T-23 a shared read is canceled when the last of its clients has disconnected", async () => {
  const total = "/api/v2/counts/total?range=last7days";
  await whileLocked("location", async () => {
    const first = begin(reader, total);
    await untilSomebodyWaits(world.ctx.db);
    const [left, stays] = [begin(reader, total), begin(reader, total)];
    await world.call(reader, "GET", "/api/role");
    await once(first.socket.destroy(), "close");
    await once(left.socket.destroy(), "close");
    // The first run was canceled, and the run for the remaining client has started.
    await expect.poll(waiting).toBe(1);
    await once(stays.socket.destroy(), "close");
    await expect.poll(waiting).toBe(0);
  });
});

test("T-23 CO-01 too many days of locations are refused with the limit", async () => {
  const refusal = async (path: string) => {
    const reply = await world.call(reader, "GET", path);
    return [reply.status, reply.code, reply.at("details.reason")];
  };
  const { db } = world.ctx;
  // 600 locations over 20 years are more than 4 million days.
  await sql`insert into location (id, owner_id, owner_path, name, created_at, updated_at)
    select gen_random_uuid(), ${reader.id}, ${reader.path}, 'Shop ' || n, now(), now() from generate_series(1, 600) n`.execute(
    db,
  );
  const reason = `More than ${maxLocationDays.toLocaleString("en")} location days. Choose a shorter range or fewer locations`;
  const years = "range=2004-01-01,2023-12-31";
  for (const path of ["locations", "total"])
    expect(await refusal(`/api/v2/counts/${path}?${years}`), path).toEqual([400, 102, reason]);
  expect((await world.call(reader, "GET", `/api/v2/counts/locations?${years}&name=Shop 1`)).status).toBe(200);
});
