// Converts between a location and its form fields.
import type { GeocodeResult } from "@psp/contract/location/geocode.api.ts";
import { countryCodeOf, defaultZoneOf, zonesOfCountry } from "@psp/contract/location/country.ts";
import { type Location, maxFormattedAddress, type Place } from "@psp/contract/location/location.ts";
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { inFormOrder } from "../opening/opening.rules.ts";
import { formatAddress } from "../entity/reference/addressLine.ts";
import { toOwnerRef } from "../entity/name-and-owner.tsx";
import type { NamedRef } from "../entity/reference/ReferenceSelect.tsx";

export const addressParts = ["street", "zip", "city", "state", "country", "onSiteInfo"] as const;
export const locationDataFields = [...addressParts, "latitude", "longitude", "timezone"] as const;

/** Empty form. Coordinates are text until they are saved. */
export const emptyLocationFields = {
  name: "",
  owner: null as NamedRef | null,
  street: "",
  zip: "",
  city: "",
  state: "",
  country: "",
  onSiteInfo: "",
  latitude: "",
  longitude: "",
  timezone: "",
  tags: [] as string[],
  openingHours: null as OpeningHours | null,
  externalID: "",
};
export type LocationFields = typeof emptyLocationFields;

export function toFields(location: Location): LocationFields {
  const { address, coordinates, timezone } = location.location;
  return {
    name: location.name,
    owner: toOwnerRef(location),
    street: address?.street ?? "",
    zip: address?.zip ?? "",
    city: address?.city ?? "",
    state: address?.state ?? "",
    country: address?.country ?? location.country ?? "",
    onSiteInfo: address?.onSiteInfo ?? "",
    latitude: coordinates === null ? "" : String(coordinates[0]),
    longitude: coordinates === null ? "" : String(coordinates[1]),
    timezone: coordinates === null ? (timezone ?? "") : "",
    tags: location.tags,
    openingHours: inFormOrder(location.openingHours),
    externalID: location.externalID ?? "",
  };
}

/** Accepts decimal point or comma; NaN if invalid. */
export function parseCoordinate(text: string): number {
  const plain = text.trim().replace(",", ".");
  return /^[+-]?\d{1,3}(\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
}

/** Null if incomplete or invalid. */
export function pointOf({ latitude, longitude }: Pick<LocationFields, "latitude" | "longitude">) {
  const [lat, lng] = [parseCoordinate(latitude), parseCoordinate(longitude)];
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : null;
}

/** Decimal places of coordinates, precise to about ten centimeters. */
const decimals = 6;

export const coordinateFields = ({ lat, lng }: { lat: number; lng: number }) => ({
  latitude: String(Number(lat.toFixed(decimals))),
  longitude: String(Number(lng.toFixed(decimals))),
});

/**
 * Fields after a geocoding result was selected. A result without a street, as for pasted coordinates, keeps the existing
 * street if the city may be the same.
 */
export function fieldsOfGeocodeResult(
  { address, geo }: GeocodeResult,
  before: LocationFields,
): Partial<LocationFields> {
  const [lng, lat] = geo.coordinates;
  const { street, zip, city, state, country } = address;
  const isSameCity = before.city.trim() === "" || before.city.trim() === city;
  const kept = isSameCity && !street ? before : { street: "", zip: "" };
  return {
    street: street || kept.street,
    zip: zip || kept.zip,
    city: city ?? "",
    state: state ?? "",
    country: country ?? "",
    ...coordinateFields({ lat, lng }),
  };
}

export const fieldsOfAddressLine = (line: string): Partial<LocationFields> => ({
  street: line,
  zip: "",
  city: "",
  state: "",
  country: "",
});

export function timeZonesOf(country: string): readonly string[] {
  const code = countryCodeOf(country);
  if (code === null) return [];
  const only = defaultZoneOf(code, Date.now());
  return only === null ? zonesOfCountry(code) : [only];
}

/** GeoJSON has longitude first. */
export function toLocationData(fields: LocationFields): Place {
  const parts = addressParts.map((part) => [part, fields[part].trim() || null] as const);
  const address = Object.fromEntries(parts) as Record<(typeof addressParts)[number], string | null>;
  const isEmpty = parts.every(([, value]) => value === null);
  const { latitude, longitude } = fields;
  const coordinates = [parseCoordinate(longitude), parseCoordinate(latitude)] as [number, number];
  const hasPoint = latitude.trim() !== "";
  const zones = hasPoint ? [] : timeZonesOf(fields.country);
  const isChoice = zones.length > 1 && zones.includes(fields.timezone);
  return {
    address: isEmpty
      ? null
      : { ...address, formatted: (formatAddress(address) ?? "").slice(0, maxFormattedAddress) || null },
    geo: hasPoint ? { type: "Point", coordinates } : null,
    ...(isChoice ? { timezone: fields.timezone } : {}),
  };
}
