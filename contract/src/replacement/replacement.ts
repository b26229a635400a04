// Replacing a sensor by another one: what is taken over, and what may be lost (docs/rules/sensors.md#replacing-a-sensor).
import { z } from "zod";
import { claimSchema } from "../claim/claim.ts";
import { sensorTypes } from "../device/sensor-type.ts";
import { mac } from "../kit/ids.ts";

/** What the new sensor takes over from the old one. */
export const takenOverKeys = ["location", "groups", "monitoring", "firmware", "occupancy"] as const;
export type TakenOverKey = (typeof takenOverKeys)[number];

/** What may be lost by a replacement. */
export const lostKeys = [
  "type",
  "firmware",
  "license",
  "settings",
  "restCredentials",
  "occupancy",
  "replacedBefore",
] as const;
export type LostKey = (typeof lostKeys)[number];

export const lostSchema = z.object({
  key: z.enum(lostKeys),
  reason: z.string(),
  /** Whether the caller must accept the loss. What always stays on a device is only reported if both types are equal. */
  mustAccept: z.boolean(),
});
export type Lost = z.output<typeof lostSchema>;

/** The new sensor: one that the caller may edit, or one that the caller claims by its registration code. */
const newSensor = { sensorID: mac.optional(), claimingCode: claimSchema.shape.claimingCode.optional() };

const requireOne = (
  body: { sensorID?: string | undefined; claimingCode?: string | undefined },
  ctx: z.RefinementCtx,
) => {
  if ((body.sensorID === undefined) === (body.claimingCode === undefined))
    ctx.addIssue({ code: "custom", message: "Give either sensorID or claimingCode" });
};

export const replacementCheckSchema = z.strictObject(newSensor).superRefine(requireOne);
export type ReplacementCheck = z.output<typeof replacementCheckSchema>;

export const replacementRequestSchema = z
  .strictObject({ ...newSensor, accept: z.array(z.enum(lostKeys)).max(lostKeys.length).optional() })
  .superRefine(requireOne);
export type ReplacementRequest = z.output<typeof replacementRequestSchema>;

/** What a replacement would do. */
export const replacementPlanSchema = z.object({
  sensor: z.object({ _id: z.string(), type: z.enum(sensorTypes) }),
  location: z.object({ _id: z.string(), name: z.string() }),
  takenOver: z.array(z.enum(takenOverKeys)),
  lost: z.array(lostSchema),
  /** The new sensor is handed over to the owner of the old one. */
  handsOver: z.boolean(),
});
export type ReplacementPlan = z.output<typeof replacementPlanSchema>;
