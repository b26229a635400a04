// Sales of compared locations, in a range and in the earlier one (docs/rules/sales.md#conversion).
import type { Comparison, DayRange } from "@psp/contract/counts/count-range.ts";
import type { SalesTotal } from "@psp/contract/counts/sales-figures.ts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../kit/caller.ts";
import { computeEarlierPeriod } from "../period.rules.ts";
import type { LocationStays } from "../place-sums.store.ts";
import { findSalesDays, type SalesMode } from "./sales-days.service.ts";
import { createConversionChange, createSalesSum, type SalesDay } from "./sales-figures.rules.ts";

type Compared = {
  place: LocationStays;
  days: DayRange;
  /** Days that are not compared. */
  skipped: readonly number[];
};

/** The days with sales of one location. `shift` is the distance of the compared days. */
export type ComparedSales = {
  now: readonly SalesDay[];
  before: readonly SalesDay[];
  shift: number;
  isSkipped: (day: number) => boolean;
};

export type ConversionFigures = { sales: SalesTotal | null; conversionChange: number | null };

export async function findComparedSales(
  ctx: Context,
  caller: Caller,
  compared: readonly Compared[],
  comparison: Comparison | null,
  mode: SalesMode,
): Promise<ComparedSales[]> {
  const periods = compared.map(({ place, days }) =>
    comparison === null ? null : computeEarlierPeriod(place.zone, days, comparison, mode.nowMs),
  );
  const earlier = compared.flatMap(({ place }, index) => {
    const { days } = periods[index] ?? {};
    return days ? [{ place, days }] : [];
  });
  const [now, before] = await Promise.all([
    findSalesDays(ctx, caller, compared, mode),
    findSalesDays(ctx, caller, earlier, mode),
  ]);
  return compared.map(({ skipped }, index) => {
    const all = new Set(skipped);
    return {
      now: now[index] ?? [],
      before: before[index] ?? [],
      shift: periods[index]?.shift ?? 0,
      isSkipped: (day) => all.has(day),
    };
  });
}

/** Adds up locations. */
export function createComparedSum() {
  const sum = createSalesSum();
  const change = createConversionChange();
  return {
    take({ now, before, shift, isSkipped }: ComparedSales): void {
      for (const day of now) sum.take(day);
      change.take(now, before, shift, isSkipped);
    },
    result: (): ConversionFigures => ({ sales: sum.result(), conversionChange: change.result() }),
  };
}

export function sumComparedSales(all: Iterable<ComparedSales>): ConversionFigures {
  const sum = createComparedSum();
  for (const one of all) sum.take(one);
  return sum.result();
}
