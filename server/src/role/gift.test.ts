// Tests that gifts beyond the giver's role are reported before and after the role is reduced, for visible roles only.
import { permissionsArbitrary, makeTestId } from "@psp/contract/permission/forest.testing.ts";
import { listGrants, type Permissions } from "@psp/contract/permission/permissions.ts";
import { permissionsSchema } from "@psp/contract/permission/document.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type Person, type World } from "../testing/world.ts";

const below = { me: true, myChildren: true };
const maker = {
  canViewObject: below,
  canEditObject: below,
  canDeleteObject: below,
  canCreateObjectFor: below,
};
const strong: Permissions = {
  owner: { canViewOwner: below, canEditOwner: below },
  ownable: { role: maker, sensor: { canViewObject: below, canEditObject: { ...below, relativeAncestorLevel: 2 } } },
  other: { canAssignRoles: below },
};
const sensors = (canEditObject: object): Permissions => ({ ownable: { sensor: { canEditObject } } });

let world: World;
let admin: Person;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.account("Admin", world.root, strong);
});
afterAll(() => world.stop());

/** Creates an account whose role belongs to `owner` and is therefore visible to `owner`. */
async function person(name: string, parent: Person, owner: Person): Promise<Person> {
  const one = await world.account(name, parent, strong);
  const change = { owner_id: owner.id, owner_path: owner.path };
  await world.ctx.db.updateTable("role").set(change).where("id", "=", one.roleId).execute();
  return one;
}

let made = 0;
async function makeRole(who: Person, permissions: Permissions, owner = who): Promise<string> {
  const reply = await world.call(who, "POST", "/api/role", {
    body: { name: `Role ${(made += 1)}`, owner: owner.id, permissions },
  });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}
const edit = (who: Person, id: string, permissions: Permissions) =>
  world.call(who, "PUT", `/api/role/${id}`, { body: { permissions } });
/** Requests the stronger roles for these permissions, or for the current ones. */
async function stronger(who: Person, id: string, permissions?: Permissions) {
  const body = permissions === undefined ? {} : { permissions };
  const { body: reported } = await world.call(who, "PUT", `/api/role/${id}/stronger`, { body });
  const { objects, total } = reported as { objects: { _id: string; rights: string[] }[]; total: number };
  return { total, roles: Object.fromEntries(objects.map(({ _id, rights }) => [_id, rights])) };
}
const without = (change: (all: Permissions) => void): Permissions => {
  const all = structuredClone(strong);
  change(all);
  return all;
};
const noEdit = without((all) => delete all.ownable?.sensor?.canEditObject);

test("RO-04 roles with a role's former rights are reported before and after its reduction", async () => {
  const chief = await person("Chief", admin, admin);
  const role = chief.roleId ?? "";
  const editors = await makeRole(chief, sensors(below));
  const viewers = await makeRole(chief, { ownable: { sensor: { canViewObject: below } } });
  const reaching = await makeRole(chief, sensors({ relativeAncestorLevel: 2 }));
  expect(await stronger(admin, role)).toEqual({ total: 0, roles: {} });

  const reported = {
    total: 2,
    roles: { [editors]: ["ownable.sensor.canEditObject"], [reaching]: ["ownable.sensor.canEditObject"] },
  };
  expect(await stronger(admin, role, noEdit)).toEqual(reported);
  const reduced = (scope: object) =>
    without((all) => Object.assign(all.ownable?.sensor ?? {}, { canEditObject: scope }));
  // Who has `me` and `myChildren` may give any level, others only up to their own.
  expect(await stronger(admin, role, reduced(below))).toEqual({ total: 0, roles: {} });
  const onlyEditors = { total: 1, roles: { [editors]: ["ownable.sensor.canEditObject"] } };
  expect(await stronger(admin, role, reduced({ me: true, relativeAncestorLevel: 2 }))).toEqual(onlyEditors);
  expect(await stronger(admin, role, reduced({ me: true, relativeAncestorLevel: 1 }))).toEqual(reported);

  expect((await edit(admin, role, noEdit)).status).toBe(200);
  expect(await stronger(admin, role)).toEqual(reported);
  expect((await edit(admin, editors, {})).status).toBe(200);
  expect((await world.call(admin, "DELETE", `/api/role/${reaching}`)).status).toBe(200);
  expect(await stronger(admin, role)).toEqual({ total: 0, roles: {} });
  expect((await world.call(admin, "GET", `/api/role/${viewers}`)).status).toBe(200);
});

test("RO-04 gifts of others, of root, and re-given ones do not count", async () => {
  const [first, second] = [await person("First", admin, admin), await person("Second", admin, admin)];
  const byRoot = await makeRole(world.root, sensors(below), first);
  const role = await makeRole(first, {}, first);
  expect((await edit(admin, role, sensors({ me: true }))).status).toBe(200);
  expect(await stronger(admin, first.roleId ?? "", noEdit)).toEqual({ total: 0, roles: {} });
  expect((await edit(first, role, sensors(below))).status).toBe(200);
  expect(await stronger(admin, first.roleId ?? "", noEdit)).toMatchObject({
    total: 1,
    roles: { [role]: expect.anything() },
  });
  await edit(admin, role, sensors({ me: true }));
  await edit(admin, role, sensors(below));
  expect(await stronger(admin, first.roleId ?? "", noEdit)).toEqual({ total: 0, roles: {} });
  expect(await stronger(admin, second.roleId ?? "", noEdit)).toEqual({ total: 0, roles: {} });
  expect((await world.call(admin, "GET", `/api/role/${byRoot}`)).status).toBe(200);
});

test("RO-04 invisible roles are neither named nor counted; long lists are cut", { tags: "prove" }, async () => {
  const chief = await person("Head", admin, admin);
  const branch = await person("Branch", chief, chief);
  const beside = await world.account("Beside", admin, {});
  expect((await world.call(admin, "PUT", `/api/account/${beside.id}`, { body: { role: branch.roleId } })).status).toBe(
    200,
  );
  await makeRole(beside, sensors(below));
  for (let n = 0; n < 51; n += 1) await makeRole(branch, sensors(below));
  const role = branch.roleId ?? "";
  const seen = await stronger(chief, role, noEdit);
  expect([seen.total, Object.keys(seen.roles).length]).toEqual([51, 50]);
  expect((await stronger(admin, role, noEdit)).total).toBe(52);
  const stranger = await world.account("Stranger", world.root, strong);
  expect((await world.call(stranger, "PUT", `/api/role/${role}/stronger`, { body: {} })).code).toBe(105);
});

test("RO-04 parts of older roles are read from the database like the rules read them", async () => {
  const documents = fc.sample(permissionsArbitrary([makeTestId(2, 0, 1), makeTestId(2, 0, 2)]), {
    seed: 4,
    numRuns: 300,
  });
  let parts = 0;
  for (const document of documents) {
    const { rows } = await sql<{
      parts: string[];
    }>`select role_parts(${JSON.stringify(document)}::jsonb) as parts`.execute(world.ctx.db);
    const expected = listGrants(permissionsSchema.parse(document));
    expect([...new Set(rows[0]?.parts)].toSorted()).toEqual(expected.toSorted());
    parts += expected.length;
  }
  expect(parts).toBeGreaterThan(1000);
});
