// Small readings of a location, and the form's text fields to and from it.
import type { FoundPlace } from "@psp/contract/location/geocode.api.ts";
import { countryCodeOf, onlyZoneOf, zonesOfCountry } from "@psp/contract/location/country.ts";
import type { Location, Place } from "@psp/contract/location/location.ts";
import { lineOf } from "../entity/reference/addressLine.ts";
import { ownerRef } from "../entity/name-and-owner.tsx";
import type { Ref } from "../entity/reference/ReferenceSelect.tsx";

/** The parts of an address, in the order of the form. */
export const addressParts = ["street", "zip", "city", "state", "country", "onSiteInfo"] as const;
export const placeFields = [...addressParts, "latitude", "longitude", "timezone"] as const;

/** The form's fields, all of them text until they are saved. */
export const emptyFields = {
  name: "",
  owner: null as Ref | null,
  street: "",
  zip: "",
  city: "",
  state: "",
  country: "",
  onSiteInfo: "",
  latitude: "",
  longitude: "",
  /** Chosen by hand where neither the coordinates nor the country say it. */
  timezone: "",
  tags: [] as string[],
};
export type LocationFields = typeof emptyFields;

export function toFields(location: Location): LocationFields {
  const { address, coordinates, timezone } = location.location;
  return {
    name: location.name,
    owner: ownerRef(location),
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
  };
}

/** A coordinate as people type it, with point or comma; NaN when it is no number. */
export function parseCoordinate(text: string): number {
  const plain = text.trim().replace(",", ".");
  return /^[+-]?\d{1,3}(\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
}

/** Where the fields say that it is; null while they name no point. */
export function pointOf({ latitude, longitude }: Pick<LocationFields, "latitude" | "longitude">) {
  const [lat, lng] = [parseCoordinate(latitude), parseCoordinate(longitude)];
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : null;
}

/** Ten centimeters are enough for a door. */
const decimals = 6;

export const coordinateFields = ({ lat, lng }: { lat: number; lng: number }) => ({
  latitude: String(Number(lat.toFixed(decimals))),
  longitude: String(Number(lng.toFixed(decimals))),
});

/**
 * What the fields become with a place that was found. Of a street it may know nothing, above all where coordinates were pasted: the one
 * that is there stays if it can be in the city that was found.
 */
export function fieldsOfPlace({ address, geo }: FoundPlace, before: LocationFields): Partial<LocationFields> {
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

/** What the fields become with an address that no list knows: it stays as it was typed, in the place of all parts. */
export const fieldsOfLine = (line: string): Partial<LocationFields> => ({
  street: line,
  zip: "",
  city: "",
  state: "",
  country: "",
});

/** The time zones that a country's places may have; more than one where it does not decide. */
export function zonesOf(country: string): readonly string[] {
  const code = countryCodeOf(country);
  if (code === null) return [];
  const only = onlyZoneOf(code, Date.now());
  return only === null ? zonesOfCountry(code) : [only];
}

/** The place as the call takes it; GeoJSON has the longitude first. */
export function toPlace(fields: LocationFields): Place {
  const parts = addressParts.map((part) => [part, fields[part].trim() || null] as const);
  const address = Object.fromEntries(parts) as Record<(typeof addressParts)[number], string | null>;
  const isEmpty = parts.every(([, value]) => value === null);
  const { latitude, longitude } = fields;
  const coordinates = [parseCoordinate(longitude), parseCoordinate(latitude)] as [number, number];
  const hasPoint = latitude.trim() !== "";
  const zones = hasPoint ? [] : zonesOf(fields.country);
  const isChoice = zones.length > 1 && zones.includes(fields.timezone);
  return {
    address: isEmpty ? null : { ...address, formatted: lineOf(address) },
    geo: hasPoint ? { type: "Point", coordinates } : null,
    ...(isChoice ? { timezone: fields.timezone } : {}),
  };
}
