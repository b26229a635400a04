// Tests the limits of one account that protect others: concurrent calls and streams, filters, rows, locks of refused calls (T-23,
// T-27).
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createStillClock } from "../testing/snapshot.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { createWorld, type Person, type Reply, type World } from "../testing/world.ts";

const clock = createStillClock();
let world: World;
let who: Person;
let location: string;
const open: ClientRequest[] = [];
const sockets: Socket[] = [];
beforeAll(async () => {
  world = await createWorld({ clock, env: { TRUST_PROXY: "1" } });
  who = await world.account("Reader", world.root, fullPermissions);
  location = (await world.call(who, "POST", "/api/measurement", { body: { name: "Shop", owner: who.id } })).id;
});
afterEach(() => {
  for (const one of [...open.splice(0), ...sockets.splice(0)]) one.destroy();
});
afterAll(() => world.stop());

const outcome = (reply: Reply) => [reply.status, reply.code];
const filters = (n: number) => Array.from({ length: n }, () => `filter=meas:${location}`).join("&");
const data = (query: string, kind = "aggregate/json") => world.call(who, "GET", `/data/v2/${kind}?${query}`);

test("DS-01 T-23 fifty filters are accepted, one more is refused by every data call", async () => {
  for (const kind of ["download/json", "download/csv", "aggregate/json", "aggregate/csv"]) {
    expect((await data(`${filters(50)}&preset=today`, kind)).status, kind).toBe(200);
    expect(outcome(await data(`${filters(51)}&preset=today`, kind)), kind).toEqual([400, 102]);
  }
});

async function hold(person: Person, path: string): Promise<IncomingMessage> {
  const asked = request(world.url + path, { headers: { authorization: `Bearer ${person.token}` }, agent: false });
  open.push(asked);
  asked.on("error", () => undefined);
  asked.end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  return response;
}

test("DS-01 T-23 a million rows are accepted, not one more, counted without generating them", async () => {
  const range = (filtersN: number, hours: number) => {
    const from = Date.UTC(2001, 0, 1);
    const to = new Date(from + hours * 3_600_000).toISOString();
    return `${filters(filtersN)}&acc=hour&from=${new Date(from).toISOString()}&to=${to}`;
  };
  const most = await hold(who, `/data/v2/aggregate/json?${range(50, 20_000)}`);
  expect(most.statusCode).toBe(200);
  most.destroy();
  const beyond = await data(range(50, 20_001));
  expect(outcome(beyond)).toEqual([400, 102]);
  expect(beyond.at("details")).toMatchObject({ field: "acc", rows: 1_000_050 });
  expect((await data(`${filters(50)}&acc=month&from=2000-01-01T00:00:00Z`)).status).toBe(200);
});

test("DS-01 T-23 an account reads two streams at a time; the next gets Retry-After", async () => {
  const hours = `/data/v2/aggregate/json?filter=meas:${location}&acc=hour&from=2000-01-01T00:00:00Z`;
  const [first] = [await hold(who, hours), await hold(who, hours)];
  for (const path of ["download/csv?filter=meas:x", "counts/file?range=today"]) {
    const third = await world.call(who, "GET", `/data/v2/${path}`);
    expect([...outcome(third), third.headers.get("retry-after")]).toEqual([429, 306, "1"]);
  }
  expect((await world.call(world.root, "GET", `/data/v2/aggregate/json?${filters(1)}&preset=today`)).status).toBe(200);
  first?.destroy();
  await expect.poll(async () => (await data(`${filters(1)}&preset=today`)).status).toBe(200);
});

test("T-23 an account has a hundred concurrent calls; the next gets Retry-After", async () => {
  const greedy = await world.account("Greedy", world.root, fullPermissions);
  const { hostname, port } = new URL(world.url);
  const calls = Array.from({ length: 120 }, () => {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    let heard = "";
    socket.on("data", (chunk: Buffer) => (heard += chunk.toString()));
    socket.on("error", () => undefined);
    const head = ["POST /api/role HTTP/1.1", "host: x", `authorization: Bearer ${greedy.token}`, "content-length: 9"];
    socket.write(`${head.join("\r\n")}\r\ncontent-type: application/json\r\n\r\n`);
    return { socket, heard: () => heard };
  });
  const refused = () =>
    calls.filter(({ heard }) => /^HTTP\/1\.1 429 [^]*retry-after: 1\r\n[^]*"code":306,/i.test(heard()));
  await expect.poll(() => refused().length).toBe(20);
  expect(outcome(await world.call(greedy, "GET", "/api/auth/user"))).toEqual([429, 306]);
  expect((await world.call(who, "GET", "/api/auth/user")).status).toBe(200);
  calls.find(({ heard }) => heard() === "")?.socket.destroy();
  await expect.poll(async () => (await world.call(greedy, "GET", "/api/auth/user")).status).toBe(200);
  expect(refused().length).toBe(20);
});

test("AU-07 T-10 a password check takes 1,024 characters, 60 times a minute per client", async () => {
  const judge = async (from: string, password = "violet-harbour-lantern") =>
    world.call(null, "PUT", "/api/auth/evaluate_password", {
      body: { password },
      headers: { "x-forwarded-for": from },
    });
  expect((await judge("198.51.100.1", "a".repeat(1024))).status).toBe(200);
  expect(outcome(await judge("198.51.100.1", "a".repeat(1025)))).toEqual([400, 205]);
  for (let n = 0; n < 60; n += 1) expect((await judge(`2001:db8:1:1::${n + 1}`)).status).toBe(200);
  const refused = await judge("2001:DB8:1:1:ffff::1");
  expect([...outcome(refused), refused.headers.get("retry-after")]).toEqual([429, 306, "60"]);
  expect((await judge("2001:db8:1:2::1")).status).toBe(200);
  clock.moveTo(clock.now() + 60_000);
  expect((await judge("2001:db8:1:1::1")).status).toBe(200);
});

test("T-23 T-30 an account uses each switch 30 times a minute, which bounds the audit rows", async () => {
  const flip = (n: number) => world.call(who, "PUT", "/api/auth/weekly-report", { body: { enabled: n % 2 === 0 } });
  for (let n = 0; n < 30; n += 1) expect((await flip(n)).status).toBe(200);
  const refused = await flip(30);
  expect([...outcome(refused), refused.headers.get("retry-after")]).toEqual([429, 306, "60"]);
  const rows = world.ctx.db.selectFrom("audit").select("id").where("account_id", "=", who.id);
  expect(await rows.where("action", "=", "weekly-report").execute()).toHaveLength(30);
  expect((await world.call(who, "PUT", "/api/auth/remote-consent", { body: { required: true } })).status).toBe(200);
  clock.moveTo(clock.now() + 60_000);
  expect((await flip(30)).status).toBe(200);
});

const weak: Permissions = {
  owner: { canViewOwner: { me: true, relativeAncestorLevel: 1, myChildren: true } },
  ownable: { role: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
};

test("T-23 PE-04 calls refused for rights or form do not wait for the lock of rights", async () => {
  const clerk = await world.account("Clerk", who, weak);
  const owner = clerk.id;
  const role = async (name: string) =>
    (await world.call(world.root, "POST", "/api/role", { body: { name, owner: who.id } })).id;
  const [theirs, taken] = [await role("Theirs"), (await role("Taken"), "taken")];
  const unknown = "019a0000-0000-7000-8000-000000000000";
  const strong = { permissions: { owner: { canCreateOwner: true } } };
  const refusals: [Person, string, string, object | undefined, number][] = [
    [clerk, "POST", "/api/role", { name: "New", owner }, 303],
    [clerk, "POST", "/api/role", { name: "New", owner: unknown }, 103],
    [clerk, "PUT", `/api/role/${unknown}`, { name: "New" }, 105],
    [clerk, "PUT", `/api/role/${theirs}`, { name: "New" }, 305],
    [clerk, "PUT", `/api/role/${clerk.roleId}`, strong, 105],
    [clerk, "DELETE", `/api/role/${theirs}`, undefined, 304],
    [clerk, "DELETE", `/api/role/${unknown}`, undefined, 105],
    [who, "PUT", `/api/role/${theirs}`, { owner: unknown }, 103],
    [who, "PUT", `/api/role/${theirs}`, { name: taken }, 109],
    [who, "POST", "/api/role", { name: taken, owner: who.id }, 109],
    [clerk, "PUT", `/api/account/${unknown}`, { acceptRegistration: false }, 105],
    [clerk, "PUT", `/api/account/${who.id}`, { acceptRegistration: false }, 305],
    [who, "PUT", `/api/account/${owner}`, { acceptRegistration: false }, 102],
  ];
  await world.ctx.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock_shared(7305113)`.execute(tx);
    for (const [person, method, path, body, code] of refusals) {
      const reply = await world.call(person, method, path, body ? { body } : {});
      expect([method, path, reply.code]).toEqual([method, path, code]);
    }
  });
});

test("T-05 T-27 a right lost while the call waited refuses it", async () => {
  const clerk = await world.account("Clerk", who, fullPermissions);
  const { id } = await world.call(clerk, "POST", "/api/role", { body: { name: "Own", owner: clerk.id } });
  const running = await world.ctx.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(7305113)`.execute(tx);
    const renamed = world.call(clerk, "PUT", `/api/role/${id}`, { body: { name: "Other" } });
    await untilSomebodyWaits(world.ctx.db);
    const permissions = JSON.stringify({ ownable: { role: { canViewObject: { me: true } } } });
    await sql`update role set permissions = ${permissions}::jsonb where id = ${clerk.roleId}`.execute(tx);
    return { renamed };
  });
  expect(outcome(await running.renamed)).toEqual([403, 305]);
});

test("RO-02 T-27 a repeat with its key gets the first response, though it would be refused now", async () => {
  const { id } = await world.call(who, "POST", "/api/role", { body: { name: "Short-lived", owner: who.id } });
  const remove = () => world.call(who, "DELETE", `/api/role/${id}`, { headers: { "idempotency-key": "remove-it" } });
  const first = await remove();
  const again = await remove();
  expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
});
