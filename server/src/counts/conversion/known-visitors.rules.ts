// Decides whether the people at the time of sales are known well enough to be compared (docs/rules/sales.md#conversion).
import { openMsBetween } from "../../opening/opening.store.ts";
import type { Range } from "../bucket.rules.ts";
import { type Expected, isComparable, toCountSum } from "../count-sum.rules.ts";
import type { LocationStays } from "../place-sums.store.ts";
import { toExpectedSpans } from "../stay.store.ts";

/** `ms` of the open time `ofMs` lie between the first and the last sensor. */
export type Watched = { ms: number; ofMs: number };

export function createWatchedTime({ stays, hours }: LocationStays): (range: Range) => Watched {
  const spans = toExpectedSpans(stays, hours);
  const first = Math.min(...spans.map(({ fromMs }) => fromMs));
  const last = Math.max(...spans.map(({ toMs }) => toMs));
  return ({ from, to }) => {
    const [begin, end] = [Math.max(from, first), Math.min(to, last)];
    return { ms: begin < end ? openMsBetween(hours, begin, end) : 0, ofMs: openMsBetween(hours, from, to) };
  };
}

/** People in; null if less than 80 % of the time is known. The time before the first sensor and after the last one is unknown. */
export function knownVisitors(
  sums: Expected,
  { ms, ofMs }: Watched,
  { isOpenOnly }: { isOpenOnly: boolean },
): number | null {
  const expectedMs = ms > 0 ? (sums.expectedMs * ofMs) / ms : sums.expectedMs;
  const sum = toCountSum({ ...sums, expectedMs }, isOpenOnly);
  return isComparable(sum) ? sum.in : null;
}
