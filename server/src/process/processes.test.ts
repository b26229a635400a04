// Tests several processes that all run every part on one database, as behind a load balancer.
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPasswordCheck } from "../auth/auth.guard.ts";
import { shareTries } from "../auth/tries.guard.ts";
import { createContext } from "../context.ts";
import { startSmallNatsServer } from "../db/bus/nats-server.testing.ts";
import { announceAll } from "../db/write.ts";
import { entityUpdated } from "../kit/bus.ts";
import type { Caller } from "../kit/caller.ts";
import { createRateLimit } from "../kit/limits/rate-limit.ts";
import { until } from "../testing/devices/device-world.ts";
import type { LiveFrame } from "../testing/live-socket.ts";
import { findFreePorts } from "../testing/free-ports.ts";
import { startBeside } from "../testing/scenes/second-server.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import type { Server } from "./server.ts";

const dataDir = mkdtempSync(join(tmpdir(), "psp-beside-"));
let world: World;
let beside: Server;
let owner: Person;
beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway,worker" } });
  beside = await startBeside(world, "api,gateway,worker", dataDir);
  owner = await world.account("Two Doors", world.root, fullPermissions);
});
afterAll(async () => {
  await beside.stop();
  await world.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const urls = () => [world.url, beside.url] as const;

function open(url: string, who: Person, since?: string) {
  const socket = new WebSocket(
    `${url.replace("http", "ws")}/live?token=${who.token}${since === undefined ? "" : `&since=${since}`}`,
  );
  const frames: LiveFrame[] = [];
  const greeted = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<number>();
  socket.addEventListener("message", ({ data }) => {
    const frame = JSON.parse(String(data)) as LiveFrame;
    frames.push(frame);
    if (frame.type === "hello" || frame.type === "resync") greeted.resolve();
  });
  socket.addEventListener("close", ({ code }) => closed.resolve(code));
  return { frames, greeted: greeted.promise, closed: closed.promise, close: () => socket.close() };
}

async function createLocation(name: string, url = world.url): Promise<string> {
  const headers = { authorization: `Bearer ${owner.token}`, "content-type": "application/json" };
  const body = JSON.stringify({ name, owner: owner.id });
  const response = await fetch(`${url}/api/measurement`, { method: "POST", headers, body });
  return ((await response.json()) as { _id: string })._id;
}
const idsIn = (frames: readonly LiveFrame[]) => frames.map(({ obj }) => obj?.["_id"]);

test("LI-01 changes and lost rights at one process reach the sockets of the other", async () => {
  const guest = await world.account("Guest", owner, fullPermissions);
  const [mine, theirs] = [open(beside.url, owner), open(beside.url, guest)];
  await Promise.all([mine.greeted, theirs.greeted]);
  const id = await createLocation("Reached");
  await until("the change", () => idsIn(mine.frames).includes(id));
  expect((await world.call(owner, "DELETE", `/api/account/${guest.id}`)).status).toBe(200);
  expect(await theirs.closed).toBe(4401);
  mine.close();
});

test("LI-01 what a process committed just before it was killed reaches all others", async () => {
  const { config, db, log } = world.ctx;
  const [reader, guest] = [open(beside.url, owner), await world.account("Guest 2", owner, fullPermissions)];
  const theirs = open(beside.url, guest);
  await Promise.all([reader.greeted, theirs.greeted]);
  const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => createLocation(`Killed ${n}`)));
  await until("the new locations", () => ids.every((id) => idsIn(reader.frames).includes(id)));
  reader.frames.length = 0;
  // This process never notifies others, as if it had been killed after each commit.
  const killed = createContext({ config, db, log });
  await announceAll(
    killed,
    ids.map((id) => entityUpdated("measurement", id, owner.id)),
  );
  const { rows } = await sql<{ id: string }>`delete from session where account_id = ${guest.id} returning id`.execute(
    db,
  );
  await announceAll(killed, [{ name: "sessionsEnded", event: { sessionIds: rows.map(({ id }) => id) } }]);
  await until("all changes", () => ids.every((id) => idsIn(reader.frames).includes(id)));
  expect(await theirs.closed).toBe(4401);
  reader.close();
});

test("LI-01 clients that reconnect to any process get what they missed, without a reload", async () => {
  const known: string[] = [];
  const received = new Set<string>();
  let at = open(world.url, owner);
  await at.greeted;
  let since = at.frames.at(-1)?.cursor;
  for (let n = 0; n < rounds(12, 1_000); n += 1) {
    at.close();
    known.push(await createLocation(`Missed ${n}`, urls()[n % 2]));
    at = open(urls()[Math.floor(n / 2) % 2] ?? world.url, owner, since);
    // Some are committed while the client resumes.
    if (n % 3 === 0) known.push(await createLocation(`During ${n}`, urls()[(n + 1) % 2]));
    await at.greeted;
    expect(at.frames.map(({ type }) => type)).not.toContain("resync");
    if (n % 5 === 0)
      await until("a change after the greeting", () =>
        known.every((id) => received.has(id) || idsIn(at.frames).includes(id)),
      );
    for (const id of idsIn(at.frames)) received.add(String(id));
    since = at.frames.at(-1)?.cursor;
  }
  const end = open(world.url, owner, since);
  await until("the last ones", () => known.every((id) => received.has(id) || idsIn(end.frames).includes(id)));
  end.close();
});

test("AC-16 an account counts as online at all processes, until its last socket at any of them closes", async () => {
  const guest = await world.account("Guest 3", owner, fullPermissions);
  const seen = (url: string) =>
    fetch(`${url}/api/account/${guest.id}`, { headers: { authorization: `Bearer ${owner.token}` } })
      .then((response) => response.json() as Promise<{ status: { numActiveSessions: number } }>)
      .then(({ status }) => status.numActiveSessions);
  const reader = open(world.url, owner);
  const [here, there] = [open(world.url, guest), open(beside.url, guest)];
  await Promise.all([reader.greeted, here.greeted, there.greeted]);
  for (const url of urls()) await until("two sockets", async () => (await seen(url)) === 2);
  const late = await startBeside(world, "api", join(dataDir, "late"));
  try {
    await until("two sockets at a new process", async () => (await seen(late.url)) === 2);
  } finally {
    await late.stop();
  }
  here.close();
  for (const url of urls()) await until("one socket", async () => (await seen(url)) === 1);
  there.close();
  for (const url of urls()) await until("no socket", async () => (await seen(url)) === 0);
  await until("the reader gets it live", () => {
    const last = reader.frames.findLast(({ obj }) => obj?.["_id"] === guest.id);
    return (last?.obj as { status?: { numActiveSessions?: number } } | undefined)?.status?.numActiveSessions === 0;
  });
  reader.close();
});

test("AC-16 processes that are connected by NATS know each other's sockets", async () => {
  const [port = 0] = await findFreePorts(1);
  const nats = await startSmallNatsServer(port);
  const both = await Promise.all(
    ["nats 1", "nats 2"].map((name) =>
      startBeside(world, "api", join(dataDir, name), undefined, { BUS_URL: nats.url }),
    ),
  );
  const sockets = both.map(({ url }) => open(url, owner));
  await Promise.all(sockets.map(({ greeted }) => greeted));
  const count = ({ ctx }: Server) => ctx.presences.of(owner.id);
  await until("both sockets at both", () => both.every((one) => count(one) === 2));
  for (const socket of sockets) socket.close();
  await until("none", () => both.every((one) => count(one) === 0));
  await Promise.all(both.map((one) => one.stop()));
  await nats.stop();
});

/** Resolves once the other process has received what this one sent before. */
async function untilReceived(from: Server["ctx"], to: Server["ctx"]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const marker = `marker ${Math.random()}`;
  const off = to.bus.on("demoWalk", ({ sensorId }) => sensorId === marker && resolve());
  from.bus.send({ name: "demoWalk", event: { sensorId: marker, in: 0, out: 0 } });
  await promise;
  off();
}

test("T-10 wrong passwords at one process count at the others, until a right one", async () => {
  const login = async (url: string, email: string, password: string) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ email, password });
    return (await fetch(`${url}/api/auth/login`, { method: "POST", headers, body })).status;
  };
  const email = "no-one@example.com";
  for (let n = 0; n < 3; n += 1) expect(await login(world.url, email, "wrong-lantern-77")).toBe(401);
  await untilReceived(world.ctx, beside.ctx);
  for (const status of [401, 401, 429]) expect(await login(beside.url, email, "wrong-lantern-77")).toBe(status);
  await untilReceived(beside.ctx, world.ctx);
  expect(await login(world.url, email, "wrong-lantern-77")).toBe(429);

  const { id: credentialId } = await world.ctx.db
    .selectFrom("credential")
    .select("id")
    .where("account_id", "=", owner.id)
    .executeTakeFirstOrThrow();
  const caller = { credentialId } as Caller;
  const [here, there] = [createPasswordCheck(world.ctx), createPasswordCheck(beside.ctx)];
  for (let n = 0; n < 5; n += 1)
    await expect(here(caller, "wrong-lantern-77", "password")).rejects.toThrow("Unauthorized");
  await untilReceived(world.ctx, beside.ctx);
  await expect(there(caller, "wrong-lantern-77", "password")).rejects.toMatchObject({ status: 429 });

  const createTries = ({ ctx }: Pick<Server, "ctx">) => shareTries(ctx, "test", createRateLimit(ctx.clock, 1, 60_000));
  const [one, other] = [createTries(world), createTries(beside)];
  one.tellWrong("someone");
  await untilReceived(world.ctx, beside.ctx);
  expect([other.peek("someone") > 0, other.peek("another")]).toEqual([true, 0]);
  one.reset("someone");
  await untilReceived(world.ctx, beside.ctx);
  expect(other.peek("someone")).toBe(0);
});

test("the live delay is measured at each process", async () => {
  const reader = open(beside.url, owner);
  await reader.greeted;
  const measured = async () =>
    (await beside.ctx.metrics.liveSeconds.get()).values.find(
      ({ metricName, labels }) => metricName === "psp_live_delay_seconds_count" && labels.kind === "changes",
    )?.value ?? 0;
  const before = await measured();
  const id = await createLocation("Measured");
  await until("the change", () => idsIn(reader.frames).includes(id));
  await until("its delay", async () => (await measured()) > before);
  reader.close();
});

test("messages that did not reach the other processes are counted", async () => {
  const lost = async () => {
    const { values } = await world.ctx.metrics.messagesLost.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.reason, value]));
  };
  const send = (fault: string) =>
    world.ctx.bus.send({ name: "demoFault", event: { sensorId: "02:00:00:00:00:01", fault } });
  const before = await lost();
  send("f".repeat(8_000));
  expect(await lost()).toEqual({ ...before, "too long": (before["too long"] ?? 0) + 1 });
  await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = 'ps-platform bus'
    and datname = current_database()`.execute(world.ctx.db);
  send("covered-lens");
  await until("the loss", async () => ((await lost())["not sent"] ?? 0) > (before["not sent"] ?? 0));
  const { busDisconnects } = world.ctx.metrics;
  await until("the disconnect", async () => ((await busDisconnects.get()).values[0]?.value ?? 0) > 0);
});

test("LI-01 lost bus connections lose no change and cause no reload", async () => {
  const reader = open(beside.url, owner);
  await reader.greeted;
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ps-platform bus'
    and datname = current_database()`.execute(world.ctx.db);
  const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => createLocation(`Cut ${n}`, urls()[n % 2])));
  await until("all changes", () => ids.every((id) => idsIn(reader.frames).includes(id)));
  expect(reader.frames.map(({ type }) => type)).not.toContain("resync");
  reader.close();
});
