// Sums of people with the time in which they are expected to be counted, and what a response says about them.
import type { CountSum } from "@psp/contract/counts/counts.api.ts";
import { isCompleteEnough } from "@psp/contract/counts/count-range.ts";
import { addSums, computeCompleteness, createZeroSums, hasKnownData, type Sums } from "./aggregate.store.ts";

export type Expected = Sums & { expectedMs: number };
export const createNothing = (): Expected => ({ ...createZeroSums(), expectedMs: 0 });

export function addExpected(into: Expected, more: Expected, sign: 1 | -1 = 1): void {
  addSums(into, more, sign);
  into.expectedMs += sign * more.expectedMs;
}

/** `in` and `out` are null, not zero, if nothing is known. `isOpenOnly` counts only people within opening hours. */
export function toCountSum(sums: Expected, isOpenOnly: boolean): CountSum {
  const completeness = computeCompleteness(sums);
  // A record that starts before opening and ends after it has known open time, although none is expected when it starts.
  if (isOpenOnly && completeness === null) return { in: null, out: null, completeness };
  const shown = isOpenOnly ? { in: sums.openIn, out: sums.openOut, knownMs: sums.openKnownMs } : sums;
  return hasKnownData(shown) ? { in: shown.in, out: shown.out, completeness } : { in: null, out: null, completeness };
}

/** A location with large gaps has no rank, because with its missing counts it could be first. */
export const isComparable = (sum: CountSum): boolean => sum.in !== null && isCompleteEnough(sum);

/** People counted outside opening hours. */
export const toOutside = (sums: Sums) => ({ in: sums.in - sums.openIn, out: sums.out - sums.openOut });

export function subtract(from: Expected, less: Expected): Expected {
  const rest = { ...from };
  addExpected(rest, less, -1);
  return rest;
}
