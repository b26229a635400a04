// Tests moving subtrees: what moves with an account, and reviews that move a sign-up.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import { forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../db/database.ts";
import { plantForest } from "../testing/rights/account-forest.ts";
import { openTestDatabase } from "../testing/test-database.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { moveSubtree, type TreePosition, tablesWithOwnerPath } from "./tree.store.ts";

describe("moving a subtree", () => {
  let db: Database;
  let close: () => Promise<void>;
  beforeAll(async () => void ({ db, close } = await openTestDatabase(2)));
  afterAll(() => close());

  /** Finds accounts whose ancestors or path contradict their parents, and rows whose path differs from their owner's. */
  async function faults(): Promise<unknown[]> {
    const accounts = await sql`
      select a.id from account a left join account p on p.id = a.parent_id
      where a.ancestor_ids <> case when p.id is null then '{}' else p.ancestor_ids || p.id end or a.path <> coalesce(p.path, '') || right(a.path, 5)`.execute(
      db,
    );
    const owned = await Promise.all(
      tablesWithOwnerPath.map((table) =>
        sql`select t.id from ${sql.table(table)} t join account a on a.id = t.owner_id where t.owner_path <> a.path`.execute(
          db,
        ),
      ),
    );
    const counted = await sql`
      select 1 from (
        select k as kind, owner_path, count(*) as n from sensor, unnest(array['sensor', 'sensor ' || type]) k
        where not is_deleted group by 1, 2
        union all select 'location', owner_path, count(*) from location where not is_deleted group by 2) s
      full join (select * from owned_count where n <> 0) c using (kind, owner_path)
      where s.n is distinct from c.n`.execute(db);
    return [accounts, ...owned, counted].flatMap(({ rows }) => rows);
  }
  async function placeOf(id: string): Promise<TreePosition> {
    return db
      .selectFrom("account")
      .select(["id", "path", "ancestor_ids"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
  }

  test("every table with a copy of the owner's path is listed", async () => {
    const { rows } = await sql<{ name: string }>`
      select c.table_name as name from information_schema.columns c join pg_class t on t.relname = c.table_name
      where c.table_schema = 'public' and c.column_name = 'owner_path' and t.relkind in ('r', 'p') and not t.relispartition`.execute(
      db,
    );
    // Triggers on the moved rows update these.
    const totals = ["counted_sensor", "owner_total", "counted_location", "owner_completeness"];
    const following = [...totals, "sensor_issue", "sensor_stat", "sensor_stat_change"];
    expect(rows.map(({ name }) => name).toSorted()).toEqual(
      [...tablesWithOwnerPath, "owned_count", ...following].toSorted(),
    );
  });

  test("random moves keep every ancestor, path, owned row and counter right", { timeout: 300_000 }, async () => {
    const forests = fc.sample(forestArbitrary({ minAccounts: 20, maxAccounts: 60, maxRoles: 4 }), {
      seed: 23,
      numRuns: rounds(3, 12),
    });
    let moves = 0;
    let taken = 0;
    for (const [round, forest] of forests.entries()) {
      const planted = await plantForest(db, forest);
      await db.deleteFrom("audit").execute();
      await sql`
        insert into audit (id, at, request_id, action, object_type, object_id, owner_id, owner_path)
        select gen_random_uuid(), now(), '', 'create', 'account', id, id, path from account`.execute(db);
      expect(await faults()).toEqual([]);
      for (let n = 0; n < 8; n += 1) {
        const pick = (seed: number) => planted[(seed * 31 + round * 7) % planted.length]?.caller.id ?? "";
        const [account, parent] = [await placeOf(pick(n * 5 + 1)), await placeOf(pick(n * 11 + 3))];
        if (account.ancestor_ids.length === 0 || parent.path.startsWith(account.path)) continue;
        const moved = await db.transaction().execute((tx) => moveSubtree(tx, account, parent));
        expect(await faults(), `move ${n} of tree ${round}`).toEqual([]);
        const after = await placeOf(account.id);
        expect(after.ancestor_ids).toEqual([...parent.ancestor_ids, parent.id]);
        moves += 1;
        taken += moved.length;
      }
    }
    expect(moves).toBeGreaterThan(rounds(9, 40));
    expect(taken).toBeGreaterThan(moves);
  });
});

describe("review", () => {
  let world: World;
  let admin: Person;
  let counter = 0;
  beforeAll(async () => {
    world = await createWorld({ env: { PUBLIC_URL: "https://console.example.com" } });
    admin = await world.account("Admin", world.root, fullPermissions);
  });
  afterAll(() => world.stop());

  /** Creates a sign-up: a child of root without a role, at step -1. */
  async function signUp(parent = world.root): Promise<Person> {
    const who = await world.account(`Sign-up ${(counter += 1)}`, parent, null);
    await world.ctx.db.updateTable("credential").set({ step: -1 }).where("account_id", "=", who.id).execute();
    return who;
  }
  const review = (who: Person, body: object, by = world.root) =>
    world.call(by, "PUT", `/api/account/${who.id}`, { body });
  const accept = (directParentAccount?: string) => ({
    acceptRegistration: true,
    ...(directParentAccount ? { directParentAccount } : {}),
  });
  const mailTo = (who: Person) =>
    world.ctx.db.selectFrom("mail_outbox").selectAll().where("recipient", "=", who.email).execute();

  test("accepted: below the chosen parent, with everything it owns, and asked to confirm", async () => {
    const who = await signUp();
    await world.ctx.db
      .insertInto("location")
      .values({ id: crypto.randomUUID(), owner_id: who.id, owner_path: who.path, name: "Early bird" })
      .execute();
    const reply = await review(who, accept(admin.id));
    expect(reply.body).toMatchObject({
      parentAccounts: [world.root.id, admin.id],
      registrationInfo: [{ stepReached: 1 }],
    });
    const seen = await world.call(admin, "GET", "/api/v2/measurement?name=Early");
    expect(seen.list.map(({ name }) => name)).toEqual(["Early bird"]);
    const [mail] = await mailTo(who);
    expect(mail?.text_body).toMatch(
      new RegExp(`https://console\\.example\\.com/account/${who.id}/registration/[\\w-]{43}/verify/[\\w-]{43}`),
    );
    expect(
      (await world.call(null, "POST", "/api/auth/login", { body: { email: who.email, password: "x" } })).status,
    ).toBe(401);
  });

  test("rejected: a polite mail, and the decision is final", async () => {
    const who = await signUp();
    expect((await review(who, { acceptRegistration: false })).at("registrationInfo.0.stepReached")).toBe(-2);
    expect((await mailTo(who)).map(({ subject }) => subject)).toEqual(["Your registration on PS.Platform"]);
    expect((await review(who, accept(admin.id))).code).toBe(102);
    expect((await review(who, { acceptRegistration: false })).code).toBe(102);
  });

  test("T-06 an impossible parent is refused without a change", async () => {
    const who = await signUp();
    const below = await world.account("Below", who, null);
    const gone = await world.account("Gone", world.root, null);
    await world.call(world.root, "DELETE", `/api/account/${gone.id}`);
    const stranger = await world.account("Stranger", world.root, fullPermissions);
    const inside = await signUp(admin);
    const looker = await world.account("Looker", admin, {
      owner: {
        canViewOwner: { me: true, myChildren: true, relativeAncestorLevel: 1 },
        canEditOwner: { myChildren: true },
      },
    });
    const underLooker = await signUp(looker);
    const tries: [Person, object, Person, number][] = [
      [who, accept(), world.root, 104],
      [who, accept(who.id), world.root, 103],
      [who, accept(below.id), world.root, 103],
      [who, accept(gone.id), world.root, 103],
      [who, accept("01890000-0000-7000-8000-000000000000"), world.root, 103],
      [who, { acceptRegistration: true, directParentAccount: "x" }, world.root, 103],
      [inside, accept(stranger.id), admin, 103],
      [inside, accept(world.root.id), admin, 103],
      [underLooker, accept(admin.id), looker, 103],
      [who, accept(admin.id), admin, 105],
    ];
    for (const [target, body, by, code] of tries) {
      expect((await review(target, body, by)).code, JSON.stringify(body)).toBe(code);
      const row = await world.ctx.db
        .selectFrom("credential")
        .select("step")
        .where("account_id", "=", target.id)
        .executeTakeFirstOrThrow();
      expect(row.step).toBe(-1);
      expect(await mailTo(target)).toEqual([]);
    }
  });

  test("T-06 concurrent or repeated decisions: one wins, one mail", async () => {
    for (let round = 0; round < rounds(2, 8); round += 1) {
      const who = await signUp();
      const replies = await Promise.all([
        review(who, accept(admin.id)),
        review(who, { acceptRegistration: false }),
        review(who, accept(world.root.id)),
      ]);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(replies.filter(({ code }) => code === 102)).toHaveLength(2);
      expect(await mailTo(who)).toHaveLength(1);
    }
  });

  test("the right to give a role is checked for the new position", async () => {
    const role = await world.call(world.root, "POST", "/api/role", {
      body: { name: "Start", owner: admin.id, permissions: {} },
    });
    const who = await signUp(admin);
    const reply = await review(who, { ...accept(admin.id), role: role.id }, admin);
    expect(reply.at("role._id")).toBe(role.id);
    const weak = await world.account("Weak", admin, {
      owner: { canViewOwner: { me: true, myChildren: true }, canEditOwner: { me: true, myChildren: true } },
      ownable: { role: { canViewObject: { relativeAncestorLevel: 1 } } },
    });
    expect((await review(await signUp(weak), { ...accept(weak.id), role: role.id }, weak)).code).toBe(300);
  });
});
