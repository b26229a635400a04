// Turns a failed call into what a person sees: the screen's sentence, the server's own below it, and the request's number for support.
import { useMemo } from "react";
import { useToasts } from "../ui/Toasts.tsx";
import { CallError } from "./call.ts";

/** The server's sentence with what it says about the field, and the request's number. */
export function failureText(error: unknown): string {
  if (!(error instanceof CallError)) return error instanceof Error ? error.message : String(error);
  const { message, field } = error.details as { message?: unknown; field?: unknown };
  const detail =
    typeof message === "string" ? ` ${message}.` : typeof field === "string" && field !== "" ? ` (${field})` : "";
  return `${error.message}${detail}${error.requestId === null ? "" : ` Request ${error.requestId}`}`;
}

/** Shows a failure as a toast that stays: `fail("Failed to delete sensor.")(error)`. */
export function useFailure(): (title: string) => (error: unknown) => void {
  const toasts = useToasts();
  return useMemo(() => (title) => (error) => toasts.error({ title, text: failureText(error), key: title }), [toasts]);
}
