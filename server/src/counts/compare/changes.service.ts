// Changes of compared locations since an earlier period, in people and in conversion (docs/rules/counts.md#comparison).
import type { CountSum, LocationCounts } from "@psp/contract/counts/counts.api.ts";
import {
  type Comparison,
  type DayRange,
  hasSimilarCompleteness,
  percentChange,
} from "@psp/contract/counts/count-range.ts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../kit/caller.ts";
import type { NamedLocation } from "../../location/location.service.ts";
import { createZeroSums } from "../aggregate.store.ts";
import type { Range } from "../bucket.rules.ts";
import { type ConversionFigures, findComparedSales, sumComparedSales } from "../conversion/compared-sales.service.ts";
import type { TooMany } from "../conversion/sales-days.service.ts";
import { type Expected, subtract, toCountSum } from "../count-sum.rules.ts";
import type { SortFigures } from "../group/ranking.rules.ts";
import { computeEarlierPeriod } from "../period.rules.ts";
import { addExpectedTime, type LocationStays, scaleToRange, sumLocations } from "../place-sums.store.ts";
import { sumSkippedDays } from "./skipped-days.service.ts";

/** A location with its local days, because "today" differs between zones. */
export type Asked = { location: NamedLocation; place: LocationStays; days: DayRange; range: Range };
export type Summed = Asked & { sums: Expected; sum: CountSum; isClosed: boolean };
export type Compared = Summed & { rank: number | null };
type LikeForLike = { change: LocationCounts["change"]; skipped: readonly number[] };
export type CountMode = { nowMs: number; isOpenOnly: boolean };

type Figures = LikeForLike & ConversionFigures;
const noFigures: Figures = { change: { in: null, out: null }, skipped: [], sales: null, conversionChange: null };

/** Finds the changes and sales of locations once. */
export function createFigures(ctx: Context, caller: Caller, compare: Comparison, mode: CountMode) {
  const changes = new Map<Compared, LikeForLike>();
  const sales = new Map<Compared, ConversionFigures>();
  return {
    async find(some: readonly Compared[], which: SortFigures, tooMany: TooMany) {
      if (which === "none") return;
      const unchanged = some.filter((one) => !changes.has(one));
      for (const [index, change] of (await changesOf(ctx, caller, unchanged, compare, mode)).entries())
        setAt(changes, unchanged[index], change);
      if (which === "changes") return;
      const unsold = some.filter((one) => !sales.has(one));
      const asked = unsold.map((one) => ({ ...one, skipped: changes.get(one)?.skipped ?? [] }));
      const found = await findComparedSales(ctx, caller, asked, compare, { ...mode, tooMany });
      for (const [index, one] of found.entries()) setAt(sales, unsold[index], sumComparedSales([one]));
    },
    of: (one: Compared): Figures => ({ ...noFigures, ...changes.get(one), ...sales.get(one) }),
  };
}

function setAt<K, V>(map: Map<K, V>, key: K | undefined, value: V): void {
  if (key !== undefined) map.set(key, value);
}

export async function earlierSums(ctx: Context, page: readonly Summed[], comparison: Comparison, nowMs: number) {
  const earlier = page.map(({ place, days }) => {
    return { place, range: computeEarlierPeriod(place.zone, days, comparison, nowMs).part };
  });
  const sums = await sumLocations(ctx.db, earlier);
  return earlier.map((asked, index) => ({
    asked,
    sums: addExpectedTime(asked, sums[index] ?? createZeroSums(), nowMs),
  }));
}

/** Both sides of the comparison of each location, without the days that are left out. */
export async function findLikeSums(
  ctx: Context,
  caller: Caller,
  page: readonly Summed[],
  comparison: Comparison,
  { nowMs, isOpenOnly }: CountMode,
): Promise<{ now: CountSum; before: CountSum; skipped: readonly number[] }[]> {
  const [earlier, skips] = await Promise.all([
    earlierSums(ctx, page, comparison, nowMs),
    sumSkippedDays(ctx, caller, page, comparison, { nowMs, isOpenOnly }),
  ]);
  return page.map(({ sums }, index) => {
    const [before, skip] = [earlier[index], skips[index]];
    if (!before || !skip) return { now: unknown, before: unknown, skipped: [] };
    const rest = subtract(before.sums, skip.earlier);
    return {
      now: toCountSum(subtract(sums, skip.now), isOpenOnly),
      before: toCountSum(scaleToRange(before.asked, rest, nowMs, skip.earlierDays), isOpenOnly),
      skipped: skip.days,
    };
  });
}

async function changesOf(
  ctx: Context,
  caller: Caller,
  page: readonly Compared[],
  comparison: Comparison,
  mode: CountMode,
): Promise<LikeForLike[]> {
  const like = await findLikeSums(ctx, caller, page, comparison, mode);
  return page.map(({ rank }, index) => {
    const { now, before, skipped } = like[index] ?? { now: unknown, before: unknown, skipped: [] };
    const none = { change: { in: null, out: null }, skipped };
    // A gap could look like a decrease.
    if (rank === null || !hasSimilarCompleteness(now, before)) return none;
    return { ...none, change: { in: percentChange(now, before, "in"), out: percentChange(now, before, "out") } };
  });
}

const unknown: CountSum = { in: null, out: null, completeness: null };
