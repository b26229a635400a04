// Seeds the demo's sales of three shops, derived from their counts: the same counts always give the same sales.
import { createHash } from "node:crypto";
import { dayMs, zoneOf } from "@psp/contract/kit/zone.ts";
import { sql } from "kysely";
import type { Tx } from "../db/database.ts";

/** As long as the counts, so that each range has sales a year before. */
const salesDays = 427;
/** Share of visitors who buy today and by how much it grew in a year, amount of a purchase, and visitors per hour of staff. */
const shops = [
  { conversion: 0.22, growth: 0.02, purchase: 24, visitorsPerStaffHour: 14 },
  { conversion: 0.25, growth: -0.03, purchase: 38, visitorsPerStaffHour: 11 },
  { conversion: 0.3, growth: 0.01, purchase: 17, visitorsPerStaffHour: 16 },
] as const;
/** Largest deviation of a day's conversion from the shop's. */
const spread = 0.045;
const minStaffHours = 8;
const currencies: Readonly<Record<string, string>> = {
  Switzerland: "CHF",
  "United States": "USD",
};

type Shop = { id: string; owner_id: string; timezone: string | null; country: string | null };

/** Counts before `countedToMs` are complete. For later days, those of the same weekday before are taken. */
export async function seedSales(tx: Tx, countedToMs: number, nowMs: number): Promise<void> {
  const { rows } = await sql<Shop>`select id, owner_id, timezone, country from location
    where exists (select from count_day where location_id = location.id) order by id limit ${shops.length}`.execute(tx);
  for (const [number, shop] of rows.entries()) {
    const zone = zoneOf(shop.timezone);
    const [counted, today] = [zone.dayAt(countedToMs), zone.dayAt(nowMs)];
    const visitors = await findVisitors(tx, shop.id, today - salesDays - 7);
    const entries = Array.from({ length: salesDays }, (_, n) => today - salesDays + n).flatMap((day) => {
      const similar = day < counted ? day : day - 7 * (Math.floor((day - counted) / 7) + 1);
      const people = visitors.get(similar) ?? 0;
      const [start, end] = [zone.dayStart(day), zone.dayStart(day + 1)];
      return people === 0 ? [] : [{ start_ms: start, end_ms: end, ...amountsOf(number, shop, { day, today, people }) }];
    });
    if (entries.length > 0)
      await tx
        .insertInto("sale")
        .values(entries.map((entry) => ({ location_id: shop.id, owner_id: shop.owner_id, is_day: true, ...entry })))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  }
}

/** People in by local day. */
async function findVisitors(tx: Tx, locationId: string, fromDay: number): Promise<Map<number, number>> {
  const { rows } = await sql<{ day: number; people: number }>`select day, sum(n_in)::int as people from count_day
    where location_id = ${locationId} and day >= ${fromDay} group by day`.execute(tx);
  return new Map(rows.map(({ day, people }) => [day, people]));
}

type SalesDay = { day: number; today: number; people: number };

function amountsOf(number: number, { country }: Shop, { day, today, people }: SalesDay) {
  const { conversion, growth, purchase, visitorsPerStaffHour } = shops[number % shops.length] ?? shops[0];
  const [mood, basket] = chancesOf(number, day);
  const usual = conversion - (growth * (today - day)) / 365;
  const transactions = Math.round(people * (usual + spread * (2 * mood - 1)));
  const revenue = transactions * purchase * (0.85 + 0.3 * basket);
  const staffHours = Math.max(minStaffHours, Math.round((2 * people) / visitorsPerStaffHour) / 2);
  const currency = currencies[country ?? ""] ?? "EUR";
  return { transactions, revenue: revenue.toFixed(2), currency, staff_hours: staffHours.toFixed(2) };
}

/** Two numbers from 0 to 1 that depend on nothing but the shop and the date. */
function chancesOf(number: number, day: number): [number, number] {
  const digest = createHash("sha256")
    .update(`sales ${number} ${day * dayMs}`)
    .digest();
  return [digest.readUInt32LE(0) / 2 ** 32, digest.readUInt32LE(4) / 2 ** 32];
}
