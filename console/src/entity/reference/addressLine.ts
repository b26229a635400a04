// Formats an address on one line.
import type { Location } from "@psp/contract/location/location.ts";

type AddressParts = Partial<Record<"street" | "zip" | "city" | "state" | "country", string | null | undefined>>;

export function formatAddress({ street, zip, city, state, country }: AddressParts): string | null {
  const line = [street, [zip, city].filter(Boolean).join(" "), state === city ? null : state, country]
    .filter(Boolean)
    .join(", ");
  return line === "" ? null : line;
}

export function formatLocationAddress({ address }: Pick<Location["location"], "address">): string | null {
  return address === null ? null : address.formatted || formatAddress(address);
}
