// Tests opening hours over HTTP: of a location, of many, defaults of accounts, inheritance, days and public holidays.
import { randomUUID } from "node:crypto";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { captureStatements } from "../testing/asked-statements.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

let world: World;
let customer: Person;
let branch: Person;
let viewer: Person;
let stranger: Person;

beforeAll(async () => {
  world = await createWorld({ clock: createStillClock() });
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  branch = await world.account("Harbour Branch", customer, fullPermissions);
  const upwards = { canViewObject: { me: true, relativeAncestorLevel: 1 } };
  viewer = await world.account("Viewer", customer, {
    owner: { canViewOwner: { me: true, relativeAncestorLevel: 1 } },
    ownable: { measurement: upwards },
  });
  stranger = await world.account("Other Customer", world.root, fullPermissions);
});
afterAll(() => world.stop());

const nowhere = "018f0000-0000-7000-8000-000000000000";
const closed = { mo: [], tu: [], we: [], th: [], fr: [], sa: [], su: [] };
const on = (from: string, to: string) => ({ from, to });
/** As stored: complete. */
const shop = {
  week: { ...closed, mo: [on("09:00", "20:00")], fr: [on("20:00", "02:00")] },
  exceptions: [{ date: "2024-12-24", hours: [on("09:00", "13:00")], name: "Christmas Eve" }],
  holidays: { country: "DE", region: "BE", closed: true },
};
const other = { week: { ...closed, su: [on("00:00", "24:00")] }, exceptions: [], holidays: null };

async function made(owner: Person, more: JsonObject = {}): Promise<string> {
  const reply = await world.call(world.root, "POST", "/api/measurement", {
    body: { name: "Shop", owner: owner.id, ...more },
  });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}
const change = (who: Person, id: string, body: JsonObject) =>
  world.call(who, "PUT", `/api/measurement/${id}`, { body });
const days = (who: Person, id: string, query = "from=2024-12-20&days=8") =>
  world.call(who, "GET", `/api/v2/measurement/${id}/opening-days?${query}`);
const setDefault = (who: Person, id: string, openingHours: unknown, headers: Record<string, string> = {}) =>
  world.call(who, "PUT", `/api/account/${id}/opening-hours`, { body: { openingHours }, headers });
const getDefault = (who: Person, id: string) => world.call(who, "GET", `/api/account/${id}/opening-hours`);
const batch = (who: Person, body: JsonObject) => world.call(who, "PUT", "/api/v2/measurement/batch-update", { body });

test("a location stores complete hours, in its audit log and live; null inherits again", async () => {
  const id = await made(customer);
  const live = await world.live(customer);
  const sent = { week: { mo: [on("09:00", "20:00")], tu: null, fr: [on("20:00", "02:00")] }, holidays: shop.holidays };
  const changed = await change(customer, id, {
    openingHours: {
      ...sent,
      exceptions: [{ date: "2024-12-24", hours: [on("09:00", "13:00")], name: "Christmas Eve" }],
    },
  });
  expect(changed.body).toMatchObject({ openingHours: shop, version: 2 });
  expect((await live.heard("measurement", "update", id)).obj).toMatchObject({ openingHours: shop });
  expect((await change(customer, id, { name: "Renamed" })).at("openingHours")).toEqual(shop);
  expect((await change(customer, id, { openingHours: null })).at("openingHours")).toBeNull();
  const trail = (await world.trail(id)).map(({ before, after }) =>
    [before, after].map((one) => (one as JsonObject | null)?.["openingHours"]),
  );
  expect(trail).toEqual([
    [undefined, null],
    [null, shop],
    [shop, shop],
    [shop, null],
  ]);
  const born = await world.call(customer, "POST", "/api/measurement", {
    body: { name: "Shop", owner: customer.id, openingHours: other },
  });
  expect(born.at("openingHours")).toEqual(other);
});

test("hours need the rights of other changes, and their errors name the field", async () => {
  const id = await made(customer);
  expect((await change(viewer, id, { openingHours: shop })).code).toBe(305);
  expect((await change(stranger, id, { openingHours: shop })).code).toBe(105);
  const week = (mo: unknown) => ({ openingHours: { week: { mo } } });
  const holidays = (country: string, region: string | null) => ({
    openingHours: { week: {}, holidays: { country, region, closed: true } },
  });
  const bad: [JsonObject, number, string][] = [
    [week([on("09:00", "12:00"), on("11:00", "13:00")]), 102, "openingHours.week.mo.1"],
    [week([on("9:00", "12:00")]), 102, "openingHours.week.mo.0.from"],
    [week([on("24:00", "12:00")]), 102, "openingHours.week.mo.0.from"],
    [week([{ from: "09:00" }]), 104, "openingHours.week.mo.0.to"],
    [week([{ ...on("09:00", "10:00"), note: "x" }]), 402, "openingHours.week.mo.0.note"],
    [
      { openingHours: { week: {}, exceptions: [{ date: "2024-12-24", hours: null, name: "<b>" }] } },
      400,
      "openingHours.exceptions.0.name",
    ],
    [
      { openingHours: { week: {}, exceptions: [{ date: "2024-02-30", hours: null }] } },
      102,
      "openingHours.exceptions.0.date",
    ],
    [holidays("XX", null), 102, "openingHours.holidays.country"],
    [holidays("DE", "TX"), 102, "openingHours.holidays.region"],
    [holidays("DE", "__proto__"), 102, "openingHours.holidays.region"],
    [{ openingHours: {} }, 104, "openingHours.week"],
    [{ openingHours: "always" }, 402, "openingHours"],
  ];
  for (const [body, code, field] of bad) {
    const reply = await change(customer, id, body);
    expect([reply.code, reply.at("details.field")], JSON.stringify(body)).toEqual([code, field]);
  }
  expect((await change(customer, id, holidays("XX", null))).at("details.reason")).toBe(
    "There is no public holiday calendar for this country.",
  );
  expect((await world.call(customer, "GET", `/api/measurement/${id}`)).body).toMatchObject({
    openingHours: null,
    version: 1,
  });
});

test("the default of an account follows the account's rights, versions and audit log", async () => {
  expect((await getDefault(viewer, customer.id)).body).toMatchObject({ openingHours: null });
  expect((await getDefault(stranger, customer.id)).code).toBe(105);
  expect((await setDefault(viewer, customer.id, shop)).code).toBe(305);
  expect((await setDefault(stranger, customer.id, shop)).code).toBe(105);
  expect((await setDefault(customer, nowhere, shop)).code).toBe(105);
  const { version } = (await getDefault(customer, branch.id)).body as { version: number };
  const stale = await setDefault(customer, branch.id, shop, { "if-match": String(version + 1) });
  expect([stale.status, stale.code]).toEqual([412, 102]);
  const key = { "if-match": String(version), "idempotency-key": "hours" };
  const live = await world.live(customer);
  for (const reply of [
    await setDefault(customer, branch.id, shop, key),
    await setDefault(customer, branch.id, shop, key),
  ])
    expect(reply.body).toEqual({ openingHours: shop, version: version + 1 });
  await live.heard("account", "update", branch.id);
  expect((await getDefault(branch, branch.id)).body).toEqual({ openingHours: shop, version: version + 1 });
  const rows = (await world.trail(branch.id)).filter(({ action }) => action === "update");
  expect(rows).toMatchObject([
    { account_id: customer.id, before: { openingHours: null }, after: { openingHours: shop } },
  ]);
  const bad = await setDefault(customer, branch.id, { week: {}, holidays: { country: "XX", closed: true } });
  expect([bad.code, bad.at("details.field")]).toEqual([102, "openingHours.holidays.country"]);
  expect((await setDefault(branch, branch.id, null)).body).toMatchObject({ openingHours: null });
});

test("a location inherits only from its owner, so a hand-over changes what applies", async () => {
  const giver = await world.account("Giver", customer, fullPermissions);
  const taker = await world.account("Taker", giver, fullPermissions);
  const id = await made(giver);
  const always = await days(giver, id, "from=2024-12-20&days=1");
  expect(always.body).toEqual({
    hoursOf: null,
    openingHours: null,
    days: [{ date: "2024-12-20", source: "week", name: null, hours: [on("00:00", "24:00")] }],
  });
  expect((await setDefault(giver, giver.id, shop)).status).toBe(200);
  expect((await days(giver, id)).body).toMatchObject({ hoursOf: "account", openingHours: shop });
  expect((await change(customer, id, { owner: taker.id })).status).toBe(200);
  expect((await days(giver, id)).body).toMatchObject({ hoursOf: null, openingHours: null });
  expect((await setDefault(taker, taker.id, other)).status).toBe(200);
  expect((await days(giver, id)).body).toMatchObject({ hoursOf: "account", openingHours: other });
  expect((await change(customer, id, { openingHours: shop })).status).toBe(200);
  expect((await days(giver, id)).body).toMatchObject({ hoursOf: "location", openingHours: shop });
});

test("opening days name the exception or holiday that causes them", async () => {
  const id = await made(customer, { openingHours: shop });
  expect((await days(viewer, id)).at("days")).toEqual([
    { date: "2024-12-20", source: "week", name: null, hours: [on("20:00", "02:00")] },
    { date: "2024-12-21", source: "week", name: null, hours: [] },
    { date: "2024-12-22", source: "week", name: null, hours: [] },
    { date: "2024-12-23", source: "week", name: null, hours: [on("09:00", "20:00")] },
    { date: "2024-12-24", source: "exception", name: "Christmas Eve", hours: [on("09:00", "13:00")] },
    { date: "2024-12-25", source: "holiday", name: "Christmas Day", hours: [] },
    { date: "2024-12-26", source: "holiday", name: "Boxing Day", hours: [] },
    { date: "2024-12-27", source: "week", name: null, hours: [on("20:00", "02:00")] },
  ]);
  expect((await days(stranger, id)).code).toBe(105);
  for (const query of ["days=0", "days=401", "from=2024-13-01", "from=1999-12-31", "from=0000-01-01", "from=x"])
    expect((await days(customer, id, query)).code, query).toBe(102);
  expect((await days(customer, id, "from=2099-12-31&days=400")).at("days.399.date")).toBe("2101-02-03");
});

test("without a first day, opening days start today at the location", async () => {
  const place = (lng: number, lat: number) => ({ location: { geo: { type: "Point", coordinates: [lng, lat] } } });
  const [west, east] = [await made(customer, place(-157.86, 21.3)), await made(customer, place(-176.56, -43.95))];
  const first = async (id: string) => (await days(customer, id, "")).at("days.0.date");
  const today = new Date(world.ctx.clock.now());
  const local = (timeZone: string) => new Intl.DateTimeFormat("en-CA", { timeZone }).format(today);
  expect([await first(west), await first(east)]).toEqual([local("Pacific/Honolulu"), local("Pacific/Chatham")]);
});

test("public holidays are listed by country, region and year", async () => {
  const calendars = await world.call(viewer, "GET", "/api/v2/holidays/calendars");
  expect(calendars.list.find(({ country }) => country === "DE")).toMatchObject({
    name: "Germany",
    regions: expect.arrayContaining([{ region: "BE", name: "Berlin" }]),
  });
  const of = (query: string) => world.call(viewer, "GET", `/api/v2/holidays?${query}`);
  expect((await of("country=DE&region=BE&year=2026")).list).toContainEqual({
    date: "2026-03-08",
    name: "International Women's Day",
  });
  expect((await of("country=DE&year=2026")).list.map(({ date }) => date)).not.toContain("2026-03-08");
  for (const query of [
    "country=XX&year=2026",
    "country=DE&region=XX&year=2026",
    "country=DE&year=1999",
    "country=de&year=2026",
  ])
    expect((await of(query)).code, query).toBe(102);
  expect((await of("country=DE")).code).toBe(104);
  expect((await world.call(null, "GET", "/api/v2/holidays/calendars")).status).toBe(401);
});

test("LO-04 a batch sets hours for all locations with a tag in few statements, and null undoes it", async () => {
  const owner = await world.account("Many", world.root, fullPermissions);
  const ids = Array.from({ length: 600 }, () => randomUUID()).toSorted();
  await sql`insert into location (id, owner_id, owner_path, name, tags)
    select id, ${owner.id}::uuid, ${owner.path}, 'Shop', '{South}' from unnest(${ids}::uuid[]) id`.execute(
    world.ctx.db,
  );
  const apart = await made(owner, { openingHours: other });
  const south = { measQuery: { tag: ["south"] }, expectedCount: 600 };
  const stored = async () => {
    const { rows } = await sql<{ hours: unknown; n: number }>`select opening_hours as hours, count(*) as n from location
      where owner_id = ${owner.id} group by 1 order by 2`.execute(world.ctx.db);
    return rows.map(({ hours, n }) => [hours, n]);
  };
  const asked = await captureStatements(async () => {
    expect((await batch(owner, { ...south, changes: { openingHours: shop } })).body).toEqual({
      success: 600,
      fail: [],
      undoID: expect.any(String),
    });
  });
  expect(asked.length).toBeLessThan(60);
  expect(await stored()).toEqual([
    [other, 1],
    [shop, 600],
  ]);
  expect((await world.trail(ids[0] ?? "")).at(-1)).toMatchObject({
    before: { openingHours: null },
    after: { openingHours: shop },
  });
  // A batch of another field keeps the hours of each location.
  expect((await batch(owner, { measIDs: [ids[0], apart], changes: { owner: owner.id } })).at("success")).toBe(2);
  expect((await stored()).map(([, n]) => n)).toEqual([1, 600]);
  const back = await batch(owner, { measIDs: [...ids, apart], changes: { openingHours: null } });
  expect(back.at("success")).toBe(601);
  expect((await stored()).map(([hours, n]) => [hours, n])).toEqual([[null, 601]]);
  // One location is changed again, so its undo fails.
  expect((await change(owner, ids[5] ?? "", { openingHours: other })).status).toBe(200);
  const undone = await world.call(owner, "PUT", "/api/v2/measurement/batch-undo", {
    body: { undoIDs: [back.at("undoID")] },
  });
  expect(undone.body).toEqual({ success: 600, fail: [{ id: ids[5], errMessage: "Changed meanwhile." }] });
  expect(await stored()).toEqual([
    [other, 2],
    [shop, 599],
  ]);
});

test("LO-04 a batch of hours is authorized per location and refused as a whole for an unknown calendar", async () => {
  const [own, foreign] = [await made(branch), await made(stranger)];
  const editor = await world.account("Editor", customer, {
    ownable: { measurement: { canViewObject: { me: true, relativeAncestorLevel: 1 }, canEditObject: { me: true } } },
  });
  const [mine, theirs] = [await made(editor), await made(customer)];
  const reply = await batch(editor, { measIDs: [mine, theirs, foreign], changes: { openingHours: shop } });
  expect(reply.body).toMatchObject({ success: 1, fail: [{ id: theirs }, { id: foreign, errMessage: "Not found." }] });
  const unknown = { week: {}, holidays: { country: "DE", region: "XX", closed: true } };
  const refused = await batch(customer, { measIDs: [own], changes: { openingHours: unknown } });
  expect([refused.code, refused.at("details.field")]).toEqual([102, "openingHours.holidays.region"]);
  const overlap = { week: { su: [on("20:00", "03:00")], mo: [on("02:00", "04:00")] } };
  const wrong = await batch(customer, { measIDs: [own], changes: { openingHours: overlap } });
  expect([wrong.code, wrong.at("details.field")]).toEqual([102, "changes.openingHours.week.mo.0"]);
});
