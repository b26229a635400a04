// Tells an object from its mere id in the reply to a change; free of schemas, so that dialogs load no validator.
import type { IdReply } from "./id-reply.ts";

/** Distinguishes the object from its mere id; `version` is what every object has and no id reply. */
export const isFullObject = <T extends { version: number }>(answer: T | IdReply): answer is T => "version" in answer;
