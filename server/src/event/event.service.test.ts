// Tests events over HTTP: fields and their bounds, rights, filters, hand-overs, live messages and the limit per account.
import { errorCode } from "@psp/contract/errors.ts";
import { maxEventLocations, maxEventsPerOwner } from "@psp/contract/event/event.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

let world: World;
let customer: Person;
/** A branch of the customer that sees and edits its own locations only. */
let branch: Person;
/** May view but not edit the customer's locations. */
let viewer: Person;
let stranger: Person;
let harbour: string;
let mall: string;
let branchShop: string;
let strangersShop: string;

const path = "/api/v2/event";
const nowhere = "018f0000-0000-7000-8000-000000000000";
const upwards = { me: true, relativeAncestorLevel: 1 };
const own = { me: true };
const week = { from: "2026-11-23", to: "2026-11-29" };

beforeAll(async () => {
  world = await createWorld();
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  branch = await world.account("Branch", customer, {
    owner: { canViewOwner: upwards },
    ownable: { measurement: { canViewObject: own, canEditObject: own } },
  });
  viewer = await world.account("Viewer", customer, {
    owner: { canViewOwner: upwards },
    ownable: { measurement: { canViewObject: upwards } },
  });
  stranger = await world.account("Other Customer", world.root, fullPermissions);
  harbour = await location(customer, "Harbour Shop", ["Outlet"]);
  mall = await location(customer, "Mall");
  branchShop = await location(customer, "Branch Shop", ["outlét"], branch);
  strangersShop = await location(stranger, "Foreign Shop", ["Outlet"]);
});
afterAll(() => world.stop());

async function location(who: Person, name: string, tags: string[] = [], owner = who): Promise<string> {
  return (await world.call(who, "POST", "/api/measurement", { body: { name, owner: owner.id, tags } })).id;
}
const create = (who: Person, body: object) => world.call(who, "POST", path, { body });
async function made(who: Person, body: object): Promise<string> {
  const reply = await create(who, { name: "Sale", ...week, ...body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}
const change = (who: Person, id: string, body: object) => world.call(who, "PUT", `${path}/${id}`, { body });
const read = (who: Person, id: string) => world.call(who, "GET", `${path}/${id}`);
async function listed(who: Person, query = ""): Promise<unknown[]> {
  return (await world.call(who, "GET", `${path}?limit=500&${query}`)).list.map(({ _id }) => _id);
}
async function hide(...ids: string[]): Promise<void> {
  for (const id of ids) await world.call(world.root, "DELETE", `${path}/${id}`);
}

describe("fields", () => {
  test("an event is read as it was created, and its changes are audited", async () => {
    const reply = await create(customer, {
      name: "  Winter sale ",
      ...week,
      scope: { measIDs: [mall, harbour] },
      excludeFromComparison: true,
    });
    const event = {
      _id: reply.id,
      name: "Winter sale",
      owner: expect.objectContaining({ _id: customer.id, name: "Harbour Stores" }) as unknown,
      ...week,
      scope: { measIDs: [harbour, mall] },
      locations: [
        { _id: harbour, name: "Harbour Shop" },
        { _id: mall, name: "Mall" },
      ],
      excludeFromComparison: true,
      mayEdit: true,
      isDeleted: false,
      version: 1,
    };
    expect(reply.body).toEqual(event);
    expect((await read(customer, reply.id)).body).toEqual(event);
    const changed = await change(customer, reply.id, { to: "2026-12-01", scope: { tag: " Outlet " } });
    expect(changed.body).toMatchObject({ to: "2026-12-01", scope: { tag: "Outlet" }, locations: [], version: 2 });
    const [, update] = await world.trail(reply.id);
    expect(update).toMatchObject({
      action: "update",
      before: { to: week.to, scope: { measIDs: [mall, harbour] } },
      after: { to: "2026-12-01", scope: { tag: "Outlet" }, owner: customer.id },
    });
    expect((await world.call(customer, "DELETE", `${path}/${reply.id}`)).body).toEqual({ _id: reply.id });
    expect((await read(customer, reply.id)).code).toBe(105);
    expect((await world.trail(reply.id)).map(({ action }) => action)).toEqual(["create", "update", "delete"]);
  });

  const good = { name: "Sale", ...week, scope: { tag: "x" } };
  test.each<[string, object, number, string]>([
    ["no name", { name: undefined }, 108, "name"],
    ["a blank name", { name: "  " }, 108, "name"],
    ["101 characters", { name: "x".repeat(101) }, 102, "name"],
    ["brackets in the name", { name: "<b>" }, 400, "name"],
    ["no first day", { from: undefined }, 104, "from"],
    ["a day that does not exist", { to: "2026-11-31" }, 102, "to"],
    ["an instant", { from: "2026-11-23T00:00:00Z" }, 102, "from"],
    ["a year before 2000", { from: "1999-12-31", to: "2000-01-01" }, 102, "from"],
    ["a year after 2099", { from: "2099-12-31", to: "2100-01-01" }, 102, "to"],
    ["an end before the start", { from: "2026-11-30" }, 102, "to"],
    ["367 days", { from: "2025-01-01", to: "2026-01-02" }, 102, "to"],
    ["no scope", { scope: undefined }, 104, "scope"],
    ["an empty scope", { scope: {} }, 104, "scope"],
    ["two scopes", { scope: { tag: "x", owner: nowhere } }, 102, "scope"],
    ["an unknown scope", { scope: { country: "Germany" } }, 402, "scope.country"],
    ["no location", { scope: { measIDs: [] } }, 102, "scope.measIDs"],
    ["a location twice", { scope: { measIDs: [nowhere, nowhere.toUpperCase()] } }, 102, "scope.measIDs"],
    ["a bad id of a location", { scope: { measIDs: ["x"] } }, 102, "scope.measIDs.0"],
    ["an empty tag", { scope: { tag: " " } }, 102, "scope.tag"],
    ["a long tag", { scope: { tag: "x".repeat(101) } }, 102, "scope.tag"],
    ["a bad account", { scope: { owner: "x" } }, 103, "scope.owner"],
    [
      "an account other than that of the scope",
      { scope: { owner: nowhere }, owner: nowhere.replace("018f", "018e") },
      102,
      "scope.owner",
    ],
    ["a text as switch", { excludeFromComparison: "true" }, 402, "excludeFromComparison"],
    ["an unknown field", { isDeleted: true }, 402, "isDeleted"],
  ])("a new event with %s is refused", async (_title, more, code, field) => {
    const reply = await create(customer, { ...good, ...more });
    expect([reply.code, reply.at("details.field")]).toEqual([code, field]);
  });

  test("bounds are inclusive: 100 characters, 366 days, years 2000 to 2099, 1,000 locations", async () => {
    const name = "x".repeat(100);
    const ids = [
      await made(customer, { name, from: "2000-01-01", to: "2000-12-31", scope: { tag: "x".repeat(100) } }),
      await made(customer, { name, from: "2099-12-31", to: "2099-12-31", scope: { owner: customer.id } }),
    ];
    const many = Array.from({ length: maxEventLocations + 1 }, (_, n) => nowhere.slice(0, -4) + String(1000 + n));
    expect((await create(customer, { ...good, scope: { measIDs: many } })).code).toBe(102);
    expect((await create(customer, { ...good, scope: { measIDs: many.slice(1) } })).code).toBe(105);
    await hide(...ids);
  });

  test("a change of one day is checked against the other stored day, and If-Match against the version", async () => {
    const id = await made(customer, { scope: { tag: "x" } });
    expect((await change(customer, id, { from: "2026-11-30" })).code).toBe(102);
    expect((await change(customer, id, { to: "2027-11-24" })).code).toBe(102);
    expect((await change(customer, id, { to: "2027-11-23" })).status).toBe(200);
    const headers = { "if-match": "1" };
    expect((await world.call(customer, "PUT", `${path}/${id}`, { body: { name: "X" }, headers })).status).toBe(412);
    await hide(id);
  });

  test("a repeated creation with the same key makes one event", async () => {
    const headers = { "idempotency-key": "one sale" };
    const body = { ...good, scope: { measIDs: [harbour] } };
    const [a, b] = [
      await world.call(customer, "POST", path, { body, headers }),
      await world.call(customer, "POST", path, { body, headers }),
    ];
    expect(b.body).toEqual(a.body);
    await hide(a.id);
  });
});

describe("rights", () => {
  test("a viewer sees the event, but gets 305 for change and deletion and 303 for creation", async () => {
    const id = await made(customer, { scope: { measIDs: [harbour] } });
    expect((await read(viewer, id)).body).toMatchObject({ _id: id, mayEdit: false });
    expect((await change(viewer, id, { name: "X" })).code).toBe(305);
    expect((await world.call(viewer, "DELETE", `${path}/${id}`)).code).toBe(305);
    const body = { name: "Sale", ...week };
    expect((await create(viewer, { ...body, scope: { measIDs: [harbour] } })).code).toBe(303);
    expect((await create(viewer, { ...body, scope: { owner: customer.id } })).code).toBe(303);
    expect((await create(viewer, { ...body, owner: customer.id, scope: { tag: "x" } })).code).toBe(303);
    await hide(id);
  });

  test("a stranger gets 105 for the event, and for hidden locations, and 103 for hidden accounts", async () => {
    const id = await made(customer, { scope: { measIDs: [harbour] } });
    for (const reply of [
      await read(stranger, id),
      await change(stranger, id, { name: "X" }),
      await world.call(stranger, "DELETE", `${path}/${id}`),
      await change(stranger, nowhere, { name: "X" }),
    ])
      expect(reply.code).toBe(105);
    const body = { name: "Sale", ...week };
    for (const one of [harbour, nowhere])
      expect((await create(stranger, { ...body, scope: { measIDs: [strangersShop, one] } })).code).toBe(105);
    for (const one of [customer.id, nowhere]) {
      expect((await create(stranger, { ...body, scope: { owner: one } })).code).toBe(103);
      expect((await create(stranger, { ...body, owner: one, scope: { tag: "x" } })).code).toBe(103);
    }
    expect(await listed(stranger, `ids=${id}`)).toEqual([]);
    expect(await listed(stranger, `measID=${harbour}`)).toEqual([]);
    await hide(id);
  });

  test("the right to edit all named locations is enough for change and deletion", async () => {
    const id = await made(customer, { scope: { measIDs: [branchShop] } });
    expect((await read(branch, id)).body).toMatchObject({ mayEdit: true });
    expect((await change(branch, id, { name: "Our sale" })).body).toMatchObject({ name: "Our sale" });
    await change(customer, id, { scope: { measIDs: [branchShop, harbour] } });
    expect((await read(branch, id)).body).toMatchObject({ mayEdit: false, scope: { measIDs: [branchShop] } });
    expect((await change(branch, id, { name: "X" })).code).toBe(305);
    await change(customer, id, { scope: { measIDs: [branchShop] } });
    expect((await world.call(branch, "DELETE", `${path}/${id}`)).status).toBe(200);
  });

  test("who may edit only named locations can't change the event to others, or give it away", async () => {
    const id = await made(customer, { scope: { measIDs: [branchShop] } });
    expect((await change(branch, id, { scope: { tag: "outlet" } })).code).toBe(errorCode.noEdit);
    expect((await change(branch, id, { scope: { measIDs: [harbour] } })).code).toBe(105);
    expect((await change(branch, id, { owner: viewer.id })).code).toBe(103);
    const theirs = await made(branch, { scope: { measIDs: [branchShop] } });
    const refused = await change(branch, theirs, { owner: customer.id });
    expect([refused.code, refused.at("details.reason")]).toEqual([302, "You can't edit the events of Harbour Stores."]);
    await hide(id, theirs);
  });

  test("an event for an account belongs to that account; a hand-over changes its scope", async () => {
    const id = await made(customer, { scope: { owner: branch.id } });
    expect((await read(branch, id)).body).toMatchObject({ owner: { _id: branch.id }, scope: { owner: branch.id } });
    expect((await change(customer, id, { owner: customer.id })).body).toMatchObject({ scope: { owner: customer.id } });
    expect((await change(branch, id, { name: "X" })).code).toBe(305);
    await hide(id);
  });
});

describe("visibility", () => {
  test("a branch sees the events of accounts above that apply to a location of its own, and no others", async () => {
    const all = await made(customer, { name: "All", scope: { owner: customer.id } });
    const tagged = await made(customer, { name: "Tagged", scope: { tag: "OUTLET" } });
    const otherTag = await made(customer, { name: "Other tag", scope: { tag: "Out" } });
    const named = await made(customer, { name: "Named", scope: { measIDs: [branchShop, mall] } });
    const elsewhere = await made(customer, { name: "Elsewhere", scope: { measIDs: [mall] } });
    const foreign = await made(stranger, { name: "Foreign", scope: { tag: "Outlet" } });
    expect(new Set(await listed(branch))).toEqual(new Set([all, tagged, named]));
    expect((await read(branch, named)).body).toMatchObject({ locations: [{ _id: branchShop, name: "Branch Shop" }] });
    for (const id of [otherTag, elsewhere, foreign]) expect((await read(branch, id)).code).toBe(105);
    expect(new Set(await listed(customer, `measID=${branchShop}`))).toEqual(new Set([all, tagged, named]));
    expect(new Set(await listed(customer, `measID=${mall}`))).toEqual(new Set([all, named, elsewhere]));
    expect(await listed(branch, `measID=${mall}`)).toEqual([]);
    await hide(all, tagged, otherTag, named, elsewhere, foreign);
  });

  test("a location that is handed over to a stranger takes no event with it, and finds them on its return", async () => {
    const shop = await location(customer, "Moving Shop", ["Moving"]);
    const ids = [
      await made(customer, { scope: { measIDs: [shop] } }),
      await made(customer, { scope: { tag: "moving" } }),
      await made(customer, { scope: { owner: customer.id } }),
    ];
    const move = (who: Person, owner: string) =>
      world.call(who, "PUT", `/api/measurement/${shop}`, { body: { owner } });
    expect(new Set(await listed(customer, `measID=${shop}`))).toEqual(new Set(ids));
    expect((await move(world.root, stranger.id)).status).toBe(200);
    expect(await listed(stranger)).toEqual([]);
    expect(await listed(customer, `measID=${shop}`)).toEqual([]);
    expect((await read(customer, ids[0] ?? "")).body).toMatchObject({ scope: { measIDs: [] }, mayEdit: true });
    expect((await move(world.root, branch.id)).status).toBe(200);
    expect(new Set(await listed(branch))).toEqual(new Set(ids));
    await world.call(world.root, "DELETE", `/api/measurement/${shop}`);
    expect(await listed(customer, `measID=${shop}`)).toEqual([]);
    await hide(...ids);
  });

  test("events of a deleted account apply to nothing, and stay with those who may view its objects", async () => {
    const closing = await world.account("Closing", customer, fullPermissions);
    const shop = await location(closing, "Closing Shop");
    const id = await made(closing, { scope: { measIDs: [shop] } });
    expect(await listed(customer, `measID=${shop}`)).toEqual([id]);
    expect((await world.call(customer, "DELETE", `/api/account/${closing.id}`)).status).toBe(200);
    expect(await listed(customer, `measID=${shop}`)).toEqual([]);
    expect((await read(customer, id)).body).toMatchObject({ owner: { isDeleted: true } });
    await hide(id);
  });

  test("live messages reach viewers of the owner with the fields that they may see, and no one else", async () => {
    const [seen, unseen] = [await world.live(viewer), await world.live(stranger)];
    const id = await made(customer, { scope: { measIDs: [harbour, branchShop] } });
    expect((await seen.heard("event", "create", id)).obj).toMatchObject({
      locations: [{ _id: harbour, name: "Harbour Shop" }],
      mayEdit: false,
    });
    await hide(id);
    await seen.heard("event", "delete", id);
    const theirs = await made(stranger, { scope: { tag: "x" } });
    await unseen.heard("event", "create", theirs);
    expect(JSON.stringify(unseen)).not.toContain(id);
    await hide(theirs);
  });
});

describe("list", () => {
  test("filters by overlapping days, name and owner, sorts, pages and counts", async () => {
    const ids: string[] = [];
    for (const [name, from, to] of [
      ["Été", "2025-07-01", "2025-07-31"],
      ["Autumn", "2025-09-01", "2025-09-02"],
      ["Year", "2025-01-01", "2026-01-01"],
    ])
      ids.push(await made(customer, { name, from, to, scope: { tag: "x" } }));
    const [summer, autumn, year] = ids;
    expect(await listed(customer)).toEqual([autumn, summer, year]);
    expect(await listed(customer, "sortBy=name")).toEqual([autumn, summer, year]);
    expect(await listed(customer, "sortBy=-to")).toEqual([year, autumn, summer]);
    expect(await listed(customer, "name=ete")).toEqual([summer]);
    expect(await listed(customer, "from=2025-07-31&to=2025-08-31")).toEqual([summer, year]);
    expect(await listed(customer, "from=2025-09-03")).toEqual([year]);
    expect(await listed(customer, "from=2026-01-02")).toEqual([]);
    expect(await listed(customer, "to=2024-12-31")).toEqual([]);
    expect(await listed(customer, `ownerID=${branch.id}`)).toEqual([]);
    const page = await world.call(customer, "GET", `${path}?limit=1&skip=1&includeTotals=true`);
    expect(page.body).toMatchObject({ objects: [{ _id: summer }], total: 3 } satisfies JsonObject);
    for (const query of ["from=2025-02-30", "limit=0", "sortBy=tag", "tag=x"])
      expect((await world.call(customer, "GET", `${path}?${query}`)).status, query).toBe(400);
    await hide(...ids);
  });

  test("an account owns at most 5,000 events, counting neither deleted ones nor those of others", async () => {
    const keeper = await world.account("Keeper", customer, fullPermissions);
    await sql`
      insert into event (id, owner_id, owner_path, name, first_day, last_day, scope_kind, tag)
      select gen_random_uuid(), ${keeper.id}, ${keeper.path}, 'Sale', 20000, 20000, 'tag', 'x'
      from generate_series(1, ${maxEventsPerOwner - 1}::int)`.execute(world.ctx.db);
    const last = await made(keeper, { scope: { tag: "x" } });
    const refused = await create(keeper, { name: "One more", ...week, scope: { tag: "x" } });
    expect([refused.code, refused.at("details.reason")]).toEqual([102, "An account can own at most 5,000 events."]);
    const other = await made(customer, { scope: { tag: "x" } });
    expect((await change(customer, other, { owner: keeper.id })).code).toBe(102);
    await hide(last);
    expect((await change(customer, other, { owner: keeper.id })).status).toBe(200);
    await sql`delete from event where owner_id = ${keeper.id}`.execute(world.ctx.db);
  });
});
