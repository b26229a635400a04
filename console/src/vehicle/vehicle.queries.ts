// Queries for vehicles. Live levels are applied to them by `live-levels.ts`.
import { getVehicleDay, listVehicles } from "@psp/contract/vehicle/vehicle.api.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { SearchParams } from "../address/address.ts";
import { call } from "../api/call.ts";
import { useListQuery } from "../api/listed.ts";
import { useSensorStats } from "../api/session/useHasMonitoringLicense.ts";

export const useVehicles = (query: SearchParams, enabled = true) =>
  useListQuery(["vehicle", "list", query], (signal) => call(listVehicles, { query, signal }), enabled);

/** Number of vehicles that the user can see. Requested only if there are ZOD sensors. */
export function useVehicleTotal(): number | undefined {
  const hasCoaches = useSensorStats().data?.totalByType.some(({ _id, count }) => _id === "ZOD" && count > 0) ?? false;
  const query = { limit: "1", includeTotals: "true" } as const;
  const { data } = useListQuery(
    ["vehicle", "total", "all"],
    (signal) => call(listVehicles, { query, signal }),
    hasCoaches,
  );
  return hasCoaches ? data?.total : undefined;
}

export const useVehicleDay = (id: string, date: string, zone: string) =>
  useQuery({
    queryKey: ["vehicle", "day", id, date, zone],
    queryFn: ({ signal }) => call(getVehicleDay, { params: { id }, query: { date, zone }, signal }),
    placeholderData: keepPreviousData,
  });
