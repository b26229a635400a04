// What the occupancy app asks of the server about its location: the location itself, its sensors, and what is missing there.
import * as locations from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { type OccupancyApp, occupancyAppOf } from "@psp/contract/occupancy/occupancy-app.ts";
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { paths } from "../address/paths.ts";
import { call } from "../api/call.ts";
import { pageOf } from "../api/listed.ts";
import { queriesOf } from "../entity/entity.ts";
import { useCan, useOwners } from "../session/useCan.ts";
import { occupancyText } from "./occupancy.text.ts";

/** The location that holds the app: saved as a whole, so that a save can be refused where it was changed meanwhile. */
export const appLocation = {
  ...queriesOf({
    type: "measurement",
    calls: {
      list: locations.listLocations,
      get: locations.getLocation,
      create: locations.createLocation,
      update: locations.updateLocation,
      remove: locations.deleteLocation,
    },
    // Sensors show the name and the zone of their location.
    shownBy: ["sensor"],
  }),
  paths: { list: paths.locations, remove: paths.deleteLocation },
  text: { subject: occupancyText.subject, updateFailed: occupancyText.updateFailed },
};

/** The app as it is stored, complete; null where none is. */
export function useStoredApp({ applications }: Location): OccupancyApp | null {
  return useMemo(() => occupancyAppOf(applications), [applications]);
}

/** Sensors are asked for and shown in one page: more than that are not at one place. */
const most = 500;

/** The location's sensors; undefined while they are asked for, or where they can't be. */
export function useAppSensors(id: string): readonly Sensor[] | undefined {
  const can = useCan();
  const query = { measID: id, limit: String(most), includeTotals: "true" } as const;
  const { data } = useQuery({
    queryKey: ["sensor", "list", "of app", id],
    queryFn: async ({ signal }) => pageOf<Sensor>(await call(listSensors, { query, signal })).objects,
    enabled: can.viewType("sensor"),
  });
  return data;
}

/** How many of the location's sensors can count; undefined while that is asked, null where it can't be known. */
export function useApsCount(id: string): number | null | undefined {
  const query = { measID: id, sensorType: "APS", limit: "1", includeTotals: "true" } as const;
  const { data, isError } = useQuery({
    queryKey: ["sensor", "list", "count", query],
    queryFn: async ({ signal }) => pageOf<Sensor>(await call(listSensors, { query, signal })).total,
  });
  return isError ? null : data;
}

export type Prerequisite = "license" | "sensor" | "address";

/** What the location lacks for the app (OC-04); undefined while that is found out. What can't be known is for the server to judge. */
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

/** Why the live preview and links are off (docs/rules/occupancy.md#enabling); undefined where they are on. */
export function whyNoDisplay(location: Location, app: OccupancyApp | null): string | undefined {
  if (!location.licenses.occupancyMeasurement) return occupancyText.mustOrder;
  return app?.enabled === true ? undefined : occupancyText.mustEnable;
}

/** Whether the signed-in account may change the location; `ready` is false while that is found out. */
export function useMayEdit(location: Location): { ready: boolean; mayEdit: boolean } {
  const can = useCan();
  const { ownerOf, ready } = useOwners([location.owner._id]);
  return { ready, mayEdit: can.edit("measurement", ownerOf(location.owner._id)) };
}
