// Datapoints: values of a sensor or a location for half-open UTC intervals (docs/rules/counts.md#datapoints).
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { instant } from "../kit/time.ts";

export const datapointTypes = ["counting", "occupancy", "monitoringStatus", "position"] as const;
export type DatapointType = (typeof datapointTypes)[number];
export const datapointQualities = ["measured", "buffered", "late", "estimated", "blind"] as const;

export const datapointSchema = z.object({
  id: z.string(),
  type: z.enum(datapointTypes),
  sens: z.string().nullable(),
  measID: z.string().nullable(),
  /** Local time of the location, with its UTC offset. */
  start: z.string(),
  end: z.string(),
  startUTC: z.string(),
  endUTC: z.string(),
  data: z.record(z.string(), z.unknown()),
});
export type Datapoint = z.output<typeof datapointSchema>;

/** Clients can add only occupancy. The server derives `start` and `end`, and ignores their values in the input. */
export const newDatapointSchema = z.strictObject({
  type: boundedText(64),
  start: boundedText(64).optional(),
  end: boundedText(64).optional(),
  startUTC: instant,
  endUTC: instant,
  data: z.record(boundedText(64), z.unknown()),
});
export const occupancyDataSchema = z.strictObject({ count: z.int().min(0).max(1_000_000) });
