// Tests accounts over HTTP: who may see, create, change and delete them, and the reason of each refusal.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorld, type Person, type Reply, type World } from "../testing/world.ts";

const all = { me: true, myChildren: true };
const good = "violet-harbour-lantern";
let world: World;
/** A customer with all rights over itself and its sub-accounts; `plainRole` is a role that it may assign. */
let admin: Person;
let plainRole: string;

beforeAll(async () => {
  world = await createWorld({ env: { PUBLIC_URL: "https://console.example.com", PARTS: "api,worker" } });
  admin = await world.account("Admin", world.root, fullPermissions);
  plainRole = await roleOf(admin, "Plain", { owner: { canViewOwner: { me: true } } });
});
afterAll(() => world.stop());

async function roleOf(owner: Person, name: string, permissions: Permissions): Promise<string> {
  return (await world.call(world.root, "POST", "/api/role", { body: { name, owner: owner.id, permissions } })).id;
}
let counter = 0;
const address = () => `person${(counter += 1)}@example.com`;
const create = (who: Person, body: object) => world.call(who, "POST", "/api/account", { body });
const update = (who: Person, id: string, body: object) => world.call(who, "PUT", `/api/account/${id}`, { body });
const get = (who: Person, id: string) => world.call(who, "GET", `/api/account/${id}`);
const list = (who: Person, query = "") => world.call(who, "GET", `/api/account${query}`);
const outcome = (reply: Reply) => [reply.status, reply.code];
const refusedWith = (code: number, status: number) => [status, code];

/** Everything that a refused write must not change. */
async function rows(): Promise<string> {
  const { rows: found } = await sql<{ all: string }>`
    select jsonb_build_array((select jsonb_agg(a order by id) from account a), (select jsonb_agg(c order by id) from credential c),
      (select count(*) from audit where action <> 'login-refused'), (select count(*) from mail_outbox))::text as all`.execute(
    world.ctx.db,
  );
  return found[0]?.all ?? "";
}

async function mailTo(recipient: string) {
  const folder = join(world.ctx.config.dataDir, "mail");
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    for (const name of (await readdir(folder).catch(() => [])).filter((one) => one.endsWith(".eml"))) {
      const mail = await PostalMime.parse(await readFile(join(folder, name), "utf8"));
      if (mail.to?.some(({ address: to }) => to === recipient)) return mail;
    }
    await new Promise((resolve) => void setTimeout(resolve, 20));
  }
  throw new Error(`No mail to ${recipient}`);
}

describe("creation", () => {
  test("creates a child of the caller and mails an invitation with a token", async () => {
    const email = address();
    const reply = await create(admin, { name: "  Branch & Söhne ", role: plainRole, email });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      name: "Branch & Söhne",
      role: { _id: plainRole, name: "Plain", owner: { _id: admin.id, name: "Admin" } },
      credentials: [{ email }],
      registrationInfo: [{ stepReached: 0, legal: null, credentials: { email } }],
      parentAccounts: [world.root.id, admin.id],
      status: { numActiveSessions: 0, lastSeenAt: null },
      readonlyAddress: false,
      isDeleted: false,
      version: 1,
    });
    expect((await get(admin, reply.id)).body).toEqual(reply.body);
    const mail = await mailTo(email);
    const link = new RegExp(`https://console\\.example\\.com/account/${reply.id}/registration/([\\w-]{43})`).exec(
      mail.text ?? "",
    );
    expect(link).not.toBeNull();
    expect(mail.html).toContain(`href="${link?.[0]}"`);
    expect(mail.text).toContain('"Branch & Söhne"');
    expect(mail.html).toContain("Branch &#38; Söhne");
    const stored = await world.ctx.db
      .selectFrom("credential")
      .selectAll()
      .where("account_id", "=", reply.id)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(stored)).not.toContain(link?.[1] ?? "-");
    expect(stored.reg_token).toHaveLength(32);
    const trail = await world.trail(reply.id);
    expect(trail.map(({ action, account_id }) => [action, account_id])).toEqual([["create", admin.id]]);
    expect(JSON.stringify(trail)).not.toContain(link?.[1] ?? "-");
  });

  test("an invited person can't sign in before they registered", async () => {
    const email = address();
    await create(admin, { name: "Invited", role: plainRole, email });
    expect(outcome(await world.call(null, "POST", "/api/auth/login", { body: { email, password: good } }))).toEqual(
      refusedWith(106, 401),
    );
  });

  test.each([
    ["no name", { name: undefined }, 108, 400],
    ["an empty name", { name: "  " }, 108, 400],
    ["brackets in the name", { name: "a<b>" }, 400, 400],
    ["a control character in the name", { name: "a\u0007b" }, 400, 400],
    ["a number as name", { name: 5 }, 402, 400],
    ["no role", { role: undefined }, 104, 400],
    ["a role that is no id", { role: "plain" }, 107, 400],
    ["a role that does not exist", { role: "00000000-0000-7000-8000-000000000000" }, 107, 400],
    ["no e-mail", { email: undefined }, 202, 400],
    ["an empty e-mail", { email: " " }, 202, 400],
    ["no e-mail address", { email: "somebody" }, 204, 400],
    ["a line break in the e-mail", { email: "a@example.com\r\nbcc: b@example.com" }, 204, 400],
    ["two addresses", { email: "a@example.com,b@example.com" }, 204, 400],
    ["an unknown field", { stepReached: 2 }, 402, 400],
    ["a deletion flag", { isDeleted: true }, 402, 400],
    ["parents of its own", { parentAccounts: [] }, 402, 400],
  ])("%s is refused and nothing is stored", async (_, change, code, status) => {
    const before = await rows();
    const reply = await create(admin, { name: "Branch", role: plainRole, email: "fresh@example.com", ...change });
    expect(outcome(reply)).toEqual([status, code]);
    expect(await rows()).toBe(before);
  });

  test("an email address is unique regardless of case, and can be used again after a deletion", async () => {
    const email = address();
    const first = await create(admin, { name: "First", role: plainRole, email });
    expect(outcome(await create(world.root, { name: "Second", role: plainRole, email: email.toUpperCase() }))).toEqual(
      refusedWith(409, 409),
    );
    expect((await world.call(admin, "DELETE", `/api/account/${first.id}`)).status).toBe(200);
    expect((await create(world.root, { name: "Second", role: plainRole, email })).status).toBe(200);
  });

  test("twenty concurrent creations with the same address create one account", async () => {
    const email = address();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => create(admin, { name: "Race", role: plainRole, email })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ code }) => code === 409)).toHaveLength(19);
  });

  test("one idempotency key creates one account and sends one mail", async () => {
    const email = address();
    const ask = () =>
      world.call(admin, "POST", "/api/account", {
        body: { name: "Once", role: plainRole, email },
        headers: { "idempotency-key": `key ${email}` },
      });
    const [one, two] = [await ask(), await ask()];
    expect(two.body).toEqual(one.body);
    const mails = await world.ctx.db.selectFrom("mail_outbox").select("id").where("recipient", "=", email).execute();
    expect(mails).toHaveLength(1);
  });

  test("300 and 303: without the right, beyond one's own role, or for an account out of reach", async () => {
    const role = { ownable: { role: { canViewObject: { relativeAncestorLevel: 2, me: true } } } };
    const cases: [string, Permissions, number][] = [
      ["may not create", { ...role, other: { canAssignRoles: all } }, 303],
      ["may not assign", { ...role, owner: { canCreateOwner: true } }, 300],
      [
        "may assign to itself only",
        { ...role, owner: { canCreateOwner: true }, other: { canAssignRoles: { me: true } } },
        300,
      ],
      [
        "may assign, but not what it has not",
        { ...role, owner: { canCreateOwner: true }, other: { canAssignRoles: all } },
        300,
      ],
    ];
    const strong = await roleOf(admin, "Strong", { ownable: { sensor: { canDeleteObject: { me: true } } } });
    for (const [name, permissions, code] of cases) {
      const who = await world.account(name, admin, permissions);
      expect(outcome(await create(who, { name: "Child", role: strong, email: address() })), name).toEqual(
        refusedWith(code, 403),
      );
    }
    const able = await world.account("able", admin, {
      ...role,
      owner: { canCreateOwner: true },
      other: { canAssignRoles: { myChildren: true } },
    });
    expect((await create(able, { name: "Child", role: plainRole, email: address() })).at("_id")).toBeTypeOf("string");
    const blind = await world.account("blind", admin, {
      owner: { canCreateOwner: true },
      other: { canAssignRoles: all },
    });
    expect(outcome(await create(blind, { name: "Child", role: plainRole, email: address() }))).toEqual(
      refusedWith(107, 400),
    );
  });

  test("the tree has a hundred levels and no more", async () => {
    let deepest = admin;
    for (let level = 3; level < 100; level += 1) deepest = await world.account(`level ${level}`, deepest, null);
    deepest = await world.account("level 99", deepest, {
      ...fullPermissions,
      ownable: { role: { canViewObject: { relativeAncestorLevel: 100 } } },
    });
    expect(deepest.parentAccounts).toHaveLength(99);
    expect(outcome(await create(deepest, { name: "Too deep", role: plainRole, email: address() }))).toEqual(
      refusedWith(102, 400),
    );
  });
});

describe("lists", () => {
  test("an array, or a page with its total on request; filters, sorting and paging", async () => {
    const top = await world.account("Lists", world.root, fullPermissions);
    const roleId = await roleOf(top, "Listed", {});
    const names = ["delta 50%", "Alpha", "charlie", "bravo_x"];
    for (const name of names)
      await create(top, { name, role: roleId, email: `${name.split(/\W/)[0]}.${top.id}@example.com` });
    const namesOf = (reply: Reply) => reply.list.map(({ name }) => name);
    const sorted = ["Alpha", "bravo_x", "charlie", "delta 50%", "Lists"];
    const plain = await list(top);
    expect(Array.isArray(plain.body)).toBe(true);
    expect(namesOf(plain)).toEqual(sorted);
    const page = await list(top, "?includeTotals=true&limit=2&skip=1");
    expect([namesOf(page), page.at("total")]).toEqual([["bravo_x", "charlie"], 5]);
    expect(namesOf(await list(top, "?sortBy=-name"))).toEqual(sorted.toReversed());
    expect(namesOf(await list(top, "?sortBy=name&sortDesc=true"))).toEqual(sorted.toReversed());
    // The caller is last, because it can't view its own role, which belongs to root, so there is no role name to sort by.
    expect(namesOf(await list(top, "?sortBy=role&sortBy=name"))).toEqual(sorted);
    expect(namesOf(await list(top, "?name=ALPH"))).toEqual(["Alpha"]);
    expect(namesOf(await list(top, "?name=%25"))).toEqual(["delta 50%"]);
    expect(namesOf(await list(top, "?name=o_x"))).toEqual(["bravo_x"]);
    expect(namesOf(await list(top, `?email=CHARLIE.${top.id}`))).toEqual(["charlie"]);
    expect(namesOf(await list(top, `?roleID=${roleId}`))).toEqual(sorted.slice(0, 4));
    expect(namesOf(await list(top, `?roleID=${top.roleId}`))).toEqual([]);
    expect(namesOf(await list(top, "?accountState=0"))).toEqual(sorted.slice(0, 4));
    expect(namesOf(await list(top, "?accountState=2&accountState=-1"))).toEqual(["Lists"]);
    expect(namesOf(await list(top, `?parentID=${top.id}&name=a&limit=2`))).toEqual(["Alpha", "bravo_x"]);
    expect(namesOf(await list(top, `?parentID=${world.root.id}`))).toEqual(["Lists"]);
    expect(namesOf(await list(top, "?ids=nonsense"))).toEqual([]);
    expect(namesOf(await list(top, `?ids=${top.id}&ids=${world.root.id}`))).toEqual(["Lists"]);
    const [gone] = plain.list;
    await world.call(top, "DELETE", `/api/account/${String(gone?.["_id"])}`);
    expect(namesOf(await list(top))).toEqual(sorted.slice(1));
    expect((await list(top, "?includeDeleted=true")).list.find(({ name }) => name === "Alpha")).toMatchObject({
      isDeleted: true,
      credentials: [],
    });
  });

  test("a name is found regardless of case and accents", async () => {
    const top = await world.account("Accents", world.root, fullPermissions);
    const roleId = await roleOf(top, "Accented", {});
    const made = await create(top, { name: "CAFE\u0301 Ä\u00d6", role: roleId, email: `cafe.${top.id}@example.com` });
    for (const text of ["Caf\u00e9", "cafe\u0301", "a\u0308ö"]) {
      const found = await list(top, `?name=${encodeURIComponent(text)}`);
      expect(
        found.list.map(({ _id }) => _id),
        text,
      ).toEqual([made.id]);
    }
  });

  test.each([
    "limit=0",
    "limit=501",
    "limit=x",
    "skip=-1",
    "sortBy=password_hash",
    "sortBy=role_id",
    "accountState=3",
    "accountState=x",
    "unknown=1",
    "name[$ne]=x",
  ])("%s is a bad argument", async (query) =>
    expect(outcome(await list(admin, `?${query}`))).toEqual(refusedWith(102, 400)),
  );

  test("the input rule applies to filters", async () => {
    expect(outcome(await list(admin, "?name=%3Cb%3E"))).toEqual(refusedWith(400, 400));
  });

  test("an account without a role sees only itself", async () => {
    const bare = await world.account("Bare", admin, null);
    for (const path of ["/api/account", "/api/role", "/api/account?includeTotals=true"]) {
      expect((await world.call(bare, "GET", path)).list, path).toEqual([]);
    }
    expect(outcome(await get(bare, bare.id))).toEqual(refusedWith(105, 404));
    const me = await world.call(bare, "GET", "/api/auth/user");
    expect([me.status, me.at("_id"), me.at("role"), me.at("permissions")]).toEqual([200, bare.id, null, null]);
    expect(outcome(await create(bare, { name: "x", role: plainRole, email: address() }))).toEqual(
      refusedWith(107, 400),
    );
  });

  test("missing and invisible look alike", async () => {
    const stranger = await world.account("Stranger", world.root, fullPermissions);
    const face = async (reply: Promise<Reply>) => {
      const { status, body } = await reply;
      const { requestId: _, ...rest } = body as Record<string, unknown>;
      return JSON.stringify([status, rest]);
    };
    const missing = "01890000-0000-7000-8000-000000000000";
    const before = await rows();
    for (const [method, body] of [
      ["GET"],
      ["PUT", {}],
      ["PUT", { name: "<>" }],
      ["PUT", { nonsense: 1 }],
      ["DELETE"],
    ] as const) {
      const ask = (id: string) => face(world.call(stranger, method, `/api/account/${id}`, body ? { body } : {}));
      expect(await ask(admin.id), method).toBe(await ask(missing));
      expect(await ask("no-id"), method).toBe(await ask(missing));
    }
    expect(await rows()).toBe(before);
  });
});

describe("changes", () => {
  test("omitted fields stay, null clears, versions count", async () => {
    const who = await world.account("Changing", admin, null);
    const first = await update(admin, who.id, {
      name: "Changed",
      phone: "+49 30 1",
      city: "Berlin",
      country: "Germany",
    });
    expect(first.body).toMatchObject({ name: "Changed", phone: "+49 30 1", city: "Berlin", street: null, version: 2 });
    const second = await update(admin, who.id, { phone: null });
    expect(second.body).toMatchObject({ name: "Changed", phone: null, city: "Berlin", version: 3 });
    const match = (version: string) =>
      world.call(admin, "PUT", `/api/account/${who.id}`, { body: { name: "Late" }, headers: { "if-match": version } });
    expect((await match('"2"')).status).toBe(412);
    expect((await match("3")).status).toBe(200);
    const trail = await world.trail(who.id);
    expect(
      trail.map(({ before, after }) => [(before as { name: string }).name, (after as { name: string }).name]),
    ).toEqual([
      ["Changing", "Changed"],
      ["Changed", "Changed"],
      ["Changed", "Late"],
    ]);
  });

  test.each([
    [{ name: "" }, 108],
    [{ name: null }, 402],
    [{ city: "x".repeat(101) }, 102],
    [{ city: "<x>" }, 400],
    [{ role: null }, 402],
    [{ role: "01890000-0000-7000-8000-000000000000" }, 107],
    [{ acceptRegistration: "true" }, 402],
    [{ acceptRegistration: true, directParentAccount: "01890000-0000-7000-8000-000000000000" }, 102],
    [{ directParentAccount: "01890000-0000-7000-8000-000000000000" }, 102],
    [{ credentialChanges: {} }, 402],
    [{ credentialChanges: [{ operation: "STEAL", email: "a@example.com" }] }, 102],
    [{ credentialChanges: [{ email: "a@example.com" }] }, 104],
    [{ credentialChanges: [{ operation: 1, email: "a@example.com" }] }, 402],
    [{ credentialChanges: [{ operation: "ADD", email: "a@example.com" }] }, 206],
    [{ credentialChanges: [{ operation: "ADD", email: "a@example.com", newPassword: "" }] }, 206],
    [{ credentialChanges: [{ operation: "ADD", newPassword: good }] }, 202],
    [{ credentialChanges: [{ operation: "REMOVE", email: "nonsense" }] }, 204],
    [{ readonlyAddress: false }, 402],
    [{ isDeleted: true }, 402],
    [{ permissions: {} }, 402],
    [{ __proto__: null, constructor: 1 }, 402],
  ])("%j is refused and changes nothing", async (body, code) => {
    const who = await world.account("Steady", admin, null);
    const before = await rows();
    expect((await update(admin, who.id, body)).code).toBe(code);
    expect(await rows()).toBe(before);
  });

  test("305: without the right to edit, even a valid form is refused", async () => {
    const viewer = await world.account("Viewer", admin, { owner: { canViewOwner: all } });
    const child = await world.account("Child", viewer, null);
    expect(outcome(await update(viewer, child.id, { name: "x" }))).toEqual(refusedWith(305, 403));
    expect(
      outcome(
        await update(viewer, viewer.id, {
          credentialChanges: [{ operation: "ADD", email: address(), newPassword: good }],
        }),
      ),
    ).toEqual(refusedWith(305, 403));
  });

  test("300: a role can be given only to permitted accounts and within one's own rights", async () => {
    const top = await world.account("Giver", admin, {
      owner: { canViewOwner: all, canEditOwner: all },
      ownable: { role: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
      other: { canAssignRoles: { myChildren: true } },
    });
    const child = await world.account("Receiver", top, null);
    const weak = await roleOf(top, "Weak", { owner: { canViewOwner: { me: true } } });
    const strong = await roleOf(top, "Stronger", { other: { canAssignSensors: { me: true } } });
    expect((await update(top, child.id, { role: weak })).at("role._id")).toBe(weak);
    expect(outcome(await update(top, child.id, { role: strong }))).toEqual(refusedWith(300, 403));
    expect(outcome(await update(top, top.id, { role: weak }))).toEqual(refusedWith(300, 403));
    expect(outcome(await update(world.root, world.root.id, { role: weak }))).toEqual(refusedWith(300, 403));
    // Sending the same role again changes nothing and needs no right.
    expect((await update(top, top.id, { role: top.roleId, name: "Giver 2" })).status).toBe(200);
  });

  test("a role that was given counts at the next call, and the session stays", async () => {
    const who = await world.account("Riser", admin, null);
    expect((await list(who)).list).toEqual([]);
    expect((await update(admin, who.id, { role: plainRole })).status).toBe(200);
    expect((await list(who)).list.map(({ _id }) => _id)).toEqual([who.id]);
  });

  test("the role is null for callers who may not see it", async () => {
    const viewer = await world.account("No roles", admin, { owner: { canViewOwner: all } });
    expect((await get(viewer, viewer.id)).at("role")).toBeNull();
    const me = await world.call(viewer, "GET", "/api/auth/user");
    expect([me.at("role._id"), me.at("role.owner")]).toEqual([viewer.roleId, null]);
  });
});

describe("deletion", () => {
  test("T-06 sub-accounts first; then sessions end, addresses can be used again, and owned objects stay", async () => {
    const parent = await world.account("Parent", admin, fullPermissions);
    const child = await world.account("Child", parent, null);
    const sensor = await world.call(parent, "POST", "/api/sensor", {
      body: { owner: parent.id, _id: "02:11:22:33:44:55", type: "APS" },
    });
    expect(sensor.status).toBe(200);
    const refused = await world.call(admin, "DELETE", `/api/account/${parent.id}`);
    expect(outcome(refused)).toEqual(refusedWith(304, 403));
    expect(refused.at("details.reason")).toBe("The account has 1 account below it.");
    expect((await world.call(admin, "DELETE", `/api/account/${child.id}`)).body).toEqual({ _id: child.id });
    expect((await world.call(parent, "DELETE", `/api/account/${parent.id}`)).status).toBe(200);
    expect(outcome(await world.call(parent, "GET", "/api/auth/user"))).toEqual(refusedWith(106, 401));
    expect(outcome(await get(admin, parent.id))).toEqual(refusedWith(105, 404));
    const seen = await world.call(admin, "GET", "/api/sensor/02:11:22:33:44:55");
    expect([seen.at("owner._id"), seen.at("owner.isDeleted")]).toEqual([parent.id, true]);
    expect((await create(admin, { name: "Heir", role: plainRole, email: parent.email })).status).toBe(200);
  });

  test("304 without the right, and never for root", async () => {
    const viewer = await world.account("Just looking", admin, { owner: { canViewOwner: all } });
    expect(outcome(await world.call(viewer, "DELETE", `/api/account/${viewer.id}`))).toEqual(refusedWith(304, 403));
    expect(outcome(await world.call(world.root, "DELETE", `/api/account/${world.root.id}`))).toEqual(
      refusedWith(304, 403),
    );
  });

  test("creating a child while its parent is deleted: exactly one succeeds", async () => {
    for (let round = 0; round < 10; round += 1) {
      const parent = await world.account(`Doomed ${round}`, admin, {
        owner: { canCreateOwner: true },
        other: { canAssignRoles: all },
        ownable: { role: { canViewObject: { relativeAncestorLevel: 1 } } },
      });
      const [made, deleted] = await Promise.all([
        create(parent, { name: "Orphan?", role: plainRole, email: address() }),
        world.call(admin, "DELETE", `/api/account/${parent.id}`),
      ]);
      expect(
        [made.status === 200, deleted.status === 200].filter(Boolean),
        `${made.status} ${deleted.status}`,
      ).toHaveLength(1);
    }
  });
});

describe("live", () => {
  test("creation, change and deletion reach only those who see the account", async () => {
    const events: unknown[] = [];
    const off = world.ctx.bus.on(
      "entityChanged",
      (event) => void (event.type === "account" && events.push([event.op, event.id])),
    );
    const made = await create(admin, { name: "Seen", role: plainRole, email: address() });
    await update(admin, made.id, { name: "Seen 2" });
    await update(admin, made.id, { name: "<" });
    await world.call(admin, "DELETE", `/api/account/${made.id}`);
    off();
    expect(events).toEqual([
      ["create", made.id],
      ["update", made.id],
      ["delete", made.id],
    ]);
  });
});
