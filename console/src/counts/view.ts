// What a page of counts shows is in its address: range, step and comparison. Bad values are ignored, defaults are not written.
import {
  type Comparison,
  comparisons,
  type Days,
  defaultStep,
  lengthOf,
  parseRange,
  type Range,
  type Step,
  steps,
} from "@psp/contract/counts/count-range.ts";
import { maxBuckets } from "@psp/contract/counts/counts.api.ts";
import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import type { Search } from "../address/address.ts";
import { useSearchParams } from "../address/navigation.tsx";

export type CountsView = {
  range: Range;
  /** What is shown: as asked, else by the range. */
  by: Step;
  /** The step that the address names, where it can be drawn. */
  askedBy: Step | undefined;
  compare: Comparison | undefined;
};

const one = (value: string | string[] | undefined) => (typeof value === "string" ? value : undefined);

/** Longest days of each; a day may have 25 hours. */
const leastDays: Record<Step, number> = { hour: 1, day: 1, week: 7, month: 28 };

/** Why a range is not shown so: it would be more than can be drawn, or the step is longer than the range. */
export function stepFault(days: Days, by: Step): "many" | "long" | null {
  const buckets = by === "hour" ? lengthOf(days) * 24 : lengthOf(days);
  if (buckets > maxBuckets) return "many";
  return lengthOf(days) < leastDays[by] ? "long" : null;
}

export function viewOf(search: Search, today: number): CountsView {
  const range = parseRange(one(search["range"]), today);
  const named = steps.find((step) => step === search["by"]);
  const askedBy = named === undefined || stepFault(range, named) === "many" ? undefined : named;
  return {
    range,
    askedBy,
    by: askedBy ?? defaultStep(range),
    compare: comparisons.find((comparison) => comparison === search["compare"]),
  };
}

export type ViewChange = { range?: string; by?: Step; compare?: Comparison | null };

/** The part of the query that says a view; undefined for what needs no saying. */
function viewSearch(view: CountsView, { range, by, compare }: ViewChange, today: number) {
  const next = range === undefined ? view.range : parseRange(range, today);
  const wanted = by ?? view.askedBy;
  const isDefault = wanted === undefined || wanted === defaultStep(next) || stepFault(next, wanted) !== null;
  return {
    range: next.text === "today" ? undefined : next.text,
    by: isDefault ? undefined : wanted,
    compare: compare === undefined ? view.compare : (compare ?? undefined),
  };
}

/** Changes the address; `typed` replaces it instead of adding a step. */
export type SetView = (change: ViewChange, how?: "typed") => void;

export function useCountsView(): { search: Search; setter: (today: number) => SetView } {
  const search = useSearchParams();
  const navigate = useNavigate();
  const setter = useCallback(
    (today: number): SetView =>
      (change, how) =>
        void navigate({
          to: ".",
          // As the address is by then: a step may be under way.
          search: (now: Search) => {
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
