// Ranks and sorts compared rows; rows with large gaps have no rank (docs/rules/counts.md#comparing-locations).
import type { CountSum, LocationCounts } from "@psp/contract/counts/counts.api.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { isComparable } from "../counts.service.ts";

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

/** Rows without a value come last in either direction, because a gap is not a low count. */
export function inOrder<R extends Row>(
  all: readonly R[],
  [key = byIn]: readonly SortKey[],
  labelOf: (one: R) => { name: string | null; id: string | null },
  changeOf: (one: R) => number | null,
): R[] {
  const sign = key.descending ? -1 : 1;
  const byName = (a: R, b: R) => {
    const [one, other] = [labelOf(a), labelOf(b)];
    return alphabet.compare(one.name ?? "", other.name ?? "") || ((one.id ?? "") < (other.id ?? "") ? -1 : 1);
  };
  const field = key.field as "in" | "out" | "name" | "completeness" | "change";
  if (field === "name") {
    const isNameless = (one: R) => Number(labelOf(one).name === null);
    return all.toSorted((a, b) => isNameless(a) - isNameless(b) || sign * byName(a, b));
  }
  const figure = (one: R) => (field === "change" ? changeOf(one) : one.sum[field]);
  const last = (one: R) => {
    if (one.sum.in === null) return 2;
    const isUnknown = field === "change" ? figure(one) === null : one.rank === null && field !== "completeness";
    return isUnknown ? 1 : 0;
  };
  return all.toSorted((a, b) => last(a) - last(b) || sign * ((figure(a) ?? -1) - (figure(b) ?? -1)) || byName(a, b));
}
