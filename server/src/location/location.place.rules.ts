// Computes a location's position: merges the request with the stored columns (docs/rules/locations.md#time-zone).
import { errorCode } from "@psp/contract/errors.ts";
import { countryCodeOf, canonicalZone, defaultZoneOf } from "@psp/contract/location/country.ts";
import { type Place, geoSchema } from "@psp/contract/location/location.ts";
import { AppError } from "../kit/app-error.ts";
import type { Selectable } from "kysely";
import type { Tables } from "../db/tables.ts";
import { findZone } from "../geocode/zone-at.rules.ts";

type Address = Record<string, string | null>;

export type StoredPlace = Pick<Selectable<Tables["location"]>, "lat" | "lng" | "timezone" | "address" | "country">;

export const emptyPlace: StoredPlace = { lat: null, lng: null, timezone: null, address: null, country: null };

/**
 * Maps 'United States of America', the spelling of some country lists, to the stored 'United States'
 * (docs/rules/locations.md#countries).
 */
export function normalizeCountryName(name: string): string {
  return name.toLowerCase() === "united states of america" ? "United States" : name;
}

/**
 * Omitted fields keep their values, and null clears them. `coordinates` are ignored if `geo` is given. Throws 102 for invalid
 * coordinates and unknown zones.
 */
export async function mergePlace(
  before: StoredPlace,
  change: Place | null | undefined,
  nowMs: number,
): Promise<StoredPlace> {
  if (change === undefined) return before;
  if (change === null) return emptyPlace;
  const point = pointOf(change);
  const address = addressAfter(before.address, change.address);
  const after = {
    lng: point === undefined ? before.lng : (point?.[0] ?? null),
    lat: point === undefined ? before.lat : (point?.[1] ?? null),
    address,
    country: address?.["country"] ?? null,
  };
  return { ...after, timezone: await zoneOfPlace(before, after, change.timezone, nowMs) };
}

/** Uses the zone of the point, else that of a country with a single zone, else the client's choice. */
async function zoneOfPlace(
  before: StoredPlace,
  { lng, lat, country }: Omit<StoredPlace, "timezone">,
  chosen: Place["timezone"],
  nowMs: number,
): Promise<string | null> {
  if (lng !== null && lat !== null) {
    const stayed = lng === before.lng && lat === before.lat;
    // An unmoved location keeps its zone even if the zone data is updated, so that its days keep their start and end.
    return stayed ? before.timezone : findZone([lng, lat]);
  }
  const code = country === null ? null : countryCodeOf(country);
  const only = code === null ? null : defaultZoneOf(code, nowMs);
  if (only !== null) return only;
  if (chosen !== undefined) return chosen ? requireZone(chosen) : null;
  // Keeps the zone only if the client may have chosen it, not if it was derived from a former point or country.
  const stayed = before.lng === null && before.country === country;
  return stayed ? before.timezone : null;
}

function requireZone(name: string): string {
  const zone = canonicalZone(name);
  if (zone === null)
    throw new AppError(errorCode.invalidArgument, {
      field: "location.timezone",
      reason: "There is no such time zone.",
    });
  return zone;
}

/** Returns [lng, lat], null to clear the point, or undefined to keep it. */
function pointOf({ geo, coordinates }: Place): [number, number] | null | undefined {
  if (geo !== undefined) return geo && geo.coordinates;
  if (!coordinates) return coordinates;
  const [lat, lng] = coordinates;
  const parsed = geoSchema.safeParse({ type: "Point", coordinates: [lng, lat] });
  if (!parsed.success) throw new AppError(errorCode.invalidArgument, { field: "location.coordinates" });
  return parsed.data.coordinates;
}

function addressAfter(before: Address | null, change: Place["address"]): Address | null {
  if (change === undefined) return before;
  if (change === null) return null;
  const merged: Address = { ...before };
  for (const [key, value] of Object.entries(change)) if (value !== undefined) merged[key] = value === "" ? null : value;
  if (merged["country"]) merged["country"] = normalizeCountryName(merged["country"]);
  return Object.values(merged).some((value) => value !== null) ? merged : null;
}
