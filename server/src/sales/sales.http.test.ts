// Sales of one location over HTTP: entries, limits, replacement, rights, and what remains after a hand-over (docs/rules/sales.md).
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getCounts } from "@psp/contract/counts/counts.api.ts";
import { captureSnapshot } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

let world: World;
let owner: Person;
let viewer: Person;
let stranger: Person;
beforeAll(async () => {
  world = await createWorld();
  owner = await world.account("Owner", world.root, fullPermissions);
  const view = { canViewObject: { me: true, relativeAncestorLevel: 1 } };
  viewer = await world.account("Viewer", owner, { ownable: { measurement: view } });
  stranger = await world.account("Stranger", world.root, fullPermissions);
});
afterAll(() => world.stop());

const hour = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

async function shop(timezone: string | null = "Europe/Berlin", by = owner): Promise<string> {
  const { id } = await world.call(by, "POST", "/api/measurement", { body: { name: "Shop", owner: by.id } });
  await world.ctx.db.updateTable("location").set({ timezone }).where("id", "=", id).execute();
  return id;
}

const sale = (start: number | string, end: number | string, more: JsonObject = {}): JsonObject => ({
  start: typeof start === "number" ? iso(start) : start,
  end: typeof end === "number" ? iso(end) : end,
  transactions: 10,
  revenue: 100,
  currency: "EUR",
  ...more,
});
const put = (id: string, body: unknown, who: Person | null = owner, headers = {}) =>
  world.call(who, "PUT", `/api/measurement/${id}/sales`, { body, headers });
const list = async (id: string, query = "", who = owner) =>
  (await world.call(who, "GET", `/api/measurement/${id}/sales?${query}`)).list;
const remove = (id: string, from: string, to: string, who = owner) =>
  world.call(who, "DELETE", `/api/measurement/${id}/sales?from=${from}&to=${to}`);

function refusal(reply: Awaited<ReturnType<typeof put>>) {
  return [reply.status, reply.code, reply.at("details.field")];
}

describe("entries", () => {
  test("are stored once, replaced by the same start, and listed from the latest", async () => {
    const id = await shop();
    const at = Date.UTC(2026, 4, 4, 8);
    const entries = [sale(at, at + hour, { staffHours: 2.25 }), sale(at + hour, at + 2 * hour, { revenue: -0.125 })];
    expect((await put(id, entries)).body).toEqual({ stored: 2, replaced: 0, unchanged: 0 });
    expect((await put(id, entries)).body).toEqual({ stored: 0, replaced: 0, unchanged: 2 });
    const changed = [{ ...entries[0], transactions: 11 }, entries[1], sale(at + 2 * hour, at + 3 * hour)];
    expect((await put(id, changed)).body).toEqual({ stored: 1, replaced: 1, unchanged: 1 });
    const listed = await world.call(owner, "GET", `/api/measurement/${id}/sales?includeTotals=true&skip=1&limit=5`);
    expect(listed.body).toEqual({
      total: 3,
      objects: [
        { ...entries[1], period: "hour", staffHours: null },
        { ...entries[0], transactions: 11, period: "hour", staffHours: 2.25 },
      ],
    });
    expect(await list(id, `from=${iso(at)}&to=${iso(at + hour)}`)).toHaveLength(1);
    const trail = await world.trail(id);
    expect(trail.map(({ action }) => action)).toEqual(["create", "storeSales", "storeSales"]);
    expect(trail.at(-1)?.after).toEqual({
      stored: 1,
      replaced: 1,
      unchanged: 0,
      from: iso(at),
      to: iso(at + 3 * hour),
    });
  });

  test("10,000 in a call are stored; 10,001 are refused with the limit", async () => {
    const id = await shop("UTC");
    const from = Date.UTC(2020, 0, 1);
    const many = Array.from({ length: 10_001 }, (_, n) => sale(from + n * hour, from + (n + 1) * hour));
    const refused = await put(id, many);
    expect(refusal(refused)).toEqual([400, 102, ""]);
    expect(refused.at("details.reason")).toContain("10000");
    expect((await put(id, many.slice(0, 10_000))).body).toEqual({ stored: 10_000, replaced: 0, unchanged: 0 });
    expect((await put(id, many.slice(1))).body).toEqual({ stored: 1, replaced: 0, unchanged: 9999 });
    expect((await put(id, [])).body).toEqual({ stored: 0, replaced: 0, unchanged: 0 });
  });

  test.each([
    ["Europe/Berlin", Date.UTC(2026, 2, 29), Date.UTC(2026, 9, 25)],
    ["America/St_Johns", Date.UTC(2026, 2, 8), Date.UTC(2026, 10, 1)],
    ["Australia/Lord_Howe", Date.UTC(2026, 9, 4), Date.UTC(2026, 3, 5)],
  ])("days of both clock changes, and each of their hours, in %s", async (name, ...days) => {
    for (const local of days) {
      const zone = zoneOf(name);
      const [start, end] = [zone.dayStart(local / (24 * hour)), zone.dayStart(local / (24 * hour) + 1)];
      expect(end - start).not.toBe(24 * hour);
      const id = await shop(name);
      expect((await put(id, [sale(start, end)])).body).toMatchObject({ stored: 1 });
      expect(refusal(await put(id, [sale(start, start + 24 * hour)]))).toEqual([400, 102, "0.start"]);
      const hours: JsonObject[] = [];
      for (let at = start; at < end;) {
        const { offsetMs, to } = zone.spanAt(at);
        const next = Math.min((Math.floor((at + offsetMs) / hour) + 1) * hour - offsetMs, to);
        hours.push(sale(at, next));
        at = next;
      }
      expect((await remove(id, iso(start), iso(end))).body).toEqual({ deleted: 1 });
      expect((await put(id, hours)).body).toMatchObject({ stored: hours.length });
    }
  });

  test.each<[string, JsonObject | ((at: number) => JsonObject), unknown[]]>([
    ["half an hour", (at) => sale(at, at + hour / 2), [400, 102, "0.start"]],
    ["two hours", (at) => sale(at, at + 2 * hour), [400, 102, "0.start"]],
    ["an hour that begins at half past", (at) => sale(at + hour / 2, at + 1.5 * hour), [400, 102, "0.start"]],
    ["a UTC day", sale("2026-05-04T00:00:00Z", "2026-05-05T00:00:00Z"), [400, 102, "0.start"]],
    ["an end before the start", (at) => sale(at, at - hour), [400, 102, "0.start"]],
    ["no length", (at) => sale(at, at), [400, 102, "0.start"]],
    ["a time before 2000", sale("1999-12-31T10:00:00Z", "1999-12-31T11:00:00Z"), [400, 102, "0.start"]],
    ["a time without offset", sale("2026-05-04T10:00:00", "2026-05-04T11:00:00Z"), [400, 102, "0.start"]],
    ["negative transactions", (at) => sale(at, at + hour, { transactions: -1 }), [400, 102, "0.transactions"]],
    ["half a transaction", (at) => sale(at, at + hour, { transactions: 1.5 }), [400, 102, "0.transactions"]],
    ["a million and one", (at) => sale(at, at + hour, { transactions: 1_000_001 }), [400, 102, "0.transactions"]],
    ["text as number", (at) => sale(at, at + hour, { transactions: "10" }), [400, 402, "0.transactions"]],
    ["four decimal places", (at) => sale(at, at + hour, { revenue: 0.0001 }), [400, 102, "0.revenue"]],
    ["a billion", (at) => sale(at, at + hour, { revenue: 1e9 }), [400, 102, "0.revenue"]],
    ["minus a billion", (at) => sale(at, at + hour, { revenue: -1e9 }), [400, 102, "0.revenue"]],
    ["an unknown currency", (at) => sale(at, at + hour, { currency: "QQQ" }), [400, 102, "0.currency"]],
    ["a currency in lower case", (at) => sale(at, at + hour, { currency: "eur" }), [400, 102, "0.currency"]],
    ["a heavy currency", (at) => sale(at, at + hour, { currency: "E".repeat(1e5) }), [400, 102, "0.currency"]],
    ["negative hours", (at) => sale(at, at + hour, { staffHours: -1 }), [400, 102, "0.staffHours"]],
    ["no currency", (at) => ({ ...sale(at, at + hour), currency: undefined }), [400, 104, "0.currency"]],
    ["an unknown field", (at) => sale(at, at + hour, { shop: 1 }), [400, 402, "0.shop"]],
  ])("%s is refused and nothing is stored", async (_, wrong, expected) => {
    const id = await shop();
    const at = Date.UTC(2026, 4, 4, 8);
    const before = await captureSnapshot(world.ctx.db);
    const entry = typeof wrong === "function" ? wrong(at) : wrong;
    expect(refusal(await put(id, [entry, sale(at + 5 * hour, at + 6 * hour)]))).toEqual(expected);
    expect(await captureSnapshot(world.ctx.db)).toEqual(before);
  });

  test("bodies that are no list are refused", async () => {
    const id = await shop();
    for (const body of [{}, { entries: [] }, "7", '"text"', "null", "[7]", '[["x"]]', "[null]"])
      expect((await put(id, body)).code, JSON.stringify(body)).toBe(402);
    for (const body of ["[", "[{]", "[],"]) expect((await put(id, body)).code, body).toBe(102);
    expect((await put(id, `[{"__proto__":{"start":1}}]`)).code).toBe(104);
  });

  test("the first and last allowed values are stored exactly", async () => {
    const id = await shop();
    const at = Date.UTC(2026, 4, 4, 8);
    const limits = [
      sale(at, at + hour, { transactions: 0, revenue: -999_999_999.999, staffHours: 0 }),
      sale(at + hour, at + 2 * hour, { transactions: 1_000_000, revenue: 999_999_999.999, staffHours: 10_000 }),
      sale(at + 2 * hour, at + 3 * hour, { revenue: 0.1 }),
      sale(at + 3 * hour, at + 4 * hour, { revenue: 0.2 }),
    ];
    expect((await put(id, limits)).body).toMatchObject({ stored: 4 });
    expect(await list(id)).toMatchObject(limits.toReversed());
    expect((await totalOf(id, at))?.revenue).toMatchObject([{ currency: "EUR", amount: 0.3 }]);
  });

  test("an entry may start one day from now, and not later", async () => {
    const id = await shop("UTC");
    const next = (Math.floor(world.ctx.clock.now() / hour) + 24) * hour;
    expect((await put(id, [sale(next, next + hour)])).body).toMatchObject({ stored: 1 });
    const later = next + 2 * hour;
    expect(refusal(await put(id, [sale(later, later + hour)]))).toEqual([400, 102, "0.start"]);
  });

  test("duplicate starts and overlaps in a call name the index", async () => {
    const id = await shop("UTC");
    const day = Date.UTC(2026, 4, 4);
    const one = sale(day + 8 * hour, day + 9 * hour);
    const twice = await put(id, [sale(day, day + hour), one, { ...one, transactions: 3 }]);
    expect([...refusal(twice), twice.at("details.index")]).toEqual([400, 102, "2.start", 2]);
    expect(twice.at("details.reason")).toMatch(/^Duplicate starts/);
    const offset = { ...one, start: "2026-05-04T10:00:00+02:00" };
    expect(refusal(await put(id, [one, offset]))).toEqual([400, 102, "1.start"]);
    expect(refusal(await put(id, [one, sale(day, day + 24 * hour)]))).toEqual([400, 102, "1.start"]);
    expect(await list(id)).toEqual([]);
  });

  test("a day replaces its hours; an hour never cuts a stored day (409)", async () => {
    const id = await shop("UTC");
    const day = Date.UTC(2026, 4, 4);
    const hours = [0, 9, 23].map((n) => sale(day + n * hour, day + (n + 1) * hour));
    const [next] = [sale(day + 24 * hour, day + 25 * hour)];
    await put(id, [...hours, next]);
    expect((await put(id, [sale(day, day + 24 * hour)])).body).toEqual({ stored: 0, replaced: 1, unchanged: 0 });
    expect((await list(id)).map(({ period }) => period)).toEqual(["hour", "day"]);
    for (const entry of hours) {
      const refused = await put(id, [next, entry]);
      expect(refusal(refused)).toEqual([409, 102, "1.start"]);
      expect(refused.at("details.reason")).toContain("the day 2026-05-04");
    }
    expect((await remove(id, iso(day), iso(day + 24 * hour))).body).toEqual({ deleted: 1 });
    expect((await put(id, hours)).body).toMatchObject({ stored: 3 });
  });

  test("a second currency is stored, and never added to the first", async () => {
    const id = await shop("UTC");
    const day = Date.UTC(2026, 4, 4);
    await put(id, [sale(day, day + hour), sale(day + hour, day + 2 * hour, { currency: "CHF", revenue: 7.5 })]);
    expect(await totalOf(id, day)).toMatchObject({ transactions: 20, staffHours: null, conversion: null, days: 1 });
    expect((await totalOf(id, day))?.revenue).toEqual([
      { currency: "CHF", amount: 7.5, perVisitor: null },
      { currency: "EUR", amount: 100, perVisitor: null },
    ]);
  });

  test("the same idempotency key stores once; an old If-Match is refused", async () => {
    const id = await shop("UTC");
    const day = Date.UTC(2026, 4, 4);
    const key = { "idempotency-key": "night-1" };
    const first = await put(id, [sale(day, day + hour)], owner, key);
    expect((await put(id, [sale(day, day + hour)], owner, key)).body).toEqual(first.body);
    expect((await put(id, [sale(day, day + hour)], owner, { "if-match": "7" })).status).toBe(412);
  });
});

/** The sales of one day on the counts page. */
async function totalOf(id: string, day: number, who = owner) {
  const date = iso(day).slice(0, 10);
  const answer = await world.call(who, "GET", `/api/v2/counts?filter=meas:${id}&range=${date},${date}`);
  return getCounts.reply.parse(answer.body).sales?.total;
}

describe("rights", () => {
  const at = Date.UTC(2026, 4, 4, 8);

  test("only who may edit the location reads, writes and deletes its sales", async () => {
    const id = await shop("UTC");
    await put(id, [sale(at, at + hour)]);
    const before = await captureSnapshot(world.ctx.db);
    const range = `from=${iso(at)}&to=${iso(at + hour)}`;
    for (const [who, code] of [
      [viewer, 305],
      [stranger, 105],
      [null, 106],
    ] as const) {
      const answers = await Promise.all([
        put(id, [sale(at, at + hour)], who),
        put(id, "[", who),
        world.call(who, "GET", `/api/measurement/${id}/sales`),
        world.call(who, "GET", `/api/measurement/${id}/sales?planet=Mars`),
        world.call(who, "DELETE", `/api/measurement/${id}/sales?${range}`),
      ]);
      expect(answers.map((answer) => answer.code)).toEqual([code, code, code, code, code]);
    }
    expect(await captureSnapshot(world.ctx.db)).toEqual(before);
    const missing = "0190a000-0000-7000-8000-ffffffffffff";
    expect((await put(missing, [sale(at, at + hour)])).code).toBe(105);
    await world.call(owner, "DELETE", `/api/measurement/${id}`);
    expect((await put(id, [sale(at, at + hour)])).code).toBe(105);
  });

  test("the audit log has no amounts, because viewers of the location read it", async () => {
    const id = await shop("UTC");
    await put(id, [sale(at, at + hour, { revenue: 98_765.432, transactions: 4711 })]);
    const log = await world.call(owner, "GET", `/api/v2/audit?objectID=${id}&objectType=measurement`);
    expect(JSON.stringify(log.body)).toContain("storeSales");
    expect(JSON.stringify(log.body)).not.toMatch(/98765|4711/);
  });

  test("after a hand-over neither owner sees the sales of the other; an account above both sees both", async () => {
    const id = await shop("UTC");
    const [chain, north] = [owner, await world.account("North", owner, fullPermissions)];
    const south = await world.account("South", owner, fullPermissions);
    const give = (to: Person, by: Person = chain) =>
      world.call(by, "PUT", `/api/measurement/${id}`, { body: { owner: to.id } });
    await give(north);
    await put(id, [sale(at, at + hour), sale(at + hour, at + 2 * hour)], north);
    await give(south);
    expect((await world.call(north, "GET", `/api/measurement/${id}/sales`)).code).toBe(105);
    expect(await list(id, "", south)).toEqual([]);
    expect(await list(id, "", chain)).toHaveLength(2);
    // The new owner may store the same hours; those who see both read the later one only.
    expect((await put(id, [sale(at, at + hour, { transactions: 5 })], south)).body).toMatchObject({ stored: 1 });
    expect((await list(id, "", chain)).map(({ transactions }) => transactions)).toEqual([10, 5]);
    expect((await totalOf(id, at, chain))?.transactions).toBe(15);
    expect((await totalOf(id, at, south))?.transactions).toBe(5);
    expect((await remove(id, iso(at), iso(at + 24 * hour), south)).body).toEqual({ deleted: 1 });
    await give(north);
    expect((await list(id, "", north)).map(({ transactions }) => transactions)).toEqual([10, 10]);
    // Given to a stranger and back, the entries are still there.
    await world.call(world.root, "PUT", `/api/measurement/${id}`, { body: { owner: stranger.id } });
    expect((await world.call(chain, "GET", `/api/measurement/${id}/sales`)).code).toBe(105);
    expect(await list(id, "", stranger)).toEqual([]);
    expect((await put(id, [sale(at, at + 24 * hour)].slice(1), stranger)).status).toBe(200);
    await world.call(world.root, "PUT", `/api/measurement/${id}`, { body: { owner: north.id } });
    expect(await list(id, "", north)).toHaveLength(2);
  });

  test("a day of the new owner hides the hours of the former one from those who see both, and back", async () => {
    const id = await shop("UTC");
    const day = Date.UTC(2026, 4, 5);
    const south = await world.account("South", owner, fullPermissions);
    await put(id, [sale(day, day + hour), sale(day + 30 * hour, day + 31 * hour)]);
    await world.call(owner, "PUT", `/api/measurement/${id}`, { body: { owner: south.id } });
    await put(id, [sale(day, day + 24 * hour)], south);
    expect((await list(id)).map(({ period }) => period)).toEqual(["hour", "day"]);
    await world.call(owner, "PUT", `/api/measurement/${id}`, { body: { owner: owner.id } });
    expect((await put(id, [sale(day, day + hour)])).body).toEqual({ stored: 0, replaced: 1, unchanged: 0 });
    expect((await list(id)).map(({ period }) => period)).toEqual(["hour", "hour"]);
    expect((await remove(id, iso(day), iso(day + 48 * hour))).body).toEqual({ deleted: 3 });
    expect(await list(id)).toEqual([]);
  });
});

test("an external id is stored, cleared, searched and audited", async () => {
  const body = { name: "Shop", owner: owner.id, externalID: "  Store-0815 " };
  const { id } = await world.call(owner, "POST", "/api/measurement", { body });
  const get = () => world.call(owner, "GET", `/api/measurement/${id}`);
  expect((await get()).at("externalID")).toBe("Store-0815");
  expect((await world.call(owner, "GET", "/api/v2/measurement?name=store-08")).list.map((row) => row["_id"])).toEqual([
    id,
  ]);
  const change = (externalID: unknown) => world.call(owner, "PUT", `/api/measurement/${id}`, { body: { externalID } });
  expect((await change("x".repeat(100))).status).toBe(200);
  expect((await change("x".repeat(101))).code).toBe(102);
  expect((await change("<b>")).code).toBe(400);
  expect((await change(7)).code).toBe(402);
  expect((await change("")).at("externalID")).toBeNull();
  expect((await change(null)).at("externalID")).toBeNull();
  expect((await world.trail(id)).map(({ after }) => (after as JsonObject)["externalID"])).toEqual([
    "Store-0815",
    "x".repeat(100),
    null,
    null,
  ]);
});
