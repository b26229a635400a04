// Computes conversion and revenue per visitor from days or hours with sales (docs/rules/sales.md#conversion).
import type { SalesFigures, SalesTotal } from "@psp/contract/counts/sales-figures.ts";
import { type Amounts, addAmounts, type Revenue } from "../../sales/sales.service.ts";

/** Sales of a local day or hour. `visitors` are the people in at the time of these sales, null if unknown. */
export type SalesPart = { amounts: Amounts; visitors: number | null };
/** `day` counts from 1970. `isOver`: the day has ended. */
export type SalesDay = SalesPart & { day: number; isOver: boolean };

/** Adds up days or hours of one or more locations. */
export function createSalesSum() {
  let [all, known]: [Amounts | null, Amounts | null] = [null, null];
  let [visitors, days, comparedDays] = [0, 0, 0];
  return {
    take({ amounts, visitors: people }: SalesPart): void {
      all = addAmounts(all, amounts);
      days += 1;
      if (people === null) return;
      known = addAmounts(known, amounts);
      visitors += people;
      comparedDays += 1;
    },
    /** Null without sales. */
    result: (): SalesTotal | null =>
      all && { ...toFigures(all, known, comparedDays === 0 ? null : visitors), days, comparedDays },
    /** Not rounded. */
    conversion: () => conversionOf(known, visitors),
  };
}

function toFigures(all: Amounts, known: Amounts | null, visitors: number | null): SalesFigures {
  const isOneCurrency = all.revenue.length === 1 && known !== null && visitors !== null && visitors > 0;
  const conversion = conversionOf(known, visitors);
  const perVisitor = isOneCurrency ? round((toNumber(known.revenue[0]) ?? 0) / visitors, 2) : null;
  return {
    transactions: all.transactions,
    revenue: all.revenue.map((one) => ({ currency: one.currency, amount: toNumber(one) ?? 0, perVisitor })),
    staffHours: all.staffHundredths === null ? null : all.staffHundredths / 100,
    visitors,
    conversion: conversion === null ? null : round(conversion, 4),
  };
}

const conversionOf = (known: Amounts | null, visitors: number | null) =>
  known && visitors ? known.transactions / visitors : null;

const toNumber = (revenue: Revenue | undefined) => (revenue ? Number(revenue.thousandths) / 1000 : null);
const round = (value: number, places: number) => Number(value.toFixed(places));

export function sumSalesDays(days: Iterable<SalesPart>): SalesTotal | null {
  const sum = createSalesSum();
  for (const day of days) sum.take(day);
  return sum.result();
}

/** Compares days that have ended and are known on both sides. */
export function createConversionChange() {
  const [now, earlier] = [createSalesSum(), createSalesSum()];
  return {
    take(days: readonly SalesDay[], before: readonly SalesDay[], shift: number, isLeftOut: (day: number) => boolean) {
      const partners = new Map(before.map((day) => [day.day + shift, day]));
      for (const day of days) {
        const partner = partners.get(day.day);
        if (!partner || !day.isOver || !partner.isOver || isLeftOut(day.day)) continue;
        if (day.visitors === null || partner.visitors === null) continue;
        now.take(day);
        earlier.take(partner);
      }
    },
    /** In percentage points with one decimal place. */
    result(): number | null {
      // Conversions that are already rounded could round the change in the wrong direction.
      const [present, past] = [now.conversion(), earlier.conversion()];
      // `+ 0` turns -0 into 0, because -0 would be shown as a loss.
      return present === null || past === null ? null : round((present - past) * 100, 1) + 0;
    },
  };
}
