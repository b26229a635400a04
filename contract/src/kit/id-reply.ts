// What an answer says of an object when it can't be shown: its id.
import { z } from "zod";

export const idReply = z.object({ _id: z.string() });
export type IdReply = z.infer<typeof idReply>;

/**
 * The reply to a change or a creation: the object, or its id alone when it is not, or no longer, in the caller's view, as
 * after a hand-over out of it.
 */
export const orId = <T extends z.ZodType>(object: T) => z.union([object, idReply]);

/** Distinguishes the object from its mere id; `version` is what every object has and no id reply. */
export const isShown = <T extends { version: number }>(answer: T | IdReply): answer is T => "version" in answer;
