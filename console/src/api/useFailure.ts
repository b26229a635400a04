// Turns a failed call into what is shown: the screen's sentence, the server's own below it, and the request's number for support.
import { type RefusalDetails, refusalDetails } from "@psp/contract/kit/refusal.ts";
import { useMemo } from "react";
import type { BatchFailure } from "../ui/batch/batchRun.ts";
import { type ToastAction, useToasts } from "../ui/feedback/Toasts.tsx";
import { CallError } from "./call.ts";

/** The server's sentence with what it says about the reason or the field, and the request's number. */
export function failureText(error: unknown): string {
  if (!(error instanceof CallError)) return error instanceof Error ? error.message : String(error);
  // What a device says of itself is kept apart from what the server says about it.
  const { reason, message, field, retryAfter } = error.details;
  if (error.status === 429) return tooManyText(Number(retryAfter));
  const said = [reason, message].find(isText);
  const detail = said !== undefined ? ` ${ended(said)}` : isText(field) ? ` (${field})` : "";
  return `${error.message}${detail}${error.requestId === null ? "" : ` Request ${error.requestId}`}`;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const ended = (sentence: string) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);

/** What the server says of the reason: its words and the object that they name; undefined when it says nothing. */
export function reasonOf(error: unknown): RefusalDetails | undefined {
  return error instanceof CallError ? refusalDetails.safeParse(error.details).data : undefined;
}

/** One failed object of a batch, as it is shown. */
export function batchFailure(id: string, error: unknown): BatchFailure {
  const details = reasonOf(error);
  return { id, errMessage: details && error instanceof CallError ? error.message : failureText(error), details };
}

/** The sentence of the login screen (spec 1 §8), with the minutes that it takes this time. */
function tooManyText(seconds: number): string {
  const minutes = Math.max(1, Math.ceil((Number.isFinite(seconds) ? seconds : 60) / 60));
  return `Rate limit reached. Please wait ${minutes} minute${minutes === 1 ? "" : "s"} before trying again.`;
}

/** Shows a failure as a toast that stays: `fail("Failed to delete sensor.")(error)`. */
export function useFailure(): (title: string, action?: ToastAction) => (error: unknown) => void {
  const toasts = useToasts();
  return useMemo(
    () => (title, action) => (error) =>
      toasts.error({ title, text: failureText(error), object: reasonOf(error)?.object, key: title, action }),
    [toasts],
  );
}
