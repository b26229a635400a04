// Checks the comparison of today with earlier days by plain arithmetic: two zones, a clock change, gaps, a closed day, and rights.
import type { TodayCounts } from "@psp/contract/counts/counts.api.ts";
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import { seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { openingHoursInput } from "@psp/contract/opening/opening-hours.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { countRecord, createSite, type Person, type Site } from "../../datapoint/site.testing.ts";
import { createEvent } from "../../event/event.service.ts";
import { createChance } from "../../testing/chance.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.stop());

const hour = 3_600_000;
const zones = ["Europe/Berlin", "America/St_Johns"] as const;
/** Half of the shops are in Berlin, so the others are behind. */
const passed: Record<string, number> = { "Europe/Berlin": 17, "America/St_Johns": 12 };
const until = 17;
/** Clocks change in Berlin on this Sunday, and 52 weeks before. */
const today = "2027-03-28";
const weeksBack = { today: 0, week: 1, year: 52 } as const;
type Side = keyof typeof weeksBack;
/** 17:20 in Berlin, 12:50 in St. John's. */
const now = Date.UTC(2027, 2, 28, 15, 20);

beforeEach(() => site.ctx.clock.moveTo(now));

async function ask(who: Person, query = ""): Promise<TodayCounts> {
  const answer = await site.call(who, `/api/v2/counts/today${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as TodayCounts;
}

type Shop = { id: string; name: string; zone: string; sensors: number; records: CountRecord[] };
type Facts = { zone: string; known?: Partial<Record<Side, number>>; sensors?: number; people?: number };

const dateOf = (side: Side) => Temporal.PlainDate.from(today).subtract({ weeks: weeksBack[side] });
const startOf = (zone: string, date: Temporal.PlainDate) => date.toZonedDateTime(zone).epochMilliseconds;

/** Hourly records on the three days, of which the given percentage is known. */
async function open(owner: Person, { zone, known = {}, sensors = 1, people = 20 }: Facts, seed = 1): Promise<Shop> {
  const chance = createChance(seed);
  const id = await site.location(zone, owner);
  const name = `Shop ${id.slice(-6)}`;
  await site.ctx.db.updateTable("location").set({ name }).where("id", "=", id).execute();
  const records: CountRecord[] = [];
  for (let n = 0; n < sensors; n += 1) {
    const sensor = await site.sensor({ owner, locationId: id, since: Date.UTC(2026, 0, 1) });
    const own: CountRecord[] = [];
    for (const side of ["today", "week", "year"] as const) {
      const from = Math.ceil(startOf(zone, dateOf(side)) / hour) * hour;
      const to = Math.min(startOf(zone, dateOf(side).add({ days: 1 })), now - hour);
      for (let at = from; at < to; at += hour)
        if (chance.below(100) < (known[side] ?? 100))
          own.push(countRecord(at, 3600, { door: [chance.below(people), chance.below(people)] }));
    }
    await site.store(sensor, own, { via: "fill" });
    records.push(...own);
  }
  return { id, name, zone, sensors, records };
}

/** Local date and hour. Kept, because Temporal is slow. */
const clocks = new Map<string, { date: string; hour: number }>();
function clockOf(zone: string, ms: number) {
  return clocks.getOrInsertComputed(`${zone} ${ms}`, () => {
    const clock = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
    return { date: clock.toPlainDate().toString(), hour: clock.hour };
  });
}

/** The sums of a side until the last full hour of the shop, from its records. */
function sumOf(shop: Shop, side: Side) {
  const date = dateOf(side);
  const end = passed[shop.zone] ?? 0;
  const own = shop.records.filter(({ s }) => {
    const clock = clockOf(shop.zone, s);
    return clock.date === date.toString() && clock.hour < end;
  });
  const endMs = date.toZonedDateTime({ timeZone: shop.zone, plainTime: { hour: end } }).epochMilliseconds;
  return {
    in: own.reduce((sum, { lines }) => sum + (lines[0]?.in ?? 0), 0),
    share: (own.length * hour) / (shop.sensors * (endMs - startOf(shop.zone, date))),
  };
}

function curveOf(shops: readonly Shop[], side: Side): (number | null)[] {
  const date = dateOf(side).toString();
  return Array.from({ length: 24 }, (_, of) => {
    if (side === "today" && of >= until) return null;
    const own = shops
      .filter(({ zone }) => of >= until || of < (passed[zone] ?? 0))
      .flatMap((shop) =>
        shop.records.filter(({ s }) => {
          const clock = clockOf(shop.zone, s);
          return clock.date === date && clock.hour === of;
        }),
      );
    return own.length === 0 ? null : own.reduce((all, { lines }) => all + (lines[0]?.in ?? 0), 0);
  });
}

const sum = (values: readonly (number | null)[]) => values.reduce<number>((all, value) => all + (value ?? 0), 0);
const percent = (after: number, before: number) => Math.round((after / before - 1) * 100);

test("adds up two zones by local hour across a clock change, and compares complete locations only", async () => {
  const owner = await site.person(fullPermissions);
  const seed = seedOf(29);
  const facts = Array.from({ length: 24 }, (_, n): Facts => ({
    zone: zones[n % 2] ?? zones[0],
    sensors: 1 + (n % 3),
    people: 5 + n,
    // A quarter has gaps today, another one a year ago.
    known: n % 4 === 1 ? { today: 60 } : n % 4 === 2 ? { year: 50 } : {},
  }));
  const shops = await Promise.all(facts.map((one, n) => open(owner, one, seed + n)));
  const empty = await site.location("Pacific/Honolulu", owner);
  const answer = await ask(owner);
  expect(answer).toMatchObject({
    locations: 25,
    hours: until,
    behind: 12,
    date: today,
    next: "2027-03-28T15:35:00.000Z",
  });
  expect(answer.curve).toEqual(curveOf(shops, "today"));
  expect(answer.in).toBe(sum(curveOf(shops, "today")));
  for (const side of ["week", "year"] as const) {
    const pairs = shops.map((shop) => ({ shop, now: sumOf(shop, "today"), before: sumOf(shop, side) }));
    const like = pairs.filter(
      ({ now: a, before: b }) => a.share >= 0.8 && b.share >= 0.8 && Math.abs(a.share - b.share) <= 0.05,
    );
    expect(like.length).toBeGreaterThan(6);
    expect(like.length).toBeLessThan(24);
    const reply = answer[side];
    expect(reply.date).toBe(dateOf(side).toString());
    expect(reply.curve).toEqual(curveOf(shops, side));
    expect(reply.in).toBe(sum(curveOf(shops, side).slice(0, until)));
    expect(reply.comparable).toBe(like.length);
    expect(reply.change).toBe(percent(sum(like.map((one) => one.now.in)), sum(like.map((one) => one.before.in))));
    const ranked = like
      .map(({ shop, now: a, before: b }) => ({ _id: shop.id, name: shop.name, change: percent(a.in, b.in) }))
      .toSorted((a, b) => b.change - a.change);
    expect(reply.best.map(({ change }) => change)).toEqual(ranked.slice(0, 3).map(({ change }) => change));
    expect(reply.worst.map(({ change }) => change)).toEqual(
      ranked
        .toReversed()
        .slice(0, 3)
        .map(({ change }) => change),
    );
    for (const one of [...reply.best, ...reply.worst]) expect(ranked).toContainEqual(one);
  }
  // Berlin skipped the hour from 2:00, so only St. John's has counts in it.
  const [berlin, johns] = zones.map((zone) => shops.filter((shop) => shop.zone === zone));
  expect(curveOf(berlin ?? [], "today")[2]).toBeNull();
  expect(answer.curve[2]).toBe(curveOf(johns ?? [], "today")[2]);
  expect(shops.map(({ id }) => id)).not.toContain(empty);
});

test("with opening hours a closed day is left out, and only open hours count", async () => {
  const owner = await site.person(fullPermissions);
  const shops = [await open(owner, { zone: zones[0] }, 3), await open(owner, { zone: zones[0], sensors: 2 }, 4)];
  const [closed, other] = shops;
  if (!closed || !other) throw new Error("No shops");
  const every = [{ from: "09:00", to: "20:00" }];
  const week = { mo: every, tu: every, we: every, th: every, fr: every, sa: every, su: every };
  const strike = { date: "2027-03-21", hours: null, name: "Strike" };
  await site.setHours(closed.id, openingHoursInput.parse({ week, exceptions: [strike] }));
  await site.setHours(other.id, openingHoursInput.parse({ week }));
  const openIn = ({ zone, records }: Shop, side: Side) => {
    const counted = records.filter(({ s: ms }) => {
      const clock = clockOf(zone, ms);
      return clock.date === dateOf(side).toString() && clock.hour >= 9 && clock.hour < until;
    });
    return sum(counted.map(({ lines }) => lines[0]?.in ?? 0));
  };
  const answer = await ask(owner, "?open=true");
  expect(answer).toMatchObject({ hours: until, in: openIn(closed, "today") + openIn(other, "today") });
  expect(answer.curve.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => null));
  expect(answer.week).toMatchObject({
    in: openIn(other, "week"),
    comparable: 1,
    change: percent(openIn(other, "today"), openIn(other, "week")),
    best: [],
    worst: [],
  });
  expect(answer.year.comparable).toBe(2);
  expect(answer.year.best).toHaveLength(1);
  expect(answer.year.worst).toHaveLength(1);
  // Without `open`, nothing is filtered.
  expect((await ask(owner)).curve[3]).not.toBeNull();
});

test("an event that is excluded from comparisons leaves its locations out", async () => {
  const owner = await site.person(fullPermissions);
  const shop = await open(owner, { zone: zones[0] });
  expect((await ask(owner)).week.comparable).toBe(1);
  const day = { from: "2027-03-21", to: "2027-03-21" };
  await createEvent(site.ctx, owner, {
    name: "Sale",
    ...day,
    scope: { measIDs: [shop.id] },
    excludeFromComparison: true,
  });
  const answer = await ask(owner);
  expect(answer.week).toMatchObject({ comparable: 0, change: null });
  expect(answer.year.comparable).toBe(1);
});

test("counts of locations are shown only with the right to view them, and no longer after losing it", async () => {
  const owner = await site.person(fullPermissions);
  const stranger = await site.person(fullPermissions);
  const shop = await open(owner, { zone: zones[0] });
  const mine = await ask(owner);
  expect(mine).toMatchObject({ locations: 1 });
  expect(mine.in).toBeGreaterThan(0);
  const nothing = {
    locations: 0,
    hours: 0,
    date: null,
    in: null,
    week: { date: null, in: null, change: null, comparable: 0, best: [], worst: [] },
  };
  expect(await ask(stranger)).toMatchObject(nothing);
  const moved = { owner_id: stranger.id, owner_path: stranger.path };
  await site.ctx.db.updateTable("location").set(moved).where("id", "=", shop.id).execute();
  expect(await ask(owner)).toMatchObject(nothing);
  expect((await ask(stranger)).in).toBe(mine.in);
  const blind = await site.person({ ownable: { sensor: { canViewObject: { me: true } } } });
  expect(await ask(blind)).toMatchObject(nothing);
  expect((await site.call(null, "/api/v2/counts/today")).status).toBe(401);
  expect((await site.call(owner, "/api/v2/counts/today?open=maybe")).status).toBe(400);
  expect((await site.call(owner, "/api/v2/counts/today?range=today")).status).toBe(400);
});

test("an hour counts 5 minutes after its end, and late counts of today appear after 5 more", async () => {
  const at = (minutes: number) => site.ctx.clock.moveTo(Date.UTC(2027, 5, 10, 8, minutes));
  at(4);
  const owner = await site.person(fullPermissions);
  const id = await site.location("Europe/Berlin", owner);
  const sensor = await site.sensor({ owner, locationId: id, since: Date.UTC(2026, 0, 1) });
  expect((await ask(owner)).hours).toBe(9);
  at(5);
  expect(await ask(owner)).toMatchObject({ hours: 10, in: null });
  await site.store(sensor, [countRecord(Date.UTC(2027, 5, 10, 7), 3600, { door: [7, 0] })]);
  at(10);
  expect((await ask(owner)).in).toBe(7);
});

test("late counts of an incomplete earlier day appear after 5 minutes, of a complete one after an hour", async () => {
  const at = (minutes: number) => site.ctx.clock.moveTo(Date.UTC(2027, 6, 14, 9, 10 + minutes));
  at(0);
  const owner = await site.person(fullPermissions);
  const id = await site.location("Europe/Berlin", owner);
  const sensor = await site.sensor({ owner, locationId: id, since: Date.UTC(2026, 0, 1) });
  const midnight = Date.UTC(2027, 6, 6, 22);
  const hours = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => countRecord(midnight + (from + n) * hour, 3600, { door: [2, 0] }));
  await site.store(sensor, hours(0, 19), { via: "fill" });
  expect((await ask(owner)).week.in).toBe(22);
  await site.store(sensor, hours(19, 20), { via: "fill" });
  const late = () => ask(owner).then(({ week }) => week.curve[19]);
  at(4);
  expect(await late()).toBeNull();
  at(5);
  expect(await late()).toBe(2);
  // 20 of 24 hours are more than 80 %.
  await site.store(sensor, hours(20, 21), { via: "fill" });
  const later = () => ask(owner).then(({ week }) => week.curve[20]);
  at(64);
  expect(await later()).toBeNull();
  at(65);
  expect(await later()).toBe(2);
});
