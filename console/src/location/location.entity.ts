// Calls, texts and rights of locations, which are called measurements in the API.
import * as api from "@psp/contract/location/location.api.ts";
import type { ClientInput } from "@psp/contract/kit/endpoint.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { cacheResponse } from "../entity/saving.ts";
import { paths } from "../address/paths.ts";
import { defineEntity, defaultRights } from "../entity/entity.ts";
import { locationText } from "./location.text.ts";

export type LocationUpdate = ClientInput<typeof api.updateLocation>["body"];

export const location = defineEntity({
  type: "measurement",
  calls: {
    list: api.listLocations,
    get: api.getLocation,
    create: api.createLocation,
    update: api.updateLocation,
    remove: api.deleteLocation,
  },
  // Sensors show the location's name and zone.
  shownBy: ["sensor"],
  text: locationText,
  nameOf: ({ name }) => name,
  paths: { list: paths.locations, remove: paths.deleteLocation },
  rights: defaultRights("measurement"),
});

export type LicenseChange = ClientInput<typeof api.grantLocationLicenses>["body"];

/** Grants or revokes licenses; only the root account may (306 otherwise). */
export function useGrantLicenses(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: LicenseChange) => call(api.grantLocationLicenses, { params: { id }, body }),
    onSuccess: (answer) => {
      cacheResponse(client, "measurement", answer);
      for (const part of ["list", "total"]) void client.invalidateQueries({ queryKey: ["measurement", part] });
    },
  });
}

export function useInvalidateAssignments() {
  const client = useQueryClient();
  return () => {
    for (const queryKey of [["sensor"], ["measurement"], ["datapoint"]]) void client.invalidateQueries({ queryKey });
  };
}
