// The part of the APS REST interface that the server uses and the simulator offers; names are the device's own.
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";

export const restPaths = {
  login: "/auth",
  update: "/apiv1/update",
  counts: "/apiv1/sensorData/counts",
} as const;

/** Users of every APS: the first may read and reset counters, the second may also update the firmware. */
export const restUsers = ["user-role-view", "user-role-edit"] as const;
export type RestUser = (typeof restUsers)[number];

export const restLoginSchema = z.object({ username: boundedText(200), password: boundedText(200) });
export type RestLogin = z.output<typeof restLoginSchema>;
export const restTokenSchema = z.object({ access_token: z.string().regex(/^[\x21-\x7e]{1,4096}$/) });

/** `Validity`: hours during which the sensor retries. */
export const restUpdateSchema = z.object({
  Update_type: z.literal("UPDATE_FIRMWARE"),
  Packet_url: boundedText(255).min(1),
  Validity: z.int().min(1).max(168).default(48),
});
export type RestUpdate = z.output<typeof restUpdateSchema>;

/** Running totals of one line since the last reset through this interface. */
export type RestLineCounts = { name: string; data: { class: string; in: number; out: number }[] };
