// Tests that assigning, editing and moving are decided by what accounts reach with a role (docs/rules/permissions.md#within-reach).
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import type { Scope } from "@psp/contract/permission/scope.ts";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lockRights } from "../db/locks.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { captureStatements, explainStatement } from "../testing/asked-statements.ts";
import { until } from "../testing/devices/device-world.ts";
import { createWorld, type Person, type Reply, type World } from "../testing/world.ts";

const all: Scope = { me: true, myChildren: true };
const level = (relativeAncestorLevel: number): Scope => ({ relativeAncestorLevel });
/** Accounts with one role. Accounts are read a thousand at a time. */
const holders = rounds(2_000, 10_000);
const edits = (canEditObject: Scope): Permissions => ({ ownable: { sensor: { canEditObject } } });
const right = "ownable.sensor.canEditObject";

let world: World;
/** Below root: top, giver, child, grandchild. */
let top: Person;
beforeAll(async () => {
  world = await createWorld();
  top = await world.account("Top", world.root, fullPermissions);
});
afterAll(() => world.stop());

/** May do everything with roles and accounts of itself and below, and edit sensors of this scope. */
const giverOf = (canEditObject: Scope, above = 0): Permissions => {
  const around = { ...all, relativeAncestorLevel: above };
  const onRoles = { canViewObject: around, canEditObject: around, canDeleteObject: all, canCreateObjectFor: all };
  return {
    owner: { canCreateOwner: true, canViewOwner: around, canEditOwner: around },
    other: { canAssignRoles: around },
    ownable: { role: onRoles, sensor: { canEditObject } },
  };
};

async function createGiver(canEditObject: Scope, above = 0) {
  const giver = await world.account("Giver", top, giverOf(canEditObject, above));
  const child = await world.account("Child", giver, null);
  const grandchild = await world.account("Grandchild", child, null);
  return { giver, child, grandchild };
}

/** Inserts that many children with the role. */
async function plant(parent: Person, role: string | null, count: number): Promise<void> {
  await sql`insert into account (id, name, parent_id, ancestor_ids, path, role_id, created_at, updated_at)
    select gen_random_uuid(), 'Child ' || n, ${parent.id}, ${[...parent.parentAccounts, parent.id]}::uuid[],
      ${parent.path} || lpad(n::text, 5, 'z'), ${role}::uuid, now(), now()
    from generate_series(1, ${count}::int) n`.execute(world.ctx.db);
}

let made = 0;
async function roleOf(owner: Person, permissions: Permissions): Promise<string> {
  const body = { name: `Role ${(made += 1)}`, owner: owner.id, permissions };
  return (await world.call(world.root, "POST", "/api/role", { body })).id;
}
const give = (who: Person, to: Person, role: string) =>
  world.call(who, "PUT", `/api/account/${to.id}`, { body: { role } });
const edit = (who: Person, role: string, permissions: Permissions) =>
  world.call(who, "PUT", `/api/role/${role}`, { body: { permissions } });
const outcome = (reply: Reply) => [reply.status, reply.code, reply.at("details.scope")];
const done = [200, undefined, undefined];
const refused = (code: number) => [403, code, right];

describe("assigning (300)", () => {
  const table: [own: Scope, wanted: Scope, child: boolean, grandchild: boolean][] = [
    [{ me: true }, { me: true }, false, false],
    [{ myChildren: true }, { me: true }, true, true],
    [{ myChildren: true }, { myChildren: true }, true, true],
    [{ me: true }, { myChildren: true }, false, false],
    [all, level(1), true, true],
    [all, level(2), false, true],
    [all, level(3), false, false],
    [{ ...all, ...level(1) }, level(2), true, true],
    [{ ...all, ...level(1) }, level(3), false, true],
    [{ ...all, ...level(1) }, level(100), false, false],
    [{ ...all, ...level(2) }, level(100), true, true],
    [level(2), level(2), false, false],
    [{ me: true, ...level(2) }, level(1), true, false],
    [{ myChildren: true }, level(1), false, true],
  ];
  test.each(table)(
    "the giver has %j, the role %j: child %s, grandchild %s",
    async (own, wanted, forChild, forGrand) => {
      const { giver, child, grandchild } = await createGiver(own);
      const role = await roleOf(giver, edits(wanted));
      expect(outcome(await give(giver, child, role))).toEqual(forChild ? done : refused(300));
      expect(outcome(await give(giver, grandchild, role))).toEqual(forGrand ? done : refused(300));
      const body = { name: "New", role, email: `new-${role}@example.com` };
      const invited = await world.call(giver, "POST", "/api/account", { body });
      expect(outcome(invited)).toEqual(forChild ? done : refused(300));
    },
  );

  test("what a scope reaches by roles counts for ancestors, as they are now", async () => {
    const { giver, child, grandchild } = await createGiver({ ...all, roles: [top.roleId ?? ""] });
    const role = await roleOf(giver, edits(level(2)));
    expect(outcome(await give(giver, child, role))).toEqual(done);
    const further = await roleOf(giver, edits(level(3)));
    expect(outcome(await give(giver, grandchild, further))).toEqual(done);
    expect(outcome(await give(giver, child, further))).toEqual(refused(300));
  });

  test("no one gives myChildren to an account that is not below", async () => {
    const { giver } = await createGiver({ ...all, ...level(1) }, 1);
    const mine = await roleOf(giver, edits({ ...all }));
    expect(outcome(await give(giver, top, mine))).toEqual(refused(300));
    expect((await give(giver, top, mine)).at("details.reason")).toBe(
      "With this role, Top would have more access than you: Sensor › Edit.",
    );
    const ownOnly = await roleOf(giver, edits({ me: true }));
    const beside = await world.account("Top", world.root, fullPermissions);
    const upward = await world.account("Giver", beside, giverOf({ ...all, ...level(1) }, 1));
    expect(outcome(await give(upward, beside, await roleOf(upward, edits({ me: true }))))).toEqual(done);
    expect(outcome(await give(giver, giver, ownOnly))).toEqual(done);
  });

  test("AC-11 changing logins of others is checked in the same way (308)", async () => {
    const { giver, child, grandchild } = await createGiver(all);
    const role = await roleOf(giver, edits(level(2)));
    for (const one of [child, grandchild]) await give(world.root, one, role);
    const add = (to: Person) => ({
      body: {
        credentialChanges: [{ operation: "ADD", email: `${uuidv7(0)}@example.com`, newPassword: "copper-meadow-9" }],
      },
      path: `/api/account/${to.id}`,
    });
    const change = async (to: Person) => {
      const { path, body } = add(to);
      return outcome(await world.call(giver, "PUT", path, { body }));
    };
    expect(await change(child)).toEqual(refused(308));
    expect(await change(grandchild)).toEqual(done);
  });
});

describe("editing a role (308)", () => {
  test("every holder counts; what a holder reached before may stay", async () => {
    const { giver, child, grandchild } = await createGiver(all);
    const role = await roleOf(giver, {});
    await give(giver, grandchild, role);
    expect(outcome(await edit(giver, role, edits(level(2))))).toEqual(done);
    expect(outcome(await edit(giver, role, edits(level(3))))).toEqual(refused(308));
    // Of the direct child, level 2 is the giver's parent.
    await give(world.root, child, role);
    expect(outcome(await edit(giver, role, edits({ ...all, ...level(2) })))).toEqual(done);
    expect(outcome(await edit(giver, role, edits(level(1))))).toEqual(done);
    const again = await edit(giver, role, edits(level(2)));
    expect(outcome(again)).toEqual(refused(308));
    expect([again.at("details.reason"), again.at("details.object.id")]).toEqual([
      "Child with this role would have more access than you: Sensor › Edit.",
      child.id,
    ]);
  });

  test("hidden holders count as well, and the reason does not reveal them", async () => {
    const { giver } = await createGiver(all);
    const role = await roleOf(giver, {});
    const stranger = await world.account("Stranger", world.root, null);
    await give(world.root, stranger, role);
    for (const scope of [{ me: true }, { myChildren: true }, level(1)]) {
      const reply = await edit(giver, role, edits(scope));
      expect(outcome(reply)).toEqual(refused(308));
      expect(reply.at("details")).toEqual({
        scope: right,
        reason: "An account with this role would have more access than you: Sensor › Edit.",
      });
    }
    await world.ctx.db.updateTable("account").set({ is_deleted: true }).where("id", "=", stranger.id).execute();
    expect(outcome(await edit(giver, role, edits(all)))).toEqual(done);
    expect(outcome(await edit(world.root, role, edits(level(100))))).toEqual(done);
  });

  test("an ancestor that the holder reached by its role is no gain", async () => {
    const { giver, child } = await createGiver({ ...all, roles: [top.roleId ?? ""] });
    const role = await roleOf(giver, edits({ roles: [top.roleId ?? ""] }));
    await give(giver, child, role);
    await world.ctx.db
      .updateTable("role")
      .set({ permissions: JSON.stringify(giverOf(all)) })
      .where("id", "=", giver.roleId)
      .execute();
    expect(outcome(await edit(giver, role, edits(level(2))))).toEqual(done);
    expect(outcome(await edit(giver, role, edits(level(3))))).toEqual(refused(308));
  });

  test(`all of ${holders} holders are checked, in few statements`, async () => {
    const { giver } = await createGiver(all);
    const role = await roleOf(giver, {});
    await plant(giver, role, holders);
    const others = await world.account("Others", world.root, null);
    await plant(others, null, 4 * holders);
    await sql`analyze account`.execute(world.ctx.db);
    const sent = await captureStatements(async () =>
      expect(outcome(await edit(giver, role, edits(level(1))))).toEqual(done),
    );
    expect(sent.length).toBeLessThan(60);
    expect(sent.filter(({ text }) => text.startsWith("fetch"))).toHaveLength(holders / 1000 + 1);
    const declared = sent.find(({ text }) => text.startsWith("declare"));
    const text = declared?.text.slice(declared.text.indexOf("select")) ?? "";
    expect(await explainStatement(world.ctx.db, { text, values: declared?.values ?? [] })).not.toMatch(/Seq Scan/);
    expect(outcome(await edit(giver, role, edits(level(2))))).toEqual(refused(308));
  });
});

describe("moving in a review (308)", () => {
  /** Lets the account wait for a review, as after a sign-up. */
  async function signUp(account: Person): Promise<void> {
    const row = {
      id: uuidv7(Date.now()),
      account_id: account.id,
      email: `waiting-${account.id}@example.com`,
      step: -1,
    };
    await world.ctx.db
      .insertInto("credential")
      .values({ ...row, position: 9, created_at: new Date() })
      .execute();
  }
  const accept = (who: Person, account: Person, parent: Person, more: object = {}) =>
    world.call(who, "PUT", `/api/account/${account.id}`, {
      body: { acceptRegistration: true, directParentAccount: parent.id, ...more },
    });

  test("ancestors that the account and those below it newly reach must be within reach", async () => {
    const { giver, child, grandchild } = await createGiver(all);
    const other = await world.account("Other", giver, null);
    const role = await roleOf(giver, edits(level(3)));
    const deep = await world.account("Deep", grandchild, null);
    await give(giver, deep, role);
    await signUp(grandchild);
    // Deep is three levels below the giver, and would be two.
    const refusal = await accept(giver, grandchild, giver);
    expect(outcome(refusal)).toEqual(refused(308));
    expect(refusal.at("details.reason")).toBe(
      "Deep at its new position would have more access than you: Sensor › Edit.",
    );
    expect((await world.call(giver, "GET", `/api/account/${grandchild.id}`)).at("parentAccounts")).toEqual(
      grandchild.parentAccounts,
    );
    expect(outcome(await accept(giver, grandchild, other))).toEqual(done);
    expect((await world.call(giver, "GET", `/api/account/${deep.id}`)).at("parentAccounts.3")).toBe(other.id);
    expect(child.id).not.toBe(other.id);
  });

  test("a role that comes with the move is checked at the new position", async () => {
    const { giver, child, grandchild } = await createGiver(all);
    const role = await roleOf(giver, edits(level(2)));
    await signUp(grandchild);
    expect(outcome(await accept(giver, grandchild, giver, { role }))).toEqual(refused(300));
    expect(outcome(await accept(giver, grandchild, child, { role }))).toEqual(done);
  });
});

test("T-05 an edit and a move can't each rely on what the other changes", async () => {
  const { giver, child, grandchild } = await createGiver(all);
  const role = await roleOf(giver, {});
  await give(giver, grandchild, role);
  const [reply] = await world.ctx.db.transaction().execute(async (tx) => {
    await lockRights(tx, "change");
    const request = edit(giver, role, edits(level(2)));
    await until("the request at the lock", async () => (await countWaiting()) === 1);
    // Meanwhile the role goes to an account that would reach the giver's parent.
    await tx.updateTable("account").set({ role_id: role }).where("id", "=", child.id).execute();
    return [request];
  });
  expect(outcome(await reply)).toEqual(refused(308));
});

async function countWaiting(): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select count(*) as n from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`.execute(world.ctx.db);
  return rows[0]?.n ?? 0;
}
