// Locations as owned things.
import type { Location } from "@psp/contract/location/location.ts";
import type { OwnedNoun } from "../owned/noun.ts";
import { locationReasons } from "./location.reasons.ts";
import { findLocation, type LocationRow, locationTable } from "./location.store.ts";
import { locationTrail, toLocation } from "./location.wire.ts";

export const locations: OwnedNoun<"location", LocationRow, Location> = {
  ...locationTable,
  type: "measurement",
  rights: "measurement",
  reasons: locationReasons,
  find: findLocation,
  toWire: toLocation,
  trail: locationTrail,
};
