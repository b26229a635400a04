// Tests signing in over HTTP: sessions, cookies, tickets, limits, and how fast lost rights take effect.
import { sql } from "kysely";
import { WebSocket } from "ws";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { until } from "../testing/devices/device-world.ts";
import { atFullCost } from "../testing/full-cost.ts";
import { stopwatch } from "../testing/devices/stopwatch.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Person, type Reply, type World } from "../testing/world.ts";
import { hashPassword, verifyPassword } from "../credential/hashing.service.ts";

const origin = "https://console.example.com";
const password = "violet-harbour-lantern";
const clock = createStillClock();
let world: World;
let hash: string;

beforeAll(async () => {
  world = await createWorld({ clock, env: { PUBLIC_URL: origin, ALLOWED_ORIGINS: "", TRUST_PROXY: "1" } });
  hash = await hashPassword(world.ctx, password);
});
afterAll(() => world.stop());

async function person(name: string, changes: { step?: number; password_hash?: string } = {}): Promise<Person> {
  const made = await world.account(name, world.root, fullPermissions);
  await world.ctx.db
    .updateTable("credential")
    .set({ password_hash: hash, ...changes })
    .where("account_id", "=", made.id)
    .execute();
  return made;
}

type LoginOptions = { headers?: Record<string, string>; from?: string };
function login(
  email: string,
  word = password,
  { headers = {}, from = "192.0.2.1" }: LoginOptions = {},
): Promise<Reply> {
  return world.call(null, "POST", "/api/auth/login", {
    body: { email, password: word },
    headers: { "x-forwarded-for": from, ...headers },
  });
}
const cookiesOf = (reply: Reply) => reply.headers.getSetCookie();
const cookieOf = (reply: Reply, name: string) =>
  cookiesOf(reply)
    .find((one) => one.startsWith(`${name}=`))
    ?.split(";")[0] ?? "";
const user = (token: string) =>
  world.call(null, "GET", "/api/auth/user", { headers: { authorization: `Bearer ${token}` } });
const compared = async () => {
  const text = await (await fetch(`${world.url}/metrics`)).text();
  return Number(/^psp_passwords_compared_total (\d+)/m.exec(text)?.[1]);
};
const nextMinute = () => clock.moveTo(clock.now() + 61_000);

function openSocket(token: string, headers: Record<string, string> = {}): Promise<WebSocket | number> {
  const socket = new WebSocket(`${world.url.replace("http", "ws")}/live?token=${token}`, { headers });
  return new Promise((resolve, reject) => {
    socket.once("open", () => resolve(socket));
    socket.once("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
    socket.once("error", reject);
  });
}
const closed = (socket: WebSocket) => new Promise<number>((resolve) => void socket.once("close", resolve));

describe("login", () => {
  test("returns the account with its rights, a token, and cookies that scripts can't read", async () => {
    const who = await person("Alma");
    const cookie = `psp_browser=${"A".repeat(43)}`;
    const reply = await login(`  ${who.email.toUpperCase()} `, password, { headers: { cookie } });
    expect(reply.status).toBe(200);
    expect(reply.at("user._id")).toBe(who.id);
    expect(reply.at("user.email")).toBe(who.email);
    expect(reply.at("user.role._id")).toBe(who.roleId);
    expect(reply.at("user.parentAccounts")).toEqual([world.root.id]);
    expect(reply.at("user.permissions.owner.canCreateOwner")).toBe(true);
    expect(Date.parse(String(reply.at("expiresAt"))) - clock.now()).toBeGreaterThan(29.9 * 86_400_000);
    const [session = "", browser = ""] = cookiesOf(reply);
    expect(session).toMatch(/^__Host-psp_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(browser).toMatch(
      /^__Host-psp_browser=(?!A{43})[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect((await user(String(reply.at("token")))).at("name")).toBe("Alma");
    const stored = JSON.stringify(
      await world.ctx.db.selectFrom("session").selectAll().where("account_id", "=", who.id).execute(),
    );
    expect(stored).not.toContain(String(reply.at("token")));
  });

  test("AU-08 the session outlives the browser and ends when the console closes its socket with 4000", async () => {
    const who = await person("Bea");
    const cookie = cookieOf(await login(who.email), "__Host-psp_session");
    const withCookie = () => world.call(null, "GET", "/api/auth/user", { headers: { cookie } });
    expect((await withCookie()).at("_id")).toBe(who.id);
    clock.moveTo(clock.now() + 6.9 * 86_400_000);
    expect((await withCookie()).status).toBe(200);
    const ticket = await world.call(null, "POST", "/api/auth/ticket", { headers: { cookie, origin } });
    const socket = await openSocket(String(ticket.at("ticket")), { origin });
    if (typeof socket === "number") throw new Error(`refused with ${socket}`);
    socket.close(4000);
    await until("the session's end", async () => (await withCookie()).status === 401);
    expect((await withCookie()).code).toBe(106);
    // The session of the root account has expired, too.
    world.root.token = await world.token(world.root);
  });

  test("an unused session ends after 7 days, any session after 30", async () => {
    const who = await person("Cleo");
    const idle = String((await login(who.email)).at("token"));
    const busy = String((await login(who.email)).at("token"));
    for (let day = 0; day < 29; day += 1) {
      clock.moveTo(clock.now() + 86_400_000);
      expect((await user(busy)).status, `day ${day}`).toBe(200);
      if (day === 7) expect((await user(idle)).status).toBe(401);
    }
    clock.moveTo(clock.now() + 1.1 * 86_400_000);
    expect((await user(busy)).status).toBe(401);
    world.server.sessions.forget(); // No job has deleted them, but they have expired.
    for (const token of [idle, busy]) expect((await user(token)).status).toBe(401);
    world.root.token = await world.token(world.root);
  });

  test("every failure gets the same response", async () => {
    const right = await person("Dora");
    const gone = await person("Eda");
    expect((await world.call(world.root, "DELETE", `/api/account/${gone.id}`)).status).toBe(200);
    const invited = await person("Fina", { step: 0 });
    const waiting = await person("Gesa", { step: -1 });
    const unconfirmed = await person("Hera", { step: 1 });
    const bare = await world.account("Ida", world.root, null);
    const replies = await Promise.all([
      login(right.email, "another-long-password"),
      login("someone@example.com"),
      login(gone.email),
      login(invited.email),
      login(waiting.email),
      login(unconfirmed.email),
      login(bare.email),
      login("no address at all"),
      login(`a\u0000${right.email}`),
      login(right.email, `${password} `),
      login("' or 1=1 --", "x".repeat(4096)),
    ]);
    const faces = replies.map((reply) => {
      const { requestId: _, ...body } = reply.body as Record<string, unknown>;
      return JSON.stringify([reply.status, body, cookiesOf(reply), reply.headers.get("content-type")]);
    });
    expect(new Set(faces).size).toBe(1);
    expect(replies[0]?.status).toBe(401);
    expect(replies[0]?.code).toBe(106);
    expect((await login(right.email)).status).toBe(200);
  });

  test("an unknown address takes as long as a known one", () =>
    atFullCost(world, async () => {
      const who = await person("Jule", { password_hash: await hashPassword(world.ctx, password) });
      // CPU time, which a busy machine does not distort.
      const timeOf = async (email: string, from: string) => {
        const begin = process.cpuUsage();
        await login(email, "another-long-password", { from });
        const { user: ours, system } = process.cpuUsage(begin);
        return ours + system;
      };
      const known: number[] = [];
      const unknown: number[] = [];
      for (let round = 0; round < 8; round += 1) {
        known.push(await timeOf(who.email, `198.51.100.${round}`));
        unknown.push(await timeOf(`someone${round}@example.com`, `198.51.100.${round}`));
      }
      // Hashing takes tens of milliseconds, everything else a few. The minimum of all rounds excludes interruptions.
      expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...known) * 0.6);
      expect(Math.min(...unknown)).toBeLessThan(Math.min(...known) * 1.6);
    }));

  test("a password changed during the comparison opens no session", async () => {
    const who = await person("Jutta");
    const { db } = world.ctx;
    const waiting = async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        db,
      );
      return rows[0]?.n ?? 0;
    };
    const { reply } = await db.transaction().execute(async (tx) => {
      const stored = tx.updateTable("credential").where("account_id", "=", who.id);
      await stored.set({ position: 7 }).execute();
      const pending = login(who.email);
      await until("the login at the lock", async () => (await waiting()) > 0);
      await stored.set({ password_hash: await hashPassword(world.ctx, "copper-meadow-whistle") }).execute();
      return { reply: pending };
    });
    expect((await reply).status).toBe(401);
    expect(await db.selectFrom("session").select("id").where("account_id", "=", who.id).execute()).toHaveLength(1);
  });

  test("Unicode forms of a password are equal, and spaces count", async () => {
    const who = await person("Kaja");
    await world.ctx.db
      .updateTable("credential")
      .set({ password_hash: await hashPassword(world.ctx, "dünenpfad über Möwen ") })
      .where("account_id", "=", who.id)
      .execute();
    expect((await login(who.email, "dünenpfad über Möwen ".normalize("NFD"))).status).toBe(200);
    expect((await login(who.email, "dünenpfad über Möwen")).status).toBe(401);
  });

  test.each([
    ["missing password", { email: "a@example.com" }, 206],
    ["missing e-mail", { password }, 202],
    ["empty password", { email: "a@example.com", password: "" }, 206],
    ["empty e-mail", { email: "", password }, 202],
    ["e-mail of spaces", { email: "  ", password }, 202],
    ["wrong type", { email: ["a@example.com"], password }, 402],
    ["unknown field", { email: "a@example.com", password, admin: true }, 402],
    ["operators", { email: { $ne: "" }, password: { $ne: "" } }, 402],
    ["no object", "[]", 402],
    ["no JSON", "{", 102],
  ])("a form with %s is refused", async (_, body, code) => {
    const reply = await world.call(null, "POST", "/api/auth/login", { body });
    expect([reply.status, reply.code]).toEqual([400, code]);
  });

  test("pages of other origins can neither sign in nor use the cookie", async () => {
    const who = await person("Lena");
    const foreign = await login(who.email, password, { headers: { origin: "https://evil.example" } });
    expect([foreign.status, foreign.code, cookiesOf(foreign)]).toEqual([403, 106, []]);
    const own = await login(who.email, password, { headers: { origin } });
    const cookie = cookieOf(own, "__Host-psp_session");
    const ticket = (headers: Record<string, string>) =>
      world.call(null, "POST", "/api/auth/ticket", { headers: { cookie, ...headers } });
    expect((await ticket({ origin: "https://evil.example" })).status).toBe(403);
    expect((await ticket({})).status).toBe(403);
    expect((await ticket({ origin: "null" })).status).toBe(403);
    expect((await ticket({ origin })).status).toBe(200);
  });
});

describe("limits", () => {
  test("after five wrong attempts in a minute, this address and client wait", async () => {
    const who = await person("Mona");
    for (let n = 0; n < 5; n += 1) expect((await login(who.email, "another-long-password")).status).toBe(401);
    const limited = await login(who.email);
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(limited.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    expect((await login(who.email.toUpperCase())).status).toBe(429);
    expect((await login(who.email, password, { from: "192.0.2.2" })).status).toBe(200);
    expect((await login((await person("Nele")).email)).status).toBe(200);
    nextMinute();
    expect((await login(who.email)).status).toBe(200);
  });

  test("concurrent attempts count as well", async () => {
    const who = await person("Olga");
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => login(who.email, "another-long-password", { from: "203.0.113.9" })),
    );
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(35);
  });

  test("one IPv6 network is one client", async () => {
    const who = await person("Pia");
    for (let n = 0; n < 5; n += 1) await login(who.email, "another-long-password", { from: `2001:db8:1:2::${n + 1}` });
    expect((await login(who.email, password, { from: "2001:db8:1:2:ffff::1" })).status).toBe(429);
    expect((await login(who.email, password, { from: "2001:db8:1:3::1" })).status).toBe(200);
  });

  test("after a hundred wrong attempts only a known browser gets in, until a reset", async () => {
    const who = await person("Romy");
    const browser = cookieOf(await login(who.email), "__Host-psp_browser");
    for (let n = 0; n < 100; n += 1) {
      expect((await login(who.email, "another-long-password", { from: `10.0.${n}.1` })).status).toBe(401);
    }
    expect((await login(who.email, password, { from: "10.1.0.1" })).status).toBe(401);
    const guessed = { cookie: `__Host-psp_browser=${"A".repeat(43)}` };
    expect((await login(who.email, password, { from: "10.1.0.1", headers: guessed })).status).toBe(401);
    const known = await login(who.email, password, { from: "10.1.0.2", headers: { cookie: browser } });
    expect(known.status).toBe(200);
    expect((await login(who.email, password, { from: "10.1.0.3" })).status).toBe(401);
    const changed = await world.call(world.root, "PUT", `/api/account/${who.id}`, {
      body: {
        credentialChanges: [{ operation: "CHANGE_PASSWORD", email: who.email, newPassword: "copper-meadow-whistle" }],
      },
    });
    expect(changed.status).toBe(200);
    expect((await login(who.email, "copper-meadow-whistle", { from: "10.1.0.4" })).status).toBe(200);
  });
});

describe("a flood of guesses", () => {
  test("T-10 a hundred concurrent guesses are compared; the owner comes first", { tags: "prove" }, async () => {
    // Hashed at production cost; otherwise no attempt would have to wait.
    const password_hash = await atFullCost(world, () => hashPassword(world.ctx, password));
    const who = await person("Selma", { password_hash });
    const browser = cookieOf(await login(who.email), "__Host-psp_browser");
    const before = await compared();
    const guesses = Array.from({ length: 400 }, (_, n) =>
      login(who.email, `another-long-password-${n}`, { from: `10.${n % 100}.2.${Math.floor(n / 100)}` }),
    );
    const owner = await login(who.email, password, { from: "10.200.0.1", headers: { cookie: browser } });
    const replies = await Promise.all(guesses);
    expect(owner.status).toBe(200);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect((await compared()) - before).toBeLessThanOrEqual(201);
    await sql`update credential set password_hash = ${hash} where account_id = ${who.id}`.execute(world.ctx.db);
    for (let n = 0; n < 100; n += 1) await login(who.email, "another-long-password", { from: `10.0.${n}.3` });
    const closed = await compared();
    expect((await login(who.email, password, { from: "10.201.0.1" })).status).toBe(401);
    expect(await compared()).toBe(closed);
  });

  test("T-10 attempts rejected without a comparison lock no one out", async () => {
    const who = await person("Tilda");
    let isOver = false;
    // More clients than the queue can hold; each tries again at once, so that the queue stays full.
    const strangers = Array.from({ length: 202 }, async () => {
      while (!isOver) await verifyPassword(world.ctx, null, "another-long-password");
    });
    const statuses = await Promise.all(
      Array.from({ length: 140 }, async (_, n) => {
        const reply = await login(who.email, "another-long-password", { from: `10.31.${n}.1` });
        return reply.status;
      }),
    );
    isOver = true;
    expect(new Set(statuses)).toEqual(new Set([429]));
    await Promise.all(strangers);
    expect((await login(who.email, password, { from: "10.32.0.1" })).status).toBe(200);
  });
});

describe("tokens", () => {
  test("T-11 no modified token is accepted", async () => {
    const who = await person("Sina");
    const token = String((await login(who.email)).at("token"));
    const ticket = String((await world.call({ ...who, token }, "POST", "/api/auth/ticket")).at("ticket"));
    const payload = Buffer.from(JSON.stringify({ sub: who.id, exp: 4_000_000_000 })).toString("base64url");
    const none = Buffer.from(JSON.stringify({ alg: "none", typ: "JWT" })).toString("base64url");
    const flipped = Array.from(
      { length: 40 },
      (_, n) => token.slice(0, n) + (token[n] === "A" ? "B" : "A") + token.slice(n + 1),
    );
    const mutants = [
      ...flipped,
      token.slice(1),
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      token.toUpperCase(),
      token.toLowerCase(),
      [...token].toReversed().join(""),
      ticket,
      `${none}.${payload}.`,
      `${none}.${payload}.${token}`,
      who.id,
      who.email,
      "",
      "null",
      "undefined",
      "0",
      "' or '1'='1",
      "../../etc/passwd",
      `${token},${token}`,
      "a".repeat(5000),
    ];
    for (const mutant of mutants) {
      const reply = await world.call(null, "GET", "/api/auth/user", { headers: { authorization: `Bearer ${mutant}` } });
      expect([reply.status, reply.code], mutant).toEqual([401, 106]);
      const cookie = await world.call(null, "GET", "/api/auth/user", {
        headers: { cookie: `__Host-psp_session=${encodeURIComponent(mutant)}` },
      });
      expect([cookie.status, cookie.code], mutant).toEqual([401, 106]);
    }
    const basic = await world.call(null, "GET", "/api/auth/user", { headers: { authorization: `Basic ${token}` } });
    expect(basic.status).toBe(401);
    expect((await user(token)).status).toBe(200);
  });

  test("a ticket opens one socket within 30 seconds; scripts may use a bearer token", async () => {
    const who = await person("Tina");
    const ticketOf = async () => String((await world.call(who, "POST", "/api/auth/ticket")).at("ticket"));
    const ticket = await ticketOf();
    const first = await openSocket(ticket);
    expect(typeof first).not.toBe("number");
    expect(await openSocket(ticket)).toBe(401);
    const late = await ticketOf();
    clock.moveTo(clock.now() + 30_001);
    expect(await openSocket(late)).toBe(401);
    const race = await ticketOf();
    const both = await Promise.all([openSocket(race), openSocket(race)]);
    expect(both.filter((one) => one === 401)).toHaveLength(1);
    const script = await openSocket(who.token);
    expect(typeof script).not.toBe("number");
    expect(await openSocket(who.token, { origin: "https://evil.example" })).toBe(403);
    for (const socket of [first, script, ...both]) if (typeof socket !== "number") socket.terminate();
  });

  test("a changed password, removed login or deleted account ends sessions within a second", async () => {
    const endings: [string, (who: Person) => Promise<Reply>][] = [
      [
        "password",
        (who) =>
          world.call(world.root, "PUT", `/api/account/${who.id}`, {
            body: {
              credentialChanges: [
                { operation: "CHANGE_PASSWORD", email: who.email, newPassword: "copper-meadow-whistle" },
              ],
            },
          }),
      ],
      [
        "login",
        (who) =>
          world.call(world.root, "PUT", `/api/account/${who.id}`, {
            body: {
              credentialChanges: [
                { operation: "REMOVE", email: who.email },
                { operation: "ADD", email: `new-${who.email}`, newPassword: "copper-meadow-whistle" },
              ],
            },
          }),
      ],
      ["account", (who) => world.call(world.root, "DELETE", `/api/account/${who.id}`)],
    ];
    for (const [name, end] of endings) {
      const who = await person(`Uta ${name}`);
      const token = String((await login(who.email)).at("token"));
      expect((await user(token)).status).toBe(200);
      const socket = await openSocket(token);
      if (typeof socket === "number") throw new Error(`refused with ${socket}`);
      const ended = closed(socket);
      expect((await end(who)).status, name).toBe(200);
      const passed = stopwatch();
      const after = ended.then(passed);
      expect((await user(token)).status, name).toBe(401);
      expect((await world.call({ ...who, token }, "POST", "/api/auth/ticket")).status, name).toBe(401);
      expect(await ended, name).toBe(4401);
      expect(await after, name).toBeLessThan(1000);
      expect((await login(who.email)).status, name).toBe(401);
    }
  });

  test("changing one's own password keeps the calling session and ends the others", async () => {
    const who = await person("Vera");
    const other = String((await login(who.email)).at("token"));
    const own = String((await login(who.email)).at("token"));
    const reply = await world.call({ ...who, token: own }, "PUT", `/api/account/${who.id}`, {
      body: {
        credentialChanges: [
          {
            operation: "CHANGE_PASSWORD",
            email: who.email,
            newPassword: "copper-meadow-whistle",
            currentPassword: password,
          },
        ],
      },
    });
    expect(reply.status).toBe(200);
    expect((await user(own)).status).toBe(200);
    expect((await user(other)).status).toBe(401);
  });

  test("AC-16 presence: on with the first socket, off with the last; viewers are notified", async () => {
    const who = await person("Wilma");
    const watcher = await openSocket(world.root.token);
    if (typeof watcher === "number") throw new Error(`refused with ${watcher}`);
    const seen: number[] = [];
    watcher.on("message", (data: Buffer) => {
      const { type, obj } = JSON.parse(data.toString()) as {
        type: string;
        obj?: { _id: string; status: { numActiveSessions: number } };
      };
      if (type === "account" && obj?._id === who.id) seen.push(obj.status.numActiveSessions);
    });
    const socket = await openSocket(who.token);
    if (typeof socket === "number") throw new Error(`refused with ${socket}`);
    await until("the dot on", () => seen.includes(1));
    const closedAt = clock.now();
    socket.close();
    await until("the dot off", () => seen.at(-1) === 0);
    const row = await world.call(world.root, "GET", `/api/account/${who.id}`);
    expect(row.at("status.numActiveSessions")).toBe(0);
    expect(Date.parse(String(row.at("status.lastSeenAt")))).toBeGreaterThanOrEqual(closedAt);
    watcher.terminate();
  });
});
