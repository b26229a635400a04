// What a location is to the rest of the console; on the wire it is a measurement.
import * as api from "@psp/contract/location/location.api.ts";
import type { Sent } from "@psp/contract/kit/endpoint.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { keepAnswer } from "../entity/saving.ts";
import { paths } from "../address/paths.ts";
import { defineEntity, plainRights } from "../entity/entity.ts";
import { locationText } from "./location.text.ts";

export type LocationUpdate = Sent<typeof api.updateLocation>["body"];

export const location = defineEntity({
  type: "measurement",
  calls: {
    list: api.listLocations,
    get: api.getLocation,
    create: api.createLocation,
    update: api.updateLocation,
    remove: api.deleteLocation,
  },
  // Sensors show the name and the zone of their location.
  shownBy: ["sensor"],
  text: locationText,
  nameOf: ({ name }) => name,
  paths: { list: paths.locations, remove: paths.deleteLocation },
  rights: plainRights("measurement"),
});

export type LicenseChange = Sent<typeof api.grantLocationLicenses>["body"];

/** Grants or withdraws licenses; the root account's alone (306 otherwise). */
export function useGrantLicenses(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: LicenseChange) => call(api.grantLocationLicenses, { params: { id }, body }),
    onSuccess: (answer) => {
      keepAnswer(client, "measurement", answer);
      for (const part of ["list", "total"]) void client.invalidateQueries({ queryKey: ["measurement", part] });
    },
  });
}

/** Asks again what depends on where sensors are. */
export function useSensorsMoved() {
  const client = useQueryClient();
  return () => {
    for (const queryKey of [["sensor"], ["measurement"], ["datapoint"]]) void client.invalidateQueries({ queryKey });
  };
}
