// Tests the audit log over HTTP: visibility, order, filters, and no secrets.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClock } from "../kit/clock.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let customer: Person;
let branch: Person;
let stranger: Person;
const clock = createClock();

beforeAll(async () => {
  world = await createWorld({ clock });
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  branch = await world.account("Harbour Branch", customer, {
    owner: { canViewOwner: { me: true, relativeAncestorLevel: 1 } },
    ownable: { measurement: { canViewObject: { me: true } } },
  });
  stranger = await world.account("Other Customer", world.root, fullPermissions);
});
afterAll(() => world.stop());

const audit = (who: Person | null, query = "") => world.call(who, "GET", `/api/v2/audit?${query}`);
async function location(who: Person, owner: Person, name = "Shop"): Promise<string> {
  return (await world.call(who, "POST", "/api/measurement", { body: { name, owner: owner.id } })).id;
}
const actions = async (who: Person, query: string) => (await audit(who, query)).list.map(({ action }) => action);

test("a row has user, action, object, request, and the values before and after", async () => {
  const id = await location(customer, customer);
  const put = await world.call(customer, "PUT", `/api/measurement/${id}`, { body: { name: "Renamed" } });
  const [row] = (await audit(customer, `objectID=${id}`)).list;
  expect(row).toMatchObject({
    who: { _id: customer.id, name: "Harbour Stores" },
    requestId: put.headers.get("x-request-id"),
    action: "update",
    object: { type: "measurement", _id: id },
    before: { name: "Shop", owner: customer.id },
    after: { name: "Renamed", owner: customer.id },
  });
  expect(Math.abs(Date.parse(String(row?.["at"])) - clock.now())).toBeLessThan(60_000);
});

test("rows are visible by the view scope of their object's type; root sees all", async () => {
  const own = await location(customer, customer);
  const below = await location(customer, branch);
  const foreign = await location(stranger, stranger);
  const token = (await world.call(customer, "POST", "/api/init_token", { body: { name: "T", owner: branch.id } })).id;
  const firmware = await world.firmware(branch, "APS", "1.0.0");
  await world.call(customer, "PUT", `/api/artifact/${firmware}`, { body: { name: "1.0.1" } });
  const all = [own, below, foreign, token, firmware];
  const seen = async (who: Person) => {
    const { list } = await audit(who, `${all.map((id) => `objectID=${id}`).join("&")}&includeTotals=true`);
    return new Set(list.map((row) => (row["object"] as { _id: string })._id));
  };
  expect(await seen(world.root)).toEqual(new Set(all));
  expect(await seen(customer)).toEqual(new Set([own, below, token, firmware]));
  expect(await seen(branch)).toEqual(new Set([below]));
  expect(await seen(stranger)).toEqual(new Set([foreign]));
  const roleless = await world.account("No role", customer, null);
  expect((await audit(roleless, "includeTotals=true")).body).toEqual({ objects: [], total: 0 });
  expect((await audit(null)).code).toBe(106);
});

test("rows without an owner are visible to root only", async () => {
  await world.ctx.db
    .insertInto("audit")
    .values({
      id: crypto.randomUUID(),
      at: clock.date(),
      account_id: null,
      request_id: "job",
      action: "purge",
      object_type: "system",
      object_id: "mails",
    })
    .execute();
  expect((await audit(world.root, "objectType=system")).list).toMatchObject([
    { who: null, requestId: "job", action: "purge" },
  ]);
  expect((await audit(customer, "objectType=system&includeTotals=true")).body).toEqual({ objects: [], total: 0 });
});

test("newest first, pages, exact totals and every filter", async () => {
  const start = clock.date().toISOString();
  const id = await location(customer, customer);
  const steps = [];
  for (const name of ["First", "Second", "Third"]) {
    clock.moveTo(clock.now() + 3_600_000);
    steps.push(clock.date().toISOString());
    await world.call(customer, "PUT", `/api/measurement/${id}`, { body: { name } });
  }
  clock.moveTo(clock.now() + 3_600_000);
  await world.call(world.root, "DELETE", `/api/measurement/${id}`);
  const of = `objectID=${id}`;
  expect(await actions(customer, of)).toEqual(["delete", "update", "update", "update", "create"]);
  expect(await actions(customer, `${of}&sortBy=at`)).toEqual(["create", "update", "update", "update", "delete"]);
  expect(await actions(customer, `${of}&sortBy=-at&limit=1`)).toEqual(["delete"]);
  const page = await audit(customer, `${of}&limit=2&skip=1&includeTotals=true`);
  expect(page.at("total")).toBe(5);
  expect(page.list.map((row) => (row["after"] as { name: string }).name)).toEqual(["Third", "Second"]);
  expect(await actions(customer, `${of}&who=${world.root.id}`)).toEqual(["delete"]);
  expect(await actions(customer, `${of}&who=someone`)).toEqual([]);
  expect(await actions(customer, `${of}&objectType=sensor`)).toEqual([]);
  expect(await actions(customer, `${of}&objectType=sensor&objectType=measurement&limit=1`)).toEqual(["delete"]);
  // From is inclusive, to is exclusive.
  expect(await actions(customer, `${of}&from=${steps[1]}`)).toEqual(["delete", "update", "update"]);
  expect(await actions(customer, `${of}&from=${start}&to=${steps[0]}`)).toEqual(["create"]);
  for (const bad of ["sortBy=who", "limit=501", "skip=-1", "from=yesterday", "planet=Mars"]) {
    expect((await audit(customer, bad)).code, bad).toBe(102);
  }
});

test("a history is filtered by changes, refusals or uses, without overlap", async () => {
  const { id } = await world.call(customer, "POST", "/api/init_token", { body: { name: "K", owner: customer.id } });
  const viewer = await world.account("Kind Viewer", customer, {
    owner: { canViewOwner: { me: true, relativeAncestorLevel: 1 } },
    ownable: { sensor: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
  });
  expect((await world.call(customer, "GET", `/api/init_token/${id}`)).status).toBe(200);
  expect((await world.call(viewer, "PUT", `/api/init_token/${id}`, { body: { name: "X" } })).code).toBe(305);
  await world.call(customer, "PUT", `/api/init_token/${id}`, { body: { name: "L" } });
  const of = `objectType=init-token&objectID=${id}`;
  expect(await actions(customer, of)).toEqual(
    expect.arrayContaining(["update", "write-refused", "readToken", "create"]),
  );
  expect(await actions(customer, `${of}&kind=change`)).toEqual(["update", "create"]);
  expect(await actions(customer, `${of}&kind=refusal`)).toEqual(["write-refused"]);
  expect(new Set(await actions(customer, `${of}&kind=use`))).toEqual(new Set(["readToken"]));
  expect(new Set(await actions(customer, `${of}&kind=use&kind=refusal`))).toEqual(
    new Set(["readToken", "write-refused"]),
  );
  expect((await audit(customer, `${of}&kind=everything`)).code).toBe(102);
});

test("a changed password is audited without any detail, for logins and sensors", async () => {
  const password = "lantern-quarry-meadow-71";
  const below = await world.account("Password Branch", customer, {});
  const changed = await world.call(customer, "PUT", `/api/account/${below.id}`, {
    body: { credentialChanges: [{ operation: "CHANGE_PASSWORD", email: below.email, newPassword: password }] },
  });
  expect(changed.status).toBe(200);
  const [row] = (await audit(customer, `objectType=account&objectID=${below.id}&kind=change`)).list;
  expect(row).toMatchObject({ after: { credentials: [{ email: below.email, newPassword: true }] } });
  const sensor = "02:00:00:00:09:07";
  await world.call(customer, "POST", "/api/sensor", { body: { _id: sensor, owner: customer.id, type: "APS" } });
  const login = { feature: "restapi", username: "camera", password };
  await world.call(customer, "PUT", `/api/sensor/${sensor}`, { body: { sensorFeatureCredentials: [login] } });
  const [update] = (await audit(customer, `objectType=sensor&objectID=${sensor}`)).list;
  expect(update).toMatchObject({ action: "update", after: { restUsername: "camera", newRestPassword: true } });
  expect(JSON.stringify([row, update])).not.toContain(password);
});

test("T-30 calls on invisible objects or with invalid forms leave no row; the log is read-only", async () => {
  const id = await location(stranger, stranger);
  await world.call(customer, "PUT", `/api/measurement/${id}`, { body: { name: "Mine" } });
  await world.call(stranger, "PUT", `/api/measurement/${id}`, { body: { name: "a<b" } });
  expect(await actions(world.root, `objectID=${id}`)).toEqual(["create"]);
  for (const method of ["POST", "PUT", "DELETE"]) {
    expect((await world.call(world.root, method, "/api/v2/audit", { body: {} })).status).toBe(404);
  }
});

test("no row contains a secret of tokens or sensors", async () => {
  const token = await world.call(customer, "POST", "/api/init_token", { body: { name: "Secret", owner: customer.id } });
  const sensor = "02:00:00:00:09:01";
  await world.call(customer, "POST", "/api/sensor", { body: { _id: sensor, owner: customer.id, type: "APS" } });
  const password = "canary-9f31c2";
  const put = await world.call(customer, "PUT", `/api/sensor/${sensor}`, {
    body: { sensorFeatureCredentials: [{ feature: "restapi", username: "camera", password }] },
  });
  expect(put.status).toBe(200);
  const { list } = await audit(customer, `objectID=${token.id}&objectID=${sensor}`);
  expect(list.length).toBeGreaterThanOrEqual(3);
  const text = JSON.stringify(list);
  expect(text).toContain("camera");
  expect(text).not.toContain(password);
  expect(text).not.toContain(String(token.at("token")));
});
