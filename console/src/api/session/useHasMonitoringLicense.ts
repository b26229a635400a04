// Whether a visible sensor has a monitoring license, which the dashboard requires (docs/rules/permissions.md#home-page).
import { sensorStats } from "@psp/contract/sensor/sensor.api.ts";
import { canViewType } from "@psp/contract/permission/can.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../call.ts";
import { config } from "../config.ts";
import { useActor } from "./session.tsx";

/** Statistics of visible sensors, refetched when sensors change. */
export function useSensorStats() {
  const actor = useActor();
  return useQuery({
    queryKey: ["sensor", "total", "stats"],
    queryFn: ({ signal }) =>
      call(sensorStats, { query: { connectionTimeout: String(config.connectionTimeoutHours) }, signal }),
    enabled: canViewType(actor, "sensor"),
  });
}

export function useHasMonitoringLicense(): boolean | undefined {
  const actor = useActor();
  const { data, isError } = useSensorStats();
  if (!canViewType(actor, "sensor") || isError) return false;
  return data?.totalByMonitoringLicense.some((one) => one._id && one.count > 0);
}
