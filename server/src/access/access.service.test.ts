// Tests access explanations over HTTP: their texts, which names are hidden, and whether calls allow what
// the explanations say.
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";
import { accessRights, type AccessType } from "@psp/contract/permission/access.ts";
import { allObjectRights, type Permissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

const below = { me: true, myChildren: true };
function all(scope: object): Permissions {
  const every = allObjectRights(scope);
  return {
    other: { canAssignRoles: scope, canAssignSensors: scope, canUseArtifact: scope },
    ownable: { artifact: every, measurement: every, role: every, sensor: every },
    owner: { canCreateOwner: true, canViewOwner: scope, canEditOwner: scope, canDeleteOwner: scope },
  };
}

let world: World;
/** City Council has two children: Library, and Museum with its Shop. Hidden is a sibling. */
let council: Person, library: Person, museum: Person, shop: Person, hidden: Person;
/** Sees sensors of its parent accounts up to the council, but neither these accounts nor any roles. */
let narrow: Person;
let roleless: Person;
const ids: Record<string, string> = {};
beforeAll(async () => {
  world = await createWorld({ clock: createStillClock() });
  const role = async (name: string, permissions: Permissions) =>
    (await world.call(world.root, "POST", "/api/role", { body: { name, owner: world.root.id, permissions } })).id;
  const hold = async (person: Person, roleId: string) =>
    world.ctx.db.updateTable("account").set({ role_id: roleId }).where("id", "=", person.id).execute();
  council = await world.account("City Council", world.root, all(below));
  library = await world.account("City Library", council, {});
  museum = await world.account("Museum", council, {});
  shop = await world.account("Museum Shop", museum, {});
  hidden = await world.account("Hidden", world.root, {});
  roleless = await world.account("Someone", museum, null);
  ids["guard"] = await role("Guard", {});
  ids["viewer"] = await role("Viewer", {
    ownable: {
      sensor: {
        canViewObject: { me: true, myChildren: true, relativeAncestorLevel: 1 },
        canEditObject: { me: true, roles: [ids["guard"] ?? ""] },
      },
      measurement: { canViewObject: { me: true } },
    },
  });
  ids["narrow"] = await role("Narrow", {
    ownable: { sensor: { canViewObject: { relativeAncestorLevel: 2, me: true } } },
    owner: { canViewOwner: { me: true } },
  });
  narrow = await world.account("Narrow", museum, {});
  await hold(narrow, ids["narrow"] ?? "");
  await hold(museum, ids["viewer"] ?? "");
  await hold(shop, ids["guard"] ?? "");
  let n = 0;
  for (const person of [council, library, museum, shop, hidden]) {
    n += 1;
    const _id = `02:00:00:00:00:0${n}`;
    ids[person.name ?? ""] = _id;
    await world.call(world.root, "POST", "/api/sensor", { body: { _id, owner: person.id, type: "APS" } });
  }
  world.server.sessions.forget();
});
afterAll(() => world.stop());

const ask = (who: Person, account: Person | string, type: string, id: string) =>
  world.call(
    who,
    "GET",
    `/api/access?account=${typeof account === "string" ? account : account.id}&type=${type}&id=${encodeURIComponent(id)}`,
  );
const rightsIn = (body: unknown) => (body as { rights: Record<string, { allowed: boolean; reason: string }> }).rights;
const sensorOf = (n: number) => `02:00:00:00:00:0${n}`;

test("PE-01 the answer names account, object, role, scope and distance", async () => {
  const far = await ask(world.root, museum, "sensor", sensorOf(2));
  expect(far.status).toBe(200);
  expect(far.body).toMatchObject({
    account: { _id: museum.id, name: "Museum" },
    object: { _id: sensorOf(2), name: sensorOf(2) },
  });
  const views = '"Viewer" covers the account, its sub-accounts and its parent account. This object belongs to';
  const edits = '"Viewer" covers the account and accounts with the role Guard. This object belongs to';
  expect(rightsIn(far.body)["view"]).toEqual({
    allowed: false,
    reason: `${views} City Library, which is none of these.`,
  });
  const of = async (n: number) => rightsIn((await ask(world.root, museum, "sensor", sensorOf(n))).body);
  expect((await of(3))["view"]).toEqual({ allowed: true, reason: `${views} the account itself.` });
  expect((await of(1))["view"]).toEqual({ allowed: true, reason: `${views} City Council, the parent account.` });
  const shops = await of(4);
  expect(shops["view"]).toEqual({ allowed: true, reason: `${views} Museum Shop, a sub-account.` });
  expect(shops["edit"]).toEqual({ allowed: true, reason: `${edits} Museum Shop, which has the role Guard.` });
  expect(shops["delete"]).toEqual({ allowed: false, reason: '"Viewer" doesn\'t include this permission.' });
  expect(rightsIn((await ask(world.root, roleless, "sensor", sensorOf(4))).body)["view"]).toEqual({
    allowed: false,
    reason: "The account has no role.",
  });
  expect(rightsIn((await ask(world.root, council, "owner", shop.id)).body)["view"]?.reason).toMatch(
    / Museum Shop is a sub-account 2 levels below\.$/,
  );
});

test("PE-04 reasons also name the account's own role, the root account, sub-accounts and shared firmware", async () => {
  const rights = async (account: Person, type: AccessType, id: string) =>
    rightsIn((await ask(world.root, account, type, id)).body);
  const own = await rights(museum, "role", ids["viewer"] ?? "");
  expect(own["edit"]).toEqual({ allowed: false, reason: "This is the account's own role." });
  expect(own["delete"]).toEqual({ allowed: false, reason: "This is the account's own role." });
  const root = await rights(world.root, "owner", world.root.id);
  expect(root["delete"]?.reason).toBe("The root account can't be deleted.");
  expect(root["assignRoles"]?.reason).toBe("The root account keeps its role.");
  expect((await rights(council, "owner", museum.id))["delete"]?.reason).toBe("The account has sub-accounts.");
  const firmware = await world.upload(world.root, { type: "APS", name: "1.2.3" }, new TextEncoder().encode("image"));
  const body = { objPerm: { childrenCanViewObject: true } };
  await world.call(world.root, "PUT", `/api/artifact/${firmware.id}`, { body });
  const opened = await rights(shop, "artifact", firmware.id);
  expect(opened["view"]?.reason).toBe(
    `${world.root.name}, a parent account 3 levels above, shares this firmware with all its sub-accounts.`,
  );
  expect([opened["view"]?.allowed, opened["use"]?.allowed, opened["edit"]?.allowed]).toEqual([true, true, false]);
});

test("PE-01 only viewers of account and object get an answer", async () => {
  const code = async (...args: Parameters<typeof ask>) => {
    const { status, code } = await ask(...args);
    return [status, code];
  };
  expect(await code(council, library, "sensor", sensorOf(3))).toEqual([200, undefined]);
  for (const [account, type, id] of [
    [hidden.id, "sensor", sensorOf(3)],
    [library.id, "sensor", sensorOf(5)],
    [library.id, "sensor", "02:00:00:00:00:77"],
    [library.id, "sensor", "no sensor"],
    [library.id, "owner", hidden.id],
    [library.id, "role", ids["viewer"] ?? ""],
    [library.id, "measurement", "nothing"],
    ["nothing", "sensor", sensorOf(3)],
  ] as const)
    expect(await code(council, account, type, id), `${account} ${type} ${id}`).toEqual([404, 105]);
  expect(await code(council, library, "file", sensorOf(3))).toEqual([400, 102]);
  expect(await code(council, library, "", sensorOf(3))).toEqual([400, 102]);
  expect((await world.call(council, "GET", `/api/access?account=${library.id}&type=sensor`)).code).toBe(104);
});

test("PE-01 sensor and account ids are matched in any spelling", async () => {
  for (const spelling of ["020000000003", "02-00-00-00-00-03", "02:00:00:00:00:03".toLowerCase()])
    expect((await ask(council, library.id.toUpperCase(), "sensor", spelling)).body).toMatchObject({
      object: { _id: sensorOf(3) },
    });
});

test("PE-01 a reason never names an invisible role, owner or role in a scope", async () => {
  // The council can't view the roles Viewer, Guard and Narrow, because the root account owns them.
  const seen = await ask(council, museum, "sensor", sensorOf(4));
  expect(JSON.stringify(seen.body)).not.toMatch(/Viewer|Guard|parent account/);
  expect(rightsIn(seen.body)["view"]).toEqual({
    allowed: true,
    reason: "The account has a role that you can't view. This object belongs to Museum Shop, a sub-account.",
  });
  expect(rightsIn(seen.body)["edit"]).toEqual({
    allowed: true,
    reason:
      "The account has a role that you can't view. This object belongs to Museum Shop, which has a role that you can't view.",
  });
  expect(rightsIn((await ask(council, museum, "sensor", sensorOf(2))).body)["view"]).toEqual({
    allowed: false,
    reason: "The account has a role that you can't view. It doesn't cover this object, which belongs to City Library.",
  });
  // A caller always sees the name of its own role. An invisible owner is described without its distance in the tree.
  const own = await ask(narrow, narrow, "sensor", sensorOf(1));
  expect(rightsIn(own.body)["view"]).toEqual({
    allowed: true,
    reason: '"Narrow" covers your account and its 2 nearest parent accounts. That includes the owner of this object.',
  });
  expect(JSON.stringify(own.body)).not.toContain("Council");
});

/**
 * Whether the call itself passes all permission checks. Writes send a wrong version, which is refused (412) only after those checks.
 */
async function reallyMay(who: Person, right: string, path: string): Promise<boolean> {
  const options = right === "view" ? {} : { headers: { "if-match": "999999" } };
  const method = { view: "GET", edit: "PUT", delete: "DELETE" }[right] as "GET";
  const { status } = await world.call(who, method, path, right === "edit" ? { ...options, body: {} } : options);
  return right === "view" ? status === 200 : status === 412;
}

test("PE-01 PE-04 explained rights match the calls: everybody tries to view, edit and delete everything", async () => {
  const make = async (path: string, body: object) => (await world.call(world.root, "POST", path, { body })).id;
  const people = [world.root, council, library, museum, shop, narrow];
  const things: [AccessType, string, string][] = [];
  for (const [n, owner] of [council, museum, shop].entries()) {
    const location = await make("/api/measurement", { name: `Place ${n}`, owner: owner.id });
    const role = await make("/api/role", { name: `Role ${n}`, owner: owner.id });
    things.push(["measurement", location, `/api/measurement/${location}`], ["role", role, `/api/role/${role}`]);
    things.push(["owner", owner.id, `/api/account/${owner.id}`]);
  }
  for (const n of everyNth(2, [1, 2, 3, 4, 5])) things.push(["sensor", sensorOf(n), `/api/sensor/${sensorOf(n)}`]);
  const counts = { yes: 0, no: 0 };
  for (const who of people)
    for (const [type, id, path] of things) {
      const rights = rightsIn((await ask(world.root, who, type, id)).body);
      expect(Object.keys(rights)).toEqual([...accessRights[type]]);
      for (const right of ["view", "edit", "delete"]) {
        const said = rights[right]?.allowed;
        expect(await reallyMay(who, right, path), `${who.name} ${right} ${path}: ${rights[right]?.reason}`).toBe(said);
        counts[said ? "yes" : "no"] += 1;
      }
    }
  expect(Math.min(counts.yes, counts.no)).toBeGreaterThan(30);
});
