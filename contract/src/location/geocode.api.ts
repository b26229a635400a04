// Finding places by what people type: an address, a city, coordinates, or a link to a map (docs/rules/locations.md#address-search).
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { endpoint } from "../kit/endpoint.ts";
import { addressSchema, geoSchema } from "./location.ts";

const found = z.object({
  /** One line, as people write it. */
  formatted: z.string(),
  address: addressSchema,
  geo: geoSchema,
  /** Zone of the point; null where the data knows none. */
  timezone: z.string().nullable(),
});
export type FoundPlace = z.output<typeof found>;

/** A link to a map may be long. */
export const geocode = endpoint("geocode", "GET", "/geocode", {
  summary: "Places that fit a text, the likeliest first; coordinates and links to maps are read, too",
  query: z.strictObject({ q: boundedText(2000) }),
  reply: z.array(found),
});
