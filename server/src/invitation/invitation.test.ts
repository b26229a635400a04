// Tests inviting colleagues over HTTP: rights, roles that are made or reused, what colleagues see, mails and the short form.
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { everywhere } from "../testing/scenes/scene.ts";
import { invitedForm, newAddress, password, registrantsOf } from "../testing/scenes/registrants.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

let world: World;
let people: ReturnType<typeof registrantsOf>;
let dealer: Person;
beforeAll(async () => {
  world = await createWorld({
    env: { PUBLIC_URL: "https://console.example.com", TRUST_PROXY: "1", PARTS: "api,worker" },
  });
  people = registrantsOf(world);
  dealer = await world.account("Dealer", world.root, fullPermissions);
});
afterAll(() => world.stop());

const customerOf = (permissions: Permissions = fullPermissions) => world.account("Harbour", dealer, permissions);
const invite = (who: Person, body: JsonObject, headers: Record<string, string> = {}) =>
  world.call(who, "POST", "/api/v2/invitation", { body: { email: newAddress(), access: "viewer", ...body }, headers });
const get = async (who: Person, path: string) => (await world.call(who, "GET", path)).body as JsonObject;
const permissionsOf = async (id: unknown) => (await get(world.root, `/api/role/${String(id)}`))["permissions"];
const rolesOf = async (owner: Person) =>
  (await world.call(world.root, "GET", `/api/role?ownerID=${owner.id}`)).list.map(({ name }) => name);
const above = { ...everywhere, relativeAncestorLevel: 1 };

const shortLegal = { firstName: "Ada", familyName: "Byron", dpaAcceptedAt: "now", eulaAcceptedAt: "now" };

/** Opens the mailed link, sends the form with nothing but a name, a password and the ticks, confirms, and logs in. */
async function join(email: string, more: JsonObject = {}): Promise<Person> {
  const link = await people.linkIn(email);
  const sent = await people.put(link, { legal: shortLegal, credentials: { password }, ...more });
  expect(sent.body).toEqual({ registrationInfo: [{ stepReached: 1 }] });
  await people.put(await people.linkIn(email, 2));
  const login = await people.login(email);
  return { id: String(login.at("user._id")), token: String(login.at("token")) } as Person;
}

async function fullRoleOf(owner: Person): Promise<string> {
  const body = { owner: owner.id, name: "All", permissions: fullPermissions };
  return (await world.call(owner, "POST", "/api/role", { body })).id;
}

/** A customer with a complete login and an address, as after the registration form. */
async function registered(parent: Person, more: JsonObject = {}): Promise<Person> {
  const one = await world.account("Northwind Ltd", parent, fullPermissions);
  const address = { street: "Quay", street_number: "7a", zip: "10115", city: "Berlin", country: "Germany", ...more };
  await world.ctx.db.updateTable("account").set(address).where("id", "=", one.id).execute();
  return one;
}

test("a viewer sees everything of the account above after the first login, and changes nothing", async () => {
  const customer = await registered(dealer);
  const { id: shop } = await world.call(customer, "POST", "/api/measurement", {
    body: { name: "Shop", owner: customer.id },
  });
  const sub = await world.account("Branch", customer, fullPermissions);
  const { id: hidden } = await world.call(sub, "POST", "/api/measurement", { body: { name: "Hidden", owner: sub.id } });
  const email = newAddress();
  const made = await invite(customer, { email });
  expect(made.body).toEqual({
    account: { _id: expect.any(String), name: email },
    role: { _id: expect.any(String), name: "Viewer" },
  });
  const [mail] = await people.mailsTo(email);
  expect(mail?.text).toContain(
    "Northwind Ltd has invited you to PS.Platform, where you can see its sensors and locations.",
  );
  const link = await people.linkIn(email);
  expect((await people.get(link)).body).toEqual({
    registrationInfo: [{ stepReached: 0, credentials: { email } }],
    readonlyAddress: true,
    readonlyOrganization: true,
    name: "Northwind Ltd",
    phone: null,
    street: "Quay",
    streetNumber: "7a",
    zip: "10115",
    city: "Berlin",
    country: "Germany",
  });
  const ada = await join(email, { name: "Mallory Inc", street: "Elsewhere", country: "France" });
  expect(await get(customer, `/api/account/${ada.id}`)).toMatchObject({
    name: "Ada Byron",
    street: "Quay",
    country: "Germany",
    readonlyAddress: true,
    parentAccounts: [world.root.id, dealer.id, customer.id],
  });
  const { list } = await world.call(ada, "GET", "/api/measurement");
  expect(list.map(({ name }) => name)).toEqual(["Shop"]);
  expect((await world.call(ada, "PUT", `/api/measurement/${shop}`, { body: { name: "Mine" } })).code).toBe(305);
  expect((await world.call(ada, "DELETE", `/api/measurement/${shop}`)).code).toBe(304);
  expect((await world.call(ada, "POST", "/api/measurement", { body: { name: "New", owner: customer.id } })).code).toBe(
    303,
  );
  expect((await invite(ada, {})).code).toBe(303);
  const why = async (type: string, id: string) =>
    (await world.call(customer, "GET", `/api/access?account=${ada.id}&type=${type}&id=${id}`)).at("rights.view");
  expect(await why("measurement", shop)).toEqual({
    allowed: true,
    reason:
      '"Viewer" covers the account, its sub-accounts and its parent account. This object belongs to Northwind Ltd, the parent account.',
  });
  expect(await why("measurement", hidden)).toEqual({
    allowed: false,
    reason:
      '"Viewer" covers the account, its sub-accounts and its parent account. This object belongs to Branch, which is none of these.',
  });
});

test("each level has its rights, and reaches the account above except its accounts, logins and roles", async () => {
  const customer = await customerOf();
  const of = async (access: string) => permissionsOf((await invite(customer, { access })).at("role._id"));
  const views = { canViewObject: above };
  const edits = { ...views, canEditObject: above };
  const creates = { ...edits, canCreateObjectFor: above };
  const viewer = { artifact: views, measurement: views, role: views, file: views, sensor: views };
  const owner = { canViewOwner: above };
  expect(await of("viewer")).toEqual({ ownable: viewer, owner });
  expect(await of("operator")).toEqual({ ownable: { ...viewer, measurement: edits, sensor: edits }, owner });
  expect(await of("technician")).toEqual({
    ownable: { ...viewer, measurement: creates, sensor: creates },
    owner,
    other: { canAssignSensors: above, canUseArtifact: above },
  });
  const all = { ...creates, canDeleteObject: above, canChangeOwner: { from: above, to: above } };
  expect(await of("manager")).toEqual({
    other: { canAssignRoles: everywhere, canAssignSensors: above, canUseArtifact: above },
    ownable: {
      artifact: all,
      measurement: all,
      role: { ...fullPermissions.ownable?.role, canViewObject: above },
      file: all,
      sensor: all,
    },
    owner: { canCreateOwner: true, canViewOwner: above, canEditOwner: everywhere, canDeleteOwner: everywhere },
  });
});

test("an equal role is reused, a name in use gets a number, also for concurrent invitations", async () => {
  const customer = await customerOf();
  const many = await Promise.all(Array.from({ length: 8 }, () => invite(customer, {})));
  expect(many.map(({ status }) => status)).toEqual(many.map(() => 200));
  expect(new Set(many.map((one) => one.at("role._id"))).size).toBe(1);
  expect(await rolesOf(customer)).toEqual(["Viewer"]);
  const viewer = String(many[0]?.at("role._id"));
  await world.call(customer, "PUT", `/api/role/${viewer}`, { body: { permissions: {} } });
  expect((await invite(customer, {})).at("role.name")).toBe("Viewer 2");
  expect((await invite(customer, {})).at("role.name")).toBe("Viewer 2");
  await world.call(customer, "PUT", `/api/role/${viewer}`, { body: { name: "viewer 3" } });
  await world.call(customer, "POST", "/api/role", { body: { name: "VIEWER", owner: customer.id } });
  const second = String((await invite(customer, {})).at("role._id"));
  await world.call(customer, "PUT", `/api/role/${second}`, { body: { permissions: {} } });
  expect((await invite(customer, {})).at("role.name")).toBe("Viewer 4");
  expect(await rolesOf(customer)).toEqual(["VIEWER", "Viewer 2", "viewer 3", "Viewer 4"]);
});

test("a colleague invited to a sub-account belongs below it, and doesn't see the account above", async () => {
  const customer = await customerOf();
  const branch = await world.account("Branch", customer, null);
  for (const { id: owner, name } of [customer, branch])
    await world.call(customer, "POST", "/api/measurement", { body: { name: `Shop of ${name}`, owner } });
  const email = newAddress();
  const made = await invite(customer, { email, access: "operator", account: branch.id });
  expect(made.at("role.name")).toBe("Operator");
  expect(await rolesOf(branch)).toEqual(["Operator"]);
  const mail = (await people.mailsTo(email))[0];
  expect(mail?.text).toContain(
    "Harbour has invited you to PS.Platform, where you can see the sensors and locations of Branch.",
  );
  const address = { street: "Quay", streetNumber: "1", zip: "1", city: "Berlin", country: "Germany" };
  expect((await people.put(await people.linkIn(email), { legal: {}, credentials: { password } })).status).toBe(400);
  const ada = await join(email, address);
  expect(await get(customer, `/api/account/${ada.id}`)).toMatchObject({ name: "Ada Byron", city: "Berlin" });
  const { list } = await world.call(ada, "GET", "/api/measurement");
  expect(list.map(({ name }) => name)).toEqual(["Shop of Branch"]);
  const [shop] = list;
  const changed = await world.call(ada, "PUT", `/api/measurement/${String(shop?.["_id"])}`, {
    body: { name: "Renamed" },
  });
  expect(changed.status).toBe(200);
});

test("a manager invites colleagues who see what the manager sees, and can't take over the account above", async () => {
  const customer = await registered(dealer);
  await world.call(customer, "POST", "/api/measurement", { body: { name: "Shop", owner: customer.id } });
  const email = newAddress();
  const made = await invite(customer, { email, access: "manager" });
  const ada = await join(email);
  const role = String(made.at("role._id"));
  expect((await world.call(ada, "PUT", `/api/account/${customer.id}`, { body: { name: "Mine" } })).code).toBe(305);
  expect((await world.call(ada, "PUT", `/api/role/${role}`, { body: { permissions: {} } })).code).toBe(305);
  const second = newAddress();
  const next = await invite(ada, { email: second });
  expect(next.status).toBe(200);
  expect(await permissionsOf(next.at("role._id"))).toMatchObject({
    ownable: { measurement: { canViewObject: { ...everywhere, relativeAncestorLevel: 2 } } },
  });
  expect((await people.get(await people.linkIn(second))).body).toMatchObject({ name: "Northwind Ltd", city: "Berlin" });
  const grace = await join(second);
  expect((await world.call(grace, "GET", "/api/measurement")).list.map(({ name }) => name)).toEqual(["Shop"]);
  expect((await invite(customer, { account: ada.id })).body).toMatchObject({
    code: 103,
    details: { field: "account", reason: "Ada Byron is the account of a colleague." },
  });
});

const without = (change: (all: typeof fullPermissions) => void): Permissions => {
  const copy = structuredClone(fullPermissions);
  change(copy);
  return copy;
};

test("only those who may create the account and its role invite, and give no more than they have", async () => {
  const none = await customerOf(without((all) => (all.owner = { ...all.owner, canCreateOwner: false })));
  expect((await invite(none, {})).body).toMatchObject({
    code: 303,
    details: { reason: "Your role can't create accounts." },
  });
  const noRoles = await customerOf(
    without((all) => (all.ownable = { ...all.ownable, role: { canViewObject: everywhere } })),
  );
  expect((await invite(noRoles, {})).code).toBe(303);
  const blind = await customerOf(
    without((all) => (all.ownable = { ...all.ownable, role: { canCreateObjectFor: everywhere } })),
  );
  expect((await invite(blind, {})).code).toBe(107);
  const noGiving = await customerOf(without((all) => (all.other = { ...all.other, canAssignRoles: {} })));
  expect((await invite(noGiving, {})).code).toBe(300);

  const sensor = { canViewObject: everywhere, canEditObject: { me: true } };
  const limited = await customerOf(
    without((all) => (all.ownable = { role: all.ownable?.role, measurement: { canViewObject: { me: true } }, sensor })),
  );
  expect(await permissionsOf((await invite(limited, {})).at("role._id"))).toEqual({
    ownable: { sensor: { canViewObject: above }, role: { canViewObject: above } },
    owner: { canViewOwner: above },
  });
  const tooMuch = await invite(limited, { access: "operator" });
  expect(tooMuch.body).toMatchObject({ code: 300, details: { scope: "ownable.measurement.canEditObject" } });
  for (const one of [none, noRoles, noGiving]) expect(await rolesOf(one)).toEqual([]);
});

test("an account that is not a visible, editable sub-account is refused", async () => {
  const customer = await customerOf();
  const stranger = await customerOf();
  const field = "account";
  for (const account of [stranger.id, dealer.id, "0190a000-0000-7000-8000-000000000009"])
    expect((await invite(customer, { account })).body).toMatchObject({ code: 103, details: { field } });
  const looker = await customerOf(without((all) => (all.owner = { ...all.owner, canEditOwner: { me: true } })));
  const below = await world.account("Branch", looker, null);
  expect((await invite(looker, { account: below.id })).body).toMatchObject({
    code: 103,
    details: { reason: "You can't edit Branch, so you can't add sub-accounts to it." },
  });
  expect((await invite(customer, { account: customer.id })).status).toBe(200);
});

test("hostile input stores nothing, a used address is 409, and a repeat with the key makes one account", async () => {
  const customer = await customerOf();
  const tries: [JsonObject, number, number][] = [
    [{ email: "" }, 400, 202],
    [{ email: "a@b@c" }, 400, 204],
    [{ email: "x@example.com\r\nBcc: y@example.com" }, 400, 204],
    [{ email: `${"x".repeat(300)}@example.com` }, 400, 204],
    [{ access: "root" }, 400, 102],
    [{ access: ["viewer"] }, 400, 402],
    [{ account: "../role" }, 400, 102],
    [{ permissions: fullPermissions }, 400, 402],
    [{ email: customer.email.toUpperCase() }, 409, 409],
  ];
  const replies = [];
  for (const [body] of tries) replies.push(await invite(customer, body));
  expect(replies.map(({ status, code }) => [status, code])).toEqual(tries.map(([, status, code]) => [status, code]));
  expect(await rolesOf(customer)).toEqual([]);
  expect((await world.call(customer, "GET", `/api/account?parentID=${customer.id}`)).list).toEqual([]);

  const email = newAddress();
  const headers = { "idempotency-key": "invite-once" };
  const [first, second] = [await invite(customer, { email }, headers), await invite(customer, { email }, headers)];
  expect(second.body).toEqual(first.body);
  expect(await people.mailCount(email)).toBe(1);
  const trail = await world.trail(String(first.at("account._id")));
  expect(trail.map(({ action, account_id }) => [action, account_id])).toEqual([["create", customer.id]]);
  expect((await world.trail(String(first.at("role._id")))).map(({ action }) => action)).toEqual(["create"]);
});

test("open pages are notified of the new account and role", async () => {
  const customer = await customerOf();
  const live = await world.live(customer);
  const made = await invite(customer, {});
  for (const type of ["account", "role"]) await live.heard(type, "create", String(made.at(`${type}._id`)));
});

test("RG-05 an account below a registered one shares its organization unless its creator says otherwise", async () => {
  const firm = await registered(dealer);
  const role = await fullRoleOf(firm);
  const home = { street: "Quay", streetNumber: "7a", zip: "10115", city: "Berlin", country: "Germany" };
  const locked = { name: "Northwind Ltd", ...home, readonlyAddress: true, readonlyOrganization: true };
  const shop = await people.invite(firm, role);
  expect((await people.get(shop.link)).body).toMatchObject(locked);
  const ada = await join(shop.email, { name: "Mallory Inc", ...home, city: "Elsewhere" });
  expect(await get(firm, `/api/account/${shop.id}`)).toMatchObject({
    name: "Invited Ltd",
    ...home,
    readonlyAddress: true,
  });
  // The organization of the next one is the same, though its parent has a login and an address.
  expect((await people.get((await people.invite(ada, await fullRoleOf(ada))).link)).body).toMatchObject(locked);

  const entered = await people.invite(firm, role);
  const moved = { ...home, city: "Ulm", street: "Main Street" };
  await world.call(firm, "PUT", `/api/account/${entered.id}`, { body: moved });
  expect((await people.get(entered.link)).body).toMatchObject({ ...locked, ...moved });
  await join(entered.email);
  expect(await get(firm, `/api/account/${entered.id}`)).toMatchObject(moved);

  const customer = await people.invite(firm, role, newAddress(), { otherOrganization: true });
  const state = (await people.get(customer.link)).body as JsonObject;
  expect(state).toMatchObject({ name: "Invited Ltd", ...home, readonlyAddress: false });
  expect(state).not.toHaveProperty("readonlyOrganization");
  expect((await people.put(customer.link, invitedForm({ legal: shortLegal }))).body).toMatchObject({
    code: 104,
    details: { field: "legal.department" },
  });
});

test("an organization that registers below one without an address is the one of the accounts below it", async () => {
  const role = await fullRoleOf(dealer);
  const first = await people.invite(dealer, role);
  const state = (await people.get(first.link)).body as JsonObject;
  expect(state).toMatchObject({ name: "Invited Ltd", country: null, readonlyAddress: false });
  expect(state).not.toHaveProperty("readonlyOrganization");
  expect((await people.put(first.link, { legal: shortLegal, credentials: { password } })).code).toBe(104);
  const owner = await join(first.email, invitedForm());
  expect((await people.get((await people.invite(owner, await fullRoleOf(owner))).link)).body).toMatchObject({
    name: "Byron Analytics",
    city: "Bad Homburg",
    readonlyAddress: true,
    readonlyOrganization: true,
  });
});

test("the form is filled in from the own organization, never from root or beyond an account with logins", async () => {
  const email = newAddress();
  await world.ctx.db
    .updateTable("account")
    .set({ country: "Norway", city: "Oslo" })
    .where("id", "=", world.root.id)
    .execute();
  const firm = await registered(world.root);
  const own = { owner: firm.id, name: "Customer" };
  const { id: role } = await world.call(firm, "POST", "/api/role", { body: own });
  const direct = await world.call(world.root, "POST", "/api/account", { body: { name: "Direct Ltd", role, email } });
  expect(direct.status).toBe(200);
  expect((await people.get(await people.linkIn(email))).body).toMatchObject({
    name: "Direct Ltd",
    country: null,
    readonlyAddress: false,
  });
  const { link } = await people.invite(firm, role, newAddress(), { otherOrganization: true });
  const state = (await people.get(link)).body as JsonObject;
  expect(state).toMatchObject({ name: "Invited Ltd", country: "Germany", street: "Quay", readonlyAddress: false });
  expect(state).not.toHaveProperty("readonlyOrganization");
  // A sub-account without logins is a part of the organization, one with logins is an organization of its own.
  const branch = await world.account("Branch", firm, null);
  const inBranch = newAddress();
  await invite(firm, { email: inBranch, account: branch.id });
  const stateOf = async (one: string) => (await people.get(await people.linkIn(one))).body;
  expect(await stateOf(inBranch)).toMatchObject({ name: "Branch", country: null, readonlyAddress: false });
  await world.ctx.db.updateTable("credential").set({ is_deleted: true }).where("account_id", "=", branch.id).execute();
  expect(await stateOf(inBranch)).toMatchObject({ name: "Northwind Ltd", country: "Germany", readonlyAddress: true });
  const chain = await world.account("Chain", firm, fullPermissions);
  const inChain = newAddress();
  await invite(chain, { email: inChain });
  expect(await stateOf(inChain)).toMatchObject({ name: "Chain", country: null });
  const colleague = newAddress();
  await invite(world.root, { email: colleague });
  expect((await people.get(await people.linkIn(colleague))).body).toMatchObject({
    name: world.root.name,
    readonlyOrganization: true,
    readonlyAddress: false,
    country: null,
  });
});
