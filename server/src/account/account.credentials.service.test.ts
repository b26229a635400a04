// Tests which lists of login changes are applied and which are refused as a whole (AC-11).
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { createWorld, type Person, type Reply, type World } from "../testing/world.ts";

const good = "violet-harbour-lantern";
const other = "copper-meadow-whistle";
let world: World;
let admin: Person;
let counter = 0;

beforeAll(async () => {
  world = await createWorld({ env: { TRUST_PROXY: "1" } });
  admin = await world.account("Admin", world.root, fullPermissions);
  await account([["used@example.com", 2]]);
});
afterAll(() => world.stop());

/** Creates an account with exactly these logins. */
async function account(credentials: (readonly [email: string, step: number])[]): Promise<Person> {
  const who = await world.account(`Account ${(counter += 1)}`, admin, fullPermissions);
  await world.ctx.db.deleteFrom("session").where("account_id", "=", who.id).execute();
  await world.ctx.db.deleteFrom("credential").where("account_id", "=", who.id).execute();
  for (const [position, [email, step]] of credentials.entries()) {
    await world.ctx.db
      .insertInto("credential")
      .values({
        id: crypto.randomUUID(),
        account_id: who.id,
        email,
        step,
        position,
        password_hash: null,
        reg_token: null,
        verify_token: null,
      })
      .execute();
  }
  return who;
}
const put = (who: Person, changes: object[], by = admin) =>
  world.call(by, "PUT", `/api/account/${who.id}`, { body: { credentialChanges: changes } });
const emailsOf = async (who: Person) =>
  (await world.call(admin, "GET", `/api/account/${who.id}`)).at("credentials") as { email: string }[];
const login = async (email: string, password: string) =>
  (
    await world.call(null, "POST", "/api/auth/login", {
      body: { email, password },
      headers: { "x-forwarded-for": `10.2.0.${(counter += 1) % 250}` },
    })
  ).status;

const add = (email: string, newPassword = good) => ({ operation: "ADD", email, newPassword });
const change = (email: string, newPassword = good) => ({ operation: "CHANGE_PASSWORD", email, newPassword });
const remove = (email: string) => ({ operation: "REMOVE", email });

/** `%` is replaced by the case number, which makes the addresses unique. */
const cases: [string, [string, number][], object[], number | "ok", string[]][] = [
  ["add one", [["a%@x.example", 2]], [add("b%@x.example")], "ok", ["a%@x.example", "b%@x.example"]],
  [
    "remove one of two",
    [
      ["a%@x.example", 2],
      ["b%@x.example", 2],
    ],
    [remove("a%@x.example")],
    "ok",
    ["b%@x.example"],
  ],
  [
    "address in other case",
    [
      ["a%@x.example", 2],
      ["b%@x.example", 2],
    ],
    [remove("A%@X.example")],
    "ok",
    ["b%@x.example"],
  ],
  [
    "replace the only one",
    [["a%@x.example", 2]],
    [remove("a%@x.example"), add("b%@x.example")],
    "ok",
    ["b%@x.example"],
  ],
  [
    "add first, then remove",
    [["a%@x.example", 2]],
    [add("b%@x.example"), remove("a%@x.example")],
    "ok",
    ["b%@x.example"],
  ],
  ["leave and come back", [["a%@x.example", 2]], [remove("a%@x.example"), add("a%@x.example")], "ok", ["a%@x.example"]],
  ["first login of an account without any", [], [add("a%@x.example")], "ok", ["a%@x.example"]],
  [
    "beside an incomplete one",
    [
      ["a%@x.example", 2],
      ["b%@x.example", 0],
    ],
    [change("a%@x.example")],
    "ok",
    ["a%@x.example", "b%@x.example"],
  ],
  ["nothing", [["a%@x.example", 2]], [], "ok", ["a%@x.example"]],
  ["remove the only one", [["a%@x.example", 2]], [remove("a%@x.example")], 200, []],
  [
    "remove both",
    [
      ["a%@x.example", 2],
      ["b%@x.example", 2],
    ],
    [remove("a%@x.example"), remove("b%@x.example")],
    200,
    [],
  ],
  [
    "remove the only complete one",
    [
      ["a%@x.example", 2],
      ["b%@x.example", 1],
    ],
    [remove("a%@x.example")],
    200,
    [],
  ],
  ["add what it has", [["a%@x.example", 2]], [add("A%@x.example")], 201, []],
  ["add twice", [["a%@x.example", 2]], [add("b%@x.example"), add("b%@x.example")], 201, []],
  ["change twice", [["a%@x.example", 2]], [change("a%@x.example"), change("a%@x.example", other)], 201, []],
  [
    "change and remove",
    [
      ["a%@x.example", 2],
      ["b%@x.example", 2],
    ],
    [change("a%@x.example"), remove("a%@x.example")],
    201,
    [],
  ],
  ["change an unknown one", [["a%@x.example", 2]], [change("z%@x.example")], 204, []],
  ["remove an unknown one", [["a%@x.example", 2]], [remove("z%@x.example")], 204, []],
  ["change somebody else's", [["a%@x.example", 2]], [change("used@example.com")], 204, []],
  ["a weak password", [["a%@x.example", 2]], [change("a%@x.example", "short")], 205, []],
  [
    "a password with the address in it",
    [["a%@x.example", 2]],
    [add("b%@x.example", "my b%@x.example password")],
    205,
    [],
  ],
  [
    "one weak among good ones",
    [["a%@x.example", 2]],
    [add("b%@x.example"), add("c%@x.example", "aaaaaaaaaaaaaaaa")],
    205,
    [],
  ],
  ["only an invited one", [["a%@x.example", 0]], [add("b%@x.example")], 207, []],
  ["only one to review", [["a%@x.example", -1]], [change("a%@x.example")], 207, []],
  ["only a rejected one", [["a%@x.example", -2]], [remove("a%@x.example")], 207, []],
  ["only one to confirm", [["a%@x.example", 1]], [change("a%@x.example")], 207, []],
  [
    "change an incomplete one",
    [
      ["a%@x.example", 2],
      ["b%@x.example", 1],
    ],
    [change("b%@x.example")],
    207,
    [],
  ],
  [
    "remove an incomplete one",
    [
      ["a%@x.example", 2],
      ["b%@x.example", 0],
    ],
    [remove("b%@x.example")],
    207,
    [],
  ],
  ["an address in use elsewhere", [["a%@x.example", 2]], [add("USED@example.com")], 409, []],
  [
    "all or nothing",
    [
      ["a%@x.example", 2],
      ["b%@x.example", 2],
    ],
    [remove("a%@x.example"), change("b%@x.example", other), add("used@example.com")],
    409,
    [],
  ],
];

describe("lists of changes", () => {
  test.each(cases)("%s", async (_, before, changes, code, after) => {
    const number = String((counter += 1));
    const numbered = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("%", number)) as T;
    const who = await account(numbered(before));
    const stored = () =>
      world.ctx.db.selectFrom("credential").selectAll().where("account_id", "=", who.id).orderBy("id").execute();
    const rows = await stored();
    const mails = () =>
      world.ctx.db
        .selectFrom("mail_outbox")
        .select((eb) => eb.fn.countAll().as("n"))
        .executeTakeFirst();
    const mailsBefore = await mails();
    const reply = await put(who, numbered(changes));
    if (code === "ok") {
      expect(reply.status).toBe(200);
      expect((await emailsOf(who)).map(({ email }) => email)).toEqual(numbered(after));
      expect(reply.at("registrationInfo")).toHaveLength(after.length);
    } else {
      expect(reply.code).toBe(code);
      expect(await stored()).toEqual(rows);
      expect(await mails()).toEqual(mailsBefore);
    }
  });
});

test("an added login works at once and is notified by mail, without the password", async () => {
  const who = await account([["first@y.example", 2]]);
  expect((await put(who, [add("second@y.example")])).status).toBe(200);
  expect(await login("second@y.example", good)).toBe(200);
  const mail = await world.ctx.db
    .selectFrom("mail_outbox")
    .selectAll()
    .where("recipient", "=", "second@y.example")
    .executeTakeFirstOrThrow();
  expect(mail.text_body).toContain(who.name);
  expect(JSON.stringify(mail)).not.toContain(good);
  expect(JSON.stringify(await world.trail(who.id))).not.toContain(good);
});

test("a changed password replaces the old one, and a removed login is gone", async () => {
  const who = await account([["third@y.example", 2]]);
  await put(who, [change("third@y.example"), add("fourth@y.example")]);
  await put(who, [change("third@y.example", other)]);
  expect([await login("third@y.example", good), await login("third@y.example", other)]).toEqual([401, 200]);
  await put(who, [remove("third@y.example")]);
  expect(await login("third@y.example", other)).toBe(401);
  expect(await login("fourth@y.example", good)).toBe(200);
});

test("two removals at once never leave an account without a login", async () => {
  for (let round = 0; round < 10; round += 1) {
    const emails = [`p${round}@z.example`, `q${round}@z.example`];
    const who = await account(emails.map((email) => [email, 2] as const));
    const replies = await Promise.all(emails.map((email) => put(who, [remove(email)])));
    expect(replies.map((reply) => reply.code ?? reply.status)).toEqual([200, 200]);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await emailsOf(who)).toHaveLength(1);
  }
});

const below = { me: true, myChildren: true };
const editor: Permissions = { owner: { canViewOwner: below, canEditOwner: below } };
const refusal = (reply: Reply) => [reply.status, reply.code];
const everyKind = (who: Person) => [
  add(`thief-${(counter += 1)}@example.net`),
  change(who.email),
  { operation: "REMOVE", email: who.email },
];

test("AC-11 PE-04 no one takes over a parent or sibling account through its logins", async () => {
  const far = { me: true, myChildren: true, relativeAncestorLevel: 2 };
  const top = await world.account("Top", admin, {});
  const beside = await world.account("Beside", top, {});
  const who = await world.account("Upward", top, {
    owner: {
      canViewOwner: { ...far, roles: [beside.roleId ?? ""] },
      canEditOwner: { ...far, roles: [beside.roleId ?? ""] },
    },
  });
  for (const other of [top, beside]) {
    for (const one of everyKind(other))
      expect(refusal(await put(other, [one], who)), one.operation).toEqual([403, 308]);
    // Only the logins are protected; the account itself can be changed.
    const renamed = await world.call(who, "PUT", `/api/account/${other.id}`, { body: { name: other.name } });
    expect(renamed.status).toBe(200);
  }
  const child = await world.account("Below", who, {});
  expect((await put(child, [add(`first-${(counter += 1)}@y.example`)], who)).status).toBe(200);
});

test("AC-11 PE-04 the logins of a sub-account with a stronger role can't be changed", async () => {
  const who = await world.account("Editor", admin, editor);
  const stronger: [string, Permissions][] = [
    ["deletes", { owner: { canDeleteOwner: { me: true } } }],
    ["makes accounts", { owner: { canCreateOwner: true } }],
    ["sees sensors", { ownable: { sensor: { canViewObject: { me: true } } } }],
    ["looks above the editor", { owner: { canViewOwner: { relativeAncestorLevel: 2 } } }],
  ];
  for (const [name, permissions] of stronger) {
    const other = await world.account(name, who, permissions);
    for (const one of everyKind(other)) expect(refusal(await put(other, [one], who)), name).toEqual([403, 308]);
    // The root account has all these permissions, so it may change the logins.
    expect((await put(other, [change(other.email)], world.root)).status, name).toBe(200);
    await world.ctx.db.updateTable("role").set({ is_deleted: true }).where("id", "=", other.roleId).execute();
    expect((await put(other, [change(other.email)], who)).status, name).toBe(200);
  }
  for (const permissions of [null, {}, editor]) {
    const other = await world.account("Equal", who, permissions);
    expect((await put(other, [change(other.email)], who)).status).toBe(200);
  }
});

test("AC-11 PE-04 a stronger account's refusal comes first and is audited, whatever the password", async () => {
  const who = await world.account("Curious", admin, editor);
  const other = await world.account("Mightier", who, { owner: { canDeleteOwner: { me: true } } });
  const weak = [add(`weak-${(counter += 1)}@example.net`, "short"), change(other.email, "short")];
  for (const one of weak) expect(refusal(await put(other, [one], who)), one.operation).toEqual([403, 308]);
  await until("the refusal is written down", async () => {
    const { list } = await world.call(who, "GET", `/api/v2/audit?objectID=${other.id}`);
    return list.some((row) => row["action"] === "write-refused" && JSON.stringify(row["after"]).includes("308"));
  });
});

test("two accounts that add the same new address at once: one succeeds", async () => {
  const [one, two] = [await account([["r1@z.example", 2]]), await account([["r2@z.example", 2]])];
  const replies = await Promise.all([put(one, [add("wanted@z.example")]), put(two, [add("wanted@z.example")])]);
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
});
