// Sensors from outside: the list with every filter, the figures of the dashboard, and who may change what, over HTTP.
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let customer: Person;
let branch: Person;
let stranger: Person;
let [place, old, fresh] = ["", "", ""];
const mac = (n: number) => `00:1E:C0:20:00:${n.toString(16).padStart(2, "0").toUpperCase()}`;
const hourMs = 3_600_000;

type Facts = Partial<Awaited<ReturnType<typeof stored>>>;
async function stored(id: string) {
  return world.ctx.db.selectFrom("sensor").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}
async function sensor(n: number, owner: Person, type: string, facts: Facts = {}): Promise<string> {
  const body = { _id: mac(n), owner: owner.id, type };
  const reply = await world.call(world.root, "POST", "/api/sensor", { body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  if (Object.keys(facts).length > 0) {
    await world.ctx.db
      .updateTable("sensor")
      .set(facts as object)
      .where("id", "=", mac(n))
      .execute();
  }
  return mac(n);
}
const ago = (hours: number) => new Date(world.ctx.clock.now() - hours * hourMs);

beforeAll(async () => {
  world = await createWorld({ env: { CONNECTION_TIMEOUT_HOURS: "24" } });
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  branch = await world.account("Harbour Branch", customer, { ownable: { sensor: { canViewObject: { me: true } } } });
  stranger = await world.account("Other Customer", world.root, fullPermissions);
  place = (await world.call(customer, "POST", "/api/measurement", { body: { name: "Shop", owner: customer.id } })).id;
  old = await world.firmware(customer, "APS", "1.0.0");
  fresh = await world.firmware(customer, "APS", "2.0.0");
  // Four of the customer and its branch, each different in everything that can be asked for; one of a stranger.
  await sensor(1, customer, "APS", {
    location_id: place,
    groups: ["door", "north"],
    is_connected: true,
    running_version: "1.0.0",
    firmware_running_id: old,
  });
  await sensor(2, customer, "ZOD", { groups: ["south"], last_contact_at: ago(23), running_version: "0.9.0" });
  await sensor(3, customer, "PS.C1", { last_contact_at: ago(25), claiming_code: "ABCDEFGH", claimable: true });
  await sensor(4, branch, "APS", {
    is_connected: true,
    not_responding: true,
    license_monitoring: true,
    running_version: "2.0.0",
    firmware_running_id: fresh,
  });
  await sensor(9, stranger, "APS", { groups: ["door"], is_connected: true });
});
afterAll(() => world.stop());

/** The last digits of the ids that the customer's list answers, in its order. */
async function listed(query: string, who = customer): Promise<number[]> {
  const reply = await world.call(who, "GET", `/api/v2/sensor?${query}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.list.map((row) => Number.parseInt(String(row["_id"]).slice(-2), 16));
}

const filters: [string, () => string, number[]][] = [
  ["nothing", () => "", [1, 2, 3, 4]],
  ["type", () => "sensorType=ZOD", [2]],
  ["types, repeated", () => "sensorType=ZOD&sensorType=PS.C1", [2, 3]],
  ["connected: now, or heard of within the timeout", () => "connected=connected", [1, 2, 4]],
  ["disconnected", () => "connected=disconnected", [3]],
  ["owner", () => `ownerID=${branch.id}`, [4]],
  ["owners, repeated", () => `ownerID=${branch.id}&ownerID=${stranger.id}`, [4]],
  ["running firmware", () => `artifactRunningID=${old}`, [1]],
  ["running firmwares, repeated", () => `artifactRunningID=${old}&artifactRunningID=${fresh}`, [1, 4]],
  ["reported version", () => "infoSoftwareFirmwareVersion=0.9.0", [2]],
  ["location", () => `measID=${place}`, [1]],
  ["re-registration on", () => "claimable=enabled", [3]],
  ["re-registration off", () => "claimable=disabled", [1, 2, 4]],
  ["group", () => "groups=north", [1]],
  ["any of the groups, exact", () => "groups=north&groups=south&groups=do", [1, 2]],
  ["part of the id in any spelling", () => "sensorID=c0-20.00:03", [3]],
  ["an id that nobody has", () => "sensorID=ffff", []],
  ["ids", () => `ids=${mac(1)}&ids=${mac(4).toLowerCase().replaceAll(":", "-")}&ids=${mac(9)}`, [1, 4]],
  ["two filters at once", () => "connected=connected&sensorType=APS", [1, 4]],
];
test.each(filters)("SE-02 filter by %s", async (_, query, ids) => {
  expect(await listed(query())).toEqual(ids);
  const total = (await world.call(customer, "GET", `/api/v2/sensor?${query()}&includeTotals=true&limit=1`)).at("total");
  expect(total).toBe(ids.length);
});

test("SE-02 order, both spellings and several keys; pages without overlap; a total only when asked for", async () => {
  expect(await listed("sortBy=-_id")).toEqual([4, 3, 2, 1]);
  expect(await listed("sortBy=_id&sortDesc=true")).toEqual([4, 3, 2, 1]);
  expect(await listed("sortBy=type")).toEqual([1, 4, 3, 2]);
  expect(await listed("sortBy=-type&sortBy=-_id")).toEqual([2, 3, 4, 1]);
  expect(await listed("skip=1&limit=2")).toEqual([2, 3]);
  expect(await listed("skip=4")).toEqual([]);
  expect(await listed(`after=${mac(2)}`)).toEqual([3, 4]);
  const plain = await world.call(customer, "GET", "/api/v2/sensor?limit=2");
  expect(Object.keys(plain.body as object)).toEqual(["objects"]);
  const counted = await world.call(customer, "GET", "/api/v2/sensor?limit=2&includeTotals=true");
  expect([counted.list.length, counted.at("total")]).toEqual([2, 4]);
});

test("SE-02 the ids alone are one array of everything that the filters leave", async () => {
  const ids = async (query: string) =>
    ((await world.call(customer, "GET", `/api/v2/sensor?onlyIDs=true&${query}`)).body as string[]).toSorted();
  expect(await ids("")).toEqual([1, 2, 3, 4].map(mac));
  expect(await ids("limit=1&groups=south")).toEqual([mac(2)]);
});

test("SE-02 the figures count what is seen; the timeout moves who counts as connected", async () => {
  const stats = async (who: Person, query = "") =>
    (await world.call(who, "GET", `/api/v2/sensor/stats${query}`)).body as Record<string, { _id: unknown }[]>;
  const by = (rows: { _id: unknown }[] | undefined) =>
    rows?.toSorted((a, b) => (String(a._id) < String(b._id) ? -1 : 1));
  const all = await stats(customer);
  expect(by(all["totalByScomState"])).toEqual([
    { _id: "connected", count: 2 },
    { _id: "disconnected", count: 1 },
    { _id: "notResponding", count: 1 },
  ]);
  expect(by(all["totalByType"])).toEqual([
    { _id: "APS", count: 2 },
    { _id: "PS.C1", count: 1 },
    { _id: "ZOD", count: 1 },
  ]);
  expect(by(all["totalByInfoFirmware"])).toEqual([
    { _id: "0.9.0", count: 1 },
    { _id: "1.0.0", count: 1 },
    { _id: "2.0.0", count: 1 },
    { _id: null, count: 1 },
  ]);
  expect(by(all["totalByMonitoringLicense"])).toEqual([
    { _id: false, count: 3 },
    { _id: true, count: 1 },
  ]);
  expect(by((await stats(customer, "?connectionTimeout=22"))["totalByScomState"])?.[0]).toEqual({
    _id: "connected",
    count: 1,
  });
  expect(by((await stats(customer, "?connectionTimeout=26"))["totalByScomState"])).toHaveLength(2);
  expect((await stats(branch))["totalByType"]).toEqual([{ _id: "APS", count: 1 }]);
});

test("SE-02 a row of the list is the object at its address, for a viewer without its code", async () => {
  const [row] = (await world.call(branch, "GET", "/api/v2/sensor")).list;
  expect(row).toMatchObject({ _id: mac(4), claimingCode: null, artifactRunning: null });
  expect((await world.call(branch, "GET", `/api/sensor/${mac(4)}`)).body).toEqual(row);
  expect((await world.call(customer, "GET", `/api/sensor/${mac(1)}`)).at("artifactRunning._id")).toBe(old);
});

/** An account below the customer with these rights over sensors. */
async function someone(name: string, sensorRights: object, other: Permissions["other"] = {}): Promise<Person> {
  const sees = { me: true, myChildren: true, relativeAncestorLevel: 1, roles: [stranger.roleId ?? ""] };
  return world.account(name, customer, {
    owner: { canViewOwner: sees },
    other,
    ownable: {
      sensor: { canViewObject: { me: true, relativeAncestorLevel: 1 }, ...sensorRights },
      measurement: { canViewObject: { me: true, relativeAncestorLevel: 1 } },
      artifact: { canViewObject: { me: true, relativeAncestorLevel: 1 } },
    },
  } as Permissions);
}
const up = { me: true, relativeAncestorLevel: 1 };

test("PE-04 each right of a sensor is asked for by its own code, and a refusal changes nothing", async () => {
  const id = await sensor(20, customer, "APS");
  const path = `/api/sensor/${id}`;
  const viewer = await someone("Viewer", {});
  const editor = await someone("Editor", { canEditObject: up });
  const giver = await someone("Giver", { canEditObject: up, canChangeOwner: { from: up, to: { me: true } } });
  const put = async (who: Person, body: object) => (await world.call(who, "PUT", path, { body })).code;
  expect(await put(stranger, { groups: ["x"] })).toBe(105);
  expect(await put(viewer, { groups: ["x"] })).toBe(305);
  expect((await world.call(editor, "DELETE", path)).code).toBe(304);
  expect(await put(editor, { owner: editor.id })).toBe(302);
  expect(await put(giver, { owner: stranger.id })).toBe(302);
  expect(await put(giver, { owner: giver.id })).toBe(301);
  expect(await put(giver, { owner: world.root.id })).toBe(103);
  expect(await put(editor, { measID: place })).toBe(301);
  expect(await put(editor, { artifact: fresh })).toBe(309);
  const body = { _id: mac(21), owner: customer.id, type: "APS" };
  expect((await world.call(editor, "POST", "/api/sensor", { body })).code).toBe(303);
  expect((await world.call(customer, "PUT", `${path}/licenses`, { body: { monitoring: true } })).code).toBe(306);
  expect(await stored(id)).toMatchObject({ owner_id: customer.id, location_id: null, firmware_id: null, version: 1 });
  expect(await world.trail(id)).toHaveLength(1);

  const assigner = await someone(
    "Assigner",
    { canEditObject: up, canChangeOwner: { from: up, to: { me: true } } },
    { canAssignSensors: up, canUseArtifact: up },
  );
  expect(await put(assigner, { measID: place, artifact: fresh, groups: ["a", "a"] })).toBeUndefined();
  expect(await put(assigner, { owner: assigner.id })).toBeUndefined();
  expect(await stored(id)).toMatchObject({
    owner_id: assigner.id,
    location_id: place,
    firmware_id: fresh,
    groups: ["a"],
  });
  expect((await world.call(viewer, "GET", path)).status).toBe(404);
});

test("a firmware of another type is 102, an id twice 409, a claimable sensor needs a code, a deleted one is gone", async () => {
  const zod = await world.firmware(customer, "ZOD", "1.0.0");
  const id = await sensor(22, customer, "APS");
  const path = `/api/sensor/${id}`;
  expect((await world.call(customer, "PUT", path, { body: { artifact: zod } })).code).toBe(102);
  expect((await world.call(customer, "PUT", path, { body: { claimable: true } })).code).toBe(102);
  const again = await world.call(stranger, "POST", "/api/sensor", {
    body: { _id: id, owner: stranger.id, type: "APS" },
  });
  expect([again.status, again.code]).toEqual([409, 102]);
  expect((await world.call(customer, "DELETE", path)).status).toBe(200);
  expect((await world.call(customer, "GET", path)).code).toBe(105);
  expect(await listed("sensorID=200016")).toEqual([]);
  expect(await listed("sensorID=200016&includeDeleted=true")).toEqual([22]);
});

test("the camera's password is kept sealed: an entry without one keeps it, an empty entry clears it", async () => {
  const id = await sensor(23, customer, "APS");
  const put = (entry: object) =>
    world.call(customer, "PUT", `/api/sensor/${id}`, {
      body: { sensorFeatureCredentials: [{ feature: "restapi", ...entry }] },
    });
  const password = "correct horse battery";
  const reply = await put({ username: "camera", password });
  expect(JSON.stringify(reply.body)).not.toContain(password);
  const sealed = (await stored(id)).rest_password_sealed;
  expect(sealed).not.toBeNull();
  expect(String(sealed)).not.toContain(password);
  await put({ username: "other" });
  expect(await stored(id)).toMatchObject({ rest_username: "other", rest_password_sealed: sealed });
  expect((await put({ username: "", password: "x" })).code).toBe(104);
  await put({ username: "", password: "" });
  expect(await stored(id)).toMatchObject({ rest_username: null, rest_password_sealed: null });
});
