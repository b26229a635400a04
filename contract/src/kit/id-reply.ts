// Responses that contain only an id, for objects that the caller can't see.
import { z } from "zod";

export const idResponse = z.object({ _id: z.string() });
export type IdResponse = z.infer<typeof idResponse>;

/** The response to a create or update: the object, or only its id if the caller can't see it (any more). */
export const objectOrId = <T extends z.ZodType>(object: T) => z.union([object, idResponse]);
