// Three of the selected locations as they were when the dialog was opened.
import { listLocations } from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { useQuery } from "@tanstack/react-query";
import type { SearchParams } from "../../address/address.ts";
import { call } from "../../api/call.ts";
import type { BatchSelection } from "../../entity/batch/item-batch.ts";

const exampleCount = 3;
/** Page size limit of the API. */
const maxRows = 500;

/** Undefined while loading. */
export function useExamples({ selection, filters }: BatchSelection): Location[] | undefined {
  const asked: SearchParams =
    selection.mode === "page"
      ? { ids: [...selection.ids].toSorted().slice(0, exampleCount), limit: String(exampleCount) }
      : { ...filters, limit: String(Math.min(maxRows, selection.excluded.size + exampleCount)) };
  const { data } = useQuery({
    // The key doesn't begin with "measurement", so that live messages don't refetch it.
    queryKey: ["batch-before", "locations", asked],
    queryFn: async ({ signal }) => {
      const page = await call(listLocations, { query: asked, signal });
      return Array.isArray(page) ? [] : (page.objects as Location[]);
    },
    staleTime: Infinity,
    gcTime: 0,
  });
  if (selection.mode === "page") return data;
  return data?.filter(({ _id }) => !selection.excluded.has(_id)).slice(0, exampleCount);
}
