// Reasons of refusals, as plain text with the object that the text names.
import { z } from "zod";

const namedTypes = ["account", "artifact", "init-token", "measurement", "report", "role", "sensor"] as const;

const namedObject = z.object({ type: z.enum(namedTypes), id: z.string(), name: z.string() });
export type NamedObject = z.output<typeof namedObject>;

/** The `details` of a refusal with a reason. They may have more properties, such as the field. */
export const refusalDetails = z.object({
  /** A complete sentence that contains the exact name of `object`, if any. */
  reason: z.string(),
  object: namedObject.optional(),
});
export type RefusalDetails = z.output<typeof refusalDetails>;

export const failureDetails = z.looseObject({ field: z.string().optional(), ...refusalDetails.partial().shape });
