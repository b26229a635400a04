// Queries for the occupancy app: location, sensors and prerequisites.
import * as locations from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { type OccupancyApp, findOccupancyApp } from "@psp/contract/occupancy/occupancy-app.ts";
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { paths } from "../address/paths.ts";
import { call } from "../api/call.ts";
import { toListResult } from "../api/listed.ts";
import { createQueries } from "../entity/entity.ts";
import { useCan, useOwners } from "../api/session/useCan.ts";
import { occupancyText } from "./occupancy.text.ts";

/** Queries for the location. Saves use optimistic locking, because the app is stored as part of the location. */
export const appLocationQueries = {
  ...createQueries({
    type: "measurement",
    calls: {
      list: locations.listLocations,
      get: locations.getLocation,
      create: locations.createLocation,
      update: locations.updateLocation,
      remove: locations.deleteLocation,
    },
    // Sensors are refetched, because they show the location's name and zone.
    shownBy: ["sensor"],
  }),
  paths: { list: paths.locations, remove: paths.deleteLocation },
  text: { subject: occupancyText.subject, updateFailed: occupancyText.updateFailed },
};

export function useStoredApp({ applications }: Location): OccupancyApp | null {
  return useMemo(() => findOccupancyApp(applications), [applications]);
}

/** Maximum number of sensors to load. No location has more. */
const most = 500;

/** Undefined while loading, or if the user may not view the sensors. */
export function useAppSensors(id: string): readonly Sensor[] | undefined {
  const can = useCan();
  const query = { measID: id, limit: String(most), includeTotals: "true" } as const;
  const { data } = useQuery({
    queryKey: ["sensor", "list", "of app", id],
    queryFn: async ({ signal }) => toListResult<Sensor>(await call(listSensors, { query, signal })).objects,
    enabled: can.viewType("sensor"),
  });
  return data;
}

/** Number of APS sensors; undefined while loading, null if loading failed. */
export function useApsCount(id: string): number | null | undefined {
  const query = { measID: id, sensorType: "APS", limit: "1", includeTotals: "true" } as const;
  const { data, isError } = useQuery({
    queryKey: ["sensor", "list", "count", query],
    queryFn: async ({ signal }) => toListResult<Sensor>(await call(listSensors, { query, signal })).total,
  });
  return isError ? null : data;
}

export type Prerequisite = "license" | "sensor" | "address";

/** Missing prerequisites (OC-04); undefined while loading. The server checks those that the console can't determine. */
export function usePrerequisites(location: Location): readonly Prerequisite[] | undefined {
  const aps = useApsCount(location._id);
  const { licenses, location: place } = location;
  if (aps === undefined) return undefined;
  return [
    ...(licenses.buildings || licenses.occupancyMeasurement ? [] : (["license"] as const)),
    ...(aps === 0 ? (["sensor"] as const) : []),
    ...(place.timezone === null ? (["address"] as const) : []),
  ];
}

/** Why live preview and links are disabled (docs/rules/occupancy.md#enabling), or undefined. */
export function displayDisabledReason(location: Location, app: OccupancyApp | null): string | undefined {
  if (!location.licenses.occupancyMeasurement) return occupancyText.mustOrder;
  return app?.enabled === true ? undefined : occupancyText.mustEnable;
}

/** Whether the user may edit the location; `ready` is false while loading. */
export function useMayEditLocation(location: Location): { ready: boolean; mayEdit: boolean } {
  const can = useCan();
  const { ownerOf, ready } = useOwners([location.owner._id]);
  return { ready, mayEdit: can.edit("measurement", ownerOf(location.owner._id)) };
}
