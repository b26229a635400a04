// Tests firmware over HTTP: who sees it, its order by version, and unique versions per owner.
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let dealer: Person;
let shop: Person;
let branch: Person;
let stranger: Person;

beforeAll(async () => {
  world = await createWorld();
  dealer = await world.account("Dealer", world.root, fullPermissions);
  shop = await world.account("Shop", dealer, fullPermissions);
  branch = await world.account("Branch", shop, {});
  stranger = await world.account("Stranger", world.root, fullPermissions);
});
afterAll(() => world.stop());

const nowhere = "018f0000-0000-7000-8000-000000000000";
const artifacts = "/api/artifact";
const upwards = { me: true, relativeAncestorLevel: 1 };
let major = 0;
const fresh = (owner: Person) => world.firmware(owner, "APS", `${(major += 1)}.0.0`);
const right = (artifact: NonNullable<Permissions["ownable"]>["artifact"]): Permissions => ({
  owner: { canViewOwner: upwards },
  ownable: { artifact },
});

test("FW-04 firmware opened to children is listed for all descendants and editable for none", async () => {
  const owner = await world.account("Vendor", world.root, fullPermissions);
  const child = await world.account("Vendor's child", owner, {});
  const grandchild = await world.account("Vendor's grandchild", child, {});
  const roleless = await world.account("Without role", child, null);
  const closed = await world.firmware(owner, "APS", "1.0.0");
  const open = await world.firmware(owner, "APS", "1.1.0");
  const set = await world.call(owner, "PUT", `${artifacts}/${open}`, {
    body: { objPerm: { childrenCanViewObject: true } },
  });
  expect(set.at("objPerm")).toEqual({ childrenCanViewObject: true });
  const ids = async (who: Person) => (await world.call(who, "GET", artifacts)).list.map(({ _id }) => _id);
  expect(await ids(owner)).toEqual([closed, open]);
  expect(await ids(child)).toEqual([open]);
  expect(await ids(grandchild)).toEqual([open]);
  expect(await ids(roleless)).toEqual([]);
  expect(await ids(stranger)).not.toContain(open);
  expect((await world.call(grandchild, "GET", `${artifacts}/${open}`)).at("owner.name")).toBe("Vendor");
  expect((await world.call(grandchild, "GET", `${artifacts}/${closed}`)).code).toBe(105);
  expect((await world.call(child, "PUT", `${artifacts}/${open}`, { body: { name: "2.0.0" } })).code).toBe(305);
  expect((await world.call(child, "DELETE", `${artifacts}/${open}`)).code).toBe(304);
  expect((await world.call(child, "GET", `${artifacts}?includeTotals=true`)).at("total")).toBe(1);
});

test("version, owner and visibility change; type and file are fixed", async () => {
  const id = await fresh(dealer);
  const path = `${artifacts}/${id}`;
  const renamed = await world.call(dealer, "PUT", path, { body: { name: "7.0.0-rc.1" } });
  expect(renamed.body).toMatchObject({
    _id: id,
    name: "7.0.0-rc.1",
    type: "APS",
    owner: { _id: dealer.id },
    objPerm: { childrenCanViewObject: false },
    isDeleted: false,
    version: 2,
  });
  expect((await world.call(dealer, "PUT", path, { body: { owner: shop.id } })).at("owner._id")).toBe(shop.id);
  for (const fixed of [{ file: null }, { md5: "0" }]) {
    expect((await world.call(dealer, "PUT", path, { body: fixed })).code).toBe(402);
  }
  expect(await world.trail(id)).toMatchObject([
    { action: "update", after: { name: "7.0.0-rc.1" } },
    { action: "update", before: { owner: dealer.id }, after: { owner: shop.id } },
  ]);
});

test("109 when the owner has this version of the type already; other owners and types may share it", async () => {
  const taken = await world.firmware(dealer, "PS.C1", "3.0.0");
  const other = await world.firmware(dealer, "PS.C1", "3.0.1");
  const name = async (id: string, text: string) =>
    world.call(dealer, "PUT", `${artifacts}/${id}`, { body: { name: text } });
  const refused = await name(other, "3.0.0");
  expect([refused.status, refused.code]).toEqual([409, 109]);
  expect((await world.call(dealer, "GET", `${artifacts}/${other}`)).body).toMatchObject({ name: "3.0.1", version: 1 });
  expect(await world.trail(other)).toEqual([]);
  expect((await name(await world.firmware(dealer, "ZOD", "3.0.1"), "3.0.0")).status).toBe(200);
  expect((await name(await world.firmware(shop, "PS.C1", "3.0.1"), "3.0.0")).status).toBe(200);
  const moved = await world.firmware(shop, "PS.C1", "3.0.1");
  expect((await world.call(dealer, "PUT", `${artifacts}/${moved}`, { body: { owner: dealer.id } })).code).toBe(109);
  await world.call(dealer, "DELETE", `${artifacts}/${taken}`);
  expect((await name(other, "3.0.0")).status).toBe(200);
});

test("PE-04 105 for missing and invisible alike, then 305, 304, 302 and 103", async () => {
  const id = await fresh(dealer);
  const path = `${artifacts}/${id}`;
  const viewer = await world.account("Viewer", dealer, right({ canViewObject: upwards }));
  const editor = await world.account("Editor", dealer, right({ canViewObject: upwards, canEditObject: upwards }));
  for (const [method, body] of [
    ["GET", undefined],
    ["PUT", { name: "1.0.0" }],
    ["PUT", { nonsense: 1 }],
    ["DELETE", undefined],
  ] as const) {
    for (const at of [path, `${artifacts}/${nowhere}`, `${artifacts}/nonsense`]) {
      const reply = await world.call(stranger, method, at, { body });
      expect([reply.status, reply.code], `${method} ${at}`).toEqual([404, 105]);
    }
  }
  const code = async (who: Person, method: string, body?: object) =>
    (await world.call(who, method, path, body ? { body } : {})).code;
  expect(await code(viewer, "PUT", { name: "1.0.0" })).toBe(305);
  expect(await code(editor, "DELETE")).toBe(304);
  expect(await code(editor, "PUT", { owner: editor.id })).toBe(302);
  expect(await code(editor, "PUT", { owner: stranger.id })).toBe(103);
  expect(await code(editor, "PUT", { owner: nowhere })).toBe(103);
  expect((await world.call(null, "GET", artifacts)).code).toBe(106);
  expect((await world.call(branch, "GET", artifacts)).body).toEqual([]);
  expect((await world.call(dealer, "GET", path)).body).toMatchObject({ version: 1, isDeleted: false });
  expect(await world.trail(id)).toEqual([]);
});

test("ER-03 an invalid version or field is refused with its code and nothing changes", async () => {
  const id = await fresh(dealer);
  const before = (await world.call(dealer, "GET", `${artifacts}/${id}`)).body;
  const cases: [object, number][] = [
    [{ name: "" }, 108],
    [{ name: "v1.0.0" }, 102],
    [{ name: "1.0" }, 102],
    [{ name: "01.0.0" }, 102],
    [{ name: 1 }, 402],
    [{ objPerm: { childrenCanViewObject: "yes" } }, 402],
    [{ objPerm: {} }, 104],
    [{ owner: "x" }, 103],
    [{ childrenCanViewObject: true }, 402],
  ];
  for (const [body, code] of cases) {
    expect((await world.call(dealer, "PUT", `${artifacts}/${id}`, { body })).code, JSON.stringify(body)).toBe(code);
  }
  expect((await world.call(dealer, "GET", `${artifacts}/${id}`)).body).toEqual(before);
});

test("FW-02 a change may repeat the type; another one is refused with a reason", async () => {
  const path = `${artifacts}/${await fresh(dealer)}`;
  const { name, type, owner, objPerm, version } = (await world.call(dealer, "GET", path)).body as Record<
    string,
    unknown
  >;
  const whole = { name, type, owner: (owner as { _id: string })._id, objPerm };
  const same = await world.call(dealer, "PUT", path, { body: whole });
  expect([same.status, same.at("type"), same.at("name")]).toEqual([200, type, name]);
  const other = await world.call(dealer, "PUT", path, { body: { ...whole, name: "77.0.0", type: "ZOD" } });
  expect([other.status, other.code, other.at("details.field")]).toEqual([400, 102, "type"]);
  expect(String(other.at("details.reason"))).toContain(String(type));
  for (const [bad, code] of [
    ["Toaster", 102],
    [7, 402],
  ] as const)
    expect((await world.call(dealer, "PUT", path, { body: { type: bad } })).code).toBe(code);
  expect((await world.call(dealer, "GET", path)).body).toMatchObject({ name, type, version: Number(version) + 1 });
});

test("412 for an older version of the row", async () => {
  const path = `${artifacts}/${await fresh(dealer)}`;
  const put = (version: string) =>
    world.call(dealer, "PUT", path, {
      body: { objPerm: { childrenCanViewObject: true } },
      headers: { "if-match": version },
    });
  expect((await put('"1"')).at("version")).toBe(2);
  expect((await put("1")).status).toBe(412);
  expect((await world.call(dealer, "DELETE", path, { headers: { "if-match": "1" } })).status).toBe(412);
  expect((await world.call(dealer, "DELETE", path, { headers: { "if-match": "2" } })).status).toBe(200);
  expect((await world.call(dealer, "GET", path)).code).toBe(105);
});

test("the list is sorted by type and version precedence, filtered and paged", async () => {
  const owner = await world.account("Lister", world.root, fullPermissions);
  const child = await world.account("Below lister", owner, null);
  const versions = [
    "1.0.0-alpha",
    "1.0.0-alpha.2",
    "1.0.0-alpha.10",
    "1.0.0-beta",
    "1.0.0",
    "1.2.0",
    "1.10.0",
    "11.0.0",
  ];
  for (const name of versions.toReversed()) await world.firmware(owner, "APS", name);
  await world.firmware(child, "ZOD", "0.1.0");
  const list = (query: string) => world.call(owner, "GET", `${artifacts}?${query}`);
  const names = async (query: string) => (await list(query)).list.map(({ name }) => name);
  expect(Array.isArray((await list("")).body)).toBe(true);
  expect(await names("")).toEqual([...versions, "0.1.0"]);
  expect(await names("sortBy=-name&sensorType=APS")).toEqual(versions.toReversed());
  expect(await names("sortBy=type&sortDesc=true&limit=1")).toEqual(["0.1.0"]);
  expect(await names("sortBy=owner&limit=1")).toEqual(["0.1.0"]);
  expect(await names("skip=1&limit=2")).toEqual(["1.0.0-alpha.2", "1.0.0-alpha.10"]);
  expect(await names("name=ALPHA")).toEqual(versions.slice(0, 3));
  expect(await names("sensorType=ZOD&sensorType=PS.C1")).toEqual(["0.1.0"]);
  expect(await names(`ownerID=${child.id}`)).toEqual(["0.1.0"]);
  expect(await names("ownerID=x")).toEqual([]);
  expect((await list("includeTotals=true&limit=1&sensorType=APS")).body).toMatchObject({
    total: 8,
    objects: [{ name: versions[0] }],
  });
  const [first] = (await list("limit=1")).list;
  await world.call(owner, "DELETE", `${artifacts}/${String(first?.["_id"])}`);
  expect(await names("sensorType=APS")).toEqual(versions.slice(1));
  expect(await names("includeDeleted=true&sensorType=APS")).toEqual(versions);
  for (const bad of ["sortBy=md5", "limit=501", "skip=-1", "sensorType=Toaster", "planet=Mars"])
    expect((await list(bad)).code, bad).toBe(102);
});
