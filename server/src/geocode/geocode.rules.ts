// The geocoder interface, implemented by bundled data and external services.
import { countryCodes, countryNameOf } from "@psp/contract/location/country.ts";
import { cleanText } from "./fold.rules.ts";

export type Spot = {
  street: string | null;
  zip: string | null;
  city: string | null;
  state: string | null;
  /** English name. */
  country: string | null;
  lng: number;
  lat: number;
};

export const maxResults = 10;

export type Geocoder = {
  /** Finds matches for an address or a part of an address, most likely first. */
  find(text: string): Promise<readonly Spot[]>;
};

/** Maximum lengths of the fields of an address (contract/src/location/location.ts). */
const longest = { street: 200, zip: 20, city: 100, state: 100, country: 60 } as const;

export function cleanSpot(spot: Spot): Spot {
  const clean = (part: keyof typeof longest) => cleanText(spot[part], longest[part]);
  return {
    ...spot,
    street: clean("street"),
    zip: clean("zip"),
    city: clean("city"),
    state: clean("state"),
    country: clean("country"),
  };
}

/** Null for unknown codes, because the address form does not offer them. */
export function toCountryName(code: string | null | undefined): string | null {
  const known = countryCodes.find((one) => one === code?.toUpperCase());
  return known === undefined ? null : countryNameOf(known);
}

/** The address in one line. A state with the same name as its city is omitted. */
export function formatAddress({ street, zip, city, state, country }: Omit<Spot, "lng" | "lat">): string {
  const town = [zip, city].filter(Boolean).join(" ");
  return [street, town, state === city ? null : state, country].filter(Boolean).join(", ").slice(0, 300);
}
