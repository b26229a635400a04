// Tests that personal data of deleted accounts and logins is erased everywhere in time, and no other data (AC-12, ADR 0011).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readErased } from "../../kit/backup/erased-ids.ts";
import { createChance, pick } from "../../testing/chance.ts";
import { invitedForm, registrantsOf } from "../../testing/scenes/registrants.ts";
import { createStillClock, readStoredTexts } from "../../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../../testing/world.ts";
import { personalDataJob } from "./personal-data.job.ts";
import { everyNth, rounds } from "@psp/contract/kit/rounds.testing.ts";

const dayMs = 86_400_000;
const newPassword = "copper-meadow-whistle";
const clock = createStillClock();
let world: World;
let backupDir: string;
let dealer: Person;
let role: string;
let people: ReturnType<typeof registrantsOf>;
let counter = 0;

beforeAll(async () => {
  backupDir = mkdtempSync(join(tmpdir(), "psp-erased-"));
  const env = {
    BACKUP_DIR: backupDir,
    PARTS: "api,worker",
    TEST_CLOCK: "on",
    TRUST_PROXY: "1",
    PUBLIC_URL: "https://console.example.com",
  };
  world = await createWorld({ clock, env });
  people = registrantsOf(world);
  dealer = await world.account("Dealer", world.root, fullPermissions);
  const body = { name: "Customer", owner: dealer.id, permissions: { owner: { canViewOwner: { me: true } } } };
  role = (await world.call(world.root, "POST", "/api/role", { body })).id;
});
afterAll(async () => {
  await world.stop();
  rmSync(backupDir, { recursive: true, force: true });
});

/** Advances the clock, runs all due jobs, and renews expired sessions. */
async function pass(ms: number): Promise<void> {
  const reply = await world.call(null, "PUT", "/dev/clock", { body: { now: clock.now() + ms } });
  expect(reply.status).toBe(200);
  for (const who of [world.root, dealer]) who.token = await world.token(who);
}
const put = async (id: string, body: JsonObject, by = world.root) => {
  const reply = await world.call(by, "PUT", `/api/account/${id}`, { body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
};
const logins = (...credentialChanges: JsonObject[]) => ({ credentialChanges });
const add = (email: string) => ({ operation: "ADD", email, newPassword });
const remove = (email: string) => ({ operation: "REMOVE", email });
const unique = (word: string) => `${word}${(counter += 1)}`;
const stored = async () => Object.values(await readStoredTexts(world.ctx.db)).join("\n");
const listed = async (id: string) =>
  (await world.call(world.root, "GET", `/api/account?includeDeleted=true&ids=${id}`)).list[0];

test("AC-12 a deleted account loses names, address, e-mail and legal data after thirty days", async () => {
  const [first, family, renamed] = [unique("Anneliese"), unique("Obrien"), unique("Byronworks ")];
  const canaries = {
    street: unique("Kanalgasse "),
    city: unique("Homburgstadt "),
    phone: unique("555-"),
    supplier: unique("Lieferwerk "),
  };
  const email = `${unique("ada")}@example.net`;
  const { id, link } = await people.invite(dealer, role, email);
  const { legal } = invitedForm() as { legal: JsonObject };
  const letters = (text: string) => text.replaceAll(/\d/g, (digit) => "abcdefghij"[Number(digit)] ?? "");
  const person = { firstName: letters(first), familyName: letters(family), department: "Sales" };
  const form = invitedForm({ name: renamed, legal: { ...legal, ...person }, city: letters(canaries.city) });
  expect((await people.put(link, form)).status).toBe(200);
  expect((await people.put(await people.linkIn(email, 2))).status).toBe(200);
  await put(id, {
    name: `${renamed} again`,
    street: canaries.street,
    phone: canaries.phone,
    supplier: canaries.supplier,
  });
  expect((await people.login(email)).status).toBe(200);
  const location = await world.call(world.root, "POST", "/api/measurement", { body: { name: "Shop", owner: id } });
  const words = [email, renamed, canaries.street, letters(canaries.city), canaries.phone, canaries.supplier];
  words.push(person.firstName, person.familyName);
  expect((await world.call(dealer, "DELETE", `/api/account/${id}`)).status).toBe(200);

  await pass(29 * dayMs);
  expect(await listed(id)).toMatchObject({ name: `${renamed} again`, isDeleted: true });
  await pass(dayMs - 1000);
  const before = await stored();
  expect(words.filter((word) => before.includes(word))).toEqual(words);
  await pass(3_601_000);
  const after = await stored();
  expect(words.filter((word) => after.includes(word))).toEqual([]);
  // The list beside the backups lets a restore erase it again.
  expect(await readErased(backupDir)).toContainEqual(expect.objectContaining({ type: "account", id }));
  // Only the account's row, its position in the tree and the objects it owns remain.
  const none = { phone: null, street: null, streetNumber: null, zip: null, city: null, country: null, supplier: null };
  expect(await listed(id)).toMatchObject({ ...none, name: "Deleted account", credentials: [], isDeleted: true });
  const shop = await world.call(world.root, "GET", `/api/measurement/${location.id}`);
  expect(shop.at("owner")).toMatchObject({ _id: id, name: "Deleted account", isDeleted: true });
  const trail = await world.call(world.root, "GET", `/api/v2/audit?objectID=${id}&limit=100`);
  expect(trail.list.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["create", "register", "update", "delete", "purge"]),
  );
  for (const row of trail.list) {
    const ids = { role, parent: dealer.id };
    expect([null, {}, ids]).toContainEqual(row["before"]);
    expect([null, {}, ids]).toContainEqual(row["after"]);
  }
});

test("AC-11 AC-12 a removed login is forgotten; its account and other logins are not", async () => {
  const who = await world.account("Harbour Stores", dealer, {});
  const [gone, back, stays] = ["gone", "back", "stays"].map((word) => `${unique(word)}@example.net`) as [
    string,
    string,
    string,
  ];
  await put(who.id, logins(add(gone), add(back), add(stays)));
  await put(who.id, logins(remove(gone), remove(back)));
  // Meanwhile another account is created and changed, and one of the removed addresses is added again, in upper case.
  const other = await world.account("Harbour Cafe", dealer, {});
  await pass(10 * dayMs);
  await put(who.id, logins(add(back.toUpperCase())));
  await put(other.id, { name: "Harbour Cafe 2" });
  await pass(21 * dayMs);
  const texts = await stored();
  expect([gone, back, stays].map((email) => texts.includes(email))).toEqual([false, true, true]);
  expect(texts).toContain(back.toUpperCase());
  expect(await listed(who.id)).toMatchObject({
    name: "Harbour Stores",
    credentials: [{ email: who.email }, { email: stays }, { email: back.toUpperCase() }],
  });
  // The audit log still shows that a login was removed.
  const trail = await world.call(world.root, "GET", `/api/v2/audit?objectID=${who.id}`);
  const removal = trail.list.find(
    (row) => (row["before"] as { credentials?: JsonObject[] } | null)?.credentials?.length === 4,
  );
  expect(removal?.["before"]).toMatchObject({
    name: "Harbour Stores",
    credentials: [{ email: who.email }, { step: 2 }, { email: back }, { email: stays }],
  });
});

test("AC-08 AC-12 an unanswered invitation expires: address free, account kept, link explains", async () => {
  const late = await people.invite(dealer, role);
  await pass(29 * dayMs);
  const young = await people.invite(dealer, role);
  expect(await listed(late.id)).toMatchObject({ credentials: [{ email: late.email }] });
  const live = await world.live(world.root);
  await pass(dayMs);
  await live.heard("account", "update", late.id);
  live.close();
  expect(await listed(late.id)).toMatchObject({ name: "Invited Ltd", isDeleted: false, credentials: [] });
  expect(await listed(young.id)).toMatchObject({ credentials: [{ email: young.email }] });
  const opened = await people.get(late.link);
  expect([opened.status, opened.code, opened.at("details.reason")]).toEqual([404, 105, "The invitation has expired"]);
  expect((await world.trail(late.id)).at(-1)).toMatchObject({ action: "invitation-expired", account_id: null });
  // The account can get a login at once, and the person can be invited again, to another account.
  await put(late.id, logins(add(`${unique("by-hand")}@example.net`)));
  expect((await people.invite(dealer, role, late.email)).id).not.toBe(late.id);
  await pass(31 * dayMs);
  expect((await people.get(late.link)).at("details")).toBeUndefined();
});

test("a colleague's account is deleted with the unanswered invitation, and the link says why", async () => {
  const email = `${unique("colleague")}@example.net`;
  const body = { email, access: "viewer" };
  const made = await world.call(world.root, "POST", "/api/v2/invitation", { body });
  const id = String(made.at("account._id"));
  const link = await people.linkIn(email);
  await pass(31 * dayMs);
  expect((await world.call(world.root, "GET", `/api/account?ids=${id}`)).list).toEqual([]);
  const opened = await people.get(link);
  expect([opened.status, opened.code, opened.at("details.reason")]).toEqual([404, 105, "The invitation has expired"]);
  await pass(31 * dayMs);
  expect(await stored()).not.toContain(email);
  expect((await world.call(world.root, "POST", "/api/v2/invitation", { body })).status).toBe(200);
});

test(
  "AC-12 a batched purge resumes after a stop or crash, and a rerun finds nothing",
  { timeout: 300_000, tags: "prove" },
  async () => {
    const marker = unique("Bulkpeople");
    const ids = await Promise.all(
      Array.from({ length: 110 }, async (_, n) => (await world.account(`${marker} ${n}`, dealer, null)).id),
    );
    const { db } = world.ctx;
    for (const id of ids.slice(0, 2)) {
      await sql`
      insert into audit (id, at, request_id, action, object_type, object_id, before, after)
      select gen_random_uuid(), now(), 'test', 'update', 'account', ${id}, jsonb_build_object('name', ${marker}::text || n),
        jsonb_build_object('name', ${marker}::text, 'credentials', '[{"email":"x@example.net","step":2}]'::jsonb)
      from generate_series(1, 1100) n`.execute(db);
    }
    for (const id of ids) expect((await world.call(world.root, "DELETE", `/api/account/${id}`)).status).toBe(200);
    clock.moveTo(clock.now() + 31 * dayMs);
    const left = async () => (await stored()).split(marker).length - 1;
    const atFirst = await left();
    const job = personalDataJob(world.ctx);
    // A stopping server finishes the current batch and loses nothing.
    await job.run(AbortSignal.abort());
    const afterStop = await left();
    expect(afterStop).toBeGreaterThan(0);
    expect(afterStop).toBeLessThan(atFirst);
    await job.run();
    expect(await left()).toBe(0);
    // All other jobs that are due after a month must run before the comparison.
    await pass(0);
    // Without `tunnel_host`, which the server's heartbeat changes.
    const kept = async () => ({ ...(await readStoredTexts(db)), tunnel_host: "" });
    const texts = await kept();
    await job.run();
    expect(await kept()).toEqual(texts);
    for (const who of [world.root, dealer]) who.token = await world.token(who);
  },
);

test.each(everyNth(3, [1, 2, 3]))(
  "AC-11 AC-12 in any order of events (%i), only addresses of active or recently removed logins are kept",
  { timeout: 300_000, tags: "prove" },
  async (seed) => {
    const chance = createChance(seed);
    const accounts = await Promise.all([1, 2, 3].map((n) => world.account(`Random ${seed}.${n}`, dealer, {})));
    const known = new Map<string, { account: Person; removedAt: number | null }>();
    for (const account of accounts) known.set(account.email, { account, removedAt: null });
    const living = (account: Person) =>
      [...known].filter(([, one]) => one.account === account && one.removedAt === null);
    const deleted = new Set<Person>();
    for (let step = 0; step < rounds(25, 40); step += 1) {
      const account = pick(accounts, chance);
      const dice = chance.below(10);
      if (dice < 4 && !deleted.has(account)) {
        const email = `${unique("random")}@example.net`;
        await put(account.id, logins(add(email)));
        known.set(email, { account, removedAt: null });
      } else if (dice < 7 && living(account).length > 1) {
        const [email] = pick(living(account), chance);
        await put(account.id, logins(remove(email)));
        known.set(email, { account, removedAt: clock.now() });
      } else if (dice === 7 && deleted.size === 0 && step > 10) {
        expect((await world.call(world.root, "DELETE", `/api/account/${account.id}`)).status).toBe(200);
        for (const [email] of living(account)) known.set(email, { account, removedAt: clock.now() });
        deleted.add(account);
      } else await pass(chance.below(9) * dayMs + 3_600_000);
    }
    await pass(3_600_000);
    const texts = await stored();
    const due = ({ removedAt }: { removedAt: number | null }) =>
      removedAt !== null && removedAt <= clock.now() - 30 * dayMs - 3_600_000;
    const recent = ({ removedAt }: { removedAt: number | null }) =>
      removedAt === null || removedAt > clock.now() - 30 * dayMs;
    expect([...known].filter(([email, one]) => due(one) && texts.includes(email))).toEqual([]);
    expect([...known].filter(([email, one]) => recent(one) && !texts.includes(email))).toEqual([]);
  },
);

async function foreignKeys() {
  const { rows } = await sql<{ table: string; column: string; target: string; rule: string; indexed: boolean }>`
    select k.conrelid::regclass::text as table, a.attname as column, k.confrelid::regclass::text as target,
      case k.confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'a' then 'no action' end as rule,
      exists (select from pg_index i where i.indrelid = k.conrelid and i.indkey[0] = k.conkey[1]) as indexed
    from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.contype = 'f' and k.confrelid in ('account'::regclass, 'credential'::regclass) and k.conparentid = 0
    order by 1, 2`.execute(world.ctx.db);
  return rows;
}

/** Inserts a row with these values; other required columns get any value or refer to any row. */
async function plantRow(table: string, given: Record<string, string>) {
  const { rows } = await sql<{ name: string; type: string; target: string | null; key: string | null }>`
    select a.attname as name, format_type(a.atttypid, null) as type, k.confrelid::regclass::text as target,
      (select attname from pg_attribute where attrelid = k.confrelid and attnum = k.confkey[1]) as key
    from pg_attribute a left join pg_constraint k on k.conrelid = a.attrelid and k.contype = 'f' and k.conkey = array[a.attnum]
    where a.attrelid = ${table}::regclass and a.attnum > 0 and a.attnotnull and not a.atthasdef and a.attidentity = ''
      and not a.attisdropped and a.attname <> all(${Object.keys(given)}::text[])`.execute(world.ctx.db);
  const texts: Record<string, string> = { uuid: "01900000-0000-7000-8000-000000000000", bytea: "\\x01", boolean: "no" };
  const textOf = (type: string) =>
    texts[type] ?? (type.endsWith("[]") ? "{}" : type.startsWith("timestamp") ? "2100-01-01" : "1");
  const names = [...Object.keys(given), ...rows.map(({ name }) => name)];
  const values = [
    ...Object.values(given).map((value) => sql`${value}`),
    ...rows.map(({ type, target, key }) =>
      target === null || key === null
        ? sql`${textOf(type)}::text::${sql.raw(type)}`
        : sql`(select ${sql.ref(key)} from ${sql.table(target)} limit 1)`,
    ),
  ];
  await sql`insert into ${sql.table(table)} (${sql.join(names.map((one) => sql.ref(one)))})
    values (${sql.join(values)})`.execute(world.ctx.db);
}

test("AC-12 no foreign key blocks the purge, and none deletes records with it", async () => {
  const keys = await foreignKeys();
  const toLogins = keys.filter(({ target }) => target === "credential");
  expect(toLogins.length).toBeGreaterThan(7);
  expect(toLogins.filter(({ rule, indexed }) => rule === "no action" || !indexed)).toEqual([]);
  // Account rows are never deleted. Deleting a login cascades to its sessions, tokens and mail settings.
  expect(keys.filter(({ rule }) => rule === "cascade").map(({ table }) => table)).toEqual([
    "display_token",
    "feed_token",
    "known_browser",
    "password_reset",
    "registration_notice",
    "session",
    "set_up_dismissal",
  ]);
  const who = await world.account(unique("Referred"), dealer, {});
  const email = `${unique("referred")}@example.net`;
  await put(who.id, logins(add(email)));
  await put(who.id, logins(remove(email)));
  const { id } = await world.ctx.db
    .selectFrom("credential")
    .select("id")
    .where("email", "=", email)
    .executeTakeFirstOrThrow();
  await world.call(world.root, "POST", "/api/measurement", { body: { name: "Shop", owner: world.root.id } });
  const sensor = { _id: "02:00:00:00:00:11", owner: world.root.id, type: "APS" };
  expect((await world.call(world.root, "POST", "/api/sensor", { body: sensor })).status).toBe(200);
  await plantRow("monitoring_status", {});
  for (const { table, column } of toLogins) await plantRow(table, { [column]: id });
  const alerts = world.ctx.db.updateTable("alert").where("credential_id", "=", id);
  await alerts.set({ recipient: email, sent_at: clock.date() }).execute();
  await world.ctx.db.insertInto("alert_recipient").values({ recipient: email, mailed_at: clock.date() }).execute();
  await pass(31 * dayMs);
  expect(await stored()).not.toContain(id);
  expect(await stored()).not.toContain(email);
  const left = await world.ctx.db.selectFrom("alert").selectAll().where("recipient", "=", "Deleted login").execute();
  expect(left).toMatchObject([{ credential_id: null, dropped: null }]);
});

test("AC-12 a row that can't be purged is retried and does not stop others", async () => {
  const { db } = world.ctx;
  const who = await world.account(unique("Stuck "), dealer, {});
  const emails = Array.from({ length: 4 }, () => `${unique("row")}@example.net`);
  for (const email of emails) await put(who.id, logins(add(email)));
  for (const email of emails) await put(who.id, logins(remove(email)));
  const accounts = await Promise.all([1, 2].map(() => world.account(unique("Obstacle "), dealer, null)));
  for (const { id } of accounts)
    expect((await world.call(world.root, "DELETE", `/api/account/${id}`)).status).toBe(200);
  const late = await people.invite(dealer, role);
  await sql`create table stuck (id uuid references credential (id))`.execute(db);
  await sql`insert into stuck select id from credential where email in (${sql.join([emails[0], late.email])})`.execute(
    db,
  );
  await sql`create function stuck() returns trigger language plpgsql as $$ begin raise 'stuck'; end $$`.execute(db);
  await sql`create trigger stuck before update on account for each row
    when (old.id in (${sql.lit(accounts[0]?.id)}, ${sql.lit(late.id)})) execute function stuck()`.execute(db);
  await pass(31 * dayMs);
  const texts = await stored();
  expect(emails.map((email) => texts.includes(email))).toEqual([true, false, false, false]);
  expect(accounts.map(({ name }) => texts.includes(name))).toEqual([true, false]);
  expect(texts).toContain(late.email);
  await sql`drop trigger stuck on account`.execute(db);
  await sql`drop table stuck`.execute(db);
  await pass(3_601_000);
  expect(await stored()).not.toContain(emails[0]);
  expect(await listed(late.id)).toMatchObject({ credentials: [] });
});

test("AC-12 the operator configures the retention", async () => {
  const quick = await createWorld({ clock, env: { TEST_CLOCK: "on", PURGE_AFTER_DAYS: "2" } });
  try {
    const marker = unique("Quickly");
    const who = await quick.account(marker, quick.root, {});
    expect((await quick.call(quick.root, "DELETE", `/api/account/${who.id}`)).status).toBe(200);
    const has = async () => Object.values(await readStoredTexts(quick.ctx.db)).some((text) => text.includes(marker));
    const move = (ms: number) => quick.call(null, "PUT", "/dev/clock", { body: { now: clock.now() + ms } });
    await move(2 * dayMs - 1000);
    expect(await has()).toBe(true);
    await move(3_601_000);
    // The name of the test's role contains the marker, too; names of roles are not personal data.
    await quick.ctx.db.updateTable("role").set({ name: "Plain" }).where("id", "=", who.roleId).execute();
    expect(await has()).toBe(false);
  } finally {
    await quick.stop();
  }
});
