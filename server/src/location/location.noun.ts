// Locations as owned things, and for the live hub: rendered once per number of sensors that a viewer may see there.
import type { Location } from "@psp/contract/location/location.ts";
import { canView } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { OwnedNoun } from "../owned/noun.ts";
import { ownedLiveSource } from "../owned/owned.live.ts";
import { locationReasons } from "./location.reasons.ts";
import { findLocation, findLocationsForLive, type LocationRow, locationTable } from "./location.store.ts";
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

export const locationLiveSource = (ctx: Context) =>
  ownedLiveSource(ctx, {
    rights: "measurement",
    load: (ids) => findLocationsForLive(ctx.db, ids),
    otherOwners: (row) => row.sensor_owners.map(({ id }) => id),
    variantOf(actor, row, owners) {
      const visible = row.sensor_owners.filter(({ id }) => {
        const owner = owners.get(id);
        return owner !== undefined && canView(actor, "sensor", owner);
      });
      return String(visible.reduce((sum, { n }) => sum + n, 0));
    },
    render: (row, variant) => toLocation(ctx, { ...row, sensor_count: Number(variant) }),
  });
