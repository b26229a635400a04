// Whether a location that is known by its id only may be edited, e.g. the one that a sensor is assigned to.
import { listLocations } from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { type Listed, pageOf } from "../../api/listed.ts";
import { useCan, useOwners } from "../../session/useCan.ts";

/** False for a location that can't be viewed; undefined without an id and while the answer is not known. */
export function useMayEditLocation(id: string | null): boolean | undefined {
  const can = useCan();
  const { data } = useQuery({
    queryKey: ["measurement", "select", { ids: id }],
    queryFn: async ({ signal }) =>
      pageOf((await call(listLocations, { query: { ids: id ?? "" }, signal })) as Listed<Location>),
    enabled: id !== null,
  });
  const found = data?.objects[0];
  const { ownerOf, ready } = useOwners(found === undefined ? [] : [found.owner._id]);
  if (data === undefined || !ready) return undefined;
  return found !== undefined && can.edit("measurement", ownerOf(found.owner._id));
}
