// Tests forgotten passwords over HTTP: mails, links, and everything that must not work (AU-04 to AU-07, T-09).
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forEachAtOnce } from "../testing/at-once.ts";
import { rawRequest } from "../testing/requests/raw-http.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type Reply, type World } from "../testing/world.ts";
import { hashPassword } from "../credential/hashing.service.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const publicUrl = "https://console.example.com";
const sibling = "https://buildings.example.com:8443";
const oldPassword = "violet-harbour-lantern";
const newPassword = "seven geese over the quay";
const clock = createStillClock();
let world: World;
let hash: string;

beforeAll(async () => {
  const env = { PUBLIC_URL: publicUrl, ALLOWED_ORIGINS: `https://export.example.com,${sibling}`, TRUST_PROXY: "1" };
  world = await createWorld({ clock, env: { ...env, PARTS: "api,worker" } });
  hash = await hashPassword(world.ctx, oldPassword);
});
afterAll(() => world.stop());

async function person(name: string, changes: { step?: number } = {}): Promise<Person> {
  const made = await world.account(name, world.root, fullPermissions);
  await world.ctx.db
    .updateTable("credential")
    .set({ password_hash: hash, ...changes })
    .where("account_id", "=", made.id)
    .execute();
  return made;
}

let clients = 0;
const newClient = () => `198.51.${Math.floor((clients += 1) / 250)}.${clients % 250}`;

const put = (path: string, body: unknown, from = newClient()) =>
  world.call(null, "PUT", path, { body, headers: { "x-forwarded-for": from } });
const forgot = (body: unknown, from?: string) => put("/api/auth/login/forgot_password", body, from);
const reset = (token: string, password = newPassword) =>
  put(`/api/auth/login/reset_password?token=${encodeURIComponent(token)}`, { password });
const login = (email: string, password: string): Promise<Reply> =>
  world.call(null, "POST", "/api/auth/login", {
    body: { email, password },
    headers: { "x-forwarded-for": newClient() },
  });
const user = (token: string) =>
  world.call(null, "GET", "/api/auth/user", { headers: { authorization: `Bearer ${token}` } });

async function mailCount(email: string): Promise<number> {
  return (await world.ctx.db.selectFrom("mail_outbox").select("id").where("recipient", "=", email).execute()).length;
}

const parsed = new Map<string, ReturnType<typeof PostalMime.parse>>();
async function mailTo(email: string, n = 1) {
  const folder = join(world.ctx.config.dataDir, "mail");
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const names = await readdir(folder).catch(() => []);
    const files = names.filter((name) => name.endsWith(".eml")).toSorted();
    const mails = await Promise.all(
      files.map((file) =>
        parsed.getOrInsertComputed(file, async () => PostalMime.parse(await readFile(join(folder, file), "utf8"))),
      ),
    );
    const mine = mails.filter((mail) => mail.to?.some(({ address }) => address === email));
    const mail = mine[n - 1];
    if (mail) return mail;
    await new Promise((resolve) => void setTimeout(resolve, 20));
  }
  throw new Error(`No ${n}. mail to ${email}`);
}

const linkIn = (text: string | undefined) => /^https?:\S+\/reset-password\?token=(\S+)$/m.exec(text ?? "");
async function tokenFor(email: string, n = 1, more: JsonObject = {}): Promise<string> {
  expect((await forgot({ email, ...more })).status).toBe(200);
  const found = linkIn((await mailTo(email, n)).text);
  if (!found?.[1]) throw new Error("No link in the mail");
  return found[1];
}
const payloadOf = (token: string): JsonObject =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as JsonObject;

function expectRefused(reply: Reply, reason?: string): void {
  expect([reply.status, reply.code, reply.at("details.field")]).toEqual([400, 102, "token"]);
  expect(reply.at("details.reason")).toBe(reason);
}
const used = "The link was already used";
const replaced = "A newer link was sent, or the password was changed later";

describe("asking for a link", () => {
  test("AU-04 the mailed link has the configured base, in text and HTML", async () => {
    const who = await person("Asta");
    expect((await forgot({ email: `  ${who.email.toUpperCase()} ` })).body).toEqual({});
    const mail = await mailTo(who.email);
    expect(mail.to).toHaveLength(1);
    expect(mail.subject).toBe("Reset your PS.Platform password");
    const link = linkIn(mail.text)?.[0] ?? "";
    expect(link.startsWith(`${publicUrl}/reset-password?token=`)).toBe(true);
    expect(mail.html).toContain(`href="${link}"`);
  });

  test("AU-04 known and unknown addresses get the same response in the same time", async () => {
    const known = await person("Birte");
    const gone = await person("Carla");
    expect((await world.call(world.root, "DELETE", `/api/account/${gone.id}`)).status).toBe(200);
    const incomplete = await Promise.all([-2, -1, 0, 1].map((step) => person(`Dana ${step}`, { step })));
    const addresses = [known, gone, ...incomplete].map(({ email }) => email);
    await forEachAtOnce([...addresses, "someone@example.com", "no address", ""], async (email) => {
      const startedAt = performance.now();
      const reply = await forgot({ email });
      expect(performance.now() - startedAt, email).toBeGreaterThan(180);
      expect([reply.status, reply.body, reply.headers.get("retry-after")], email).toEqual([200, {}, null]);
    });
    expect(await Promise.all(addresses.map(mailCount))).toEqual([1, 0, 0, 0, 0, 0]);
  });

  test("AU-04 T-09 several addresses in one field send no mail", async () => {
    const who = await person("Elin");
    const other = "thief@example.net";
    await forEachAtOnce([[who.email], [who.email, other], { address: who.email }, 5, null], async (email) => {
      expect((await forgot({ email })).status, JSON.stringify(email)).toBe(400);
    });
    const joined = [",", ";", " ", "\n", "\r\nBcc: ", "\u0000", "%0a"].map((between) => who.email + between + other);
    // Each takes a fifth of a second, whatever it finds.
    await forEachAtOnce(joined, async (email) => expect((await forgot({ email })).status, email).toBe(200));
    expect((await forgot({})).code).toBe(202);
    expect((await forgot({ email: who.email, to: other })).code).toBe(402);
    expect(await mailCount(who.email)).toBe(0);
    expect(await mailCount(other)).toBe(0);
  });

  test("AU-04 at most three mails per hour and address; the last link stays valid", async () => {
    const who = await person("Frida");
    for (let n = 1; n <= 4; n += 1) expect((await forgot({ email: who.email })).status).toBe(200);
    expect(await mailCount(who.email)).toBe(3);
    const token = linkIn((await mailTo(who.email, 3)).text)?.[1] ?? "";
    expect((await reset(token)).status).toBe(200);
    clock.moveTo(clock.now() + 3_590_000);
    await forgot({ email: who.email });
    expect(await mailCount(who.email)).toBe(3);
    clock.moveTo(clock.now() + 20_000);
    await Promise.all(Array.from({ length: 8 }, () => forgot({ email: who.email })));
    expect(await mailCount(who.email)).toBe(6);
  });

  test("AU-04 more than thirty requests a minute from one client must wait", async () => {
    const from = newClient();
    const ask = (n: number) => forgot({ email: `someone-${n}@example.com` }, from);
    const first = await Promise.all(Array.from({ length: 30 }, (_, n) => ask(n)));
    expect(first.every(({ status }) => status === 200)).toBe(true);
    const refused = await ask(31);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await forgot({ email: "someone@example.com" })).status).toBe(200);
    clock.moveTo(clock.now() + 61_000);
    expect((await ask(32)).status).toBe(200);
  });

  test("AU-04 T-09 no header changes the link's host", async () => {
    const evil = "evil.example.net";
    const named = (value: string) =>
      ["x-forwarded-host", "x-host", "x-forwarded-server", "x-original-host", "x-http-host-override", "forwarded"].map(
        (name) => ({ [name]: name === "forwarded" ? `host=${value}` : value }),
      );
    const variants: Record<string, string>[] = [
      ...[evil, `${evil}:443`, `console.example.com@${evil}`, `console.example.com.${evil}`].flatMap((host) => [
        { host },
        ...named(host),
      ]),
      { origin: `https://${evil}` },
      { referer: `https://${evil}/` },
      { "x-forwarded-proto": "http", "x-forwarded-port": "666" },
      { "x-original-url": `https://${evil}/`, "x-rewrite-url": "/other" },
    ];
    const people = await Promise.all(variants.map((_, n) => person(`Gunda ${n}`)));
    await forEachAtOnce(everyNth(4, [...variants.entries()]), async ([n, variant]) => {
      const email = people[n]?.email ?? "";
      const headers = { "content-type": "application/json", "x-forwarded-for": newClient(), ...variant };
      const body = JSON.stringify({ email });
      const reply = await rawRequest(world.url, "PUT", "/api/auth/login/forgot_password", { headers, body });
      expect(reply.status, JSON.stringify(variant)).toBe(200);
      const mail = await mailTo(email);
      expect(linkIn(mail.text)?.[0].startsWith(`${publicUrl}/reset-password?token=`), JSON.stringify(variant)).toBe(
        true,
      );
      expect(`${mail.subject}${mail.text}${mail.html}`).not.toContain("evil");
    });
  });

  test("AU-06 T-09 an allow-listed origin is in the token; others are ignored with 200", async () => {
    const who = await person("Hanne");
    expect(payloadOf(await tokenFor(who.email, 1, { origin: sibling }))["origin"]).toBe(sibling);
    const foreign = [
      "https://evil.example.net",
      `${sibling}/`,
      `${sibling}.evil.example.net`,
      `${sibling}@evil.example.net`,
      "https://buildings.example.com",
      sibling.replace("https", "http"),
      sibling.toUpperCase(),
      "//buildings.example.com:8443",
      "javascript:alert(1)",
      "*",
      "",
      null,
    ];
    await forEachAtOnce([...foreign.entries()], async ([n, origin]) => {
      const asker = await person(`Ilse ${n}`);
      const token = await tokenFor(asker.email, 1, { origin });
      expect(Object.keys(payloadOf(token)).toSorted(), String(origin)).toEqual(["exp", "jti", "sub"]);
    });
    expect((await forgot({ email: who.email, origin: [sibling] })).status).toBe(400);
  });
});

describe("setting a new password by the link", () => {
  test("AU-05 works once, ends all sessions of that login, and opens a locked one", async () => {
    const who = await person("Jette");
    const bystander = await person("Karin");
    const sessions = [who.token, await world.token(who), String((await login(who.email, oldPassword)).at("token"))];
    await world.ctx.db.updateTable("credential").set({ failed_logins: 100 }).where("account_id", "=", who.id).execute();
    expect((await login(who.email, oldPassword)).status).toBe(401);
    const token = await tokenFor(who.email);
    expect((await reset(token)).body).toEqual({});
    for (const session of sessions) expect((await user(session)).status).toBe(401);
    expect((await user(bystander.token)).status).toBe(200);
    expect((await login(who.email, oldPassword)).status).toBe(401);
    expect((await login(who.email, newPassword)).status).toBe(200);
    expectRefused(await reset(token, "another seven geese here"), used);
    expect((await login(who.email, newPassword)).status).toBe(200);
    const actions = (await world.trail(who.id)).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(["forgot-password", "reset-password"]));
  });

  test("AU-05 a refused password is reported with its reasons and keeps the link valid", async () => {
    const who = await person("Lisbeth");
    const token = await tokenFor(who.email);
    const short = await reset(token, "brief heron");
    expect([short.status, short.code, short.at("details.requirements")]).toEqual([
      400,
      205,
      ["At least 15 characters"],
    ]);
    expect((await reset(token, `I am Lisbeth, hello ${who.email}`)).code).toBe(205);
    expect((await put("/api/auth/login/reset_password", { password: newPassword })).code).toBe(104);
    expect((await put(`/api/auth/login/reset_password?token=${token}`, {})).code).toBe(206);
    expect((await reset(token, "")).code).toBe(206);
    expect((await login(who.email, oldPassword)).status).toBe(200);
    expect((await reset(token)).status).toBe(200);
  });

  test("AU-05 T-09 a newer mail invalidates older links", async () => {
    const who = await person("Maren");
    const older = await tokenFor(who.email);
    const newer = await tokenFor(who.email, 2);
    expectRefused(await reset(older), replaced);
    expect((await reset(newer)).status).toBe(200);
    expectRefused(await reset(older), used);
  });

  test("AU-05 T-09 a password change, deletion or lost login invalidates the link", async () => {
    const changed = await person("Nele");
    const deleted = await person("Oda");
    const [one, two] = [await tokenFor(changed.email), await tokenFor(deleted.email)];
    const credentialChanges = [{ operation: "CHANGE_PASSWORD", email: changed.email, newPassword }];
    const body = { credentialChanges };
    expect((await world.call(world.root, "PUT", `/api/account/${changed.id}`, { body })).status).toBe(200);
    expectRefused(await reset(one, "another seven geese here"), replaced);
    expect((await login(changed.email, newPassword)).status).toBe(200);
    expect((await world.call(world.root, "DELETE", `/api/account/${deleted.id}`)).status).toBe(200);
    expectRefused(await reset(two));
  });

  test("AU-05 a link is good for thirty minutes", async () => {
    const [who, late] = [await person("Petra"), await person("Quinta")];
    const inTime = await tokenFor(who.email);
    clock.moveTo(clock.now() + 29 * 60_000);
    expect((await reset(inTime)).status).toBe(200);
    const token = await tokenFor(late.email);
    clock.moveTo(clock.now() + 30 * 60_000);
    expectRefused(await reset(token), "The link has expired");
  });

  test("AU-05 T-09 of concurrent uses exactly one succeeds", async () => {
    const who = await person("Rike");
    const token = await tokenFor(who.email);
    const words = Array.from({ length: 6 }, (_, n) => `${n} geese over the grey quay`);
    const replies = await Promise.all(words.map((word) => reset(token, word)));
    const won = words.filter((_, n) => replies[n]?.status === 200);
    expect(won).toHaveLength(1);
    for (const reply of replies) if (reply.status !== 200) expectRefused(reply, used);
    const able = await Promise.all(words.map(async (word) => (await login(who.email, word)).status === 200));
    expect(words.filter((_, n) => able[n])).toEqual(won);
  });

  test("AU-05 T-09 a modified token or another login's is refused", async () => {
    const [a, b] = [await person("Silke"), await person("Tove")];
    const [tokenA, tokenB] = [await tokenFor(a.email), await tokenFor(b.email)];
    const [head = "", body = "", signature = ""] = tokenA.split(".");
    const [, bodyB = "", signatureB = ""] = tokenB.split(".");
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const payload = payloadOf(tokenA);
    const none = encode({ alg: "none", typ: "JWT" });
    const forged = [
      `${head}.${body}.${signatureB}`,
      `${head}.${bodyB}.${signature}`,
      `${head}.${encode({ ...payload, sub: payloadOf(tokenB)["sub"] })}.${signature}`,
      `${head}.${encode({ ...payload, exp: 99_999_999_999 })}.${signature}`,
      `${head}.${encode({ ...payload, origin: "https://evil.example.net" })}.${signature}`,
      `${none}.${body}.`,
      `${none}.${body}.${signature}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      `${tokenA}.`,
      ` ${tokenA}`,
      `${tokenA}=`,
      body,
      "",
      "x",
      "..",
      a.token,
      ...Array.from({ length: 43 }, (_, n) => {
        const place = head.length + body.length + 2 + n;
        return tokenA.slice(0, place) + (tokenA[place] === "A" ? "B" : "A") + tokenA.slice(place + 1);
      }),
    ];
    await forEachAtOnce(forged, async (token) => expectRefused(await reset(token)));
    expect((await reset("x".repeat(5000))).status).toBe(400);
    expect((await login(a.email, oldPassword)).status).toBe(200);
    expect((await login(b.email, oldPassword)).status).toBe(200);
    expect((await reset(tokenA)).status).toBe(200);
    expect((await login(b.email, oldPassword)).status).toBe(200);
    expect((await reset(tokenB)).status).toBe(200);
  });
});

test.each([
  ["seven geese over the quay", true],
  ["fünfzehnzeichen", true],
  ["fourteen-chars", false],
  ["aaaaaaaaaaaaaaaaaaa", false],
  ["Password12345678!", false],
  ["I love PS.Platform 4ever", false],
  ["The Ulrike Stores are open", false],
  [`${"seven geese over the quay ".repeat(10)}x`, false],
])("AU-07 password %#: the chips, a reset and an administrator's change agree", async (word, good) => {
  const who = await person("Ulrike Stores");
  const chips = await put("/api/auth/evaluate_password", { password: word, name: who.name, email: who.email });
  expect([chips.status, chips.at("fulfilled")]).toEqual([200, good]);
  const details = chips.at("details") as { requirement: string; fulfilled: boolean }[];
  expect(details.length).toBeGreaterThan(2);
  const missing = details.filter(({ fulfilled }) => !fulfilled).map(({ requirement }) => requirement);
  expect(missing.length === 0).toBe(good);
  const change = (operation: string, email: string) =>
    world.call(world.root, "PUT", `/api/account/${who.id}`, {
      body: { credentialChanges: [{ operation, email, newPassword: word }] },
    });
  const replies = [
    await reset(await tokenFor(who.email), word),
    await change("CHANGE_PASSWORD", who.email),
    await change("ADD", `second-${who.email}`),
  ];
  for (const reply of replies) {
    expect(reply.status).toBe(good ? 200 : 400);
    if (!good) expect([reply.code, reply.at("details.requirements")]).toEqual([205, missing]);
  }
});
