// Declares locations as an owned noun and a live source.
import type { Location } from "@psp/contract/location/location.ts";
import type { OpenIssueStatus } from "@psp/contract/monitoring/issue-words.ts";
import { canView } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { OwnedNoun } from "../owned/noun.ts";
import { createOwnedLiveSource } from "../owned/owned.live.ts";
import { computeCurrentContactCutoff } from "../sensor/sensor.rights.ts";
import { locationReasons } from "./location.reasons.ts";
import { findLocation, findLocationsForLive, type LocationRow, locationTable } from "./location.store.ts";
import { locationTrail, toLocation } from "./location.wire.ts";

export const locations: OwnedNoun<"location", LocationRow, Location> = {
  ...locationTable,
  type: "measurement",
  rights: "measurement",
  reasons: locationReasons,
  find: (ctx, reader, caller, id) => findLocation(reader, caller, id, computeCurrentContactCutoff(ctx)),
  toWire: toLocation,
  trail: locationTrail,
};

type Shown = Pick<LocationRow, "sensor_count" | "sensors_offline" | "issue_status">;

function worstOf(statuses: readonly (OpenIssueStatus | null)[]): OpenIssueStatus | null {
  return statuses.includes("Error") ? "Error" : statuses.includes("Warning") ? "Warning" : null;
}

export const locationLiveSource = (ctx: Context) =>
  createOwnedLiveSource(ctx, {
    rights: "measurement",
    load: (ids) => findLocationsForLive(ctx.db, ids, computeCurrentContactCutoff(ctx)),
    otherOwners: (row) => row.sensor_owners.map(({ id }) => id),
    variantOf(actor, row, owners) {
      const visible = row.sensor_owners.filter(({ id }) => {
        const owner = owners.get(id);
        return owner !== undefined && canView(actor, "sensor", owner);
      });
      const shown: Shown = {
        sensor_count: visible.reduce((sum, { n }) => sum + n, 0),
        sensors_offline: visible.reduce((sum, { offline }) => sum + offline, 0),
        issue_status: worstOf(visible.map(({ issue }) => issue)),
      };
      return JSON.stringify(shown);
    },
    render: (row, variant) => toLocation(ctx, { ...row, ...(JSON.parse(variant) as Shown) }),
  });
