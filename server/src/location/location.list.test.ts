// Tests the list of locations: how many sensors each viewer sees, filters, and indexes.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { explainStatement, captureStatements } from "../testing/asked-statements.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

const clock = createStillClock();
const hourMs = 3_600_000;
let world: World;
let customer: Person;
let viewer: Person;

beforeAll(async () => {
  world = await createWorld({ clock });
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  const upwards = { me: true, relativeAncestorLevel: 1 };
  viewer = await world.account("Viewer", customer, {
    owner: { canViewOwner: upwards },
    ownable: { measurement: { canViewObject: upwards }, sensor: { canViewObject: { me: true } } },
  });
});
afterAll(() => world.stop());

async function made(name: string, owner = customer): Promise<string> {
  const reply = await world.call(owner, "POST", "/api/measurement", { body: { name, owner: owner.id } });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}

async function sensorAt(measID: string, owner: Person, id: string, hours: number | null, isConnected = false) {
  await world.call(customer, "POST", "/api/sensor", { body: { _id: id, owner: owner.id, type: "APS" } });
  const put = await world.call(customer, "PUT", `/api/sensor/${id}`, { body: { measID } });
  expect(put.at("measurement._id")).toBe(measID);
  const last_contact_at = hours === null ? null : new Date(clock.now() - hours * hourMs);
  await world.ctx.db
    .updateTable("sensor")
    .set({ last_contact_at, is_connected: isConnected })
    .where("id", "=", id)
    .execute();
}

test("LO-01 a location shows its viewer's offline sensors, in list, single and live", async () => {
  const id = await made("Five sensors");
  await sensorAt(id, customer, "02:00:00:00:05:01", 1);
  await sensorAt(id, customer, "02:00:00:00:05:02", 25);
  await sensorAt(id, customer, "02:00:00:00:05:03", null);
  await sensorAt(id, customer, "02:00:00:00:05:04", 400, true);
  await sensorAt(id, viewer, "02:00:00:00:05:05", 24);
  const counts = async (who: Person) => {
    const [row] = (await world.call(who, "GET", `/api/v2/measurement?ids=${id}`)).list;
    const alone = await world.call(who, "GET", `/api/measurement/${id}`);
    const both = [row?.["sensorCount"], row?.["sensorsOffline"]];
    expect([alone.at("sensorCount"), alone.at("sensorsOffline")]).toEqual(both);
    return both;
  };
  expect(await counts(customer)).toEqual([5, 3]);
  expect(await counts(viewer)).toEqual([1, 1]);
  const offline = await world.call(customer, "GET", `/api/v2/sensor?measID=${id}&connected=disconnected`);
  expect(offline.list).toHaveLength(3);

  const [own, theirs] = [await world.live(customer), await world.live(viewer)];
  await world.call(customer, "PUT", `/api/measurement/${id}`, { body: { tags: ["heard"] } });
  expect((await own.heard("measurement", "update", id)).obj).toMatchObject({ sensorCount: 5, sensorsOffline: 3 });
  expect((await theirs.heard("measurement", "update", id)).obj).toMatchObject({ sensorCount: 1, sensorsOffline: 1 });

  await world.ctx.db.updateTable("sensor").set({ is_connected: true }).where("id", "=", "02:00:00:00:05:05").execute();
  await world.call(customer, "PUT", `/api/measurement/${id}`, { body: { tags: ["again"] } });
  const last = async (live: typeof own) => {
    for (;;) {
      const frame = live.frames.findLast(({ obj }) => obj?.["_id"] === id);
      if (String(frame?.obj?.["tags"]) === "again") return frame?.obj;
      await new Promise((done) => setImmediate(done));
    }
  };
  expect(await last(own)).toMatchObject({ sensorCount: 5, sensorsOffline: 2 });
  expect(await last(theirs)).toMatchObject({ sensorCount: 1, sensorsOffline: 0 });
});

test("LO-01 the list is filtered by the occupancy license", async () => {
  const owner = await world.account("Licensed", world.root, fullPermissions);
  const [a, b] = [await made("Alpha", owner), await made("Beta", owner)];
  await world.call(world.root, "PUT", `/api/measurement/${b}/licenses`, { body: { occupancyMeasurement: true } });
  const list = async (query: string) => {
    const reply = await world.call(owner, "GET", `/api/v2/measurement?includeTotals=true&${query}`);
    return [reply.list.map(({ _id }) => _id), reply.at("total")];
  };
  expect(await list("occupancy=true")).toEqual([[b], 1]);
  expect(await list("occupancy=false")).toEqual([[a], 1]);
  expect(await list("")).toEqual([[a, b], 2]);
  expect(await list(`occupancy=true&ids=${a}`)).toEqual([[], 0]);
  expect((await world.call(owner, "GET", "/api/v2/measurement?onlyIDs=true&occupancy=true")).body).toEqual([b]);
  const places = await world.call(owner, "GET", "/api/v2/measurement?onlyIDs=true&onlyLocation=true&occupancy=false");
  expect(places.list.map(({ _id }) => _id)).toEqual([a]);
  for (const bad of ["yes", "1", "", "TRUE"])
    expect((await world.call(owner, "GET", `/api/v2/measurement?occupancy=${bad}`)).code, bad).toBe(102);
});

test("LO-01 tags are filtered whole, searched by their parts, and counted", async () => {
  const owner = await world.account("Tagged", world.root, fullPermissions);
  const tagged = async (name: string, tags: string[]) => {
    const reply = await world.call(owner, "POST", "/api/measurement", { body: { name, owner: owner.id, tags } });
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    return reply.id;
  };
  const [a, b, c, d] = [
    await tagged("Alder", ["Flagship", "Region North"]),
    await tagged("Birch", ["flagship", "Café"]),
    await tagged("Cedar", ["Region", "100%"]),
    await tagged("Flag Street", []),
  ];
  const find = async (query: string) => {
    const { list, status, body } = await world.call(owner, "GET", `/api/v2/measurement?includeTotals=true&${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ total: list.length });
    return list.map(({ _id }) => _id);
  };
  for (const [query, found] of [
    ["tag=FLAGSHIP", [a, b]],
    ["tag=flagship&tag=cafe", [b]],
    ["tag=flag", []],
    ["tag=Region", [c]],
    ["tag=region%20%20north", [a]],
    ["tag=100%25", [c]],
    ["tag=%25", []],
    ["tag=", []],
    ["tagAny=café&tagAny=Region", [b, c]],
    ["tagAny=flagship&tag=cafe", [b]],
    ["tag=flagship&name=birch", [b]],
    ["name=flag", [a, b, d]],
    ["name=NORTH", [a]],
    ["name=on%20north", [a]],
    ["name=flagship%20region", []],
    ["name=0%25", [c]],
  ] as const)
    expect(await find(query), query).toEqual(found);
  const ids = await world.call(owner, "GET", "/api/v2/measurement?onlyIDs=true&tag=region");
  expect(ids.body).toEqual([c]);
  const compared = await world.call(owner, "GET", "/api/v2/counts/locations?tag=flagship&includeTotals=true");
  expect(compared.at("total")).toBe(2);
  const batch = { measQuery: { tag: ["cafe"] }, changes: { location: { address: { country: "France" } } } };
  const changed = await world.call(owner, "PUT", "/api/v2/measurement/batch-update", { body: batch });
  expect(changed.body).toEqual({ success: 1, fail: [] });
  const tags = await world.call(owner, "GET", "/api/v2/measurement/tags");
  expect(tags.body).toEqual([
    { tag: expect.stringMatching(/^flagship$/i), count: 2 },
    ...["100%", "Café", "Region", "Region North"].map((tag) => ({ tag, count: 1 })),
  ]);
  expect((await world.call(owner, "GET", "/api/v2/measurement/tags?skip=1&limit=1")).body).toEqual([
    { tag: "100%", count: 1 },
  ]);
  expect((await world.call(customer, "GET", "/api/v2/measurement/tags")).body).not.toContainEqual(
    expect.objectContaining({ tag: "Café" }),
  );
  const many = Array.from({ length: 21 }, (_, n) => `tag=t${n}`).join("&");
  for (const bad of [many, "tag=%00", `tagAny=${"x".repeat(201)}`])
    expect((await world.call(owner, "GET", `/api/v2/measurement?${bad}`)).status, bad.slice(0, 20)).toBe(400);
});

test("LO-01 tags of one view among thousands are found by an index", { tags: "prove" }, async () => {
  const small = await world.account("Few", world.root, fullPermissions);
  const rest = await world.account("Many", world.root, null);
  await sql`insert into location (id, owner_id, owner_path, name, tags)
    select gen_random_uuid(),
      case when n % 500 = 0 then ${small.id}::uuid else ${rest.id}::uuid end,
      case when n % 500 = 0 then ${small.path} else ${rest.path} end,
      'Place ' || n, case when n % 2 = 0 then '{}' else array['District ' || n] end
    from generate_series(1, 8000) n`.execute(world.ctx.db);
  await sql`vacuum (analyze) location`.execute(world.ctx.db);
  for (const [who, path] of [
    [small, "/api/v2/measurement/tags"],
    [small, "/api/v2/measurement?tag=district%207501"],
    [world.root, "/api/v2/measurement?tag=district%207501"],
    [world.root, "/api/v2/measurement?tagAny=district%207501&includeTotals=true"],
    [world.root, "/api/v2/measurement?name=district%207501"],
  ] as const) {
    const sent = await captureStatements(async () => {
      expect((await world.call(who, "GET", path)).status).toBe(200);
    });
    const asked = sent.filter(({ text }) => /\bfrom location\b/.test(text));
    expect(asked.length, path).toBeGreaterThan(0);
    for (const statement of asked)
      expect(await explainStatement(world.ctx.db, statement), path).not.toContain("Seq Scan on location");
  }
});

test("LO-01 the list sorts by every column both ways, with consistent pages", async () => {
  const owner = await world.account("Sorted", world.root, fullPermissions);
  const below = await world.account("A branch", owner, {});
  const make = async (name: string, to: Person, country: string) => {
    clock.moveTo(clock.now() + 1000);
    const body = { name, owner: to.id, location: { address: { country } } };
    return (await world.call(owner, "POST", "/api/measurement", { body })).id;
  };
  const [c, a, b] = [
    await make("Cedar", owner, "Austria"),
    await make("Alder", owner, "France"),
    await make("Birch", below, "Denmark"),
  ];
  const ids = async (query: string) =>
    (await world.call(owner, "GET", `/api/v2/measurement?${query}`)).list.map(({ _id }) => _id);
  expect(await ids("")).toEqual([a, b, c]);
  expect(await ids("sortBy=-name")).toEqual([c, b, a]);
  expect(await ids("sortBy=name&sortDesc=true")).toEqual([c, b, a]);
  expect(await ids("sortBy=country")).toEqual([c, b, a]);
  expect(await ids("sortBy=owner")).toEqual([b, ...[a, c].toSorted()]);
  expect(await ids("sortBy=owner&sortBy=-name")).toEqual([b, c, a]);
  expect(await ids("sortBy=-createdAt")).toEqual([b, a, c]);
  expect([...(await ids("limit=2")), ...(await ids("limit=2&skip=2"))]).toEqual([a, b, c]);
});

test("LO-01 one license among thousands is found by an index", { tags: "prove" }, async () => {
  const small = await world.account("Small", world.root, fullPermissions);
  const rest = await world.account("Rest", world.root, null);
  await sql`insert into location (id, owner_id, owner_path, name, license_occupancy)
    select gen_random_uuid(),
      case when n % 500 = 0 then ${small.id}::uuid else ${rest.id}::uuid end,
      case when n % 500 = 0 then ${small.path} else ${rest.path} end,
      'Shop ' || n, n % 1000 = 0
    from generate_series(1, 8000) n`.execute(world.ctx.db);
  await sql`analyze location`.execute(world.ctx.db);
  for (const who of [small, world.root])
    for (const query of ["occupancy=true&limit=50", "occupancy=true&limit=50&includeTotals=true"]) {
      const sent = await captureStatements(async () => {
        const reply = await world.call(who, "GET", `/api/v2/measurement?${query}`);
        expect(reply.list).toHaveLength(who === small ? 8 : 9);
      });
      const asked = sent.filter(({ text }) => /license_occupancy = /.test(text));
      expect(asked.length).toBeGreaterThan(0);
      for (const statement of asked) {
        const plan = await explainStatement(world.ctx.db, statement);
        expect(plan, statement.text).not.toContain("Seq Scan on location");
        expect(plan, statement.text).toMatch(/Index Cond/);
      }
    }
});

test("LO-01 locations by ids come as one array, with totals as a page", async () => {
  const owner = await world.account("Array Stores", world.root, fullPermissions);
  const ids: string[] = [];
  for (let n = 0; n < 52; n += 1) ids.push(await made(`Shop ${n}`, owner));
  const query = ids.map((id) => `ids=${id}`).join("&");
  const { body } = await world.call(owner, "GET", `/api/measurement?${query}&includeTotals=false`);
  expect((body as { _id: string }[]).map(({ _id }) => _id).toSorted()).toEqual(ids.toSorted());
  expect(await world.call(customer, "GET", `/api/measurement?${query}&includeTotals=false`)).toMatchObject({
    body: [],
  });
  const page = await world.call(owner, "GET", "/api/measurement?includeTotals=true&limit=2&sortBy=-name");
  expect(page.body).toMatchObject({ objects: [{}, {}], total: 52 });
  expect((await world.call(owner, "GET", "/api/measurement?onlyIDs=true")).status).toBe(400);
});
