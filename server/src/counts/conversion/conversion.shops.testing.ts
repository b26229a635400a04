// Random sales for the oracle of conversion: days and hours, gaps, several currencies, and locations that change hands.
import { deleteSales, putSales } from "../../sales/sales.service.ts";
import type { Person } from "../../datapoint/site.testing.ts";
import { type Chance, pick } from "../../testing/chance.ts";
import { buckets, dayStart, plainDate, type Time } from "../open.oracle.testing.ts";
import type { Period } from "../open.shops.testing.ts";
import { oracleOf, type Shop, type World } from "../open.world.testing.ts";
import { type Entry, storeEntry } from "./conversion.oracle.testing.ts";

/** How a shop sells: by which periods, how regularly, and in which currencies. */
export type Habit = {
  periods: readonly ("day" | "hours" | "openHours" | "someHours" | "none")[];
  currencies: readonly string[];
  /** One of so many entries has no staff hours; 0 for none. */
  staffGaps: number;
};

export function randomHabit(chance: Chance): Habit {
  return {
    periods: pick(
      [
        ["day"],
        ["day", "day", "none"],
        ["openHours", "openHours", "none"],
        ["hours", "openHours"],
        ["someHours"],
        ["day", "openHours", "someHours", "none"],
        ["day", "hours", "openHours", "someHours"],
      ] as const,
      chance,
    ),
    currencies: pick(
      [["EUR"], ["EUR"], ["CHF"], [...Array.from({ length: 30 }, () => "EUR"), "KWD"], ["EUR", "CHF"]],
      chance,
    ),
    staffGaps: pick([0, 0, 200, 3], chance),
  };
}

export type Ledger = { entries: Entry[]; stored: number };

function randomAmounts(chance: Chance, { currencies, staffGaps }: Habit) {
  return {
    transactions: pick([0, 1 + chance.below(6), chance.below(60)], chance),
    revenue: chance.below(2_000_000) - 100_000,
    currency: pick(currencies, chance),
    staff: staffGaps > 0 && chance.below(staffGaps) === 0 ? null : chance.below(1200),
  };
}

/** The periods of one local day that have sales. */
function soldTimes(
  world: World,
  shop: Shop,
  date: Temporal.PlainDate,
  period: Habit["periods"][number],
  chance: Chance,
) {
  const oracle = oracleOf(world, shop);
  const whole: Time = { from: dayStart(date, shop.zone), to: dayStart(date.add({ days: 1 }), shop.zone) };
  if (whole.from >= whole.to || period === "none") return [];
  if (period === "day") return [whole];
  const hours = buckets(oracle, "hour", date.toString(), date.toString());
  if (period === "hours") return hours;
  const isSold = (time: Time) => period === "openHours" && !oracle.isClosed(time) && chance.below(20) > 0;
  return hours.filter((time) => isSold(time) || chance.below(period === "someHours" ? 5 : 40) === 0);
}

/** Stores sales of the days of a period, as the present owner. */
export async function sell(world: World, shop: Shop, ledger: Ledger, period: Period, habit: Habit, chance: Chance) {
  const { site } = world;
  ledger.stored += 1;
  const sales: Entry[] = [];
  for (let date = plainDate(period.first); date.until(plainDate(period.last)).days >= 0; date = date.add({ days: 1 }))
    for (const time of soldTimes(world, shop, date, pick(habit.periods, chance), chance)) {
      const entry = { ...time, owner: shop.owner.id, stored: ledger.stored, ...randomAmounts(chance, habit) };
      if (time.from <= site.ctx.clock.now() + 86_400_000 && storeEntry(ledger.entries, entry)) sales.push(entry);
    }
  const body = sales.map(({ from, to, transactions, revenue, currency, staff }) => ({
    start: new Date(from).toISOString(),
    end: new Date(to).toISOString(),
    transactions,
    revenue: revenue / 1000,
    currency,
    staffHours: staff === null ? null : staff / 100,
  }));
  await putSales(site.ctx, shop.owner, shop.id, body);
}

/** Deletes what the present owner may read. */
export async function dropSales({ site }: World, shop: Shop, ledger: Ledger, { from, to }: Time): Promise<void> {
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  await deleteSales(site.ctx, shop.owner, shop.id, range);
  ledger.entries = ledger.entries.filter((one) => one.owner !== shop.owner.id || one.from < from || one.from >= to);
}

export type Event = { first: string; last: string; scope: { measIDs: string[] } | { tag: string } | { owner: string } };
export type Labels = { tags: readonly string[]; country: string | null };

/** Whether an event of the root account, or of the owner in its scope, applies. */
export function applies({ scope }: Event, shop: Shop, { tags }: Labels): boolean {
  if ("measIDs" in scope) return scope.measIDs.includes(shop.id);
  if ("owner" in scope) return shop.owner.id === scope.owner;
  return tags.some((tag) => plainTag(tag) === plainTag(scope.tag));
}

export const plainTag = (tag: string) => tag.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

export type Reader = {
  name: string;
  person: Person;
  views: (owner: string) => boolean;
  edits: (owner: string) => boolean;
};
