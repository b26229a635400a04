// Why something was refused, beyond the catalog's sentence: plain words, and the object that they name.
import { z } from "zod";

/** What a reason may name; the console leads there. */
const namedTypes = ["account", "artifact", "init-token", "measurement", "role", "sensor"] as const;

/** An object by its name. Only ever one that the reader may view. */
const namedObject = z.object({ type: z.enum(namedTypes), id: z.string(), name: z.string() });
export type NamedObject = z.output<typeof namedObject>;

/** `details` of a refusal that states its reason; other facts, such as the field, may accompany it. */
export const refusalDetails = z.object({
  /** A whole sentence. Where it names `object`, it does so by exactly that name. */
  reason: z.string(),
  object: namedObject.optional(),
});
export type RefusalDetails = z.output<typeof refusalDetails>;

/** `details` of any failure. */
export const failureDetails = z.looseObject({ field: z.string().optional(), ...refusalDetails.partial().shape });
