// Live device messages over MQTT: people per zone, and passages (docs/device-protocol.md).
import { z } from "zod";
import { countSchema, labelSchema, epochMsSchema } from "./device-messages.ts";

const livePositionSchema = z
  .object({
    lat: z.number().min(-90).max(90),
    lng: z.number().min(-180).max(180),
    /** In m/s. */
    speed: z.number().min(0).max(1000).optional().catch(undefined),
    /** In degrees clockwise from north. */
    heading: z.number().min(0).max(360).optional().catch(undefined),
  })
  .refine(isRealPosition);
export type LivePosition = z.output<typeof livePositionSchema>;

/** Whether this is a place on earth. Receivers without a fix send 0,0 or values that are out of range. */
export function isRealPosition({ lat, lng }: { lat: number; lng: number }): boolean {
  const isOnEarth = Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
  return isOnEarth && (Math.abs(lat) >= nullIsland || Math.abs(lng) >= nullIsland);
}
/** In degrees, about 100 m. */
const nullIsland = 0.001;

export const liveReportSchema = z.discriminatedUnion("t", [
  z.object({
    t: z.literal("occ"),
    at: epochMsSchema,
    /** Zones that no camera sees are omitted, because an unknown number is not 0. */
    zones: z.array(z.object({ id: labelSchema, n: countSchema })).max(32),
    /** Position of the vehicle; missing while its receiver has no fix. An impossible one counts as missing. */
    pos: livePositionSchema.optional().catch(undefined),
  }),
  z.object({
    t: z.literal("flow"),
    at: epochMsSchema,
    since: epochMsSchema,
    lines: z.array(z.object({ id: labelSchema, in: countSchema, out: countSchema })).max(32),
  }),
]);
export type LiveReport = z.output<typeof liveReportSchema>;
