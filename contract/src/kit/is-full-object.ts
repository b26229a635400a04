// Distinguishes the two responses to a change, object or id, without a schema, so that dialogs load no validator.
import type { IdResponse } from "./id-reply.ts";

/** Whether the response is the object; only objects have a `version`. */
export const isFullObject = <T extends { version: number }>(answer: T | IdResponse): answer is T => "version" in answer;
