// What a device says at the moment, over MQTT: how many people are where, and how many have passed (docs/device-protocol.md).
// Unknown fields are ignored in both directions, so that old and new sides can talk.
import { z } from "zod";
import { count, label, ms } from "./device-messages.ts";

const livePositionSchema = z.object({
  lat: z.number().min(-90).max(90),
  lng: z.number().min(-180).max(180),
  /** m/s. */
  speed: z.number().min(0).max(1000).optional(),
  /** 0 north, 90 east. */
  heading: z.number().min(0).max(360).optional(),
});
export type LivePosition = z.output<typeof livePositionSchema>;

export const liveSchema = z.discriminatedUnion("t", [
  z.object({
    t: z.literal("occ"),
    at: ms,
    /** What no camera sees is not in it: its number is not known, which is another thing than 0. */
    zones: z.array(z.object({ id: label, n: count })).max(32),
    /** Of a vehicle, while its receiver has a fix. */
    pos: livePositionSchema.optional(),
  }),
  z.object({
    t: z.literal("flow"),
    at: ms,
    since: ms,
    lines: z.array(z.object({ id: label, in: count, out: count })).max(32),
  }),
]);
export type LiveLevel = z.output<typeof liveSchema>;
