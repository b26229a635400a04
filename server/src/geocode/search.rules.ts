// Geocoding results from the bundled places.
import { parseAddress } from "./address.rules.ts";
import type { Gazetteer } from "./gazetteer.rules.ts";
import { cleanSpot, toCountryName, maxResults, formatAddress, type Spot } from "./geocode.rules.ts";

/** A point farther than this from every place has no address. */
const nearKm = 30;

export function searchPlaces(gazetteer: Gazetteer, text: string): Spot[] {
  const { street, zip, ids } = parseAddress(text, gazetteer);
  const lines = new Set<string>();
  const spots: Spot[] = [];
  for (const id of ids) {
    if (spots.length === maxResults) break;
    const spot = spotOf(gazetteer, id, street, zip);
    const line = formatAddress(spot);
    // Skips a place that would look the same in a list as an earlier one.
    if (!lines.has(line)) spots.push(spot);
    lines.add(line);
  }
  return spots;
}

export function findPlaceNear(gazetteer: Gazetteer, lat: number, lng: number): Spot | null {
  const id = gazetteer.nearest(lat, lng, nearKm);
  return id === null ? null : spotOf(gazetteer, id, null, null);
}

function spotOf(gazetteer: Gazetteer, id: number, street: string | null, zip: string | null): Spot {
  const { countryCode, ...place } = gazetteer.place(id);
  return cleanSpot({ street, zip, ...place, country: toCountryName(countryCode) });
}
