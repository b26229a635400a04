// What the dashboard asks beside the sensor numbers of the session.
import { locationStats } from "@psp/contract/location/location.api.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../api/call.ts";

export function useLocationStats(enabled: boolean) {
  return useQuery({
    queryKey: ["measurement", "total", "stats"],
    queryFn: ({ signal }) => call(locationStats, { signal }),
    enabled,
  });
}
