// Sums of sales by local day, against plain arithmetic on integers (docs/rules/sales.md#sums).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../kit/caller.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { createChance, pick } from "../testing/chance.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { dayAt, type Entry, hourAt } from "./sales.rules.ts";
import { listEntries, putSales, sumByDay, toAmounts } from "./sales.service.ts";

let world: World;
let owners: [Person, Person, Person];
beforeAll(async () => {
  world = await createWorld();
  const chain = await world.account("Chain", world.root, fullPermissions);
  owners = [
    chain,
    await world.account("North", chain, fullPermissions),
    await world.account("Stranger", world.root, fullPermissions),
  ];
});
afterAll(() => world.stop());

const hour = 3_600_000;
const zones = ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu", null];
const callerOf = (person: Person): Caller => ({
  ...person,
  permissions: fullPermissions,
  sessionId: "",
  credentialId: "",
  request: { id: "", idempotency: null, ifMatch: null },
});

type Planted = { id: string; zone: string | null; owner: Person; entries: Entry[] };

async function plant(chance: ReturnType<typeof createChance>): Promise<Planted> {
  const zoneName = pick(zones, chance);
  const owner = pick(owners, chance);
  const id = uuidv7(world.ctx.clock.now());
  const place = { owner_id: owner.id, owner_path: owner.path, timezone: zoneName };
  await world.ctx.db
    .insertInto("location")
    .values({ id, name: "Shop", ...place })
    .execute();
  const zone = zoneOf(zoneName);
  const entries: Entry[] = [];
  // Both clock changes of the northern zones.
  for (const first of [Date.UTC(2026, 2, 7), Date.UTC(2026, 9, 24)])
    for (let at = zone.dayStart(first / (24 * hour)); at < first + 8 * 24 * hour;) {
      const isDay = at === dayAt(zone, at).startMs && chance.below(3) > 0;
      const period = isDay ? dayAt(zone, at) : hourAt(zone, at);
      const amounts = {
        transactions: chance.below(1000),
        revenue: (chance.below(2_000_000_000) - 5_000_000) / 1000,
        currency: pick(["EUR", "EUR", "EUR", "CHF", "KWD"], chance),
        staffHours: chance.below(10) === 0 ? null : chance.below(2000) / 100,
      };
      if (chance.below(4) > 0) entries.push({ ...period, isDay, ...amounts });
      at = period.endMs;
    }
  const iso = (ms: number) => new Date(ms).toISOString();
  await putSales(
    world.ctx,
    callerOf(owner),
    id,
    entries.map(({ startMs, endMs, transactions, revenue, currency, staffHours }) => ({
      start: iso(startMs),
      end: iso(endMs),
      transactions,
      revenue,
      currency,
      staffHours,
    })),
  );
  return { id, zone: zoneName, owner, entries };
}

/** Adds thousandths as big integers. One row per currency. */
function expectedRows(entries: readonly Entry[], from: number, to: number) {
  const within = entries.filter(({ startMs, endMs }) => startMs >= from && endMs <= to);
  const rows = Map.groupBy(within, ({ currency }) => currency);
  return [...rows]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, some]) => {
      const thousandths = some.reduce((sum, { revenue }) => sum + BigInt(Math.round(revenue * 1000)), 0n);
      const hundredths = some.map(({ staffHours }) => (staffHours === null ? null : Math.round(staffHours * 100)));
      const isStaffKnown = hundredths.every((value) => value !== null);
      return {
        currency,
        transactions: some.reduce((sum, { transactions }) => sum + transactions, 0),
        revenue: [{ currency, thousandths }],
        staffHundredths: isStaffKnown ? hundredths.reduce((sum, value) => sum + (value ?? 0), 0) : null,
        coveredMs: some.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0),
        firstMs: Math.min(...some.map(({ startMs }) => startMs)),
        lastMs: Math.max(...some.map(({ endMs }) => endMs)),
        isDay: some.some(({ isDay }) => isDay),
      };
    });
}

test("sums of local days equal exact arithmetic, and days without sales have none", { timeout: 300_000 }, async () => {
  const chance = createChance(seedOf(1711));
  const planted: Planted[] = [];
  for (let n = 0; n < rounds(12, 60); n += 1) planted.push(await plant(chance));
  const [chain, , stranger] = owners;
  for (const zoneName of new Set(planted.map(({ zone }) => zone))) {
    const zone = zoneOf(zoneName);
    const here = planted.filter((one) => one.zone === zoneName);
    const ids = here.map(({ id }) => id);
    for (const first of [Date.UTC(2026, 1, 28), Date.UTC(2026, 9, 20)]) {
      const days = Array.from({ length: 20 }, (_, n) => first / (24 * hour) + n);
      const edges = days.map((day) => zone.dayStart(day));
      for (const who of [chain, stranger]) {
        const found = await sumByDay(world.ctx.db, callerOf(who), ids, edges);
        for (const [place, { owner, entries }] of here.entries())
          for (let day = 0; day < days.length - 1; day += 1) {
            const rows = found.filter((row) => row.place === place && row.day === day);
            const mayRead = (who === stranger) === (owner === stranger);
            const expected = mayRead ? expectedRows(entries, edges[day] ?? 0, edges[day + 1] ?? 0) : [];
            const actual = rows.map((row) => ({
              currency: row.currency,
              ...toAmounts(row),
              coveredMs: row.covered_ms,
              firstMs: row.first_ms,
              lastMs: row.last_ms,
              isDay: row.is_day,
            }));
            expect(actual, JSON.stringify({ zoneName, day: days[day] })).toEqual(expected);
          }
      }
    }
  }
});

test("entries of a range are listed by start, without those that reach beyond it", async () => {
  const chance = createChance(seedOf(3));
  const { id, owner } = await plant(chance);
  await world.ctx.db.updateTable("location").set({ timezone: "UTC" }).where("id", "=", id).execute();
  const day = Date.UTC(2026, 5, 1);
  const entry = (start: number, end: number) => ({
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
    transactions: 3,
    revenue: 1.5,
    currency: "EUR",
  });
  const hours = [entry(day + 47 * hour, day + 48 * hour), entry(day + 24 * hour, day + 25 * hour)];
  await putSales(world.ctx, callerOf(owner), id, [entry(day, day + 24 * hour), ...hours]);
  const ranges = [
    { locationId: id, from: day, to: day + 24 * hour },
    { locationId: id, from: day, to: day + 48 * hour },
    { locationId: id, from: day + 24 * hour + 1, to: day + 48 * hour - 1 },
  ];
  const rows = await listEntries(world.ctx.db, callerOf(owner), ranges);
  expect(rows.map(({ place, start_ms: start, revenue }) => [place, start, revenue])).toEqual([
    [0, day, "1.500"],
    [1, day, "1.500"],
    [1, day + 24 * hour, "1.500"],
    [1, day + 47 * hour, "1.500"],
  ]);
  expect(await listEntries(world.ctx.db, callerOf(owner), [])).toEqual([]);
  expect(await sumByDay(world.ctx.db, callerOf(owner), [], [day, day + 24 * hour])).toEqual([]);
});
