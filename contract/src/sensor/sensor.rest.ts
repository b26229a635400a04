// The part of the APS REST interface that the server uses and the simulator imitates. The names are the device's.
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";

export const restPaths = {
  login: "/auth",
  update: "/apiv1/update",
  counts: "/apiv1/sensorData/counts",
} as const;

/** Users of every APS. The first may read and reset counters, and the second may also update the firmware. */
export const restUsers = ["user-role-view", "user-role-edit"] as const;
export type RestUser = (typeof restUsers)[number];

export const restLoginSchema = z.object({ username: boundedText(200), password: boundedText(200) });
export type RestLogin = z.output<typeof restLoginSchema>;
export const restTokenSchema = z.object({ access_token: z.string().regex(/^[\x21-\x7e]{1,4096}$/) });

/** `Validity` is the number of hours during which the sensor retries the update. */
export const restUpdateSchema = z.object({
  Update_type: z.literal("UPDATE_FIRMWARE"),
  Packet_url: boundedText(255).min(1),
  Validity: z.int().min(1).max(168).default(48),
});
export type RestUpdate = z.output<typeof restUpdateSchema>;

/** Totals of one line since its counters were last reset through this interface. */
export type RestLineCounts = { name: string; data: { class: string; in: number; out: number }[] };
