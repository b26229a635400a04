// API calls for locations, which are called measurements on the wire (LO-04).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { uuid } from "../kit/ids.ts";
import { ownedCalls } from "../kit/owned-calls.ts";
import { maxLimit, pageReply, queryInt } from "../kit/page.ts";
import { locationListQuery } from "./location.query.ts";
import { licensesSchema, locationChangeSchema, locationSchema, newLocationSchema } from "./location.ts";

const location = ownedCalls("Location", "/measurement", uuid, locationSchema);

export const listLocations = endpoint("listLocations", "GET", "/v2/measurement", {
  summary: "Locations that the caller may view",
  query: locationListQuery,
  reply: z.union([
    pageReply(locationSchema),
    z.array(z.string()),
    z.object({ objects: z.array(z.object({ _id: z.string(), location: locationSchema.shape.location })) }),
  ]),
});
export const findLocations = endpoint("findLocations", "GET", "/measurement", {
  summary: "The same as an array, as lists of version 1 answer; with includeTotals=true as objects with their total",
  query: locationListQuery.omit({ onlyIDs: true, onlyLocation: true }),
  reply: z.union([z.array(locationSchema), pageReply(locationSchema)]),
});
export const locationStats = endpoint("locationStats", "GET", "/v2/measurement/stats", {
  summary: "How many visible locations hold the occupancy license",
  reply: z.object({ totalByOccupancyLicense: z.array(z.object({ _id: z.boolean(), count: z.int() })) }),
});
export const listLocationTags = endpoint("listLocationTags", "GET", "/v2/measurement/tags", {
  summary: "The tags of visible locations with how many locations have each, the most frequent first",
  query: z.strictObject({ skip: queryInt(0, 1_000_000_000).optional(), limit: queryInt(1, maxLimit).optional() }),
  reply: z.array(z.object({ tag: z.string(), count: z.int() })),
});
export const getLocation = location.get("One location");
export const createLocation = location.create(
  newLocationSchema,
  "Creates a location; its time zone follows from the coordinates",
);
export const updateLocation = location.update(
  locationChangeSchema,
  "Changes a location; omitted fields stay, null clears",
);
export const deleteLocation = location.remove(
  "Deletes a location; its sensors stay, unassigned, and keep their datapoints",
);
export const grantLocationLicenses = location.update(
  licensesSchema.partial().strict(),
  "Grants or withdraws licenses; the operator's root account only (306 otherwise)",
  { name: "grantLocationLicenses", part: "/licenses" },
);
