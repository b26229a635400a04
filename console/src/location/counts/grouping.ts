// The grouping of compared locations in the URL. Invalid values are ignored, the default is omitted.
import { groupings, type Grouping } from "@psp/contract/counts/grouping.ts";
import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import type { SearchParams } from "../../address/address.ts";

export function groupingOf(search: SearchParams): Grouping | undefined {
  const found = groupings.find((one) => one === search["groupBy"]);
  return found === "none" ? undefined : found;
}

export function useSetGrouping(): (groupBy: Grouping | undefined) => void {
  const navigate = useNavigate();
  return useCallback(
    (groupBy) =>
      void navigate({
        to: ".",
        search: (now: SearchParams) => {
          const { skip: _page, groupBy: _before, ...kept } = now;
          return groupBy === undefined ? kept : { ...kept, groupBy };
        },
        resetScroll: false,
      }),
    [navigate],
  );
}
