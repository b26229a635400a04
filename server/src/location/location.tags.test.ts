// Tests tags over HTTP: spellings, batches that add, remove or replace them, and the undo (LO-01, LO-04).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { captureStatements, explainStatement } from "../testing/asked-statements.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

const clock = createStillClock();
let world: World;
let customer: Person;
let branch: Person;

beforeAll(async () => {
  world = await createWorld({ clock });
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  branch = await world.account("Harbour Branch", customer, fullPermissions);
});
afterAll(() => world.stop());

type Headers = Record<string, string>;
const update = (who: Person, body: JsonObject, headers: Headers = {}) =>
  world.call(who, "PUT", "/api/v2/measurement/batch-update", { body, headers });
const undo = (who: Person, undoIDs: unknown, headers: Headers = {}) =>
  world.call(who, "PUT", "/api/v2/measurement/batch-undo", { body: { undoIDs }, headers });

async function made(owner: Person, tags: string[], name = "Shop"): Promise<string> {
  const reply = await world.call(world.root, "POST", "/api/measurement", { body: { name, owner: owner.id, tags } });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}
async function tagsOf(id: string): Promise<string[]> {
  const { tags } = await world.ctx.db
    .selectFrom("location")
    .select("tags")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return tags;
}
const numbered = (n: number, word = "tag") => Array.from({ length: n }, (_, index) => `${word} ${index}`);
const actionsOf = async (id: string) => (await world.trail(id)).map(({ action }) => action);

test("LO-02 of two spellings of a tag the first is kept, alone and in a batch", async () => {
  const id = await made(customer, ["Café", "CAFE", "North", "cafe\u0301", "north ", "Straße", "STRASSE"]);
  expect(await tagsOf(id)).toEqual(["Café", "North", "Straße"]);
  const put = await world.call(customer, "PUT", `/api/measurement/${id}`, { body: { tags: ["b", "B", "a", "A"] } });
  expect(put.at("tags")).toEqual(["b", "a"]);
  await update(customer, { measIDs: [id], changes: { tags: { add: ["A", "C", "c"] } } });
  expect(await tagsOf(id)).toEqual(["b", "a", "C"]);
  await update(customer, { measIDs: [id], changes: { tags: { replace: ["X", "x", "a"] } } });
  expect(await tagsOf(id)).toEqual(["X", "a"]);
  await world.call(customer, "PUT", `/api/measurement/${id}`, { body: { tags: null } });
  expect(await tagsOf(id)).toEqual([]);
});

test("LO-04 a batch adds, removes or replaces the tags of each location, live and audited", async () => {
  const [a, b] = [await made(customer, ["Old", "North"]), await made(branch, ["north"])];
  const live = await world.live(customer);
  const moved = await update(customer, {
    measIDs: [a, b],
    changes: { tags: { add: ["NORTH", "Flagship"], remove: ["old"] } },
  });
  expect(moved.body).toEqual({ success: 2, fail: [], undoID: expect.any(String) });
  expect([await tagsOf(a), await tagsOf(b)]).toEqual([
    ["North", "Flagship"],
    ["north", "Flagship"],
  ]);
  expect((await live.heard("measurement", "update", b)).obj).toMatchObject({ tags: ["north", "Flagship"], version: 2 });
  expect((await world.trail(a)).at(-1)).toMatchObject({
    account_id: customer.id,
    action: "update",
    before: { tags: ["Old", "North"] },
    after: { tags: ["North", "Flagship"] },
  });
  await update(customer, { measQuery: { tagAny: ["flagship"], ids: [a, b] }, changes: { tags: { replace: [] } } });
  expect([await tagsOf(a), await tagsOf(b)]).toEqual([[], []]);
  const both = { owner: branch.id, tags: { add: ["Moved"] } };
  expect((await update(customer, { measIDs: [a], changes: both })).at("success")).toBe(1);
  const now = await world.call(branch, "GET", `/api/measurement/${a}`);
  expect(now.body).toMatchObject({ owner: { _id: branch.id }, tags: ["Moved"] });
});

test("LO-04 contradicting, empty or oversized tag changes refuse the whole batch", async () => {
  const id = await made(customer, ["Kept"]);
  const cases: [unknown, number][] = [
    [{}, 104],
    [{ add: [] }, 102],
    [{ remove: [] }, 102],
    [{ add: ["a"], replace: ["b"] }, 102],
    [{ remove: ["a"], replace: [] }, 102],
    [{ add: ["a", "Café"], remove: ["CAFE"] }, 102],
    [{ add: numbered(101) }, 102],
    [{ replace: numbered(101) }, 102],
    [{ add: ["x".repeat(101)] }, 102],
    [{ add: [""] }, 102],
    [{ add: ["a<b"] }, 400],
    [{ add: "a" }, 402],
    [["a"], 402],
    [null, 402],
    [{ append: ["a"] }, 402],
  ];
  for (const [tags, code] of cases)
    expect((await update(customer, { measIDs: [id], changes: { tags } })).code, JSON.stringify(tags)).toBe(code);
  expect(await actionsOf(id)).toEqual(["create"]);
  for (const ids of [undefined, [], [""], Array.from({ length: 21 }, String)])
    expect((await undo(customer, ids)).status, JSON.stringify(ids)).toBe(400);
});

test("LO-04 a location that would have more than 100 tags fails alone and keeps all of them", async () => {
  const [full, nearly] = [await made(customer, numbered(100)), await made(customer, numbered(99))];
  const changes = { tags: { add: ["Extra"] } };
  const reply = await update(customer, { measIDs: [full, nearly], changes: { ...changes, owner: branch.id } });
  expect(reply.body).toMatchObject({
    success: 1,
    fail: [{ id: full, details: { reason: "It would have 101 tags. A location can have at most 100." } }],
  });
  expect([await tagsOf(full), await tagsOf(nearly)]).toEqual([numbered(100), [...numbered(99), "Extra"]]);
  expect(await actionsOf(full)).toEqual(["create"]);
  const swapped = await update(customer, {
    measIDs: [full],
    changes: { tags: { ...changes.tags, remove: ["TAG 0"] } },
  });
  expect(swapped.at("success")).toBe(1);
  expect(await tagsOf(full)).toEqual([...numbered(100).slice(1), "Extra"]);
  expect((await update(customer, { measIDs: [full], changes: { tags: { add: ["extra"] } } })).at("success")).toBe(1);
});

test("LO-04 tags of locations that the caller can't edit or see stay, each with its reason", async () => {
  const viewer = await world.account("Viewer", customer, {
    owner: { canViewOwner: { me: true, relativeAncestorLevel: 1 } },
    ownable: { measurement: { canViewObject: { me: true, relativeAncestorLevel: 1 }, canEditObject: { me: true } } },
  });
  const stranger = await world.account("Other Customer", world.root, fullPermissions);
  const [own, seen, unseen] = [await made(viewer, []), await made(customer, ["a"]), await made(stranger, ["a"])];
  const { body } = await update(viewer, { measIDs: [own, seen, unseen], changes: { tags: { replace: ["b"] } } });
  expect(body).toMatchObject({
    success: 1,
    fail: [
      { id: seen, details: { reason: expect.stringContaining("whose locations you can't edit") } },
      { id: unseen, errMessage: "Not found." },
    ],
  });
  expect([await tagsOf(own), await tagsOf(seen), await tagsOf(unseen)]).toEqual([["b"], ["a"], ["a"]]);
});

test("LO-04 undo gives each location its former tags back, but only to the account that changed them", async () => {
  const [a, b, c] = [await made(customer, ["Old", "North"]), await made(customer, []), await made(customer, ["X"])];
  const changes = { tags: { add: ["x", "New"], remove: ["old"] } };
  const first = await update(customer, { measIDs: [a, b], changes });
  const second = await update(customer, { measIDs: [c], changes });
  const ids = [first.at("undoID"), second.at("undoID")];
  expect((await undo(branch, ids)).body).toEqual({ success: 0, fail: [] });
  expect((await undo(world.root, ids)).body).toEqual({ success: 0, fail: [] });
  expect((await undo(customer, ["no such batch"])).body).toEqual({ success: 0, fail: [] });
  expect(await tagsOf(a)).toEqual(["North", "x", "New"]);
  const key = { "idempotency-key": "undo once" };
  expect((await undo(customer, ids, key)).body).toEqual({ success: 3, fail: [] });
  expect((await undo(customer, ids, key)).body).toEqual({ success: 3, fail: [] });
  expect([await tagsOf(a), await tagsOf(b), await tagsOf(c)]).toEqual([["Old", "North"], [], ["X"]]);
  expect((await world.trail(a)).at(-1)).toMatchObject({
    before: { tags: ["North", "x", "New"] },
    after: { tags: ["Old", "North"] },
  });
  const late = await undo(customer, ids);
  expect(late.at("success")).toBe(0);
  expect(late.at("fail")).toEqual([a, b, c].toSorted().map((id) => ({ id, errMessage: "Changed meanwhile." })));
});

test("LO-04 undo leaves out later changes, unchanged locations, lost rights and batches older than an hour", async () => {
  const editor = await world.account("Editor", customer, fullPermissions);
  const [a, b, same, lost] = [
    await made(editor, ["a"]),
    await made(editor, ["b"]),
    await made(editor, ["new"]),
    await made(editor, ["d"]),
  ];
  const reply = await update(editor, { measIDs: [a, b, same, lost], changes: { tags: { add: ["New"] } } });
  const ids = [reply.at("undoID")];
  await world.call(customer, "PUT", `/api/measurement/${a}`, { body: { tags: ["later"] } });
  await world.call(customer, "PUT", `/api/measurement/${b}`, { body: { name: "Renamed" } });
  await world.call(customer, "PUT", `/api/measurement/${lost}`, { body: { owner: branch.id } });
  const undone = await undo(editor, ids);
  expect(undone.at("success")).toBe(1);
  expect(
    new Map((undone.at("fail") as { id: string; errMessage: string }[]).map((one) => [one.id, one.errMessage])),
  ).toEqual(
    new Map([
      [a, "Changed meanwhile."],
      [lost, "Not found."],
    ]),
  );
  expect([await tagsOf(a), await tagsOf(b), await tagsOf(same), await tagsOf(lost)]).toEqual([
    ["later"],
    ["b"],
    ["new"],
    ["d", "New"],
  ]);
  const old = await update(editor, { measIDs: [b], changes: { tags: { add: ["New"] } } });
  clock.moveTo(clock.now() + 3_600_001);
  expect((await undo(editor, [old.at("undoID")])).body).toEqual({ success: 0, fail: [] });
  expect(await tagsOf(b)).toEqual(["b", "New"]);
});

test("LO-04 one undo covers all parts of a batch that a repeat had to finish", async () => {
  const owner = await world.account("Broken off", world.root, fullPermissions);
  const { rows } = await sql<{ id: string }>`insert into location (id, owner_id, owner_path, name, tags)
    select gen_random_uuid(), ${owner.id}::uuid, ${owner.path}, 'Shop', array['Tag ' || n] from generate_series(1, 250) n
    returning id`.execute(world.ctx.db);
  const ids = rows.map(({ id }) => id).toSorted();
  // Makes the second part fail, as if the server had crashed.
  await sql`create function refuse_tags() returns trigger language plpgsql as $$ begin raise exception 'gone'; end $$`.execute(
    world.ctx.db,
  );
  await sql`create trigger refuse_tags before update on location for each row
    when (old.id = ${sql.lit(ids[220])}::uuid) execute function refuse_tags()`.execute(world.ctx.db);
  const body = { measIDs: ids, changes: { tags: { replace: ["All"] } } };
  const key = { "idempotency-key": "broken tags" };
  expect((await update(owner, body, key)).status).toBe(500);
  await sql`drop trigger refuse_tags on location`.execute(world.ctx.db);
  await sql`drop function refuse_tags`.execute(world.ctx.db);
  const done = await update(owner, body, key);
  expect(done.body).toEqual({ success: 250, fail: [], undoID: expect.any(String) });
  expect((await update(owner, body, key)).body).toEqual(done.body);
  const tagged = async () =>
    (await world.call(owner, "GET", "/api/v2/measurement?tag=all&includeTotals=true")).at("total");
  expect(await tagged()).toBe(250);
  expect((await undo(owner, [done.at("undoID")])).body).toEqual({ success: 250, fail: [] });
  expect(await tagged()).toBe(0);
  expect(new Set(await Promise.all(ids.slice(0, 5).map(tagsOf))).size).toBe(5);
});

test("LO-04 tags of thousands change and return with few statements, all by an index", { tags: "prove" }, async () => {
  const owner = await world.account("Thousands", world.root, fullPermissions);
  await sql`insert into location (id, owner_id, owner_path, name, tags)
    select gen_random_uuid(), ${owner.id}::uuid, ${owner.path}, 'Place ' || n, array['District ' || n % 50]
    from generate_series(1, 10000) n`.execute(world.ctx.db);
  await sql`vacuum (analyze) location`.execute(world.ctx.db);
  let undoID: unknown;
  const changing = await captureStatements(async () => {
    const body = { measQuery: { tag: ["DISTRICT 7"] }, expectedCount: 200, changes: { tags: { add: ["Pilot"] } } };
    const reply = await update(owner, body);
    expect(reply.at("success")).toBe(200);
    undoID = reply.at("undoID");
  });
  expect(changing.length).toBeLessThan(30);
  await sql`vacuum (analyze) audit`.execute(world.ctx.db);
  const undoing = await captureStatements(async () => {
    expect((await undo(owner, [undoID])).body).toEqual({ success: 200, fail: [] });
  });
  expect(undoing.length).toBeLessThan(30);
  const selecting = [...changing, ...undoing].filter(({ text }) =>
    /^\s*select[^]*\bfrom (location|audit)\b/.test(text),
  );
  expect(selecting.length).toBeGreaterThanOrEqual(4);
  for (const statement of selecting)
    expect(await explainStatement(world.ctx.db, statement), statement.text).not.toMatch(/Seq Scan on (location|audit)/);
});
