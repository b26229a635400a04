// Shows failed calls: the page's message, the server's message below it, and the request id for support.
import { supportAddress } from "./config.ts";
import type { NamedObject, RefusalDetails } from "@psp/contract/kit/refusal.ts";
import { useMemo } from "react";
import type { BatchFailure } from "../ui/batch/batchRun.ts";
import { type ToastAction, useToasts } from "../ui/feedback/Toasts.tsx";
import { CallError, sessionEndedText } from "./call.ts";

/** The server's message with its reason or field, and the request id. */
export function failureText(error: unknown): string {
  if (!(error instanceof CallError)) return error instanceof Error ? error.message : String(error);
  // `message` is the message of the device.
  const { reason, message, field, retryAfter } = error.details;
  if (error.status === 429) return tooManyText(Number(retryAfter));
  const said = [reason, message].find(isText);
  const detail = said !== undefined ? ` ${ended(said)}` : isText(field) ? ` (${field})` : "";
  return `${error.message}${detail}${error.requestId === null ? "" : ` Request ${error.requestId}`}`;
}

/** The request id and the support link that contains it. Empty if `failureText` omits the id. */
const requestOf = (error: unknown) =>
  error instanceof CallError && error.status !== 429 && error.requestId !== null
    ? { requestId: error.requestId, support: supportAddress(error.requestId) }
    : {};

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const ended = (sentence: string) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);

export function refusalOf(error: unknown): RefusalDetails | undefined {
  return error instanceof CallError ? parseRefusal(error.details) : undefined;
}

/** Same result as the contract's `refusalDetails`, without zod (ADR 0027). */
export function parseRefusal({ reason, object }: Readonly<Record<string, unknown>>): RefusalDetails | undefined {
  if (typeof reason !== "string") return undefined;
  if (object === undefined) return { reason };
  return isNamedObject(object)
    ? { reason, object: { type: object.type, id: object.id, name: object.name } }
    : undefined;
}

const namedTypes: Readonly<Record<NamedObject["type"], true>> = {
  account: true,
  artifact: true,
  "init-token": true,
  measurement: true,
  report: true,
  role: true,
  sensor: true,
};

function isNamedObject(value: unknown): value is NamedObject {
  if (typeof value !== "object" || value === null) return false;
  const { type, id, name } = value as Record<string, unknown>;
  return (
    typeof type === "string" && Object.hasOwn(namedTypes, type) && typeof id === "string" && typeof name === "string"
  );
}

export function toBatchFailure(id: string, error: unknown): BatchFailure {
  const details = refusalOf(error);
  return { id, errMessage: details && error instanceof CallError ? error.message : failureText(error), details };
}

function tooManyText(seconds: number): string {
  const minutes = Math.max(1, Math.ceil((Number.isFinite(seconds) ? seconds : 60) / 60));
  return `Rate limit reached. Please wait ${minutes} minute${minutes === 1 ? "" : "s"} before trying again.`;
}

/** Key of the toast about writes that an ended session stopped. The next attempt closes the toast. */
const sessionEndedKey = "session ended";

/** Runs `work` and shows its failure under `title`: `attempt("Failed to update role.", save)`. */
export function useAttempt(): (title: string, work: () => Promise<unknown>, onFailure?: () => void) => Promise<void> {
  const toasts = useToasts();
  const fail = useFailureToast();
  return useMemo(
    () => async (title, work, onFailure) => {
      toasts.close(sessionEndedKey);
      try {
        await work();
      } catch (error) {
        onFailure?.();
        fail(title)(error);
      }
    },
    [toasts, fail],
  );
}

/** Shows a failure as a persistent toast: `fail("Failed to delete sensor.")(error)`. */
export function useFailureToast(): (title: string, action?: ToastAction) => (error: unknown) => void {
  const toasts = useToasts();
  return useMemo(
    () => (title, action) => (error) =>
      toasts.error({
        title,
        text: failureText(error),
        ...requestOf(error),
        object: refusalOf(error)?.object,
        key: error instanceof CallError && error.message === sessionEndedText ? sessionEndedKey : title,
        action,
      }),
    [toasts],
  );
}
