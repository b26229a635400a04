// Tests location batches over HTTP: what they select and change, refusals, and the state after an interruption (LO-01, LO-04, T-07).
import { randomUUID } from "node:crypto";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { captureStatements } from "../testing/asked-statements.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

let world: World;
let customer: Person;
let branch: Person;
let stranger: Person;

beforeAll(async () => {
  world = await createWorld();
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  branch = await world.account("Harbour Branch", customer, fullPermissions);
  stranger = await world.account("Other Customer", world.root, fullPermissions);
});
afterAll(() => world.stop());

const nowhere = "018f0000-0000-7000-8000-000000000000";
const update = (who: Person, body: JsonObject, headers: Record<string, string> = {}) =>
  world.call(who, "PUT", "/api/v2/measurement/batch-update", { body, headers });
const remove = (who: Person, body: JsonObject, headers: Record<string, string> = {}) =>
  world.call(who, "PUT", "/api/v2/measurement/batch-delete", { body, headers });
const missing = (id: string) => ({ id, errMessage: "Not found." });

async function made(owner: Person, name = "Shop", location: JsonObject = {}): Promise<string> {
  const reply = await world.call(world.root, "POST", "/api/measurement", { body: { name, owner: owner.id, location } });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}
async function rowsOf(owner: Person, n: number, name: string): Promise<string[]> {
  const ids = Array.from({ length: n }, () => randomUUID()).toSorted();
  await sql`insert into location (id, owner_id, owner_path, name)
    select id, ${owner.id}::uuid, ${owner.path}, ${name} from unnest(${ids}::uuid[]) id`.execute(world.ctx.db);
  return ids;
}
const stored = (id: string) =>
  world.ctx.db.selectFrom("location").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const actionsOf = async (id: string) => (await world.trail(id)).map(({ action }) => action);
async function auditOf(ids: readonly string[], action: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from audit
    where action = ${action} and object_id = any(${[...ids]}::text[])`.execute(world.ctx.db);
  return rows[0]?.n ?? 0;
}

test("LO-04 T-07 a batch by ids changes permitted locations once and explains the others", async () => {
  const [a, b] = [await made(customer), await made(branch)];
  const foreign = await made(stranger);
  const live = await world.live(customer);
  const changes = { owner: branch.id, location: { address: { city: "Hamburg", country: "Germany" } } };
  const reply = await update(customer, { measIDs: [a, b, a.toUpperCase(), foreign, nowhere, "no id", a], changes });
  expect([reply.status, reply.body]).toEqual([
    200,
    { success: 2, fail: [missing(foreign), missing(nowhere), missing("no id")] },
  ]);
  for (const id of [a, b]) {
    const now = await world.call(branch, "GET", `/api/measurement/${id}`);
    expect(now.body).toMatchObject({
      owner: { _id: branch.id },
      country: "Germany",
      location: { address: { city: "Hamburg" }, timezone: "Europe/Berlin" },
      version: 2,
    });
    expect(await actionsOf(id)).toEqual(["create", "update"]);
    expect((await live.heard("measurement", "update", id)).obj).toMatchObject({ owner: { _id: branch.id } });
  }
  expect((await world.trail(a)).at(-1)).toMatchObject({
    account_id: customer.id,
    before: { owner: customer.id },
    after: { owner: branch.id, location: { address: { city: "Hamburg" } } },
  });
  expect((await stored(foreign)).version).toBe(1);
});

test("LO-04 a changed owner moves a location between totals, single or in a batch", async () => {
  const own = { ownable: { measurement: { canViewObject: { me: true } } } };
  const owners = [await world.account("Giver", customer, own), await world.account("Taker", customer, own)] as const;
  const [giver, taker] = owners;
  const [a, b, c] = [await made(giver), await made(giver), await made(giver)];
  const totals = () =>
    Promise.all(
      owners.map(async (who) =>
        (await world.call(who, "GET", "/api/v2/measurement?limit=1&includeTotals=true")).at("total"),
      ),
    );
  expect(await totals()).toEqual([3, 0]);
  expect((await world.call(customer, "PUT", `/api/measurement/${a}`, { body: { owner: taker.id } })).status).toBe(200);
  expect(await totals()).toEqual([2, 1]);
  expect((await update(customer, { measIDs: [b, c], changes: { owner: taker.id } })).at("success")).toBe(2);
  expect(await totals()).toEqual([0, 3]);
  expect((await world.call(customer, "DELETE", `/api/measurement/${b}`)).status).toBe(200);
  expect(await totals()).toEqual([0, 2]);
});

test("LO-04 each location is authorized on its own, in the order of all writes", async () => {
  const own = { me: true };
  const editor = await world.account("Editor", customer, {
    owner: { canViewOwner: { me: true, relativeAncestorLevel: 1 } },
    ownable: {
      measurement: {
        canViewObject: { me: true, relativeAncestorLevel: 1 },
        canEditObject: own,
        canDeleteObject: own,
        canChangeOwner: { from: {}, to: {} },
      },
    },
  });
  const [mine, theirs] = [await made(editor, "Mine"), await made(customer, "Theirs")];
  const city = { location: { address: { city: "Kiel" } } };
  const edited = await update(editor, { measIDs: [theirs, mine], changes: city });
  expect(edited.body).toMatchObject({
    success: 1,
    fail: [
      { id: theirs, details: { reason: expect.stringContaining("Harbour Stores, whose locations you can't edit") } },
    ],
  });
  const handed = await update(editor, { measIDs: [mine], changes: { owner: customer.id } });
  expect(handed.body).toMatchObject({ success: 0, fail: [{ id: mine, details: { reason: expect.any(String) } }] });
  const deleted = await remove(editor, { measIDs: [theirs, mine] });
  expect(deleted.body).toMatchObject({
    success: 1,
    fail: [{ id: theirs, details: { reason: expect.stringContaining("you can't delete") } }],
  });
  expect([(await stored(mine)).is_deleted, (await stored(theirs)).is_deleted]).toEqual([true, false]);
  expect((await stored(mine)).owner_id).toBe(editor.id);
  expect((await stored(theirs)).version).toBe(1);
  // Each failure has the same reason as the single call.
  const alone = await world.call(editor, "DELETE", `/api/measurement/${theirs}`);
  expect((deleted.at("fail.0.errMessage") as string).length).toBeGreaterThan(0);
  expect(alone.at("error")).toBe(deleted.at("fail.0.errMessage"));
});

test("LO-01 LO-04 a query with exclusions matches the list, and everything only explicitly", async () => {
  const owner = await world.account("Query", world.root, fullPermissions);
  const below = await world.account("Query branch", owner, fullPermissions);
  const [a, b, c] = [await made(owner, "North 1"), await made(owner, "North 2"), await made(owner, "South")];
  const d = await made(below, "North 3", { address: { country: "France" } });
  const to = (city: string) => ({ location: { address: { city } } });
  const cities = () => Promise.all([a, b, c, d].map(async (id) => (await stored(id)).address?.["city"] ?? null));

  const north = { measQuery: { name: "north", exclude: [b, nowhere, "no id"] }, changes: to("Kiel"), expectedCount: 2 };
  expect((await update(owner, north)).body).toEqual({ success: 2, fail: [] });
  expect(await cities()).toEqual(["Kiel", null, null, "Kiel"]);
  const french = { measQuery: { country: ["france"], ownerID: [below.id] }, changes: to("Lyon") };
  expect((await update(owner, french)).body).toEqual({ success: 1, fail: [] });
  expect(await cities()).toEqual(["Kiel", null, null, "Lyon"]);

  await world.call(world.root, "PUT", `/api/measurement/${c}/licenses`, { body: { occupancyMeasurement: true } });
  expect((await update(owner, { measQuery: { occupancy: "true" }, changes: to("Rom") })).body).toMatchObject({
    success: 1,
  });
  expect(await cities()).toEqual(["Kiel", null, "Rom", "Lyon"]);

  for (const measQuery of [{}, { name: "" }, { exclude: [a] }])
    expect((await update(owner, { measQuery, changes: to("Ulm") })).code, JSON.stringify(measQuery)).toBe(104);
  const wrong = await remove(owner, { measQuery: {}, all: true, expectedCount: 3 });
  expect([wrong.status, wrong.code, wrong.at("details.count"), wrong.at("details.reason")]).toEqual([
    409,
    102,
    4,
    "Selection changed: 4 locations now match.",
  ]);
  const wrongIds = await remove(owner, { measIDs: [a, a, b], expectedCount: 3 });
  expect([wrongIds.status, wrongIds.at("details.count")]).toEqual([409, 2]);
  expect((await Promise.all([a, b, c, d].map(stored))).map((row) => row.is_deleted)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect((await remove(owner, { measQuery: { exclude: [d] }, all: true, expectedCount: 3 })).body).toEqual({
    success: 3,
    fail: [],
  });
  const left = await world.call(owner, "GET", "/api/v2/measurement");
  expect(left.list.map(({ _id }) => _id)).toEqual([d]);
});

test("ER-03 empty, ambiguous and oversized bodies are refused as a whole", async () => {
  const id = await made(customer);
  const changes = { location: { address: { city: "Kiel" } } };
  const bodies: [JsonObject, number][] = [
    [{ changes }, 104],
    [{ measIDs: [id], measQuery: { name: "x" }, changes }, 102],
    [{ measIDs: [id] }, 104],
    [{ measIDs: [id], changes: {} }, 104],
    [{ measIDs: [id], changes: { name: "Renamed" } }, 402],
    [{ measIDs: [id], changes: { owner: nowhere } }, 103],
    [{ measIDs: [id], changes: { owner: stranger.id } }, 103],
    [{ measIDs: [id], changes: { location: { coordinates: [91, 0] } } }, 102],
    [{ measIDs: [id], changes: { location: { address: { city: "<b>" } } } }, 400],
    [{ measIDs: id, changes }, 402],
    [{ measQuery: { name: "x", planet: "Mars" }, changes }, 402],
    [{ measIDs: [id], changes, expectedCount: -1 }, 102],
  ];
  for (const [body, code] of bodies) expect((await update(customer, body)).code, JSON.stringify(body)).toBe(code);
  expect((await stored(id)).version).toBe(1);
  expect((await world.call(null, "PUT", "/api/v2/measurement/batch-delete", { body: { measIDs: [id] } })).status).toBe(
    401,
  );
});

test("LO-02 LO-04 a batch derives each location's zone; a chosen one must be valid where it counts", async () => {
  const [us, de] = [
    await made(customer, "Denver", { address: { country: "United States" } }),
    await made(customer, "Bonn", { address: { country: "Germany" } }),
  ];
  const bad = await update(customer, { measIDs: [us, de], changes: { location: { timezone: "Mars/Olympus" } } });
  expect(bad.body).toMatchObject({
    success: 1,
    fail: [{ id: us, details: { reason: "There is no such time zone." } }],
  });
  const good = await update(customer, { measIDs: [us, de], changes: { location: { timezone: "America/Denver" } } });
  expect(good.body).toEqual({ success: 2, fail: [] });
  expect([(await stored(us)).timezone, (await stored(de)).timezone]).toEqual(["America/Denver", "Europe/Berlin"]);
  const cleared = await update(customer, { measIDs: [us, de], changes: { location: null } });
  expect(cleared.body).toEqual({ success: 2, fail: [] });
  expect(await stored(us)).toMatchObject({ timezone: null, address: null, country: null, lat: null });
});

test("LO-04 T-27 zone changes in a batch lock sensors in the same order as storing counts", async () => {
  const { db } = world.ctx;
  const [first, second] = [await made(customer, "First"), await made(customer, "Second")];
  for (const [_id, measID] of [
    ["02:00:00:00:7B:01", second],
    ["02:00:00:00:7B:02", first],
  ]) {
    await world.call(customer, "POST", "/api/sensor", { body: { _id, owner: customer.id, type: "APS" } });
    expect((await world.call(customer, "PUT", `/api/sensor/${_id}`, { body: { measID } })).status).toBe(200);
    await sql`insert into counter (sensor_num) select num from sensor where id = ${_id} on conflict do nothing`.execute(
      db,
    );
  }
  const counterOf = (id: string) =>
    sql`select from counter where sensor_num = (select num from sensor where id = ${id})`;
  const berlin = { geo: { type: "Point", coordinates: [13.4, 52.52] } };
  const { answer } = await db.transaction().execute(async (tx) => {
    await sql`${counterOf("02:00:00:00:7B:01")} for update`.execute(tx);
    const pending = update(customer, { measIDs: [first, second], changes: { location: berlin } });
    await untilSomebodyWaits(db);
    // While the batch waits for the first counter, it must not hold the second: a commit of counts would deadlock with it.
    await sql`${counterOf("02:00:00:00:7B:02")} for update nowait`.execute(tx);
    return { answer: pending };
  });
  expect((await answer).body).toEqual({ success: 2, fail: [] });
});

test("LO-04 deleted locations release all their sensors at once", async () => {
  const ids = [await made(customer), await made(branch)];
  const sensors = ["02:00:00:00:09:01", "02:00:00:00:09:02", "02:00:00:00:09:03"];
  for (const [index, _id] of sensors.entries()) {
    await world.call(customer, "POST", "/api/sensor", { body: { _id, owner: customer.id, type: "APS" } });
    await world.call(customer, "PUT", `/api/sensor/${_id}`, { body: { measID: ids[index % 2] } });
  }
  const live = await world.live(customer);
  expect((await remove(customer, { measIDs: ids })).body).toEqual({ success: 2, fail: [] });
  for (const id of ids) {
    expect((await world.call(customer, "GET", `/api/measurement/${id}`)).code).toBe(105);
    expect((await live.heard("measurement", "delete", id)).obj).toEqual({ _id: id });
    expect(await actionsOf(id)).toEqual(["create", "delete"]);
  }
  for (const id of sensors) {
    expect((await world.call(customer, "GET", `/api/sensor/${id}`)).at("measurement")).toBeNull();
    expect((await actionsOf(id)).at(-1)).toBe("unassign");
  }
});

test("LO-04 hundreds of locations take a constant number of statements per part", async () => {
  const owner = await world.account("Many", world.root, fullPermissions);
  const ids = await rowsOf(owner, 600, "Shop");
  const asked = await captureStatements(async () => {
    const reply = await update(owner, { measIDs: ids, changes: { owner: owner.id } });
    expect(reply.body).toEqual({ success: 600, fail: [] });
  });
  expect(asked.length).toBeLessThan(60);
  const gone = await captureStatements(async () => {
    expect((await remove(owner, { measQuery: {}, all: true })).body).toEqual({ success: 600, fail: [] });
  });
  expect(gone.length).toBeLessThan(60);
  expect([await auditOf(ids, "update"), await auditOf(ids, "delete")]).toEqual([600, 600]);
});

test("LO-04 an idempotency key belongs to one batch; another request is refused", async () => {
  const id = await made(customer, "Once");
  const body = { measIDs: [id, nowhere], changes: { location: { address: { city: "Kiel" } } } };
  const key = { "idempotency-key": "once" };
  const [first, parallel] = await Promise.all([update(customer, body, key), update(customer, body, key)]);
  const again = await update(customer, body, key);
  for (const reply of [first, parallel, again]) expect(reply.body).toEqual({ success: 1, fail: [missing(nowhere)] });
  expect((await stored(id)).version).toBe(2);
  expect(await actionsOf(id)).toEqual(["create", "update"]);
  const other = await update(customer, { ...body, measIDs: [id] }, key);
  expect([other.status, other.code]).toEqual([409, 102]);
});

test("LO-04 an interrupted batch stays stored and audited; its repeat does the rest once", async () => {
  const owner = await world.account("Broken off", world.root, fullPermissions);
  const ids = await rowsOf(owner, 450, "Shop");
  // Makes the third part fail, as if the server had crashed.
  await sql`create function refuse_one() returns trigger language plpgsql as $$ begin raise exception 'gone'; end $$`.execute(
    world.ctx.db,
  );
  await sql`create trigger refuse_one before update on location for each row
    when (old.id = ${sql.lit(ids[420])}::uuid) execute function refuse_one()`.execute(world.ctx.db);
  const body = { measQuery: { name: "shop" }, expectedCount: 450 };
  const key = { "idempotency-key": "broken" };
  const broken = await remove(owner, body, key);
  expect(broken.status).toBe(500);
  const deleted = async () => {
    const { rows } = await sql<{ id: string }>`select id from location
      where id = any(${ids}::uuid[]) and is_deleted order by id`.execute(world.ctx.db);
    return rows.map((row) => row.id);
  };
  expect(await deleted()).toEqual(ids.slice(0, 400));
  expect(await auditOf(ids, "delete")).toBe(400);
  await sql`drop trigger refuse_one on location`.execute(world.ctx.db);
  await sql`drop function refuse_one`.execute(world.ctx.db);

  const [later = ""] = await rowsOf(owner, 1, "Shop later");
  const repeat = await remove(owner, body, key);
  expect([repeat.status, repeat.body]).toEqual([200, { success: 450, fail: [] }]);
  expect(await deleted()).toEqual(ids);
  expect(await auditOf(ids, "delete")).toBe(450);
  expect((await stored(later)).is_deleted).toBe(false);
  expect((await remove(owner, body, key)).body).toEqual({ success: 450, fail: [] });
});
