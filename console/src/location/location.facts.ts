// Small readings of a location, and the form's text fields to and from it.
import type { Place, Location } from "@psp/contract/location/location.ts";

/** The address in one line, null when there is none. */
export function addressLine(location: Location): string | null {
  const address = location.location.address;
  if (address === null) return null;
  if (address.formatted) return address.formatted;
  const city = [address.zip, address.city].filter(Boolean).join(" ");
  const line = [address.street, city, address.state, address.country].filter(Boolean).join(", ");
  return line === "" ? null : line;
}

/** The form's fields, all of them text until they are saved. */
export type LocationFields = {
  name: string;
  owner: { id: string; name: string } | null;
  street: string;
  zip: string;
  city: string;
  state: string;
  country: string;
  onSiteInfo: string;
  latitude: string;
  longitude: string;
  tags: string[];
};

export const emptyFields: LocationFields = {
  name: "",
  owner: null,
  street: "",
  zip: "",
  city: "",
  state: "",
  country: "",
  onSiteInfo: "",
  latitude: "",
  longitude: "",
  tags: [],
};

export const placeFields = [
  "street",
  "zip",
  "city",
  "state",
  "country",
  "onSiteInfo",
  "latitude",
  "longitude",
] as const;

export function toFields(location: Location): LocationFields {
  const { address, coordinates } = location.location;
  return {
    name: location.name,
    owner: { id: location.owner._id, name: location.owner.name },
    street: address?.street ?? "",
    zip: address?.zip ?? "",
    city: address?.city ?? "",
    state: address?.state ?? "",
    country: address?.country ?? location.country ?? "",
    onSiteInfo: address?.onSiteInfo ?? "",
    latitude: coordinates === null ? "" : String(coordinates[0]),
    longitude: coordinates === null ? "" : String(coordinates[1]),
    tags: location.tags,
  };
}

/** A coordinate as people type it, with point or comma; NaN when it is no number. */
export function parseCoordinate(text: string): number {
  const plain = text.trim().replace(",", ".");
  return /^[+-]?\d{1,3}(\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
}

/** The place as the call takes it; GeoJSON has the longitude first. */
export function toPlace(fields: LocationFields): Place {
  const address = {
    street: fields.street.trim() || null,
    zip: fields.zip.trim() || null,
    city: fields.city.trim() || null,
    state: fields.state.trim() || null,
    country: fields.country.trim() || null,
    onSiteInfo: fields.onSiteInfo.trim() || null,
  };
  const empty = Object.values(address).every((value) => value === null);
  const at =
    fields.latitude.trim() === ""
      ? null
      : ([parseCoordinate(fields.longitude), parseCoordinate(fields.latitude)] as [number, number]);
  return { address: empty ? null : address, geo: at === null ? null : { type: "Point", coordinates: at } };
}
