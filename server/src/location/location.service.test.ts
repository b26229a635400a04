// Tests locations over HTTP: every call with missing, invisible, forbidden and malformed input.
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let customer: Person;
let branch: Person;
let stranger: Person;

beforeAll(async () => {
  world = await createWorld();
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  branch = await world.account("Harbour Branch", customer, {
    ownable: { measurement: { canViewObject: { me: true } } },
  });
  stranger = await world.account("Other Customer", world.root, fullPermissions);
});
afterAll(() => world.stop());

const nowhere = "018f0000-0000-7000-8000-000000000000";
const berlin = { type: "Point", coordinates: [13.4, 52.52] };

async function made(who: Person, owner: Person, more: object = {}): Promise<string> {
  const reply = await world.call(who, "POST", "/api/measurement", { body: { name: "Shop", owner: owner.id, ...more } });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}
async function rows(): Promise<number> {
  const { n } = await world.ctx.db
    .selectFrom("location")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}
async function someone(
  name: string,
  measurement: NonNullable<Permissions["ownable"]>["measurement"],
  more: Permissions = {},
) {
  return world.account(name, customer, { ...more, ownable: { ...more.ownable, measurement } });
}
async function sensorOf(owner: Person, id: string): Promise<string> {
  const reply = await world.call(world.root, "POST", "/api/sensor", {
    body: { _id: id, owner: owner.id, type: "APS" },
  });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}
const upwards = { me: true, relativeAncestorLevel: 1 };

test("LO-04 zone and country of a new location follow from its point, not from the client", async () => {
  const reply = await world.call(customer, "POST", "/api/measurement", {
    body: {
      name: "  Old Town  ",
      owner: customer.id,
      tags: ["north", "north", "pilot"],
      location: {
        geo: { type: "Point", coordinates: [-74.006, 40.7128] },
        coordinates: [1, 2],
        timezone: "Europe/Berlin",
        address: { street: "Broadway 1", city: "New York", country: "United States of America" },
      },
    },
  });
  expect(reply.status).toBe(200);
  expect(reply.body).toMatchObject({
    name: "Old Town",
    owner: { _id: customer.id, name: "Harbour Stores", isDeleted: false },
    country: "United States",
    tags: ["north", "pilot"],
    location: {
      coordinates: [40.7128, -74.006],
      geo: { type: "Point", coordinates: [-74.006, 40.7128] },
      timezone: "America/New_York",
      address: { street: "Broadway 1", city: "New York", country: "United States" },
    },
    licenses: { buildings: false, occupancyMeasurement: false },
    sensorCount: 0,
    sensorsOffline: 0,
    isDeleted: false,
    version: 1,
  });
  expect((await world.call(customer, "GET", `/api/measurement/${reply.id}`)).body).toEqual(reply.body);
  expect(await world.trail(reply.id)).toMatchObject([{ action: "create", account_id: customer.id, before: null }]);
});

test.each([
  ["Oslo", [10.75, 59.91], "Europe/Oslo"],
  ["Büsingen", [8.69, 47.7], "Europe/Busingen"],
  ["Kolkata", [88.36, 22.57], "Asia/Kolkata"],
])("the zone of %s is its own", async (_, coordinates, zone) => {
  const id = await made(customer, customer, { location: { geo: { type: "Point", coordinates } } });
  const reply = await world.call(customer, "GET", `/api/measurement/${id}`);
  expect(reply.at("location.timezone")).toBe(zone);
  expect(reply.at("location.coordinates")).toEqual(coordinates.toReversed());
});

test("coordinates without a GeoJSON point are taken as latitude and longitude", async () => {
  const id = await made(customer, customer, { location: { coordinates: [52.52, 13.4] } });
  expect((await world.call(customer, "GET", `/api/measurement/${id}`)).at("location.geo")).toEqual(berlin);
  const off = await world.call(customer, "PUT", `/api/measurement/${id}`, {
    body: { location: { coordinates: [91, 0] } },
  });
  expect([off.status, off.code]).toEqual([400, 102]);
});

test("LO-04 omitted fields stay and null clears", async () => {
  const id = await made(customer, customer, {
    tags: ["a"],
    location: { geo: berlin, address: { street: "Invalidenstr. 1", city: "Berlin", country: "Germany" } },
  });
  const path = `/api/measurement/${id}`;
  const named = await world.call(customer, "PUT", path, { body: { name: "Renamed" } });
  expect(named.body).toMatchObject({ name: "Renamed", tags: ["a"], country: "Germany", version: 2 });
  const street = await world.call(customer, "PUT", path, { body: { location: { address: { street: null } } } });
  expect(street.at("location.address")).toMatchObject({ street: null, city: "Berlin" });
  expect(street.at("location.timezone")).toBe("Europe/Berlin");
  const unplaced = await world.call(customer, "PUT", path, { body: { location: { geo: null } } });
  expect(unplaced.at("location")).toMatchObject({
    geo: null,
    coordinates: null,
    timezone: "Europe/Berlin",
    address: { city: "Berlin" },
  });
  const bare = await world.call(customer, "PUT", path, { body: { location: null, tags: null } });
  expect(bare.body).toMatchObject({ country: null, tags: [], location: { geo: null, timezone: null, address: null } });
  const trail = await world.trail(id);
  expect(trail.map(({ action }) => action)).toEqual(["create", "update", "update", "update", "update"]);
  expect(trail[1]).toMatchObject({ before: { name: "Shop" }, after: { name: "Renamed" } });
});

test("PE-04 missing and invisible look alike, before the form is checked", async () => {
  const id = await made(stranger, stranger);
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["PUT", "", { name: "x" }],
    ["PUT", "", { nonsense: 1 }],
    ["DELETE", "", undefined],
    ["PUT", "/licenses", { buildings: true }],
  ] as const) {
    const hidden = await world.call(customer, method, `/api/measurement/${id}${path}`, { body });
    const missing = await world.call(customer, method, `/api/measurement/${nowhere}${path}`, { body });
    expect([hidden.status, hidden.code], `${method} ${path}`).toEqual([404, 105]);
    expect({ ...(hidden.body as object), requestId: "" }).toEqual({ ...(missing.body as object), requestId: "" });
  }
  expect((await world.call(stranger, "GET", `/api/measurement/${id}`)).body).toMatchObject({
    version: 1,
    isDeleted: false,
  });
});

test("PE-04 no access without a session; nothing visible without a role", async () => {
  expect((await world.call(null, "GET", "/api/v2/measurement")).code).toBe(106);
  const bare = await world.account("No role", customer, null);
  expect((await world.call(bare, "GET", "/api/v2/measurement?includeTotals=true")).body).toEqual({
    objects: [],
    total: 0,
  });
  const refused = await world.call(bare, "POST", "/api/measurement", { body: { name: "Shop", owner: bare.id } });
  expect(refused.code).toBe(103);
});

test("PE-04 305 without edit, 304 without delete, 302 without hand-over, 303 without create right", async () => {
  const viewer = await someone("Viewer", { canViewObject: upwards }, { owner: { canViewOwner: upwards } });
  const editor = await someone(
    "Editor",
    { canViewObject: upwards, canEditObject: upwards, canChangeOwner: { from: upwards, to: { me: true } } },
    { owner: { canViewOwner: { ...upwards, roles: [stranger.roleId ?? ""] } } },
  );
  const id = await made(customer, customer);
  const path = `/api/measurement/${id}`;
  const before = await rows();
  const edit = await world.call(viewer, "PUT", path, { body: { name: "Other" } });
  expect([edit.status, edit.code]).toEqual([403, 305]);
  const gone = await world.call(editor, "DELETE", path);
  expect([gone.status, gone.code]).toEqual([403, 304]);
  const handed = await world.call(editor, "PUT", path, { body: { owner: stranger.id } });
  expect([handed.status, handed.code]).toEqual([403, 302]);
  const unknown = await world.call(viewer, "POST", "/api/measurement", { body: { name: "Shop", owner: stranger.id } });
  expect([unknown.status, unknown.code]).toEqual([400, 103]);
  const unseen = await world.call(editor, "PUT", path, { body: { owner: branch.id } });
  expect([unseen.status, unseen.code]).toEqual([400, 103]);
  const create = await world.call(viewer, "POST", "/api/measurement", { body: { name: "Shop", owner: customer.id } });
  expect([create.status, create.code]).toEqual([403, 303]);
  expect(await rows()).toBe(before);
  expect((await world.call(customer, "GET", path)).body).toMatchObject({ name: "Shop", version: 1 });
  expect(await world.trail(id)).toHaveLength(1);

  const allowed = await world.call(editor, "PUT", path, { body: { owner: editor.id } });
  expect(allowed.at("owner._id")).toBe(editor.id);
  expect((await world.call(customer, "GET", path)).status).toBe(200);
  expect((await world.call(viewer, "GET", path)).status).toBe(404);
});

test("ER-03 brackets get 400, wrong types and unknown fields 402, and nothing is stored", async () => {
  const before = await rows();
  const base = { name: "Shop", owner: customer.id };
  const cases: [object, number][] = [
    ...["<b>", "a>", "[a", "a]", "{a", "a}"].flatMap((text): [object, number][] => [
      [{ ...base, name: `Shop ${text}` }, 400],
      [{ ...base, tags: [text] }, 400],
      [{ ...base, location: { address: { city: text } } }, 400],
    ]),
    [{ ...base, name: "Shop\u0007" }, 400],
    [{ ...base, name: 7 }, 402],
    [{ ...base, licenses: { buildings: true } }, 402],
    [{ ...base, location: { planet: "Mars" } }, 402],
    [{ owner: customer.id }, 108],
    [{ ...base, name: "" }, 108],
    [{ ...base, name: "ab" }, 102],
    [{ name: "Shop" }, 104],
    [{ ...base, owner: "me" }, 103],
    [{ ...base, owner: nowhere }, 103],
    [{ ...base, location: { geo: { type: "Point", coordinates: [200, 0] } } }, 102],
    [{ ...base, sensorID: "nonsense" }, 102],
    [{ ...base, sensorID: "02:00:00:00:00:FF" }, 105],
  ];
  for (const [body, code] of cases) {
    expect((await world.call(customer, "POST", "/api/measurement", { body })).code, JSON.stringify(body)).toBe(code);
  }
  expect((await world.call(customer, "POST", "/api/measurement", { body: "{" })).code).toBe(102);
  expect((await world.call(customer, "POST", "/api/measurement", { body: [] })).code).toBe(402);
  expect(await rows()).toBe(before);
});

test("an outdated version is refused with 412, bare or quoted", async () => {
  const path = `/api/measurement/${await made(customer, customer)}`;
  const good = await world.call(customer, "PUT", path, { body: { name: "Second" }, headers: { "if-match": "1" } });
  expect(good.at("version")).toBe(2);
  for (const known of ["1", '"1"']) {
    const late = await world.call(customer, "PUT", path, { body: { name: "Third" }, headers: { "if-match": known } });
    expect(late.status).toBe(412);
  }
  expect((await world.call(customer, "DELETE", path, { headers: { "if-match": "1" } })).status).toBe(412);
  expect((await world.call(customer, "GET", path)).at("name")).toBe("Second");
});

test("a repeated creation with one idempotency key creates one location", async () => {
  const before = await rows();
  const call = (name: string) =>
    world.call(customer, "POST", "/api/measurement", {
      body: { name, owner: customer.id },
      headers: { "idempotency-key": "once" },
    });
  const [first, second] = await Promise.all([call("Once"), call("Once")]);
  expect(second.body).toEqual(first.body);
  expect((await call("Once")).id).toBe(first.id);
  expect((await call("Twice")).status).toBe(409);
  expect(await rows()).toBe(before + 1);
});

test("PE-04 a sensor given at creation is assigned; 105, 305 or 301 without the rights", async () => {
  const sensor = await sensorOf(customer, "02:00:00:00:01:01");
  const foreign = await sensorOf(stranger, "02:00:00:00:01:02");
  const unable = await someone(
    "No assigning",
    { canViewObject: upwards, canCreateObjectFor: upwards },
    { owner: { canViewOwner: upwards }, ownable: { sensor: { canViewObject: upwards, canEditObject: upwards } } },
  );
  const onlooker = await someone(
    "No sensor editing",
    { canViewObject: upwards, canCreateObjectFor: upwards },
    {
      owner: { canViewOwner: upwards },
      ownable: { sensor: { canViewObject: upwards } },
      other: { canAssignSensors: upwards },
    },
  );
  const before = await rows();
  const create = (who: Person, sensorID: string) =>
    world.call(who, "POST", "/api/measurement", { body: { name: "With sensor", owner: customer.id, sensorID } });
  expect((await create(customer, foreign)).code).toBe(105);
  expect((await create(unable, sensor)).code).toBe(301);
  expect((await create(onlooker, sensor)).code).toBe(305);
  expect(await rows()).toBe(before);

  const reply = await create(customer, "020000000101");
  expect(reply.body).toMatchObject({ sensorCount: 1 });
  expect((await world.call(customer, "GET", `/api/sensor/${sensor}`)).at("measurement._id")).toBe(reply.id);
  expect((await world.call(unable, "GET", `/api/measurement/${reply.id}`)).at("sensorCount")).toBe(1);
  const blind = await someone("Blind to sensors", { canViewObject: upwards });
  expect((await world.call(blind, "GET", `/api/measurement/${reply.id}`)).at("sensorCount")).toBe(0);
  expect((await world.trail(sensor)).map(({ action }) => action)).toEqual(["create", "update"]);
});

test("LO-04 a deletion releases its sensors and ends their assignments", async () => {
  const sensors = [await sensorOf(customer, "02:00:00:00:02:01"), await sensorOf(branch, "02:00:00:00:02:02")];
  const id = await made(customer, customer);
  for (const sensor of sensors) {
    const put = await world.call(customer, "PUT", `/api/sensor/${sensor}`, { body: { measID: id } });
    expect(put.at("measurement._id")).toBe(id);
  }
  const gone = await world.call(customer, "DELETE", `/api/measurement/${id}`);
  expect(gone.body).toEqual({ _id: id });
  expect((await world.call(customer, "GET", `/api/measurement/${id}`)).code).toBe(105);
  expect((await world.call(customer, "PUT", `/api/measurement/${id}`, { body: { name: "Back" } })).code).toBe(105);
  for (const sensor of sensors) {
    const reply = await world.call(customer, "GET", `/api/sensor/${sensor}`);
    expect(reply.at("measurement")).toBeNull();
    expect((await world.trail(sensor)).at(-1)).toMatchObject({ before: { measID: id }, after: { measID: null } });
  }
  const times = await world.ctx.db
    .selectFrom("sensor_location")
    .select("to_at")
    .where("location_id", "=", id)
    .execute();
  expect(times).toHaveLength(2);
  for (const { to_at } of times) expect(to_at).toBeInstanceOf(Date);
  const refused = await world.call(customer, "PUT", `/api/sensor/${sensors[0]}`, { body: { measID: id } });
  expect(refused.code).toBe(105);
});

test("only root grants licenses", async () => {
  const path = `/api/measurement/${await made(customer, customer)}`;
  const refused = await world.call(customer, "PUT", `${path}/licenses`, { body: { occupancyMeasurement: true } });
  expect([refused.status, refused.code]).toEqual([403, 306]);
  const granted = await world.call(world.root, "PUT", `${path}/licenses`, { body: { occupancyMeasurement: true } });
  expect(granted.at("licenses")).toEqual({ buildings: false, occupancyMeasurement: true });
  expect((await world.call(world.root, "PUT", `${path}/licenses`, { body: { monitoring: true } })).code).toBe(402);
});

test("LO-04 stats count the visible living locations by occupancy license", async () => {
  const owner = await world.account("Stats", world.root, fullPermissions);
  const ids = [await made(owner, owner), await made(owner, owner), await made(owner, owner), await made(owner, owner)];
  await world.call(world.root, "PUT", `/api/measurement/${ids[0]}/licenses`, { body: { occupancyMeasurement: true } });
  await world.call(owner, "DELETE", `/api/measurement/${ids[1]}`);
  const reply = await world.call(owner, "GET", "/api/v2/measurement/stats");
  expect(reply.body).toEqual({
    totalByOccupancyLicense: [
      { _id: true, count: 1 },
      { _id: false, count: 2 },
    ],
  });
  expect((await world.call(branch, "GET", "/api/v2/measurement/stats")).body).toEqual({ totalByOccupancyLicense: [] });
});

test("LO-04 the list filters, sorts, pages, totals and answers ids and places", async () => {
  const owner = await world.account("Lister", world.root, fullPermissions);
  const child = await world.account("Below lister", owner, null);
  const place = (country: string) => ({ location: { geo: berlin, address: { country } } });
  const a = await made(owner, owner, { name: "Alpha 50%", ...place("Germany") });
  const b = await made(owner, owner, { name: "Beta", ...place("United States of America") });
  const c = await made(owner, child, { name: "Gamma 50x", ...place("France") });
  const d = await made(owner, child, { name: "Delta" });
  await world.call(owner, "DELETE", `/api/measurement/${d}`);
  const list = async (query: string) => world.call(owner, "GET", `/api/v2/measurement?${query}`);
  const ids = async (query: string) => (await list(query)).list.map(({ _id }) => _id);

  expect((await list("includeTotals=true")).body).toMatchObject({ total: 3 });
  expect((await list("")).body).not.toHaveProperty("total");
  expect(await ids("")).toEqual([a, b, c]);
  expect(await ids("sortBy=-name")).toEqual([c, b, a]);
  expect(await ids("sortBy=name&sortDesc=true")).toEqual([c, b, a]);
  expect(await ids("sortBy=owner&sortBy=-name")).toEqual([c, b, a]);
  expect(await ids("sortBy=country")).toEqual([c, a, b]);
  expect(await ids("sortBy=createdAt")).toEqual([a, b, c]);
  expect(await ids("skip=1&limit=1")).toEqual([b]);
  expect(await ids("name=ALPHA")).toEqual([a]);
  expect(await ids("name=50%25")).toEqual([a]);
  expect(await ids("name=50_")).toEqual([]);
  expect(await ids(`ownerID=${child.id}`)).toEqual([c]);
  expect(await ids(`ownerID=${child.id}&ownerID=${owner.id}`)).toEqual([a, b, c]);
  expect(await ids("ownerID=nonsense")).toEqual([]);
  expect(await ids("country=united states")).toEqual([b]);
  expect(await ids("country=United States of America&country=France")).toEqual([b, c]);
  expect(await ids(`ids=${a}&ids=${c}&ids=${d}`)).toEqual([a, c]);
  expect(await ids(`ids=${d}&includeDeleted=true`)).toEqual([d]);
  expect((await list("includeDeleted=true&includeTotals=true")).at("total")).toBe(4);
  expect((await list("name=alpha&includeTotals=true")).at("total")).toBe(1);
  expect(((await list("onlyIDs=true")).body as string[]).toSorted()).toEqual([a, b, c].toSorted());
  const places = await list("onlyIDs=true&onlyLocation=true&country=Germany");
  expect(places.body).toEqual({
    objects: [
      {
        _id: a,
        location: {
          coordinates: [52.52, 13.4],
          geo: berlin,
          timezone: "Europe/Berlin",
          address: { country: "Germany" },
        },
      },
    ],
  });
  for (const bad of [
    "sortBy=address",
    "limit=501",
    "limit=0",
    "limit=x",
    "skip=-1",
    "onlyIDs=1",
    "planet=Mars",
    "includeTotals=yes",
  ]) {
    expect((await list(bad)).code, bad).toBe(102);
  }
  expect((await list("name=a%3Cb")).code).toBe(400);
  expect((await world.call(stranger, "GET", `/api/v2/measurement?ids=${a}&includeTotals=true`)).body).toEqual({
    objects: [],
    total: 0,
  });
});

test("an object created for an invisible account returns only its id", async () => {
  const giver = await world.account("Giver", customer, {
    owner: { canViewOwner: { me: true, relativeAncestorLevel: 1 } },
    ownable: { measurement: { canCreateObjectFor: upwards, canViewObject: { me: true } } },
  });
  const reply = await world.call(giver, "POST", "/api/measurement", {
    body: { name: "Given away", owner: customer.id },
  });
  expect(reply.body).toEqual({ _id: reply.id });
  expect((await world.call(giver, "GET", `/api/measurement/${reply.id}`)).code).toBe(105);
  expect((await world.call(customer, "GET", `/api/measurement/${reply.id}`)).at("name")).toBe("Given away");
});
