// Dates, numbers and changes in words, for the mails and files of reports.
import { type Comparison, comparisonShiftDays, dateOfDay, type DayRange } from "@psp/contract/counts/count-range.ts";
import type { SalesFigures } from "@psp/contract/counts/sales-figures.ts";

export const count = new Intl.NumberFormat("en");
const month = new Intl.DateTimeFormat("en-GB", { month: "short", timeZone: "UTC" });

export const several = (n: number, one: string, many: string) => `${count.format(n)} ${n === 1 ? one : many}`;

/** "22 Nov 2026", "16 – 22 Nov 2026", "30 Nov – 6 Dec 2026", "28 Dec 2026 – 3 Jan 2027". */
export function datesText({ first, last }: DayRange): string {
  const [from, to] = [new Date(dateOfDay(first)), new Date(dateOfDay(last))];
  const end = `${to.getUTCDate()} ${month.format(to)} ${to.getUTCFullYear()}`;
  if (first === last) return end;
  const isYear = from.getUTCFullYear() === to.getUTCFullYear();
  const isMonth = isYear && from.getUTCMonth() === to.getUTCMonth();
  const begin = [
    from.getUTCDate(),
    ...(isMonth ? [] : [month.format(from)]),
    ...(isYear ? [] : [from.getUTCFullYear()]),
  ];
  return `${begin.join(" ")} – ${end}`;
}

export const noSalesText = "No sales are known for these days.";

/** "+15 %", "−3 %", "±0 %". */
export function changeText(change: number): string {
  const sign = change > 0 ? "+" : change < 0 ? "−" : "±";
  return `${sign}${count.format(Math.abs(change))} %`;
}

/** "+2.5 pp", "−1 pp". */
export function pointsText(points: number): string {
  return changeText(points).replace(/%$/, "pp");
}

const share = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const conversionText = (conversion: number | null): string =>
  conversion === null ? "–" : `${share.format(conversion * 100)} %`;

const money = (amount: number, currency: string) =>
  new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "code" }).format(amount);

/** Currencies are never added up. */
export const revenueText = ({ revenue }: SalesFigures): string =>
  revenue.map(({ amount, currency }) => money(amount, currency)).join(" and ");

export function perVisitorText({ revenue }: SalesFigures): string {
  const [only, ...more] = revenue;
  return only === undefined || more.length > 0 || only.perVisitor === null
    ? "–"
    : money(only.perVisitor, only.currency);
}

export function earlierDays(days: DayRange, compare: Comparison): DayRange {
  const shift = comparisonShiftDays(days, compare);
  return { first: days.first - shift, last: days.last - shift };
}

/** "from the week before", "from 13 Oct – 9 Nov 2026". */
export function comparisonText(days: DayRange, compare: Comparison): string {
  const isWeek = days.last - days.first === 6;
  return compare === "previous" && isWeek ? "from the week before" : `from ${datesText(earlierDays(days, compare))}`;
}
