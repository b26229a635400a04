// What a location is to the rest of the console; on the wire it is a measurement.
import * as api from "@psp/contract/location/location.api.ts";
import type { Sent } from "@psp/contract/kit/endpoint.ts";
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
