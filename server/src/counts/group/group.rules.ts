// Sums of groups of locations, and their change among locations that are complete in both periods (docs/rules/counts.md#groups).
import type { CountSum } from "@psp/contract/counts/counts.api.ts";
import { hasSimilarCompleteness, isCompleteEnough, percentChange } from "@psp/contract/counts/count-range.ts";
import { isComparable } from "../count-sum.rules.ts";
import type { Change } from "./ranking.rules.ts";

/** Limits how many locations a file or a report has in its groups; a location counts once for each of its groups. */
export const maxMemberships = 1_000_000;

/** Whether the change of a group includes the location. */
export const isLikeForLike = (now: CountSum, earlier: CountSum): boolean =>
  isComparable(now) && earlier.in !== null && isCompleteEnough(earlier) && hasSimilarCompleteness(now, earlier);

/** Adds up both periods of comparable locations only, so that a new or broken one does not look like a change. */
export function createLikeForLike() {
  const [now, before] = [
    { in: 0, out: 0, completeness: 1 },
    { in: 0, out: 0, completeness: 1 },
  ];
  let comparable = 0;
  return {
    take(one: CountSum, earlier: CountSum): void {
      if (!isLikeForLike(one, earlier)) return;
      comparable += 1;
      now.in += one.in ?? 0;
      now.out += one.out ?? 0;
      before.in += earlier.in ?? 0;
      before.out += earlier.out ?? 0;
    },
    result: (): { comparable: number; change: Change } => ({
      comparable,
      change: { in: percentChange(now, before, "in"), out: percentChange(now, before, "out") },
    }),
  };
}
