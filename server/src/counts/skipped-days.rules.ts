// Chooses the days that a comparison leaves out, so that like is compared with like (docs/rules/counts.md#comparison).
import type { DayRange } from "@psp/contract/counts/count-range.ts";

/** Days since 1970. */
export type SkipRules = {
  /** Always false if closed days are compared like others. */
  isClosed(day: number): boolean;
  /** Whether an event on the day is to be left out. */
  isExcluded(day: number): boolean;
};

/**
 * Returns the days of a range that are not compared with the day `shift` days earlier: those on which either of the two is closed or
 * excluded. `today` bounds a running period.
 */
export function findSkippedDays(days: DayRange, shift: number, today: number, rules: SkipRules): number[] {
  const isLeftOut = (day: number) => rules.isClosed(day) || rules.isExcluded(day);
  const skipped: number[] = [];
  for (let day = days.first; day <= Math.min(days.last, today); day += 1)
    if (isLeftOut(day) || isLeftOut(day - shift)) skipped.push(day);
  return skipped;
}
