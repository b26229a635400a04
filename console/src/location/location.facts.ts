// Small readings of a location, the form's text fields to and from it, and the countries to choose from.
import type { Location, Place } from "@psp/contract/location/location.ts";
import { ownerRef } from "../entity/name-and-owner.tsx";
import type { Ref } from "../entity/reference/ReferenceSelect.tsx";

/** The address in one line, null when there is none. */
export function addressLine(location: Location): string | null {
  const address = location.location.address;
  if (address === null) return null;
  if (address.formatted) return address.formatted;
  const city = [address.zip, address.city].filter(Boolean).join(" ");
  const line = [address.street, city, address.state, address.country].filter(Boolean).join(", ");
  return line === "" ? null : line;
}

/** The parts of an address, in the order of the form. */
export const addressParts = ["street", "zip", "city", "state", "country", "onSiteInfo"] as const;
export const placeFields = [...addressParts, "latitude", "longitude"] as const;

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
  tags: [] as string[],
};
export type LocationFields = typeof emptyFields;

export function toFields(location: Location): LocationFields {
  const { address, coordinates } = location.location;
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
  const parts = addressParts.map((part) => [part, fields[part].trim() || null] as const);
  const address = Object.fromEntries(parts) as Record<(typeof addressParts)[number], string | null>;
  const isEmpty = parts.every(([, value]) => value === null);
  const { latitude, longitude } = fields;
  const coordinates = [parseCoordinate(longitude), parseCoordinate(latitude)] as [number, number];
  return {
    address: isEmpty ? null : address,
    geo: latitude.trim() === "" ? null : { type: "Point", coordinates },
  };
}

const codes =
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW";

let names: readonly string[] | undefined;

/** All countries by their English names, sorted, as addresses hold them (spec 3 §2); 'United States' is the stored form (spec 3 §7). */
export function countryNames(): readonly string[] {
  const words = new Intl.DisplayNames("en", { type: "region" });
  names ??= codes
    .split(" ")
    .map((code) => words.of(code) ?? code)
    .toSorted((a, b) => a.localeCompare(b, "en"));
  return names;
}
