// Whether a location known by id may be edited.
import { listLocations } from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { type ListResponse, toListResult } from "../../api/listed.ts";
import { useCan, useOwners } from "../../api/session/useCan.ts";

/** False if it can't be viewed; undefined without id or while loading. */
export function useMayEditLocation(id: string | null): boolean | undefined {
  const can = useCan();
  const { data } = useQuery({
    queryKey: ["measurement", "select", { ids: id }],
    queryFn: async ({ signal }) =>
      toListResult((await call(listLocations, { query: { ids: id ?? "" }, signal })) as ListResponse<Location>),
    enabled: id !== null,
  });
  const found = data?.objects[0];
  const { ownerOf, ready } = useOwners(found === undefined ? [] : [found.owner._id]);
  if (data === undefined || !ready) return undefined;
  return found !== undefined && can.edit("measurement", ownerOf(found.owner._id));
}
