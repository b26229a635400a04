// Ranks and sorts compared rows; rows with large gaps have no rank (docs/rules/counts.md#comparing-locations).
import type { CountSum, LocationCounts } from "@psp/contract/counts/counts.api.ts";
import { type SalesSort, salesSorts } from "@psp/contract/counts/counts.query.ts";
import type { SalesFigures } from "@psp/contract/counts/sales-figures.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { isComparable } from "../count-sum.rules.ts";

export type Change = LocationCounts["change"];

export function rankAll<A extends { sum: CountSum }>(all: readonly A[]): (A & { rank: number | null })[] {
  const ranked = all.filter(({ sum }) => isComparable(sum)).toSorted((a, b) => (b.sum.in ?? 0) - (a.sum.in ?? 0));
  const ranks = new Map<A, number>();
  for (const [index, one] of ranked.entries()) {
    const before = ranked[index - 1];
    const isEqual = before !== undefined && before.sum.in === one.sum.in;
    ranks.set(one, isEqual ? (ranks.get(before) ?? 0) : index + 1);
  }
  return all.map((one) => ({ ...one, rank: ranks.get(one) ?? null }));
}

const alphabet = new Intl.Collator("en", { numeric: true });
const byIn: SortKey = { field: "in", descending: true };

type Row = { sum: CountSum; rank: number | null };

/** Which figures of all rows sorting needs. */
export type SortFigures = "none" | "changes" | "all";

export function figuresOf([key]: readonly SortKey[]): SortFigures {
  if (key?.field === "change") return "changes";
  return salesSorts.some((field) => field === key?.field) ? "all" : "none";
}

/** What a row is sorted by, besides its sum. */
export type SortedBy = {
  name: string | null;
  id: string | null;
  change: number | null;
  conversionChange: number | null;
  sales: SalesFigures | null;
};

/** Rows without a value come last in either direction, because a gap is not a low count. */
export function inOrder<R extends Row>(
  all: readonly R[],
  [key = byIn]: readonly SortKey[],
  sortedBy: (one: R) => SortedBy,
): R[] {
  const sign = key.descending ? -1 : 1;
  const rows = all.map((one) => ({ one, by: sortedBy(one) }));
  type Sorted = (typeof rows)[number];
  const byName = ({ by: a }: Sorted, { by: b }: Sorted) =>
    alphabet.compare(a.name ?? "", b.name ?? "") || ((a.id ?? "") < (b.id ?? "") ? -1 : 1);
  const field = key.field as "in" | "out" | "name" | "completeness" | "change" | SalesSort;
  const inFieldOrder = () => {
    if (field === "name") {
      const isNameless = ({ by }: Sorted) => Number(by.name === null);
      return rows.toSorted((a, b) => isNameless(a) - isNameless(b) || sign * byName(a, b));
    }
    if (field === "in" || field === "out" || field === "completeness") {
      const last = ({ one }: Sorted) =>
        one.sum.in === null ? 2 : Number(one.rank === null && field !== "completeness");
      const figure = ({ one }: Sorted) => one.sum[field] ?? -1;
      return rows.toSorted((a, b) => last(a) - last(b) || sign * (figure(a) - figure(b)) || byName(a, b));
    }
    const figure = ({ by }: Sorted) => figureOf(by, field);
    const last = ({ one, by }: Sorted) => (figureOf(by, field) !== null ? 0 : one.sum.in === null ? 2 : 1);
    const group = ({ by }: Sorted) => (field === "revenuePerVisitor" ? (by.sales?.revenue[0]?.currency ?? "") : "");
    return rows.toSorted(
      (a, b) =>
        last(a) - last(b) ||
        alphabet.compare(group(a), group(b)) ||
        sign * ((figure(a) ?? 0) - (figure(b) ?? 0)) ||
        byName(a, b),
    );
  };
  return inFieldOrder().map(({ one }) => one);
}

function figureOf({ change, conversionChange, sales }: SortedBy, field: "change" | SalesSort): number | null {
  switch (field) {
    case "change":
      return change;
    case "conversionChange":
      return conversionChange;
    case "conversion":
      return sales?.conversion ?? null;
    case "transactions":
      return sales?.transactions ?? null;
    case "revenuePerVisitor":
      return sales?.revenue[0]?.perVisitor ?? null;
  }
}
