// Sums of sales over many ranges, against plain arithmetic on integers (docs/rules/sales.md#sums).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../kit/caller.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { createChance, pick } from "../testing/chance.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { dayAt, type Entry, hourAt } from "./sales.rules.ts";
import { putSales, readSales, type SalesRange, type SalesSum, sumSales } from "./sales.service.ts";

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

/** Adds thousandths as big integers. */
function expectedSum(entries: readonly Entry[], { from, to }: Omit<SalesRange, "locationId">): SalesSum | null {
  const within = entries.filter(({ startMs, endMs }) => startMs >= from && endMs <= to);
  if (within.length === 0) return null;
  const thousandths = new Map<string, bigint>();
  for (const { currency, revenue } of within)
    thousandths.set(currency, (thousandths.get(currency) ?? 0n) + BigInt(Math.round(revenue * 1000)));
  const text = (sum: bigint) => {
    const digits = String(sum < 0n ? -sum : sum).padStart(4, "0");
    return `${sum < 0n ? "-" : ""}${digits.slice(0, -3)}.${digits.slice(-3)}`;
  };
  const hundredths = within.map(({ staffHours }) => (staffHours === null ? null : Math.round(staffHours * 100)));
  const isStaffKnown = hundredths.every((value) => value !== null);
  return {
    transactions: within.reduce((sum, { transactions }) => sum + transactions, 0),
    revenueByCurrency: new Map([...thousandths].map(([currency, sum]) => [currency, text(sum)])),
    staffHours: isStaffKnown ? hundredths.reduce((sum, value) => sum + (value ?? 0), 0) / 100 : null,
    coveredMs: within.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0),
  };
}

test(
  "sums of random ranges equal exact arithmetic, and are null where nothing is known",
  { timeout: 300_000 },
  async () => {
    const chance = createChance(seedOf(1711));
    const planted: Planted[] = [];
    for (let n = 0; n < rounds(12, 60); n += 1) planted.push(await plant(chance));
    const ranges: SalesRange[] = planted.flatMap(({ id, zone: name, entries }) => {
      const zone = zoneOf(name);
      const [first] = entries;
      const change = zone.dayStart(Date.UTC(2026, 9, 25) / (24 * hour));
      const random = Array.from({ length: 20 }, () => {
        const from = Date.UTC(2026, pick([2, 9], chance), 1) + chance.below(31 * 24) * hour;
        return { locationId: id, from, to: from + chance.below(200) * hour };
      });
      return [
        { locationId: id, from: Date.UTC(2000, 0, 1), to: Date.UTC(2030, 0, 1) },
        { locationId: id, from: change, to: change + 25 * hour },
        // Starts with an entry, and ends just before, at and after its end.
        ...[-1, 0, 1].map((ms) => ({ locationId: id, from: first?.startMs ?? 0, to: (first?.endMs ?? 0) + ms })),
        { locationId: id, from: (first?.startMs ?? 0) + 1, to: first?.endMs ?? 0 },
        { locationId: id, from: change, to: change },
        ...random,
      ];
    });
    const [chain, , stranger] = owners;
    for (const who of [chain, stranger]) {
      const sums = await sumSales(world.ctx, callerOf(who), ranges);
      for (const [index, range] of ranges.entries()) {
        const place = planted.find(({ id }) => id === range.locationId);
        const mayRead = who === stranger ? place?.owner === stranger : place?.owner !== stranger;
        const expected = mayRead ? expectedSum(place?.entries ?? [], range) : null;
        expect(sums[index], JSON.stringify({ range, zone: place?.zone })).toEqual(expected);
      }
    }
    const [one] = planted.filter(({ owner }) => owner !== stranger);
    const buckets = (one?.entries ?? []).map(({ startMs, endMs }) => ({ from: startMs, to: endMs }));
    const read = await readSales(world.ctx, callerOf(chain), one?.id ?? "", buckets);
    expect(read.map((sum) => sum?.transactions)).toEqual(one?.entries.map(({ transactions }) => transactions));
  },
);

test("a day is unknown in its hours, and hours are summed in their day", async () => {
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
  const hours = [entry(day + 24 * hour, day + 25 * hour), entry(day + 47 * hour, day + 48 * hour)];
  await putSales(world.ctx, callerOf(owner), id, [entry(day, day + 24 * hour), ...hours]);
  const buckets = [
    { from: day, to: day + hour },
    { from: day, to: day + 24 * hour },
    { from: day + 24 * hour, to: day + 48 * hour },
  ];
  const sums = await readSales(world.ctx, callerOf(owner), id, buckets);
  expect(sums.map((sum) => sum && [sum.transactions, sum.coveredMs])).toEqual([null, [3, 24 * hour], [6, 2 * hour]]);
  expect(await sumSales(world.ctx, callerOf(owner), [])).toEqual([]);
});
