// Locations: named places with an address, a time zone and assigned sensors (docs/rules/locations.md#location-object).
import { z } from "zod";
import { ownerRefSchema } from "../account/account.ts";
import { errorCode } from "../errors.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { mac, uuid } from "../kit/ids.ts";
import { safeText } from "../kit/safe-text.ts";
import { openIssueStatuses } from "../monitoring/issue-words.ts";
import { monitoringConfigSchema } from "../monitoring/monitoring-config.ts";
import { applicationsSchema } from "../occupancy/occupancy-app.ts";
import { openingHoursInput, openingHoursSchema } from "../opening/opening-hours.ts";

export const maxFormattedAddress = 300;
const addressText = (max: number) => safeText(max).nullable().optional();

export const addressSchema = z.strictObject({
  street: addressText(200),
  city: addressText(100),
  state: addressText(100),
  zip: addressText(20),
  country: addressText(60),
  onSiteInfo: addressText(500),
  formatted: addressText(maxFormattedAddress),
});

/** In GeoJSON, longitude comes first. In `coordinates` of a location, latitude comes first. */
export const geoSchema = z.strictObject({
  type: z.literal("Point"),
  coordinates: z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)]),
});

const placeSchema = z.strictObject({
  /** `[lat, lng]`. Input that disagrees with `geo` is ignored. */
  coordinates: z.tuple([z.number(), z.number()]).nullable().optional(),
  geo: geoSchema.nullable().optional(),
  /**
   * The server derives the zone from the coordinates, or from the country if that has only one zone. Client input is only a
   * fallback.
   */
  timezone: boundedText(64).nullable().optional(),
  address: addressSchema.nullable().optional(),
});
export type Place = z.output<typeof placeSchema>;

export function latLngOf(geo: z.output<typeof geoSchema>): [number, number] {
  return [geo.coordinates[1], geo.coordinates[0]];
}

export const licensesSchema = z.object({ buildings: z.boolean(), occupancyMeasurement: z.boolean() });

export const locationSchema = z.object({
  _id: z.string(),
  name: z.string(),
  owner: ownerRefSchema,
  location: z.object({
    coordinates: z.tuple([z.number(), z.number()]).nullable(),
    geo: geoSchema.nullable(),
    timezone: z.string().nullable(),
    address: addressSchema.nullable(),
  }),
  country: z.string().nullable(),
  licenses: licensesSchema,
  tags: z.array(z.string()),
  /** The location's own opening hours; null inherits those of its owner account. */
  openingHours: openingHoursSchema.nullable(),
  /** The location's id in another system, such as the number of a shop. */
  externalID: z.string().nullable(),
  types: z.array(z.string()),
  sensorCount: z.int(),
  /** Number of sensors that have had no contact for longer than the timeout. */
  sensorsOffline: z.int(),
  /** Worst status of open issues at this location, among sensors that the caller may view. Null if there are none. */
  issueStatus: z.enum(openIssueStatuses).nullable(),
  applications: z.array(z.unknown()),
  monitoringConfig: z.unknown().nullable(),
  isDeleted: z.boolean(),
  version: z.int(),
});
export type Location = z.output<typeof locationSchema>;

export const locationNameSchema = safeText(200)
  .refine((text) => text.length > 0, {
    error: "The name is required",
    params: { code: errorCode.nameMissing },
    abort: true,
  })
  .refine((text) => text.length >= 3, { error: "The name must be at least 3 characters long" });

export const locationTag = safeText(100).refine((tag) => tag.length > 0, { error: "Empty tag" });
export const maxTags = 100;
export const locationTags = z.array(locationTag).max(maxTags);
export const externalIdSchema = safeText(100);
const externalID = externalIdSchema
  .transform((text) => text || null)
  .nullable()
  .optional();

export const newLocationSchema = z.strictObject({
  name: locationNameSchema,
  owner: uuid,
  sensorID: mac.optional(),
  location: placeSchema.optional(),
  tags: locationTags.optional(),
  openingHours: openingHoursInput.nullable().optional(),
  externalID,
  applications: applicationsSchema.optional(),
  monitoringConfig: monitoringConfigSchema.nullable().optional(),
});
export const locationChangeSchema = z.strictObject({
  name: locationNameSchema.optional(),
  owner: uuid.optional(),
  location: placeSchema.nullable().optional(),
  tags: locationTags.nullable().optional(),
  /** Replaces all hours; null inherits those of the owner account. */
  openingHours: openingHoursInput.nullable().optional(),
  externalID,
  /** Replaces the whole list; null clears it. */
  applications: applicationsSchema.nullable().optional(),
  /** Replaces the whole configuration; null switches monitoring off. */
  monitoringConfig: monitoringConfigSchema.nullable().optional(),
});
export type LocationChange = z.output<typeof locationChangeSchema>;
