// Answers from the bundled places, in the form that all sources share.
import { readAddress } from "./address.rules.ts";
import type { Gazetteer } from "./gazetteer.rules.ts";
import { cleanSpot, countryOf, maxAnswers, oneLine, type Spot } from "./geocode.rules.ts";

/** Farther away a place says nothing about a point any more. */
const nearKm = 30;

export function searchPlaces(gazetteer: Gazetteer, text: string): Spot[] {
  const { street, zip, ids } = readAddress(text, gazetteer);
  const lines = new Set<string>();
  const spots: Spot[] = [];
  for (const id of ids) {
    if (spots.length === maxAnswers) break;
    const spot = spotOf(gazetteer, id, street, zip);
    const line = oneLine(spot);
    // Two villages of one name in one state can't be distinguished in a list.
    if (!lines.has(line)) spots.push(spot);
    lines.add(line);
  }
  return spots;
}

/** The place at or near a point, null where there is none. */
export function placeNear(gazetteer: Gazetteer, lat: number, lng: number): Spot | null {
  const id = gazetteer.nearest(lat, lng, nearKm);
  return id === null ? null : spotOf(gazetteer, id, null, null);
}

function spotOf(gazetteer: Gazetteer, id: number, street: string | null, zip: string | null): Spot {
  const { countryCode, ...place } = gazetteer.place(id);
  return cleanSpot({ street, zip, ...place, country: countryOf(countryCode) });
}
