// Tests that the preview of a role for one account has exact counts, limited to what the caller may view.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allocatePathLabels } from "../db/account-path.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { createWorld, type Person, type Reply, type World } from "../testing/world.ts";

const below = { me: true, myChildren: true };
const shops = 620;
const sees = (view: NonNullable<NonNullable<Permissions["ownable"]>["sensor"]>["canViewObject"]): Permissions => ({
  ownable: { sensor: { canViewObject: view } },
});
const everything: Permissions = {
  owner: { canViewOwner: below, canEditOwner: below },
  ownable: {
    sensor: { canViewObject: below },
    role: { canViewObject: below, canEditObject: below, canCreateObjectFor: below },
  },
  other: { canAssignRoles: below },
};

let world: World;
let admin: Person;
let region: Person;
let role: string;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.account("Admin", world.root, everything);
  region = await world.account("Region", admin, everything);
  const { db } = world.ctx;
  const labels = await allocatePathLabels(db, shops);
  const rows = labels.map((label, n) => ({ id: uuidv7(Date.now() + n), path: `${region.path}${label}` }));
  await sql`insert into account (id, name, parent_id, ancestor_ids, path)
    select id, 'Shop', ${region.id}, ${[...region.parentAccounts, region.id]}, path
    from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ path }) => path)}::text[]) as made (id, path)`.execute(
    db,
  );
  await sql`insert into sensor (id, owner_id, owner_path, type)
    select '0A:00:00:00:' || upper(lpad(to_hex((n * 2 + half) / 256), 2, '0')) || ':' || upper(lpad(to_hex((n * 2 + half) % 256), 2, '0')), id, path, 'APS'
    from (select row_number() over () - 1 as n, id, path from account where parent_id = ${region.id}) shop, (values (0), (1)) as halves (half)
    where n % 2 = 0`.execute(db);
  const made = await world.call(admin, "POST", "/api/role", {
    body: { name: "Shown", owner: admin.id, permissions: {} },
  });
  role = made.id;
});
afterAll(() => world.stop());

const preview = (who: Person, account: Person, permissions: Permissions): Promise<Reply> =>
  world.call(who, "PUT", `/api/role/${role}/preview`, { body: { account: account.id, permissions } });

test("RO-03 a role is counted exactly beyond any list's page", async () => {
  expect((await preview(admin, region, sees(below))).body).toEqual({ accounts: shops + 1, sensors: shops });
  expect((await preview(admin, region, sees({ myChildren: true }))).body).toEqual({ accounts: shops, sensors: shops });
  expect((await preview(admin, region, sees({ me: true }))).body).toEqual({ accounts: 1, sensors: 0 });
  expect((await preview(admin, region, {})).body).toEqual({ accounts: 0, sensors: 0 });
  expect((await world.call(admin, "GET", `/api/role/${role}`)).at("permissions")).toEqual({
    owner: { canViewOwner: { me: true } },
  });
});

test("RO-03 the preview counts and reveals nothing that its caller does not see", async () => {
  const upwards = sees({ relativeAncestorLevel: 2 });
  expect((await preview(world.root, admin, sees(below))).body).toMatchObject({ accounts: shops + 2 });
  expect((await preview(admin, admin, upwards)).body).toEqual({ accounts: 0, sensors: 0 });
  expect((await preview(world.root, admin, upwards)).body).toEqual({ accounts: 1, sensors: 0 });
  const stranger = await world.account("Stranger", world.root, everything);
  expect((await preview(stranger, stranger, sees(below))).code).toBe(105);
  expect((await preview(admin, stranger, sees(below))).code).toBe(103);
  expect((await preview(admin, region, sees({ roles: [stranger.roleId ?? ""] }))).code).toBe(107);
});

test("RO-03 the previewed account counts as a holder of the role only", async () => {
  const other = await world.call(admin, "POST", "/api/role", {
    body: { name: "Other", owner: admin.id, permissions: {} },
  });
  const shop = await world.account("Kiosk", region, {});
  await world.call(admin, "PUT", `/api/account/${shop.id}`, { body: { role: other.id } });
  expect((await preview(admin, shop, sees({ roles: [other.id] }))).body).toEqual({ accounts: 0, sensors: 0 });
  expect((await preview(admin, region, sees({ roles: [other.id] }))).body).toEqual({ accounts: 1, sensors: 0 });
  expect((await preview(admin, shop, sees({ roles: [role] }))).body).toEqual({ accounts: 1, sensors: 0 });
});

test("RO-03 PE-04 an invisible role in the document adds nothing, so its holders stay hidden", async () => {
  const hidden = await world.call(world.root, "POST", "/api/role", {
    body: { name: "Hidden", owner: world.root.id, permissions: {} },
  });
  const [holder, other] = [await world.account("Holder", region, {}), await world.account("Other", region, {})];
  await world.call(world.root, "PUT", `/api/account/${holder.id}`, { body: { role: hidden.id } });
  await world.call(world.root, "POST", "/api/sensor", {
    body: { _id: "02:00:00:00:40:01", owner: holder.id, type: "APS" },
  });
  const kept = sees({ roles: [hidden.id] });
  const path = `/api/role/${role}`;
  expect((await world.call(world.root, "PUT", path, { body: { permissions: kept } })).status).toBe(200);
  expect((await world.call(admin, "GET", `/api/account/${holder.id}`)).at("role")).toBe(null);

  expect((await preview(world.root, other, kept)).body).toEqual({ accounts: 1, sensors: 1 });
  const asked = await preview(admin, other, kept);
  expect([asked.status, asked.body]).toEqual([200, { accounts: 0, sensors: 0 }]);
  expect((await preview(admin, other, sees({ me: true, roles: [hidden.id] }))).body).toEqual({
    accounts: 1,
    sensors: 0,
  });
  // A caller whose own scope names the role sees the holder's account, and the sensor in that scope.
  const upper = await world.account("Upper", world.root, {
    ...everything,
    ownable: { ...everything.ownable, sensor: { canViewObject: { ...below, roles: [hidden.id] } } },
  });
  const made = await world.call(upper, "POST", "/api/role", {
    body: { name: "Own", owner: upper.id, permissions: kept },
  });
  const theirs = await world.account("Theirs", upper, {});
  await world.call(world.root, "PUT", `/api/account/${theirs.id}`, { body: { role: hidden.id } });
  const shown = await world.call(upper, "PUT", `/api/role/${made.id}/preview`, {
    body: { account: upper.id, permissions: kept },
  });
  expect(shown.body).toEqual({ accounts: 1, sensors: 1 });
  await world.call(world.root, "PUT", path, { body: { permissions: {} } });
});
