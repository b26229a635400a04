// A claim that could not even be judged, in words: too many wrong codes, no connection, no permission.
import { CallError } from "../api/call.ts";
import { failureText } from "../api/useFailure.ts";
import { claimText } from "./claim.text.ts";

export function failureOf(error: unknown): { title: string; text: string } {
  if (error instanceof CallError && error.status === 429) {
    const seconds = Number(error.details["retryAfter"] ?? 60);
    return { title: claimText.tooMany, text: claimText.tooManyText(Math.max(1, Math.ceil(seconds / 60))) };
  }
  return { title: claimText.failed, text: failureText(error) };
}
