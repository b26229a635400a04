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
  const now = await findSalesDays(ctx, caller, compared, mode);
  if (comparison === null) return now.map((days) => ({ now: days, before: [], shift: 0, isSkipped: () => false }));
  const withSales = compared.flatMap((one, index) => (now[index]?.length ? [{ ...one, index }] : []));
  const earlier = withSales.map(({ place, days }) => computeEarlierPeriod(place.zone, days, comparison, mode.nowMs));
  const asked = withSales.map(({ place }, index) => ({ place, days: earlier[index]?.days ?? { first: 0, last: -1 } }));
  const before = new Map(
    (await findSalesDays(ctx, caller, asked, mode)).map((days, index) => [withSales[index]?.index, days]),
  );
  const shiftOf = new Map(withSales.map(({ index }, at) => [index, earlier[at]?.shift ?? 0]));
  return compared.map(({ skipped }, index) => {
    const all = new Set(skipped);
    return {
      now: now[index] ?? [],
      before: before.get(index) ?? [],
      shift: shiftOf.get(index) ?? 0,
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
