// Tests the list of vehicles: its agreement with the feed, filters, sorting, totals, rights, plans, and the curve of a day.
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { captureStatements, explainStatement } from "../testing/asked-statements.ts";
import { groupValues, storeLevel } from "../testing/scenes/feed-scene.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

type Group = Parameters<typeof groupValues>[0];

const clock = createStillClock();
let world: World;
let last = 0;
beforeAll(async () => void (world = await createWorld({ clock })));
afterAll(() => world.stop());

const company = () => world.account(`Lines ${(last += 1)}`, world.root, fullPermissions);

async function coach(owner: Person, group: Group): Promise<string> {
  const id = toMac(0x0200_0001_0000 + (last += 1));
  await world.call(owner, "POST", "/api/sensor", { body: { _id: id, owner: owner.id, type: "ZOD" } });
  await place(id, groupValues(group));
  return id;
}

/** Stores the settings section of a sensor as it was read. */
async function place(id: string, values: unknown): Promise<void> {
  const answer = JSON.stringify({ rev: 1, values });
  await sql`insert into sensor_section (sensor_num, section, answer, read_at)
    select num, 'group', ${answer}::jsonb, ${clock.date()} from sensor where id = ${id}
    on conflict (sensor_num, section) do update set answer = excluded.answer`.execute(world.ctx.db);
}

async function say(id: string, people: Record<string, number>, pos: { lat: number; lng: number } | null = null) {
  const zones = Object.entries(people).map(([zone, n]) => ({ id: zone, n }));
  await storeLevel(world, { sensorId: id, zones, pos, at: clock.date() });
}

const pass = (minutes: number) => clock.moveTo(clock.now() + minutes * 60_000);

async function disconnect(id: string, minutesAgo: number): Promise<void> {
  const at = new Date(clock.now() - minutesAgo * 60_000);
  await world.ctx.db.updateTable("sensor").set({ is_connected: false, discon_at: at }).where("id", "=", id).execute();
}

async function list(who: Person, query = ""): Promise<{ objects: JsonObject[]; total: number }> {
  const reply = await world.call(who, "GET", `/api/v2/vehicle?includeTotals=true&${query}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body as { objects: JsonObject[]; total: number };
}
const idsOf = ({ objects }: { objects: JsonObject[] }) => objects.map(({ vehicleId }) => vehicleId);

test("a train has its coaches in order, its load, position and age", async () => {
  const owner = await company();
  const [rear, front] = [
    await coach(owner, { vehicleId: "t-1", sequence: 2 }),
    await coach(owner, { vehicleId: "t-1", sequence: 1 }),
  ];
  await say(front, { s1: 24 }, { lat: 50, lng: 9 });
  pass(1);
  await say(rear, { s1: 6 }, { lat: 0, lng: 0 });
  await world.call(owner, "PUT", `/api/sensor/${front}`, { body: { groups: ["entrance", "Line S1"] } });
  const { objects, total } = await list(owner);
  const at = clock.date().toISOString();
  const before = new Date(clock.now() - 60_000).toISOString();
  const load = (persons: number, seats: number, percent: number, seatsFree: number) => ({
    persons,
    seats,
    standing: seats / 2,
    percent,
    seatsFree,
  });
  expect(total).toBe(1);
  expect(objects).toEqual([
    {
      _id: `${owner.id}_t-1`,
      vehicleId: "t-1",
      owner: expect.objectContaining({ _id: owner.id }),
      line: "S1",
      state: "occupied",
      load: load(30, 40, 50, 10),
      position: { lat: 50, lng: 9, at: before },
      at,
      coaches: [
        { sensorIDs: [front], sequence: 1, name: "Coach 1", state: "occupied", load: load(24, 20, 80, 0), at: before },
        { sensorIDs: [rear], sequence: 2, name: "Coach 2", state: "occupied", load: load(6, 20, 20, 14), at },
      ],
    },
  ]);
  expect((await world.call(owner, "GET", `/api/v2/vehicle/${owner.id}_t-1`)).body).toEqual(objects[0]);
});

test("unknown, empty and out of service are three states, also as filters and in the order", async () => {
  const owner = await company();
  const [full, bare, silent, parked] = [
    await coach(owner, { vehicleId: "full" }),
    await coach(owner, { vehicleId: "bare" }),
    await coach(owner, { vehicleId: "silent" }),
    await coach(owner, { vehicleId: "parked" }),
  ];
  for (const one of [silent, parked]) await say(one, { s1: 3 });
  pass(5);
  await disconnect(parked, 60);
  await disconnect(silent, 59);
  await say(full, { s1: 30 });
  await say(bare, { s1: 0 });
  const states = async (query: string) =>
    (await list(owner, query)).objects.map(({ vehicleId, state }) => [vehicleId, state]);
  expect(await states("")).toEqual([
    ["bare", "empty"],
    ["full", "occupied"],
    ["parked", "outOfService"],
    ["silent", "unknown"],
  ]);
  for (const [state, id] of [
    ["occupied", "full"],
    ["empty", "bare"],
    ["unknown", "silent"],
    ["outOfService", "parked"],
  ] as const) {
    const found = await list(owner, `state=${state}`);
    expect([idsOf(found), found.total]).toEqual([[id], 1]);
  }
  expect(idsOf(await list(owner, "state=empty&state=unknown"))).toEqual(["bare", "silent"]);
  expect(idsOf(await list(owner, "sortBy=percent")).slice(0, 2)).toEqual(["bare", "full"]);
  expect(idsOf(await list(owner, "vehicleID=AR"))).toEqual(["bare", "parked"]);
  expect(idsOf(await list(owner, "vehicleID=%25"))).toEqual([]);
  const paged = await list(owner, "sortBy=-vehicleId&skip=1&limit=2");
  expect([idsOf(paged), paged.total]).toEqual([["parked", "full"], 4]);
  for (const wrong of ["state=full", "sortBy=owner", "limit=0", "planet=Mars"])
    expect((await world.call(owner, "GET", `/api/v2/vehicle?${wrong}`)).code, wrong).toBe(102);
});

test("the place of a coach follows its settings and is lost with a hand-over", async () => {
  const [owner, other] = [await company(), await company()];
  const id = await coach(owner, { vehicleId: "old" });
  await say(id, { s1: 3 });
  await place(id, groupValues({ vehicleId: "new", parts: [{ seats: 3, standing: 0 }] }));
  expect((await list(owner)).objects).toMatchObject([{ vehicleId: "new", load: { persons: 3, percent: 100 } }]);
  // A new division without the part that was seen.
  await place(id, { ...groupValues({ vehicleId: "new" }), sections: [{ id: "s9", seats: 3, standing: 0 }] });
  expect((await list(owner)).objects).toMatchObject([{ load: null, state: "unknown" }]);
  for (const vehicleId of ["", "x".repeat(65)]) {
    await place(id, groupValues({ vehicleId }));
    expect(await list(owner)).toEqual({ objects: [], total: 0 });
  }
  await place(id, groupValues({ vehicleId: "back" }));
  expect(idsOf(await list(owner))).toEqual(["back"]);
  const date = clock.date().toISOString().slice(0, 10);
  await world.call(world.root, "PUT", `/api/sensor/${id}`, { body: { owner: other.id } });
  expect(await list(owner)).toEqual({ objects: [], total: 0 });
  await place(id, groupValues({ vehicleId: "new" }));
  expect((await list(other)).objects).toMatchObject([{ vehicleId: "new", load: null, at: null }]);
  const day = await world.call(other, "GET", `/api/v2/vehicle/${other.id}_new/day?date=${date}`);
  expect((day.at("slots") as { load: unknown }[]).every(({ load }) => load === null)).toBe(true);
  expect((await world.call(other, "DELETE", `/api/sensor/${id}`)).status).toBe(200);
  expect(await list(other)).toEqual({ objects: [], total: 0 });
});

test("a viewer of one sub-account finds nothing of others: list, totals, filters, one, day", async () => {
  const owner = await company();
  const [branch, depot] = [
    await world.account("Branch", owner, fullPermissions),
    await world.account("Depot", owner, null),
  ];
  const scopeOf = (canViewObject: object): Permissions => ({ ownable: { sensor: { canViewObject } } });
  await coach(owner, { vehicleId: "shared" });
  await coach(branch, { vehicleId: "shared", sequence: 2 });
  const hidden = await coach(owner, { vehicleId: "hidden" });
  const { num } = await world.ctx.db
    .selectFrom("sensor")
    .select("num")
    .where("id", "=", hidden)
    .executeTakeFirstOrThrow();
  await world.ctx.db
    .updateTable("sensor")
    .set({ owner_id: depot.id, owner_path: depot.path })
    .where("num", "=", num)
    .execute();
  await place(hidden, groupValues({ vehicleId: "hidden" }));
  const all = [`${owner.id}_shared`, `${branch.id}_shared`, `${depot.id}_hidden`];
  for (const [scope, seen] of [
    [{ me: true, myChildren: true }, all],
    [{ me: true }, [all[0]]],
    [{ myChildren: true }, [all[1], all[2]]],
    [{ roles: [branch.roleId ?? ""] }, [all[1]]],
    [{}, []],
    [undefined, []],
  ] as const) {
    const permissions = scope === undefined ? {} : scopeOf(scope);
    await world.call(world.root, "PUT", `/api/role/${owner.roleId}`, { body: { permissions } });
    const expected = new Set(seen);
    for (const query of [
      "",
      "vehicleID=h",
      "state=unknown",
      "sortBy=-at",
      `ownerID=${[owner, branch, depot].map(({ id }) => id).join("&ownerID=")}`,
    ]) {
      const { objects, total } = await list(owner, query);
      expect(new Set(objects.map(({ _id }) => _id)), query).toEqual(expected);
      expect(total).toBe(seen.length);
    }
    for (const id of all)
      for (const path of [id, `${id}/day?date=2026-11-30`]) {
        const { status } = await world.call(owner, "GET", `/api/v2/vehicle/${path}`);
        expect(status).toBe(expected.has(id) ? 200 : 404);
      }
  }
  // Coaches of two owners are two vehicles, each with a position whose sensor the other one has.
  await world.call(world.root, "PUT", `/api/role/${owner.roleId}`, {
    body: { permissions: scopeOf({ myChildren: true }) },
  });
  const { objects } = await list(owner, "vehicleID=shared");
  expect(objects).toMatchObject([{ coaches: [{ sensorIDs: [], state: "unknown" }, { sequence: 2 }], load: null }]);
});

test("the list agrees with the feed's rules for random coaches", async () => {
  const owner = await company();
  const part = fc.record({
    seats: fc.oneof(fc.nat(30), fc.constantFrom<unknown>(-1, 0.5, null, "3")),
    standing: fc.nat(20),
    seen: fc.option(fc.nat(60), { freq: 8 }),
  });
  const one = fc.record({
    vehicle: fc.nat(12),
    sequence: fc.oneof(fc.integer({ min: 1, max: 2 }), fc.constantFrom<unknown>(0, 21, 1.5, "1")),
    agoMin: fc.nat(6),
    off: fc.boolean(),
    parts: fc.array(part, { maxLength: 2 }),
  });
  const started = clock.now();
  const coaches = fc.sample(one, { seed: 48, numRuns: 120 });
  for (const { vehicle, sequence, agoMin, off, parts } of coaches) {
    const id = await coach(owner, { vehicleId: "x" });
    const group = groupValues({ vehicleId: `v${vehicle}`, parts: parts as Group["parts"] & object });
    await place(id, { ...group, coach: { ...group.coach, carriageSequence: sequence } });
    clock.moveTo(started + (6 - agoMin) * 60_000);
    const people = parts.flatMap(({ seen }, index) => (seen === null ? [] : [[`s${index + 1}`, seen]]));
    await say(id, Object.fromEntries(people) as Record<string, number>);
    clock.moveTo(started);
    if (off) await disconnect(id, 61);
  }
  clock.moveTo(started + 6 * 60_000);
  const { objects } = await list(owner, "limit=50");
  expect(objects.length).toBeGreaterThan(8);
  const states = new Set<unknown>();
  for (const { vehicleId, state, load } of objects) {
    states.add(state);
    // The filter and the order are computed by the database, the row by the rules of the feed.
    expect(idsOf(await list(owner, `state=${String(state)}&limit=50`)), String(vehicleId)).toContain(vehicleId);
    expect(load !== null).toBe(state === "occupied" || state === "empty");
  }
  expect(states.size).toBeGreaterThan(1);
  const known = (await list(owner, "sortBy=percent&limit=50")).objects.flatMap(
    ({ load }) => (load as { percent: number } | null)?.percent ?? [],
  );
  expect(known).toEqual(known.toSorted((a, b) => a - b));
});

test("a day has the mean load of each quarter; gaps are unknown", async () => {
  clock.moveTo(Date.parse("2026-12-24T08:00:00Z"));
  const owner = await company();
  const id = await coach(owner, { vehicleId: "curve" });
  const days = (query: string) => world.call(owner, "GET", `/api/v2/vehicle/${owner.id}_curve/day?${query}`);
  await say(id, { s1: 10 });
  pass(1);
  await say(id, { s1: 20 });
  pass(30);
  await say(id, { s1: 0 });
  const known = async (query: string) =>
    ((await days(query)).at("slots") as { from: string; load: { percent: number } | null }[])
      .filter(({ load }) => load !== null)
      .map(({ from, load }) => [from.slice(11, 16), load?.percent]);
  const expected = [
    ["08:00", 50],
    ["08:30", 0],
  ];
  expect(await known("date=2026-12-24")).toEqual(expected);
  expect(await known("date=2026-12-24&zone=Europe/Berlin")).toEqual(expected);
  expect(await known("date=2026-12-23")).toEqual([]);
  expect((await days("date=2026-12-23")).at("slots")).toHaveLength(96);
  expect((await days("date=2026-12-24")).at("slots")).toHaveLength(35);
  for (const wrong of ["date=2026-02-30", "date=1999-12-31", "date=2026-12-24&zone=Mars/Base"])
    expect((await days(wrong)).code, wrong).toBe(102);
  for (const missing of ["curve", `${owner.id}_`, `${owner.id}_other`, "x".repeat(100), "%00_x"])
    expect((await world.call(owner, "GET", `/api/v2/vehicle/${missing}`)).code, missing).toBe(105);
});

test("2,000 coaches: a page is three indexed queries, and a small view never scans all sensors", async () => {
  const [big, small] = [await company(), await company()];
  await sql`with made as (
    insert into sensor (id, owner_id, owner_path, type)
    select '04:' || regexp_replace(lpad(upper(to_hex(n)), 10, '0'), '(..)(..)(..)(..)(..)', '\\1:\\2:\\3:\\4:\\5'), ${big.id}::uuid, ${big.path},
      case when n <= 2000 then 'ZOD' else 'APS' end from generate_series(1, 12000) n returning num, type)
    insert into sensor_section (sensor_num, section, answer, read_at)
    select num, 'group', jsonb_build_object('rev', 1, 'values', jsonb_build_object('coach', jsonb_build_object('vehicleId',
      'train-' || num / 8, 'carriageSequence', 1 + num % 8), 'sections', '[{"id":"s1","seats":60,"standing":30}]'::jsonb)), now()
    from made where type = 'ZOD'`.execute(world.ctx.db);
  await sql`insert into vehicle_level (sensor_num, zones, at) select sensor_num, '[{"id":"s1","n":12}]', ${clock.date()} from coach
    on conflict do nothing`.execute(world.ctx.db);
  await coach(small, { vehicleId: "small" });
  await sql`analyze sensor, coach, vehicle_level, sensor_section`.execute(world.ctx.db);
  const asked = async (who: Person, query: string) => {
    const sent = await captureStatements(() => list(who, query));
    return sent.filter(({ text }) => text.includes("coach"));
  };
  const ofBig = await asked(big, "limit=5&sortBy=-percent");
  expect(ofBig).toHaveLength(3);
  const one = await captureStatements(() => world.call(big, "GET", `/api/v2/vehicle/${big.id}_train-9`));
  for (const statement of one.filter(({ text }) => text.includes("coach"))) {
    const plan = await explainStatement(world.ctx.db, statement);
    expect(plan, statement.text).toContain("coach_by_vehicle");
  }
  for (const statement of await asked(small, "limit=50&state=unknown&sortBy=at")) {
    const own = await explainStatement(world.ctx.db, statement);
    expect(own, statement.text).not.toContain("Seq Scan on sensor s");
    expect(own, statement.text).not.toContain("Seq Scan on coach");
  }
  const { total, objects } = await list(big, "skip=100&limit=100");
  expect(total).toBeGreaterThanOrEqual(250);
  expect(objects).toHaveLength(100);
});
