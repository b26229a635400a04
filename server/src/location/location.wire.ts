// Converts location rows to the API format; no other file does so.
import { type Location, latLngOf } from "@psp/contract/location/location.ts";
import type { Selectable } from "kysely";
import type { Tables } from "../db/tables.ts";
import { toOwnerRef } from "../owned/owner.ts";
import type { Context } from "../context.ts";
import { toCompleteApps } from "./applications/location.applications.rules.ts";
import type { StoredPlace } from "./location.place.rules.ts";
import type { LocationRow } from "./location.store.ts";

/** `coordinates` are [lat, lng], but the GeoJSON point is [lng, lat] (docs/rules/locations.md#coordinates). */
export function toPlace(row: StoredPlace): Location["location"] {
  const geo =
    row.lng === null || row.lat === null
      ? null
      : { type: "Point" as const, coordinates: [row.lng, row.lat] satisfies [number, number] };
  return { coordinates: geo && latLngOf(geo), geo, timezone: row.timezone, address: row.address };
}

/** `sensorCount` and `sensorsOffline` include only sensors that the viewer may see. */
export function toLocation(ctx: Context, row: LocationRow): Location {
  return {
    _id: row.id,
    name: row.name,
    owner: toOwnerRef(ctx, row),
    location: toPlace(row),
    country: row.country,
    licenses: { buildings: row.license_buildings, occupancyMeasurement: row.license_occupancy },
    tags: row.tags,
    openingHours: row.opening_hours,
    externalID: row.external_id,
    types: row.has_logs ? ["monitoringStatus"] : [],
    sensorCount: row.sensor_count,
    sensorsOffline: row.sensors_offline,
    issueStatus: row.issue_status,
    applications: toCompleteApps(row.applications),
    monitoringConfig: row.monitoring_config,
    isDeleted: row.is_deleted,
    version: row.version,
  };
}

/** The audited fields: those that users can change. */
export function locationTrail(row: Selectable<Tables["location"]>) {
  return {
    name: row.name,
    owner: row.owner_id,
    location: toPlace(row),
    tags: row.tags,
    openingHours: row.opening_hours,
    externalID: row.external_id,
    applications: row.applications,
    monitoringConfig: row.monitoring_config,
    licenses: { buildings: row.license_buildings, occupancyMeasurement: row.license_occupancy },
  };
}
