// Tests changes of one's own logins: they need the current password, are rate-limited like signing in, and are reported to the other
// logins (ADR 0009).
import { createHash } from "node:crypto";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashPassword } from "../credential/hashing.service.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { createWorld, type Person, type Reply, type World } from "../testing/world.ts";

const present = "violet-harbour-lantern";
const next = "seven geese over the quay";
const clock = createStillClock();
let world: World;

beforeAll(async () => void (world = await createWorld({ clock })));
afterAll(() => world.stop());

async function person(name: string): Promise<Person> {
  const made = await world.account(name, world.root, fullPermissions);
  const password_hash = await hashPassword(world.ctx, present);
  await world.ctx.db.updateTable("credential").set({ password_hash }).where("account_id", "=", made.id).execute();
  return made;
}
const change = (by: Person, of: Person, currentPassword?: unknown, newPassword = next): Promise<Reply> => {
  const one = { operation: "CHANGE_PASSWORD", email: of.email, newPassword };
  const credentialChanges = [{ ...one, ...(currentPassword === undefined ? {} : { currentPassword }) }];
  return world.call(by, "PUT", `/api/account/${of.id}`, { body: { credentialChanges } });
};
const opens = async (who: Person, password: string) =>
  (await world.call(null, "POST", "/api/auth/login", { body: { email: who.email, password } })).status === 200;

test("AC-11 the right current password changes the login, and this session stays", async () => {
  const who = await person("Ada");
  const other = { ...who, token: await world.token(who) };
  expect((await change(who, who, present)).status).toBe(200);
  expect((await world.call(who, "GET", "/api/auth/user")).status).toBe(200);
  expect((await world.call(other, "GET", "/api/auth/user")).status).toBe(401);
  expect(await opens(who, next)).toBe(true);
});

test("AC-11 a wrong current password refuses the call and names the field", async () => {
  const who = await person("Bea");
  const body = {
    name: "Renamed",
    credentialChanges: [
      { operation: "CHANGE_PASSWORD", email: who.email, newPassword: next, currentPassword: present },
      { operation: "ADD", email: `second-${who.email}`, newPassword: next, currentPassword: "not-my-password-1" },
    ],
  };
  const reply = await world.call(who, "PUT", `/api/account/${who.id}`, { body });
  expect([reply.status, reply.code, reply.at("error")]).toEqual([401, 106, "Unauthorized access."]);
  expect(reply.at("details")).toEqual({
    field: "credentialChanges.currentPassword",
    reason: "The current password is wrong.",
  });
  const account = await world.call(who, "GET", `/api/account/${who.id}`);
  expect([account.at("name"), account.at("credentials")]).toEqual(["Bea", [{ email: who.email }]]);
  expect(await opens(who, present)).toBe(true);
  expect((await world.call(who, "GET", "/api/auth/user")).status).toBe(200);
});

test("AC-11 a repeat gets the first response, and nothing stored helps to guess the new password", async () => {
  const who = await person("Uma");
  const body = {
    credentialChanges: [
      { operation: "CHANGE_PASSWORD", email: who.email, newPassword: next, currentPassword: present },
      { operation: "ADD", email: `second-${who.email}`, newPassword: next, currentPassword: present },
    ],
  };
  const path = `/api/account/${who.id}`;
  const send = () => world.call(who, "PUT", path, { body, headers: { "idempotency-key": "password" } });
  const first = await send();
  expect(first.status).toBe(200);
  expect((await send()).body).toEqual(first.body);
  const kept = await world.ctx.db.selectFrom("idempotency").selectAll().where("account_id", "=", who.id).execute();
  const digest = createHash("sha256")
    .update(`PUT ${path}\n${JSON.stringify(body)}`)
    .digest();
  expect(kept.map((row) => row.request_hash.equals(digest))).toEqual([false]);
});

test("AC-11 after five wrong ones within a minute even the right one waits, also in parallel", async () => {
  const who = await person("Cora");
  const burst = await Promise.all(Array.from({ length: 20 }, (_, n) => change(who, who, `not-my-password-${n}`)));
  const statuses = burst.map(({ status }) => status);
  expect(
    [statuses.filter((one) => one === 401), statuses.filter((one) => one === 429)].map((all) => all.length),
  ).toEqual([5, 15]);
  const limited = await change(who, who, present);
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await opens(who, present)).toBe(true);
  clock.moveTo(clock.now() + 61_000);
  expect((await change(who, who, present)).status).toBe(200);
});

test("AC-11 T-11 every change of one's own logins needs the current password", async () => {
  const who = await person("Dora");
  const second = `second-${who.email}`;
  const put = (changes: object[]) =>
    world.call(who, "PUT", `/api/account/${who.id}`, { body: { credentialChanges: changes } });
  const add = { operation: "ADD", email: second, newPassword: next };
  expect((await put([{ ...add, currentPassword: present }])).status).toBe(200);
  const all = [
    { operation: "ADD", email: `third-${who.email}`, newPassword: next },
    { operation: "CHANGE_PASSWORD", email: who.email, newPassword: next },
    { operation: "CHANGE_PASSWORD", email: second, newPassword: "another seven geese here" },
    { operation: "REMOVE", email: second },
  ];
  const refusal = (reply: Reply) => [reply.status, reply.code, reply.at("details.field")];
  for (const one of all) {
    expect(refusal(await put([one])), one.operation).toEqual([400, 104, "credentialChanges.currentPassword"]);
    expect(refusal(await put([{ ...one, currentPassword: "" }]))).toEqual([
      400,
      104,
      "credentialChanges.currentPassword",
    ]);
    const wrong = await put([{ ...one, currentPassword: next }]);
    expect(refusal(wrong), one.operation).toEqual([401, 106, "credentialChanges.currentPassword"]);
  }
  const both = [{ ...add, operation: "REMOVE", newPassword: undefined, currentPassword: present }, all[0] ?? {}];
  expect((await put(both)).code).toBe(104);
  expect((await put([{ operation: "REMOVE", email: second, currentPassword: present }])).status).toBe(200);
  expect((await put([])).status).toBe(200);
  const account = await world.call(who, "GET", `/api/account/${who.id}`);
  expect(account.at("credentials")).toEqual([{ email: who.email }]);
});

test("AC-11 the account's other logins are mailed what was changed and by whom", async () => {
  const who = await person("Hanna");
  const address = (name: string) => `${name}-${who.email}`;
  const put = (changes: object[], by = who) =>
    world.call(by, "PUT", `/api/account/${who.id}`, { body: { credentialChanges: changes } });
  const own = (change: object) => ({ ...change, currentPassword: present });
  const mailsTo = async (email: string) => {
    const rows = await world.ctx.db.selectFrom("mail_outbox").selectAll().where("recipient", "=", email).execute();
    return rows.filter(({ subject }) => subject === "The logins of your account have changed");
  };
  const login = (name: string) => ({ operation: "ADD", email: address(name), newPassword: next });
  expect((await put(["kept", "changed", "gone"].map(login), world.root)).status).toBe(200);
  expect((await mailsTo(who.email)).map(({ text_body: text }) => text)).toEqual([
    expect.stringContaining(`${world.root.name} has changed the logins of the account "Hanna"`),
  ]);
  await world.ctx.db.deleteFrom("mail_outbox").where("recipient", "=", who.email).execute();
  await world.ctx.db
    .insertInto("credential")
    .values({ id: crypto.randomUUID(), account_id: who.id, email: address("invited"), step: 0 })
    .execute();
  const reply = await put([
    own({ operation: "REMOVE", email: address("gone") }),
    own({ operation: "CHANGE_PASSWORD", email: address("changed"), newPassword: "another seven geese here" }),
    own(login("new")),
  ]);
  expect(reply.status).toBe(200);
  for (const name of ["kept", "changed", "gone"]) {
    const [mail, ...more] = await mailsTo(address(name));
    expect(more).toEqual([]);
    expect(mail?.text_body).toContain(`${who.email} has changed the logins of the account "Hanna"`);
    for (const sentence of [
      `The login ${address("gone")} was removed.`,
      `The password of ${address("changed")} was changed.`,
      `The login ${address("new")} was added.`,
    ])
      expect(mail?.text_body).toContain(sentence);
    // The mail to a removed login gives no advice that requires a login.
    for (const advice of ["Forgot password?", "/login"])
      expect(mail?.text_body.includes(advice), `${advice} to ${name}`).toBe(name !== "gone");
    for (const secret of [present, next, "another seven geese here"]) expect(mail?.text_body).not.toContain(secret);
  }
  for (const email of [who.email, address("new"), address("invited")]) expect(await mailsTo(email)).toEqual([]);
  expect((await put([{ ...login("more"), currentPassword: "not-my-password-1" }])).code).toBe(106);
  expect(await mailsTo(address("kept"))).toHaveLength(1);
});

test.each(["REMOVE", "CHANGE_PASSWORD"])(
  "AC-11 T-11 a login that is removed (%s) while its call is hashing changes nothing",
  async (operation) => {
    const who = await person("Ines");
    const [second, intruder] = [`second-${who.email}`, `intruder-${who.email}`];
    const put = (by: Person, one: object) =>
      world.call(by, "PUT", `/api/account/${who.id}`, { body: { credentialChanges: [one] } });
    const add = { operation: "ADD", newPassword: next };
    expect((await put(world.root, { ...add, email: second })).status).toBe(200);
    const opened = await world.call(null, "POST", "/api/auth/login", { body: { email: second, password: next } });
    const other = { ...who, token: String(opened.at("token")) };

    const { db } = world.ctx;
    const { ending, late } = await db.transaction().execute(async (tx) => {
      await tx.selectFrom("account").select("id").where("id", "=", who.id).forUpdate().execute();
      const more = operation === "REMOVE" ? {} : { newPassword: "another seven geese here" };
      const first = put(other, { operation, email: who.email, currentPassword: next, ...more });
      await untilSomebodyWaits(db);
      const behind = put(who, { ...add, email: intruder, currentPassword: present });
      await untilSomebodyWaits(db, 2);
      return { ending: first, late: behind };
    });
    expect((await ending).status).toBe(200);
    const refused = await late;
    expect([refused.status, refused.code]).toEqual([401, 106]);
    const kept = await world.call(other, "GET", `/api/account/${who.id}`);
    expect(JSON.stringify(kept.at("credentials"))).not.toContain(intruder);
    const login = await world.call(null, "POST", "/api/auth/login", { body: { email: intruder, password: next } });
    expect(login.status).toBe(401);
  },
);

test("AC-11 other accounts' logins do not accept a current password", async () => {
  const [who, other] = [await person("Dana"), await person("Emma")];
  expect((await change(world.root, other)).status).toBe(200);
  const reply = await change(world.root, other, present, "another seven geese here");
  expect([reply.status, reply.code, reply.at("details.field")]).toEqual([
    400,
    402,
    "credentialChanges.currentPassword",
  ]);
  expect(await opens(other, next)).toBe(true);
  expect((await change(who, who, 7)).code).toBe(402);
  expect((await change(world.root, world.root)).code).toBe(104);
});

test("AC-11 a bad new password is reported only to those who know the current one", async () => {
  const [who, stranger] = [await person("Frida"), await person("Greta")];
  expect((await change(stranger, who, present)).code).toBe(105);
  const blind = await change(who, who, "not-my-password-1", "short");
  expect(blind.at("details.field")).toBe("credentialChanges.currentPassword");
  expect((await change(who, who, present, "short")).at("details.field")).toBe("credentialChanges.newPassword");
});
