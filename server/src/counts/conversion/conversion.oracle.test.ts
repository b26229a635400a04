// Compares conversion and revenue per visitor, over HTTP, with an oracle (docs/rules/sales.md#conversion).
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { salesSorts } from "@psp/contract/counts/counts.query.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSumsJob } from "../../count/open-sums/open-sums.job.ts";
import { createSite, type Person, type Site } from "../../datapoint/site.testing.ts";
import { createEvent } from "../../event/event.service.ts";
import { createHolidayNames } from "../../opening/holidays.adapter.ts";
import { type Chance, createChance, pick } from "../../testing/chance.ts";
import { plainDate } from "../open.oracle.testing.ts";
import {
  instantsOf,
  type Period,
  periodAround,
  periodUntil,
  randomHours,
  randomMoves,
  randomRecords,
  randomStyle,
  staysOf,
  zones,
} from "../open.shops.testing.ts";
import { handOver, setDefault, setOwnHours, type Shop } from "../open.world.testing.ts";
import { type Event, type Habit, randomHabit, type Reader, sell, dropSales } from "./conversion.shops.testing.ts";
import {
  checkSalesGroups,
  checkSalesList,
  checkSalesPage,
  groupings,
  type Question,
  type SalesWorld,
} from "./conversion.world.testing.ts";

let site: Site;
let today: Site;
beforeAll(async () => {
  [site, today] = await Promise.all([createSite(), createSite()]);
  today.ctx.clock.moveTo(Date.parse("2030-03-31T10:17:23.456Z"));
});
afterAll(() => Promise.all([site.stop(), today.stop()]));

type Shape = { site: Site; shops: number; days: number; isToday: boolean };
const comparisons = ["previous", "year"] as const;

async function people({ person }: Site): Promise<{ owners: Person[]; readers: Reader[] }> {
  const owners = [await person(fullPermissions), await person(fullPermissions)];
  const rolesOf = (list: readonly Person[]) => ({ roles: list.flatMap(({ roleId }) => (roleId ? [roleId] : [])) });
  const measurement = (edited: readonly Person[]): Permissions => ({
    ownable: { measurement: { canViewObject: rolesOf(owners), canEditObject: rolesOf(edited) } },
  });
  const reader = async (name: string, edited: Person[]): Promise<Reader> => ({
    name,
    person: await person(measurement(edited)),
    views: () => true,
    edits: (owner) => edited.some(({ id }) => id === owner),
  });
  const own: Reader[] = owners.map((one, n) => ({
    name: `owner ${n}`,
    person: one,
    views: (owner) => owner === one.id,
    edits: (owner) => owner === one.id,
  }));
  const others = [await reader("both", owners), await reader("half", owners.slice(0, 1)), await reader("viewer", [])];
  return { owners, readers: [...others, ...own] };
}

const shifted = ({ first, last }: Period, days: number): Period => ({
  first: plainDate(first).add({ days }).toString(),
  last: plainDate(last).add({ days }).toString(),
});

/** Hours with exceptions in all periods. */
function hoursFor(chance: Chance, periods: readonly Period[]) {
  const all = periods.map((period) => randomHours(chance, period));
  const [hours] = all;
  if (!hours) return null;
  const exceptions = new Map(all.flatMap((one) => one.exceptions).map((one) => [one.date, one]));
  return { ...hours, exceptions: [...exceptions.values()].toSorted((a, b) => (a.date < b.date ? -1 : 1)) };
}

async function plant(chance: Chance, seed: number, { site, shops, days, isToday }: Shape) {
  const around = pick(zones, chance);
  const { dataFrom, ...period } = isToday
    ? periodUntil("2030-03-31", days)
    : periodAround(pick(around.dates, chance), days);
  const recent = { first: dataFrom, last: period.last };
  const periods = [recent, shifted(period, -364)];
  const { owners, readers } = await people(site);
  const world: SalesWorld = {
    site,
    reader: site.root,
    period,
    shops: [],
    defaults: new Map(),
    records: [],
    holidayNames: createHolidayNames,
    oracles: new Map(),
    ledgers: new Map(),
    labels: new Map(),
    events: [],
    readers,
  };
  for (const owner of owners) await setDefault(world, owner, pick([null, hoursFor(chance, periods)], chance));
  for (let n = 0; n < shops; n += 1) {
    const zone = n === 0 ? around.zone : pick(zones, chance).zone;
    const owner = pick(owners, chance);
    const shop: Shop = { id: await site.location(zone, owner), zone, owner, hours: null, stays: [] };
    world.shops.push(shop);
    if (chance.below(2) === 0) await setOwnHours(world, shop, hoursFor(chance, periods));
    const spellings = [[], [`Café ${seed}`], [`CAFE ${seed}`, `City ${seed}`], [`City ${seed}`]];
    const labels = { tags: pick(spellings, chance), country: pick(["Germany", "Canada", null], chance) };
    world.labels.set(shop, labels);
    await site.ctx.db
      .updateTable("location")
      .set({ ...labels, tags: [...labels.tags] })
      .where("id", "=", shop.id)
      .execute();
  }
  await plantPeople(chance, world, periods);
  world.oracles.clear();
  for (const shop of world.shops) await plantSales(chance, world, shop, periods);
  await plantEvents(chance, world, seed, [period, ...periods]);
  return world;
}

async function plantPeople(chance: Chance, world: SalesWorld, periods: readonly Period[]): Promise<void> {
  const { site, shops } = world;
  const now = site.ctx.clock.now();
  for (const [home, shop] of shops.entries()) {
    const times = periods
      .map(({ first, last }) => instantsOf(shop.zone, first, last))
      .map(({ from, to }) => ({ from, to: Math.min(to, now) }));
    const whole = { from: Math.min(...times.map(({ from }) => from)), to: Math.max(...times.map(({ to }) => to)) };
    const style = randomStyle(chance, false);
    // Records of a minute would be too many.
    const lengths = style.lengths[0] === 1 ? [15] : style.lengths;
    for (let n = pick([0, 1, 1, 1, 1, 2], chance); n > 0; n -= 1) {
      const moves = randomMoves(chance, shops.length, home, pick([whole, ...times], chance));
      const [first, ...later] = moves;
      const sensor = await site.sensor({ locationId: shop.id, since: first?.at ?? 0 });
      for (const { at, place } of later) await site.assign(sensor, shops[place]?.id ?? null, at);
      for (const [place, one] of shops.entries()) one.stays.push(...staysOf(sensor.num, moves, place));
      for (const time of times) {
        const records = randomRecords(chance, time, { ...style, lengths }, () => true);
        for (let at = 0; at < records.length; at += 2000)
          await site.store(sensor, records.slice(at, at + 2000), { via: "fill" });
        world.records.push(...records.map((record) => ({ sensor: sensor.num, record })));
      }
    }
  }
}

async function plantSales(chance: Chance, world: SalesWorld, shop: Shop, periods: readonly Period[]): Promise<void> {
  const ledger = { entries: [], stored: 0 };
  world.ledgers.set(shop, ledger);
  if (chance.below(8) === 0) return;
  const habit = randomHabit(chance);
  const sellAll = async (how: Habit) => {
    for (const { first, last } of periods) {
      const longer = { first, last: plainDate(last).add({ days: 1 }).toString() };
      await sell(world, shop, ledger, longer, how, chance);
    }
  };
  await sellAll(habit);
  // The oracle of open time keeps the hours of the owner, which are not needed to choose hours with sales.
  const owner = shop.owner;
  const other = world.readers.find(({ name, person }) => name.startsWith("owner") && person.id !== owner.id)?.person;
  for (const next of pick([[], [], [other], [other, owner]], chance)) {
    if (!next) continue;
    await handOver(world, shop, next);
    world.oracles.delete(shop);
    await sellAll(pick([habit, randomHabit(chance)], chance));
  }
  if (chance.below(3) > 0) return;
  const { from, to } = instantsOf(shop.zone, world.period.first, world.period.last);
  const start = from + chance.below(to - from);
  await dropSales(world, shop, ledger, { from: start, to: start + chance.below(200) * 3_600_000 + 1 });
}

async function plantEvents(chance: Chance, world: SalesWorld, seed: number, periods: readonly Period[]): Promise<void> {
  for (let n = chance.below(3); n > 0; n -= 1) {
    const period = pick(periods, chance);
    const days = plainDate(period.first).until(plainDate(period.last)).days + 1;
    const first = plainDate(period.first).add({ days: chance.below(days) });
    const { owner } = pick(world.shops, chance);
    const event: Event = {
      first: first.toString(),
      last: first.add({ days: chance.below(2) }).toString(),
      scope: pick(
        [{ measIDs: [pick(world.shops, chance).id] }, { tag: `cafe ${seed}` }, { owner: owner.id }] as const,
        chance,
      ) as Event["scope"],
    };
    const { scope } = event;
    const input = { name: "Sale", from: event.first, to: event.last, scope, excludeFromComparison: true };
    await createEvent(world.site.ctx, world.site.root, input);
    world.events.push(event);
  }
}

async function check(chance: Chance, world: SalesWorld): Promise<string[]> {
  const differences: string[] = [];
  world.oracles.clear();
  const question = (reader: Reader): Question => ({
    reader,
    open: chance.below(2) === 0,
    comparison: pick(comparisons, chance),
  });
  // The short run asks one reader for each page and list.
  const some = () => (rounds(0, 1) === 1 ? world.readers : [pick(world.readers, chance)]);
  const sorts = () => Array.from({ length: rounds(1, 2) }, () => pick(salesSorts, chance));
  for (const shop of world.shops)
    for (const reader of some().filter(({ views }) => views(shop.owner.id)))
      for (const by of ["hour", pick(["day", "week", "month"] as const, chance)] as const)
        await checkSalesPage(world, shop, { by, ...question(reader) }, differences);
  for (const reader of some()) await checkSalesList(world, { sorts: sorts(), ...question(reader) }, differences);
  for (const reader of some()) {
    const groupBy = pick(groupings, chance);
    await checkSalesGroups(world, { groupBy, sorts: sorts(), ...question(reader) }, differences);
  }
  return differences;
}

async function play(seed: number, shape: Shape): Promise<void> {
  const chance = createChance(seed);
  const world = await plant(chance, seed, shape);
  const report = (step: string, differences: string[]) =>
    expect(differences.slice(0, 8), `seed ${seed}, ${world.period.first} to ${world.period.last}, ${step}`).toEqual([]);
  report("before sums are recomputed", await check(chance, world));
  await openSumsJob(world.site.ctx).run();
  report("after sums are recomputed", await check(chance, world));
  await handOver(world, pick(world.shops, chance), pick(world.shops, chance).owner);
  const moved = pick(world.shops, chance);
  moved.zone = pick(zones, chance).zone;
  await world.site.setZone(moved.id, moved.zone);
  report("after a hand-over and a change of zone", await check(chance, world));
}

test("conversion agrees with a sum entry by entry", { timeout: 1_800_000 }, async () => {
  for (let round = 0; round < rounds(1, 60); round += 1)
    await play(seedOf(4000) + round, {
      site,
      shops: 3,
      days: [9, 3, 16][round % 3] ?? 9,
      isToday: false,
    });
});

test("conversion of a period that is not over agrees, too", { timeout: 1_800_000 }, async () => {
  for (let round = 0; round < rounds(1, 40); round += 1)
    await play(seedOf(4003) + round, {
      site: today,
      shops: 2,
      days: [7, 1, 10][round % 3] ?? 1,
      isToday: true,
    });
});
