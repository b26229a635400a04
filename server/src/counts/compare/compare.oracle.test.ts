// Uses plain arithmetic to check how locations are compared and ranked. A gap never ranks below a real count, and each row matches its
// location's page.
import type { Counts, LocationCounts } from "@psp/contract/counts/counts.api.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createChance, pick } from "../../testing/chance.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { countRecord, createSite, type Site } from "../../datapoint/site.testing.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.stop());

const hour = 3_600_000;
const zones = ["Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Pacific/Auckland", null];
const first = "2026-03-27";
const last = "2026-03-30";
const range = `range=${first},${last}`;

type Page = { objects: LocationCounts[]; total: number };
type Planted = { id: string; zone: string | null; sensors: number; records: CountRecord[] };

async function list(query: string): Promise<Page> {
  const answer = await site.call(site.root, `/api/v2/counts/locations?${range}&includeTotals=true&${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Page;
}

async function everything(query: string): Promise<LocationCounts[]> {
  const all: LocationCounts[] = [];
  for (;;) {
    const { objects, total } = await list(`${query}&limit=500&skip=${all.length}`);
    all.push(...objects);
    if (all.length >= total) return all;
  }
}

async function plant(howMany: number, seed: number): Promise<Planted[]> {
  const chance = createChance(seed);
  const start = Date.UTC(2026, 2, 19);
  const planted: Planted[] = [];
  for (let n = 0; n < howMany; n += 1) {
    const zone = pick(zones, chance);
    const id = await site.location(zone);
    const sensors = chance.below(4);
    const records: CountRecord[] = [];
    for (let s = 0; s < sensors; s += 1) {
      const sensor = await site.sensor({ locationId: id, since: start - 48 * hour });
      const known = pick([100, 99, 81, 79, 40, 0], chance);
      const people = 1 + chance.below(50);
      const own: CountRecord[] = [];
      for (let at = start; at < start + 12 * 24 * hour; at += hour) {
        if (chance.below(100) < known)
          own.push(countRecord(at, 3600, { door: [chance.below(people), chance.below(people)] }));
      }
      await site.store(sensor, own, { via: "fill" });
      records.push(...own);
    }
    planted.push({ id, zone, sensors, records });
  }
  return planted;
}

function oracle({ zone, sensors, records }: Planted) {
  const at = (date: string) => Temporal.PlainDate.from(date).toZonedDateTime(zone ?? "UTC").epochMilliseconds;
  const [from, to] = [at(first), at("2026-03-31")];
  const own = records.filter(({ s }) => s >= from && s < to);
  const people = own.reduce((sum, record) => sum + (record.lines[0]?.in ?? 0), 0);
  const known = own.length * hour;
  const expected = sensors * (to - from);
  return {
    in: own.length === 0 ? null : people,
    completeness: expected === 0 ? null : Math.min(1, known / expected),
  };
}

test("a location with gaps never ranks below a real count", { timeout: 900_000 }, async () => {
  const planted = await plant(rounds(40, 5_000), seedOf(11));
  const byId = new Map(planted.map((one) => [one.id, oracle(one)]));
  const all = await everything("");
  expect(new Set(all.map((row) => row._id))).toEqual(new Set(byId.keys()));
  let place = 0;
  for (const [index, row] of all.entries()) {
    const right = byId.get(row._id);
    expect(row.in).toBe(right?.in);
    if (right?.completeness === null) expect(row.completeness).toBeNull();
    else expect(row.completeness).toBeCloseTo(right?.completeness ?? -1, 5);
    const isComplete = right?.in !== null && (right?.completeness ?? 0) >= 0.8;
    expect(row.rank !== null).toBe(isComplete);
    const before = all[index - 1];
    if (row.rank === null) {
      expect(row.change).toEqual({ in: null, out: null });
      continue;
    }
    place += 1;
    // Rows without a rank come last, and ranks are in order.
    expect(before?.rank).not.toBeNull();
    expect(row.rank).toBe(before !== undefined && before.in === row.in ? before.rank : place);
    if (before) expect(before.in ?? 0).toBeGreaterThanOrEqual(row.in ?? 0);
  }
  expect(place).toBeGreaterThan(planted.length / 5);
  expect(all.length - place).toBeGreaterThan(planted.length / 5);
  // Rows without a rank are last in ascending order, too.
  const rising = await everything("sortBy=in");
  expect(rising.slice(0, place).every((row) => row.rank !== null)).toBe(true);
  const byChange = await everything("sortBy=-change");
  const changes = byChange.map((row) => row.change.in);
  const known = changes.filter((change) => change !== null);
  expect(known.length).toBeGreaterThan(3);
  expect(known).toEqual(known.toSorted((a, b) => b - a));
  expect(changes.slice(0, known.length)).toEqual(known);
  expect((await everything("sortBy=change")).slice(0, known.length).map((row) => row.change.in)).toEqual(
    known.toReversed(),
  );
  for (const row of all.filter((_, index) => index % Math.ceil(all.length / 40) === 0)) {
    const answer = await site.call(site.root, `/api/v2/counts?filter=meas:${row._id}&${range}`);
    const page = answer.body as Counts;
    expect([row.in, row.out, row.completeness]).toEqual([page.total.in, page.total.out, page.total.completeness]);
    expect(row.curve).toEqual(page.rows.map((bucket) => bucket.in));
    if (row.rank === null) continue;
    const gap = Math.abs((row.completeness ?? 0) - (page.earlier.total.completeness ?? 0));
    expect(row.change).toEqual(gap > 0.05 + 1e-9 ? { in: null, out: null } : page.change);
  }
  const total = await site.call(site.root, `/api/v2/counts/total?${range}`);
  const sum = all.reduce((people, row) => people + (row.in ?? 0), 0);
  const incomplete = all.filter((row) => row.completeness !== null && row.completeness < 0.8).length;
  expect(incomplete).toBeGreaterThan(0);
  expect(total.body).toMatchObject({ in: sum, locations: planted.length, incomplete });
});

test("a day is compared hour by hour, in each location's own day", async () => {
  const id = await site.location("Asia/Kathmandu");
  const sensor = await site.sensor({ locationId: id, since: Date.UTC(2026, 0, 1) });
  const midnight = Date.UTC(2026, 4, 4, 18, 15);
  await site.store(sensor, [
    countRecord(midnight - 900_000, 900, { a: [7, 0] }),
    countRecord(midnight, 3600, { a: [5, 0] }),
  ]);
  const answer = await site.call(site.root, `/api/v2/counts/locations?ids=${id}&range=2026-05-05,2026-05-05`);
  const [row] = (answer.body as Page).objects;
  expect(row).toMatchObject({ _id: id, in: 5, rank: null });
  expect(row?.curve).toEqual([5, ...Array.from({ length: 23 }, () => null)]);
});

test("filters, paging and order; invisible locations are excluded", async () => {
  const stranger = await site.person({ ownable: { measurement: { canViewObject: { me: true } } } });
  const own = await site.location("Europe/Berlin", stranger);
  const answer = await site.call(stranger, `/api/v2/counts/locations?includeTotals=true`);
  expect((answer.body as Page).objects.map((row) => row._id)).toEqual([own]);
  expect((answer.body as Page).total).toBe(1);
  expect((await site.call(stranger, "/api/v2/counts/total?range=today")).body).toMatchObject({
    in: null,
    locations: 1,
  });
  for (const [occupancy, found] of [
    ["true", [own]],
    ["false", []],
  ] as const) {
    await site.ctx.db.updateTable("location").set({ license_occupancy: true }).where("id", "=", own).execute();
    const some = await site.call(stranger, `/api/v2/counts/locations?occupancy=${occupancy}`);
    expect((some.body as Page).objects.map((row) => row._id)).toEqual(found);
  }
  const none = await site.call(site.root, "/api/v2/counts/locations?name=no such place&includeTotals=true");
  expect(none.body).toMatchObject({ objects: [], total: 0 });
  for (const query of ["sortBy=rank", "limit=0", "range=today&unknown=1"])
    expect((await site.call(site.root, `/api/v2/counts/locations?${query}`)).status).toBe(400);
});

test("one step fits all shown locations around the end of a year", async () => {
  const year = new Date(site.ctx.clock.now()).getUTCFullYear() + 1;
  site.ctx.clock.moveTo(Date.UTC(year, 0, 1, 3));
  const owner = await site.person({ ownable: { measurement: { canViewObject: { me: true } } } });
  for (const zone of ["America/New_York", "Asia/Kathmandu"]) await site.location(zone, owner);
  const answer = (await site.call(owner, "/api/v2/counts/locations?range=thisYear")).body as Page & { by: string };
  expect(answer.by).toBe("month");
  expect(new Map(answer.objects.map(({ timezone, curve }) => [timezone, curve.length]))).toEqual(
    new Map([
      ["America/New_York", 12],
      ["Asia/Kathmandu", 1],
    ]),
  );
});

test("a zero today is marked if sensors are connected, others count, and it is unusual", async () => {
  const now = site.ctx.clock.now();
  // A zone in which it is noon now, so that times shortly before and after now are on the same day.
  const offset = 12 - new Date(now).getUTCHours();
  const zone = offset === 0 ? "UTC" : `Etc/GMT${offset > 0 ? "-" : "+"}${Math.abs(offset)}`;
  const owner = await site.person(fullPermissions);
  const [weekAgo, today] = [now - 7 * 24 * hour, now - 2 * hour].map((at) => Math.floor(at / hour) * hour);
  type Facts = { people: number | null; before?: number; isConnected?: boolean; isSilent?: boolean; more?: boolean };
  const shop = async ({ people, before, isConnected = true, isSilent = false, more = false }: Facts) => {
    const id = await site.location(zone, owner);
    const since = before === undefined ? (today ?? 0) : (weekAgo ?? 0) - 24 * hour;
    const sensor = await site.sensor({ owner, locationId: id, since });
    const away = more ? await site.sensor({ owner, locationId: id, since }) : null;
    const presence = { is_connected: true, not_responding: isSilent, last_contact_at: new Date(now) };
    if (isConnected) await site.ctx.db.updateTable("sensor").set(presence).where("num", "=", sensor.num).execute();
    expect(away?.num).not.toBe(sensor.num);
    const hours = before === undefined ? [] : Array.from({ length: 12 }, (_, n) => (weekAgo ?? 0) + (n - 10) * hour);
    await site.store(
      sensor,
      [
        ...hours.map((at) => countRecord(at, 3600, { door: [before ?? 0, 0] })),
        ...(people === null ? [] : [countRecord(today ?? 0, 3600, { door: [people, 0] })]),
      ],
      { via: "fill" },
    );
    return id;
  };
  const stuck = await shop({ people: 0 });
  const stuckLately = await shop({ people: 0, before: 5 });
  const closedOnThatDay = await shop({ people: 0, before: 0 });
  const offline = await shop({ people: 0, isConnected: false });
  const silent = await shop({ people: 0, isSilent: true });
  const partly = await shop({ people: 0, more: true });
  const unknown = await shop({ people: null });
  const marked = async (query: string) => {
    const { status, body, text } = await site.call(owner, `/api/v2/counts/locations?limit=50&${query}`);
    expect(status, text).toBe(200);
    return (body as Page).objects.flatMap(({ _id, isUnexpectedZero }) => (isUnexpectedZero ? [_id] : [])).toSorted();
  };
  expect(await marked("range=today")).toEqual([]);
  const counting = await shop({ people: 7 });
  expect(await marked("range=today")).toEqual([stuck, stuckLately].toSorted());
  expect(await marked(`range=today&ids=${stuck}`)).toEqual([stuck]);
  for (const id of [closedOnThatDay, offline, silent, partly, unknown, counting])
    expect(await marked(`range=today&ids=${id}`)).toEqual([]);
  expect(await marked("range=yesterday")).toEqual([]);
  expect(await marked("range=last7days")).toEqual([]);
});

test("each of more than a thousand locations has its own sum, although they are summed in parts", async () => {
  const owner = await site.person(fullPermissions);
  const shops = 1_203;
  await sql`insert into location (id, owner_id, owner_path, name, timezone)
    select gen_random_uuid(), ${owner.id}, ${owner.path}, 'Shop ' || n, 'UTC' from generate_series(1, ${shops}) n`.execute(
    site.ctx.db,
  );
  const days = Temporal.PlainDate.from("1970-01-01").until(last).total("days");
  await sql`with made as (insert into sensor (id, owner_id, owner_path, type, location_id)
      select id::text, owner_id, owner_path, 'APS', id from location where owner_id = ${owner.id} returning num, location_id),
    assigned as (insert into sensor_location (sensor_num, from_at, location_id, counts_from)
      select num, '2020-01-01', location_id, '-infinity' from made)
    insert into count_day (sensor_num, day, location_id, n_in, n_out, known_ms)
      select num, ${days}, location_id, substr(name, 6)::int, 0, 86400000 from made join location l on l.id = location_id`.execute(
    site.ctx.db,
  );
  const found = new Map<string, number | null>();
  for (let skip = 0; skip < shops; skip += 500) {
    const path = `/api/v2/counts/locations?range=${last},${last}&sortBy=name&limit=500&skip=${skip}`;
    const { body } = await site.call(owner, path);
    for (const { name, in: people } of (body as Page).objects) found.set(name ?? "", people);
  }
  expect(found).toEqual(new Map(Array.from({ length: shops }, (_, n) => [`Shop ${n + 1}`, n + 1])));
});
