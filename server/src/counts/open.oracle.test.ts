// Compares counts within opening hours with an oracle that looks at every minute (docs/rules/counts.md).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSumsJob } from "../count/open-sums.job.ts";
import { createSite, type Site } from "../datapoint/site.testing.ts";
import type { RecordSensor } from "../device/capability.ts";
import { type Chance, createChance, pick } from "../testing/chance.ts";
import {
  instantsOf,
  periodAround,
  randomHours,
  randomMoves,
  randomRecords,
  randomStyle,
  staysOf,
  zones,
} from "./open.shops.testing.ts";
import {
  checkAggregate,
  checkList,
  checkPage,
  checkTotal,
  handOver,
  hoursOf,
  oracleOf,
  type Query,
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

type Shape = { shops: number; days: number; isSparse: boolean };
type Stored = { sensor: RecordSensor; records: World["records"] };

async function plant(chance: Chance, { shops, days, isSparse }: Shape) {
  const around = pick(zones, chance);
  const { dataFrom, ...period } = periodAround(pick(around.dates, chance), days);
  const owners = [await site.person(fullPermissions), await site.person(fullPermissions)];
  const world: World = { site, period, shops: [], defaults: new Map(), records: [] };
  for (const owner of owners)
    await setDefault(world, owner, chance.below(2) === 0 ? null : randomHours(chance, period));
  for (let n = 0; n < shops; n += 1) {
    const zone = n === 0 ? around.zone : pick(zones, chance).zone;
    const owner = pick(owners, chance);
    const shop: Shop = { id: await site.location(zone, owner), zone, owner, hours: null, stays: [] };
    world.shops.push(shop);
    if (chance.below(2) === 0) await setOwnHours(world, shop, randomHours(chance, period));
  }
  const stored: Stored[] = [];
  for (const [home, shop] of world.shops.entries()) {
    const time = instantsOf(shop.zone, dataFrom, period.last);
    const style = randomStyle(chance, isSparse);
    for (let n = pick([0, 1, 1, 1, 2, 3], chance); n > 0; n -= 1) {
      const moves = randomMoves(chance, shops, home, time);
      const [first, ...later] = moves;
      const sensor = await site.sensor({ locationId: shop.id, since: first?.at ?? 0 });
      for (const { at, place } of later) await site.assign(sensor, world.shops[place]?.id ?? null, at);
      for (const [place, one] of world.shops.entries()) one.stays.push(...staysOf(sensor.num, moves, place));
      const { isOpen } = oracleOf(world, shop);
      const records = randomRecords(
        chance,
        time,
        style,
        (ms) => !isSparse || isOpen(ms) || isOpen(ms - 3_600_000) || isOpen(ms + 3_600_000) || chance.below(12) === 0,
      );
      stored.push({ sensor, records: records.map((record) => ({ sensor: sensor.num, record })) });
    }
  }
  return { world, stored, owners };
}

async function store(world: World, { sensor, records }: Stored): Promise<void> {
  for (let at = 0; at < records.length; at += 2000) {
    const some = records.slice(at, at + 2000);
    const outcomes = await site.store(
      sensor,
      some.map(({ record }) => record),
      { via: "fill" },
    );
    expect(outcomes.filter(({ outcome }) => outcome !== "stored")).toEqual([]);
  }
  world.records.push(...records);
}

const rebuild = () => openSumsJob(site.ctx).run();

async function check(chance: Chance, world: World, few: boolean): Promise<string[]> {
  const differences: string[] = [];
  for (const shop of world.shops)
    for (const by of few ? [pick(["hour", "day", "week", "month"] as const, chance)] : (["hour", "day"] as const)) {
      const query: Query = { by, open: chance.below(3) > 0, comparison: "previous" };
      await checkPage(world, shop, query, differences);
      if (!few)
        await checkAggregate(world, shop, { by: pick(["hour", "day", "month"], chance), open: true }, differences);
    }
  for (const open of few ? [true] : [true, false]) {
    await checkList(world, { open, comparison: "previous" }, differences);
    for (const owner of new Map(world.shops.map((shop) => [shop.owner.id, shop.owner])).values())
      await checkTotal(world, owner, open, differences);
  }
  return differences;
}

async function play(seed: number, shape: Shape): Promise<void> {
  const chance = createChance(seed);
  const { world, stored, owners } = await plant(chance, shape);
  const say = (step: string, differences: string[]) =>
    expect(differences.slice(0, 8), `seed ${seed}, ${world.period.first} to ${world.period.last}, ${step}`).toEqual([]);
  const maybe = async (action: () => Promise<void>) => {
    if (chance.below(2) === 0) await action();
  };
  const [early, late] = [0, 1].map((side) =>
    stored.map(({ sensor, records }) => ({ sensor, records: records.filter((_, n) => n % 3 > 1 === (side === 1)) })),
  );
  for (const one of early ?? []) await store(world, one);
  await maybe(rebuild);
  const shop = pick(world.shops, chance);
  const before = shop.hours;
  await setOwnHours(world, shop, pick([null, randomHours(chance, world.period)], chance));
  await maybe(rebuild);
  for (const one of late ?? []) await store(world, one);
  await maybe(() => setOwnHours(world, shop, before));
  say("before sums are recomputed", await check(chance, world, true));
  await rebuild();
  say("after sums are recomputed", await check(chance, world, false));
  await handOver(world, pick(world.shops, chance), pick(owners, chance));
  await setDefault(world, pick(owners, chance), pick([null, randomHours(chance, world.period)], chance));
  const moved = pick(world.shops, chance);
  moved.zone = pick(zones, chance).zone;
  await site.setZone(moved.id, moved.zone);
  say("after a hand-over and a change of zone", await check(chance, world, true));
  await rebuild();
  say("recomputed after a hand-over", await check(chance, world, true));
  expect(world.shops.every((one) => hoursOf(world, one) !== undefined)).toBe(true);
}

test("DS-01 counts within opening hours agree with a count of every minute", { timeout: 600_000 }, async () => {
  for (let round = 0; round < rounds(3, 40); round += 1)
    await play(seedOf(5) + round, { shops: 3, days: 16, isSparse: false });
});
