// An address in one line, as lists and markers show it.
import type { Location } from "@psp/contract/location/location.ts";

type AddressParts = Partial<Record<"street" | "zip" | "city" | "state" | "country", string | null | undefined>>;

/** The parts in one line, null when there are none. */
export function lineOf({ street, zip, city, state, country }: AddressParts): string | null {
  const line = [street, [zip, city].filter(Boolean).join(" "), state === city ? null : state, country]
    .filter(Boolean)
    .join(", ");
  return line === "" ? null : line;
}

/** The address of a location, null when there is none. */
export function addressLine({ address }: Pick<Location["location"], "address">): string | null {
  return address === null ? null : address.formatted || lineOf(address);
}
