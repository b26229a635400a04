// Init tokens, which determine the owner and firmware of a sensor at enrollment (docs/rules/claiming.md#init-tokens).
import { z } from "zod";
import { ownerRefSchema } from "../account/account.ts";
import { errorCode } from "../errors.ts";
import { uuid } from "../kit/ids.ts";
import { safeText } from "../kit/safe-text.ts";
import { firmwareRefSchema } from "../sensor/sensor.ts";

export const initTokenSchema = z.object({
  _id: z.string(),
  name: z.string(),
  owner: ownerRefSchema,
  artifact: firmwareRefSchema.nullable(),
  /** Included only in responses to callers who may edit the init token, never in live messages. */
  token: z.string().optional(),
  isDeleted: z.boolean(),
  version: z.int(),
});
export type InitToken = z.output<typeof initTokenSchema>;

const initTokenName = safeText(200).refine((text) => text.length > 0, {
  error: "The name is required.",
  params: { code: errorCode.nameMissing },
});
const firmware = z.union([uuid, z.literal(""), z.null()]).transform((value) => value || null);

export const newInitTokenSchema = z.strictObject({ name: initTokenName, owner: uuid, artifact: firmware.optional() });
export const initTokenChangeSchema = z.strictObject({
  name: initTokenName.optional(),
  owner: uuid.optional(),
  artifact: firmware.optional(),
});
export type InitTokenChange = z.output<typeof initTokenChangeSchema>;
