// Range, bucket size, comparison and visibility of Out in the URL. Invalid values are ignored, defaults omitted.
import {
  type Comparison,
  comparisons,
  type DayRange,
  defaultBucketSize,
  dayCount,
  parseRange,
  type CountRange,
  type BucketSize,
  bucketSizes,
  maxBuckets,
} from "@psp/contract/counts/count-range.ts";
import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import type { SearchParams } from "../address/address.ts";
import { useSearchParams } from "../address/navigation.tsx";

export type CountsView = {
  range: CountRange;
  by: BucketSize;
  askedBy: BucketSize | undefined;
  compare: Comparison | undefined;
  /** Whether the chart shows Out. */
  out: boolean;
};

const one = (value: string | string[] | undefined) => (typeof value === "string" ? value : undefined);

const leastDays: Record<BucketSize, number> = { hour: 1, day: 1, week: 7, month: 28 };

/** Why a bucket size is unavailable, or null. `many`: too many buckets. `long`: a bucket would be longer than the range. */
export function bucketSizeUnavailableReason(days: DayRange, by: BucketSize): "many" | "long" | null {
  const buckets = by === "hour" ? dayCount(days) * 24 : dayCount(days);
  if (buckets > maxBuckets) return "many";
  return dayCount(days) < leastDays[by] ? "long" : null;
}

export function viewOf(search: SearchParams, today: number): CountsView {
  const range = parseRange(one(search["range"]), today);
  const named = bucketSizes.find((step) => step === search["by"]);
  const askedBy = named === undefined || bucketSizeUnavailableReason(range, named) === "many" ? undefined : named;
  return {
    range,
    askedBy,
    by: askedBy ?? defaultBucketSize(range),
    compare: comparisons.find((comparison) => comparison === search["compare"]),
    out: search["out"] === "on",
  };
}

export type ViewChange = { range?: string; by?: BucketSize; compare?: Comparison | null; out?: boolean };

function viewSearch(view: CountsView, { range, by, compare, out = view.out }: ViewChange, today: number) {
  const next = range === undefined ? view.range : parseRange(range, today);
  const wanted = by ?? view.askedBy;
  const isDefault =
    wanted === undefined || wanted === defaultBucketSize(next) || bucketSizeUnavailableReason(next, wanted) !== null;
  return {
    range: next.text === "today" ? undefined : next.text,
    by: isDefault ? undefined : wanted,
    compare: compare === undefined ? view.compare : (compare ?? undefined),
    out: out ? "on" : undefined,
  };
}

/** `typed` replaces the history entry instead of adding one. */
export type SetView = (change: ViewChange, how?: "typed") => void;

export function useCountsView(): { search: SearchParams; setter: (today: number) => SetView } {
  const search = useSearchParams();
  const navigate = useNavigate();
  const setter = useCallback(
    (today: number): SetView =>
      (change, how) =>
        void navigate({
          to: ".",
          // Reads the URL when navigating: another navigation may be pending.
          search: (now: SearchParams) => {
            const { skip: _page, ...kept } = now;
            return { ...kept, ...viewSearch(viewOf(now, today), change, today) };
          },
          replace: how === "typed",
          resetScroll: false,
        }),
    [navigate],
  );
  return { search, setter };
}
