// Tells whether the response to a change is the object or only its id. Uses no schema, so that dialogs don't load a validator.
import type { IdResponse } from "./id-reply.ts";

/** Only objects have a `version`. */
export const isFullObject = <T extends { version: number }>(answer: T | IdResponse): answer is T => "version" in answer;
