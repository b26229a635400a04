// Formats counts, shares and amounts; a dash means unknown.
import { completenessPercent } from "@psp/contract/counts/count-range.ts";
import type { SalesFigures } from "@psp/contract/counts/sales-figures.ts";
import { formatNumber } from "../ui/text/numbers.ts";

export const formatSum = (sum: number | null): string => (sum === null ? "–" : formatNumber(sum));

export const formatCompleteness = (completeness: number | null): string =>
  completeness === null ? "–" : `${completenessPercent(completeness)} %`;

const share = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** "12.5 %" */
export const formatConversion = (conversion: number | null): string =>
  conversion === null ? "–" : `${share.format(conversion * 100)} %`;

export function formatMoney(amount: number, currency: string): string {
  return new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "code" }).format(amount);
}

/** Currencies are never added up, so there may be several amounts. */
export const formatRevenue = (sales: SalesFigures): string =>
  sales.revenue.map(({ amount, currency }) => formatMoney(amount, currency)).join(" and ");

export function formatRevenuePerVisitor(sales: SalesFigures): string {
  const [only, ...more] = sales.revenue;
  return only === undefined || more.length > 0 || only.perVisitor === null
    ? "–"
    : formatMoney(only.perVisitor, only.currency);
}
