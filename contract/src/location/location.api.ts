// The calls about locations; on the wire they are called measurements (spec 3 §7).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { idReply, orId } from "../kit/id-reply.ts";
import { uuid } from "../kit/ids.ts";
import { idFilter, pageQuery, pageReply, queryFlag, repeatable, textFilter } from "../kit/page.ts";
import { licensesSchema, locationChangeSchema, locationSchema, newLocationSchema } from "./location.ts";

const byId = z.strictObject({ id: uuid });

export const locationListQuery = z.strictObject({
  ...pageQuery(["name", "owner", "country", "createdAt", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  ownerID: idFilter.optional(),
  country: repeatable(textFilter).optional(),
  onlyIDs: queryFlag.optional(),
  onlyLocation: queryFlag.optional(),
});

export const listLocations = endpoint({
  name: "listLocations",
  method: "GET",
  path: "/v2/measurement",
  caller: "session",
  summary: "Locations that the caller may view",
  query: locationListQuery,
  reply: z.union([
    pageReply(locationSchema),
    z.array(z.string()),
    z.object({ objects: z.array(z.object({ _id: z.string(), location: locationSchema.shape.location })) }),
  ]),
});
export const locationStats = endpoint({
  name: "locationStats",
  method: "GET",
  path: "/v2/measurement/stats",
  caller: "session",
  summary: "How many visible locations hold the occupancy licence",
  reply: z.object({ totalByOccupancyLicense: z.array(z.object({ _id: z.boolean(), count: z.int() })) }),
});
export const getLocation = endpoint({
  name: "getLocation",
  method: "GET",
  path: "/measurement/{id}",
  caller: "session",
  summary: "One location",
  params: byId,
  reply: locationSchema,
});
export const createLocation = endpoint({
  name: "createLocation",
  method: "POST",
  path: "/measurement",
  caller: "session",
  summary: "Creates a location; its time zone follows from the coordinates",
  body: newLocationSchema,
  reply: orId(locationSchema),
});
export const updateLocation = endpoint({
  name: "updateLocation",
  method: "PUT",
  path: "/measurement/{id}",
  caller: "session",
  summary: "Changes a location; omitted fields stay, null clears",
  params: byId,
  body: locationChangeSchema,
  reply: orId(locationSchema),
});
export const deleteLocation = endpoint({
  name: "deleteLocation",
  method: "DELETE",
  path: "/measurement/{id}",
  caller: "session",
  summary: "Deletes a location; its sensors stay, unassigned, and keep their datapoints",
  params: byId,
  reply: idReply,
});
export const grantLocationLicenses = endpoint({
  name: "grantLocationLicenses",
  method: "PUT",
  path: "/measurement/{id}/licenses",
  caller: "session",
  summary: "Grants or withdraws licences; the operator's root account only (306 otherwise)",
  params: byId,
  body: licensesSchema.partial().strict(),
  reply: orId(locationSchema),
});
