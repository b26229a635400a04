// Turns a failed call into what a person sees: the screen's sentence, the server's own below it, and the request's number for support.
import { useMemo } from "react";
import { type ToastAction, useToasts } from "../ui/Toasts.tsx";
import { CallError } from "./call.ts";

/** The server's sentence with what it says about the reason or the field, and the request's number. */
export function failureText(error: unknown): string {
  if (!(error instanceof CallError)) return error instanceof Error ? error.message : String(error);
  const { message, reason, field, retryAfter } = error.details;
  if (error.status === 429) return tooManyText(Number(retryAfter));
  const said = [message, reason].find((text) => typeof text === "string");
  const detail =
    said === undefined ? (typeof field === "string" && field !== "" ? ` (${field})` : "") : ` ${String(said)}.`;
  return `${error.message}${detail}${error.requestId === null ? "" : ` Request ${error.requestId}`}`;
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
    () => (title, action) => (error) => toasts.error({ title, text: failureText(error), key: title, action }),
    [toasts],
  );
}
