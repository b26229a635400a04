// Compares counts within opening hours with an oracle that looks at every minute (docs/rules/counts.md).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { hourMs } from "@psp/contract/kit/zone.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSumsJob } from "../count/open-sums/open-sums.job.ts";
import { createSite, type Person, type Site } from "../datapoint/site.testing.ts";
import { createHolidayNames } from "../opening/holidays.adapter.ts";
import type { RecordSensor } from "../device/capability.ts";
import { type Chance, createChance, pick } from "../testing/chance.ts";
import { plainDate } from "./open.oracle.testing.ts";
import {
  instantsOf,
  periodAround,
  periodUntil,
  randomHours,
  randomMoves,
  randomRecords,
  randomStyle,
  shortLengths,
  staysOf,
  zones,
} from "./open.shops.testing.ts";
import {
  checkAggregate,
  checkList,
  checkPage,
  checkTotal,
  handOver,
  oracleOf,
  setDefault,
  setOwnHours,
  type Shop,
  type World,
} from "./open.world.testing.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.stop());

type Shape = {
  shops: number;
  days: number;
  /** For a long time: few records outside opening hours. */
  isSparse?: boolean;
  /** The period ends with this day, which is not over yet. Otherwise it is around a clock change. */
  today?: string;
};
const weeksBefore = (date: string) => plainDate(date).subtract({ weeks: 52 }).toString();
type Stored = { sensor: RecordSensor; records: World["records"] };

async function plant(
  chance: Chance,
  { site, reader, owners }: Setting,
  { shops, days, isSparse = false, today }: Shape,
) {
  const around = pick(zones, chance);
  const { dataFrom, ...period } = today ? periodUntil(today, days) : periodAround(pick(around.dates, chance), days);
  const lengths = isSparse ? shortLengths : undefined;
  const world: World = {
    site,
    reader,
    period,
    shops: [],
    defaults: new Map(),
    records: [],
    holidayNames: createHolidayNames,
    oracles: new Map(),
  };
  for (const owner of owners)
    await setDefault(world, owner, chance.below(2) === 0 ? null : randomHours(chance, period, lengths));
  for (let n = 0; n < shops; n += 1) {
    const zone = n === 0 ? around.zone : pick(zones, chance).zone;
    const owner = pick(owners, chance);
    const shop: Shop = { id: await site.location(zone, owner), zone, owner, hours: null, stays: [] };
    world.shops.push(shop);
    if (chance.below(2) === 0) await setOwnHours(world, shop, randomHours(chance, period, lengths));
  }
  const stored: Stored[] = [];
  for (const [home, shop] of world.shops.entries()) {
    const whole = instantsOf(shop.zone, dataFrom, period.last);
    const time = { from: whole.from, to: Math.min(whole.to, site.ctx.clock.now()) };
    const style = randomStyle(chance, isSparse);
    const { isOpen, place } = oracleOf(world, shop);
    const isNearOpen = (ms: number) =>
      (place.hours !== null && [ms, ms + hourMs].some(isOpen)) || chance.below(12) === 0;
    for (let n = pick([0, 1, 1, 1, 2, 3], chance); n > 0; n -= 1) {
      const moves = randomMoves(chance, shops, home, time);
      const [first, ...later] = moves;
      const sensor = await site.sensor({ locationId: shop.id, since: first?.at ?? 0 });
      for (const { at, place } of later) await site.assign(sensor, world.shops[place]?.id ?? null, at);
      for (const [place, one] of world.shops.entries()) one.stays.push(...staysOf(sensor.num, moves, place));
      // 52 weeks before the period, for comparisons with the year before. Too many for long periods.
      const yearAgo = instantsOf(shop.zone, weeksBefore(period.first), weeksBefore(period.last));
      const records = [...(!isSparse && n % 2 === 1 ? [yearAgo] : []), time].flatMap((one) =>
        randomRecords(chance, one, style, isSparse ? isNearOpen : () => true),
      );
      stored.push({ sensor, records: records.map((record) => ({ sensor: sensor.num, record })) });
    }
  }
  return { world, stored };
}

async function store(world: World, { sensor, records }: Stored): Promise<void> {
  const list = records.map(({ record }) => record);
  for (let at = 0; at < list.length; at += 2000) {
    const outcomes = await world.site.store(sensor, list.slice(at, at + 2000), { via: "fill" });
    expect(outcomes.filter(({ outcome }) => outcome !== "stored")).toEqual([]);
  }
  world.records.push(...records);
}

const sides = ["previous", "year"] as const;

/** `isFull`: all calls; otherwise a few of them. */
async function check(chance: Chance, world: World, isFull: boolean): Promise<string[]> {
  const differences: string[] = [];
  world.oracles.clear();
  for (const shop of world.shops) {
    const comparison = pick(sides, chance);
    const by = pick(["hour", "day", "week", "month"] as const, chance);
    await checkPage(world, shop, { by, open: chance.below(3) > 0, comparison }, differences);
    if (!isFull) continue;
    for (const open of [true, false])
      await checkPage(world, shop, { by: "day", open, comparison: "previous" }, differences);
    await checkAggregate(world, shop, { by: pick(["hour", "day", "week", "month"], chance), open: true }, differences);
  }
  for (const open of isFull ? [true, false] : [true]) {
    await checkList(world, { open, comparison: pick(sides, chance) }, differences);
    for (const owner of new Map(world.shops.map((shop) => [shop.owner.id, shop.owner])).values())
      await checkTotal(world, owner, open, differences);
  }
  return differences;
}

type Setting = { site: Site; reader: Person; owners: Person[] };

async function twoOwners(): Promise<Setting> {
  return { site, reader: site.root, owners: [await site.person(fullPermissions), await site.person(fullPermissions)] };
}

async function play(seed: number, setting: Setting, shape: Shape): Promise<void> {
  const chance = createChance(seed);
  const { owners } = setting;
  const { world, stored } = await plant(chance, setting, shape);
  const rebuild = () => openSumsJob(setting.site.ctx).run();
  const report = (step: string, differences: string[]) =>
    expect(differences.slice(0, 8), `seed ${seed}, ${world.period.first} to ${world.period.last}, ${step}`).toEqual([]);
  const maybe = async (action: () => Promise<void>) => {
    if (chance.below(2) === 0) await action();
  };
  const changed = pick(world.shops, chance);
  const formerHours = changed.hours;
  const isLate = (index: number) => index % 3 === 2;
  for (const { sensor, records } of stored)
    await store(world, { sensor, records: records.filter((_, index) => !isLate(index)) });
  await maybe(rebuild);
  await setOwnHours(world, changed, pick([null, randomHours(chance, world.period)], chance));
  await maybe(rebuild);
  for (const { sensor, records } of stored)
    await store(world, { sensor, records: records.filter((_, index) => isLate(index)) });
  await maybe(() => setOwnHours(world, changed, formerHours));
  report("before sums are recomputed", await check(chance, world, false));
  await rebuild();
  report("after sums are recomputed", await check(chance, world, !shape.isSparse));
  // Long tests have no time for more; the others have these steps.
  if (shape.isSparse) return;
  await handOver(world, pick(world.shops, chance), pick(owners, chance));
  await setDefault(world, pick(owners, chance), pick([null, randomHours(chance, world.period)], chance));
  const moved = pick(world.shops, chance);
  moved.zone = pick(zones, chance).zone;
  await setting.site.setZone(moved.id, moved.zone);
  report("after a hand-over and a change of zone", await check(chance, world, false));
  await rebuild();
  report("recomputed after a hand-over", await check(chance, world, false));
}

test("DS-01 counts within opening hours agree with a count of every minute", { timeout: 900_000 }, async () => {
  for (let round = 0; round < rounds(1, 40); round += 1)
    await play(seedOf(5) + round, await twoOwners(), { shops: 3, days: 16 });
});

test("DS-01 a period that is not over agrees, too", { timeout: 900_000 }, async () => {
  const later = await createSite();
  try {
    // Sessions that began before would have ended.
    later.ctx.clock.moveTo(Date.parse("2030-03-31T10:17:23.456Z"));
    for (let round = 0; round < rounds(1, 20); round += 1) {
      const reader = await later.person(fullPermissions);
      const days = [7, 1, 10][round % 3] ?? 1;
      await play(
        seedOf(50) + round,
        { site: later, reader, owners: [reader] },
        { shops: 2, days, today: "2030-03-31" },
      );
    }
  } finally {
    await later.stop();
  }
});

// A period of 26 weeks and the one before it: 365 days.
test("DS-01 a thousand shops agree for a year", { tags: "prove", timeout: 3_600_000 }, async () => {
  for (let round = 0; round < rounds(1, 250); round += 1)
    await play(seedOf(500) + round, await twoOwners(), { shops: 4, days: 182, isSparse: true });
});
