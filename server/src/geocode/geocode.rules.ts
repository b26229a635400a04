// What finding places means to everybody here: the port that bundled data and external services implement.
import { countryCodes, countryNameOf } from "@psp/contract/location/country.ts";
import { plainText } from "./fold.rules.ts";

/** A place as a source found it; every text is clean and no longer than an address may hold. */
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

export const maxAnswers = 10;

/** Where places come from. */
export type Geocoder = {
  /** The places that fit an address or a part of one, the likeliest first. */
  find(text: string): Promise<readonly Spot[]>;
};

/** The lengths that an address has (contract/src/location/location.ts). */
const longest = { street: 200, zip: 20, city: 100, state: 100, country: 60 } as const;

export function cleanSpot(spot: Spot): Spot {
  const clean = (part: keyof typeof longest) => plainText(spot[part], longest[part]);
  return {
    ...spot,
    street: clean("street"),
    zip: clean("zip"),
    city: clean("city"),
    state: clean("state"),
    country: clean("country"),
  };
}

/** Null for what is no country's code: a name that we don't know could not be chosen in the form. */
export function countryOf(code: string | null | undefined): string | null {
  const known = countryCodes.find((one) => one === code?.toUpperCase());
  return known === undefined ? null : countryNameOf(known);
}

/** The address in one line; a state that is called like its city is not said twice. */
export function oneLine({ street, zip, city, state, country }: Omit<Spot, "lng" | "lat">): string {
  const town = [zip, city].filter(Boolean).join(" ");
  return [street, town, state === city ? null : state, country].filter(Boolean).join(", ").slice(0, 300);
}
