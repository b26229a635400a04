// Response for an object that the caller can't see: its id only.
import { z } from "zod";

export const idResponse = z.object({ _id: z.string() });
export type IdResponse = z.infer<typeof idResponse>;

/** Response to a create or update: the object, or only its id if the caller can't (or can no longer) see it. */
export const objectOrId = <T extends z.ZodType>(object: T) => z.union([object, idResponse]);
