// Tests a person's own sessions over HTTP: listing them, ending one or all others, and how fast that takes effect.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { WebSocket } from "ws";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClock } from "../kit/clock.ts";
import { captureStatements } from "../testing/asked-statements.ts";
import { stopwatch } from "../testing/devices/stopwatch.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { createWorld, type Person, type Reply, type World } from "../testing/world.ts";
import { hashPassword } from "./hashing.service.ts";

const password = "violet-harbour-lantern";
const windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0";
const day = 86_400_000;
const clock = createClock();
let world: World;

beforeAll(async () => void (world = await createWorld({ clock })));
afterAll(() => world.stop());

async function person(name: string): Promise<Person> {
  const made = await world.account(name, world.root, fullPermissions);
  await world.ctx.db
    .updateTable("credential")
    .set({ password_hash: await hashPassword(world.ctx, password) })
    .where("account_id", "=", made.id)
    .execute();
  return made;
}
async function signIn(who: Person, userAgent: string): Promise<Person> {
  const reply = await world.call(null, "POST", "/api/auth/login", {
    body: { email: who.email, password },
    headers: { "user-agent": userAgent },
  });
  return { ...who, token: String(reply.at("token")) };
}
const sessionsOf = async (who: Person) => (await world.call(who, "GET", "/api/auth/sessions")).list;
const idOf = async (who: Person) => String((await sessionsOf(who)).find(({ current }) => current === true)?.["_id"]);
const alive = async (who: Person) => (await world.call(who, "GET", "/api/auth/user")).status;
const outcome = (reply: Reply) => [reply.status, reply.code];

async function endedIn(who: Person) {
  const rows = (await world.call(who, "GET", `/api/v2/audit?objectID=${who.id}&objectType=account`)).list;
  return rows
    .filter(({ action }) => action === "endSession")
    .map(({ who: by, before }) => {
      const { session, client } = before as { session: string; client: string };
      return [(by as { _id: string })._id, session, client];
    });
}

async function socketOf(who: Person): Promise<{ ended: Promise<number> }> {
  const socket = new WebSocket(`${world.url.replace("http", "ws")}/live?token=${who.token}`);
  const ended = new Promise<number>((resolve) => void socket.once("close", resolve));
  await new Promise((resolve, reject) => void socket.once("message", resolve).once("error", reject));
  return { ended };
}

test("MY-01 the list names this device first, then the others with client and times, and never a token", async () => {
  const who = await person("Ada");
  const desk = await signIn(who, windows);
  const script = await signIn(who, "curl/8.5.0");
  const list = await sessionsOf(desk);
  expect(list.map(({ current, client }) => [current, client])).toEqual([
    [true, "Firefox on Windows"],
    [false, "curl"],
    [false, null],
  ]);
  for (const one of list) {
    expect(Object.keys(one).toSorted()).toEqual(["_id", "client", "createdAt", "current", "expiresAt", "lastSeenAt"]);
    expect(Date.parse(String(one["createdAt"]))).toBeLessThanOrEqual(Date.parse(String(one["lastSeenAt"])));
    expect(Date.parse(String(one["expiresAt"])) - Date.parse(String(one["createdAt"]))).toBe(30 * day);
  }
  const text = JSON.stringify(list);
  for (const { token } of [who, desk, script]) expect(text).not.toContain(token);
});

test("MY-01 the sessions of a colleague with another login of the account are neither listed nor ended", async () => {
  const who = await person("Bea");
  const email = `colleague-${who.email}`;
  const add = { credentialChanges: [{ operation: "ADD", email, newPassword: "seven geese over the quay" }] };
  expect((await world.call(world.root, "PUT", `/api/account/${who.id}`, { body: add })).status).toBe(200);
  const reply = await world.call(null, "POST", "/api/auth/login", {
    body: { email, password: "seven geese over the quay" },
  });
  const colleague = { ...who, token: String(reply.at("token")) };
  expect(await sessionsOf(colleague)).toHaveLength(1);
  expect(await sessionsOf(who)).toHaveLength(1);
  const id = await idOf(colleague);
  expect(outcome(await world.call(who, "DELETE", `/api/auth/sessions/${id}`))).toEqual([404, 105]);
  expect((await world.call(who, "DELETE", "/api/auth/sessions")).body).toEqual({ ended: 0 });
  expect(await alive(colleague)).toBe(200);
});

test("MY-01 an ended session gets 401, its socket closes within a second, others stay", async () => {
  const who = await person("Cora");
  const lost = await signIn(who, windows);
  const id = await idOf(lost);
  const socket = await socketOf(lost);
  expect((await world.call(who, "DELETE", `/api/auth/sessions/${id}`)).body).toEqual({ _id: id });
  const passed = stopwatch();
  const after = socket.ended.then(passed);
  expect(outcome(await world.call(lost, "GET", "/api/auth/user"))).toEqual([401, 106]);
  expect(await socket.ended).toBe(4401);
  expect(await after).toBeLessThan(1000);
  expect(await alive(who)).toBe(200);
  expect(outcome(await world.call(who, "DELETE", `/api/auth/sessions/${id}`))).toEqual([404, 105]);
  expect(await endedIn(who)).toEqual([[who.id, id, "Firefox on Windows"]]);
});

test("MY-01 ending all others keeps the current session and audits each", async () => {
  const who = await person("Dora");
  const others = [await signIn(who, windows), await signIn(who, "curl/8.5.0")];
  const ids = await Promise.all(others.map(idOf));
  const sockets = await Promise.all(others.map(socketOf));
  expect((await world.call(who, "DELETE", "/api/auth/sessions")).body).toEqual({ ended: 2 });
  for (const other of others) expect(await alive(other)).toBe(401);
  expect(await Promise.all(sockets.map(({ ended }) => ended))).toEqual([4401, 4401]);
  expect((await sessionsOf(who)).map(({ current }) => current)).toEqual([true]);
  expect(new Set((await endedIn(who)).map(([, id]) => id))).toEqual(new Set(ids));
});

test("MY-01 one may end the current session; expired ones are not listed", async () => {
  const who = await person("Emma");
  const old = await signIn(who, windows);
  clock.moveTo(clock.now() + 6 * day);
  const fresh = await signIn(who, "curl/8.5.0");
  expect(await sessionsOf(fresh)).toHaveLength(3);
  clock.moveTo(clock.now() + 2 * day);
  expect((await sessionsOf(fresh)).map(({ client }) => client)).toEqual(["curl"]);
  expect(await alive(old)).toBe(401);
  const id = await idOf(fresh);
  expect((await world.call(fresh, "DELETE", `/api/auth/sessions/${id}`)).status).toBe(200);
  expect(await alive(fresh)).toBe(401);
});

test("AU-08 the console learns whether its cookie opens a session", async () => {
  const who = await person("Frida");
  const reported = async (cookie?: string) => {
    const reply = await world.call(null, "GET", "/config.js", cookie === undefined ? {} : { headers: { cookie } });
    expect(reply.headers.get("cache-control")).toBe("no-store");
    const json = /^window\.__CONFIG__=(.*);$/s.exec(String(reply.body))?.[1] ?? "";
    return (JSON.parse(json) as { session?: boolean }).session;
  };
  expect(await reported()).toBe(false);
  expect(await reported("psp_session=nothing-that-was-ever-given-out")).toBe(false);
  expect(await reported(`psp_session=${who.token}`)).toBe(true);
  await world.call(who, "DELETE", `/api/auth/sessions/${await idOf(who)}`);
  expect(await reported(`psp_session=${who.token}`)).toBe(false);
});

test("a session that ends while it requests a ticket gets 401", async () => {
  const who = await signIn(await person("Zora"), windows);
  const { db } = world.ctx;
  const id = await idOf(who);
  const { ticket } = await db.transaction().execute(async (tx) => {
    await tx.deleteFrom("session").where("id", "=", id).execute();
    const pending = world.call(who, "POST", "/api/auth/ticket");
    await untilSomebodyWaits(db);
    return { ticket: pending };
  });
  expect(outcome(await ticket)).toEqual([401, 106]);
});

test("LI-01 a change reads the rights of all sockets, and stores their use, in few statements", async () => {
  const root = { ...world.root, token: await world.token(world.root) };
  const who = await world.account("Many Windows", root, fullPermissions);
  const windowsOfAll = await Promise.all(
    Array.from({ length: 15 }, async () => world.live({ ...who, token: await world.token(who) })),
  );
  const changedAt = clock.now() + 61_000;
  clock.moveTo(changedAt);
  // A changed account ends the cached rights of all sessions.
  const asked = await captureStatements(async () => {
    const renamed = await world.call(root, "PUT", `/api/account/${who.id}`, { body: { name: "Many Displays" } });
    expect(renamed.status).toBe(200);
    for (const one of windowsOfAll) await one.heard("account", "update", who.id);
  });
  const about = (start: RegExp) => asked.filter(({ text }) => start.test(text)).length;
  expect(about(/from "session" inner join/)).toBeLessThanOrEqual(3);
  const updates = about(/^\s*update "?session"? set/);
  expect(updates).toBeGreaterThan(0);
  expect(updates).toBeLessThanOrEqual(3);
  const { rows } = await sql`
    select from session where account_id = ${who.id}::uuid and last_used_at >= ${new Date(changedAt)}`.execute(
    world.ctx.db,
  );
  expect(rows).toHaveLength(windowsOfAll.length);
  for (const one of windowsOfAll) one.close();
});
