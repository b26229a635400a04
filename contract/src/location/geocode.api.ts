// API call that finds places by address, city, coordinates or map link (docs/rules/locations.md#address-search).
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { endpoint } from "../kit/endpoint.ts";
import { addressSchema, geoSchema } from "./location.ts";

const found = z.object({
  formatted: z.string(),
  address: addressSchema,
  geo: geoSchema,
  timezone: z.string().nullable(),
});
export type GeocodeResult = z.output<typeof found>;

export const geocode = endpoint("geocode", "GET", "/geocode", {
  summary: "Places that fit a text, the likeliest first; coordinates and links to maps are read, too",
  query: z.strictObject({ q: boundedText(2000) }),
  reply: z.array(found),
});
