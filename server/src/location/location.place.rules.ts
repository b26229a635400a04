// Where a location is: what a client sent, laid over what is stored, in the shape of the columns (decisions 10 and 13).
import { type Place, geoSchema } from "@psp/contract/location/location.ts";
import { AppError } from "../kit/app-error.ts";
import type { Selectable } from "kysely";
import type { Tables } from "../db/tables.ts";

type Address = Record<string, string | null>;

/** The columns of a location that say where it is. */
export type StoredPlace = Pick<Selectable<Tables["location"]>, "lat" | "lng" | "timezone" | "address" | "country">;

export const nowhere: StoredPlace = { lat: null, lng: null, timezone: null, address: null, country: null };

/** 'United States of America' is what some lists call it; one name is stored (spec 3 §7). */
export function countryName(name: string): string {
  return name.toLowerCase() === "united states of america" ? "United States" : name;
}

/**
 * The stored place after a change: omitted parts stay, null clears. The time zone always follows from the point; what a
 * client says about it is ignored, as are `coordinates` beside `geo`. Throws 102 for coordinates off the earth.
 */
export async function changedPlace(before: StoredPlace, change: Place | null | undefined): Promise<StoredPlace> {
  if (change === undefined) return before;
  if (change === null) return nowhere;
  const point = pointOf(change);
  const moved = point !== undefined && (point?.[0] !== before.lng || point?.[1] !== before.lat);
  const address = addressAfter(before.address, change.address);
  return {
    lng: point === undefined ? before.lng : (point?.[0] ?? null),
    lat: point === undefined ? before.lat : (point?.[1] ?? null),
    timezone: moved ? point && (await zoneAt(point)) : before.timezone,
    address,
    country: address?.["country"] ?? null,
  };
}

/** [lng, lat]; null clears, undefined leaves. */
function pointOf({ geo, coordinates }: Place): [number, number] | null | undefined {
  if (geo !== undefined) return geo && geo.coordinates;
  if (!coordinates) return coordinates;
  const [lat, lng] = coordinates;
  const parsed = geoSchema.safeParse({ type: "Point", coordinates: [lng, lat] });
  if (!parsed.success) throw new AppError(102, { field: "location.coordinates" });
  return parsed.data.coordinates;
}

function addressAfter(before: Address | null, change: Place["address"]): Address | null {
  if (change === undefined) return before;
  if (change === null) return null;
  const merged: Address = { ...before };
  for (const [key, value] of Object.entries(change)) if (value !== undefined) merged[key] = value === "" ? null : value;
  if (merged["country"]) merged["country"] = countryName(merged["country"]);
  return Object.values(merged).some((value) => value !== null) ? merged : null;
}

type Find = (lat: number, lng: number) => string[];
let loading: Promise<Find> | null = null;

/** IANA name of the zone at a GeoJSON point ([lng, lat]); null where the data knows none. */
async function zoneAt([lng, lat]: readonly [number, number]): Promise<string | null> {
  // The shapes of all zones are 70 MB: they are loaded when the first location needs them. The default entry of the package
  // merges zones that agree since 1970 (Oslo would be Berlin).
  loading ??= import("geo-tz/all").then((module) => module.find);
  const find = await loading;
  return find(lat, lng)[0] ?? null;
}
