// State and outcome of a batch, separate from the dialog so that they can be tested.

import type { RefusalDetails } from "@psp/contract/kit/refusal.ts";

export type BatchFailure = {
  readonly id: string;
  readonly errMessage: string;
  /** The reason, if the server gives one beyond the message. */
  readonly details?: RefusalDetails | undefined;
};
export type BatchResult = { readonly success: number; readonly fail: readonly BatchFailure[] };

export type BatchState =
  | { readonly step: "idle" }
  | { readonly step: "saving"; readonly done: number; readonly total: number; readonly startedAt: number }
  | { readonly step: "done"; readonly result: BatchResult; readonly general?: string };

/** `success` if all objects changed, `partial` if only some did, `failed` if none did. */
export function classifyOutcome(state: BatchState & { step: "done" }): "success" | "partial" | "failed" {
  if (state.general !== undefined) return state.result.success > 0 ? "partial" : "failed";
  if (state.result.fail.length === 0) return "success";
  return state.result.success === 0 ? "failed" : "partial";
}

export function failureMessage({ errMessage, details }: BatchFailure): string {
  return details === undefined ? errMessage : `${errMessage} ${details.reason}`;
}

/** Undefined if the messages of the failures differ. Includes the reason if it is the same for all. */
export function findSharedFailure(fail: readonly BatchFailure[]): Omit<BatchFailure, "id"> | undefined {
  const [first] = fail;
  if (first === undefined || first.errMessage === "") return undefined;
  if (!fail.every((each) => each.errMessage === first.errMessage)) return undefined;
  return fail.every((each) => failureMessage(each) === failureMessage(first))
    ? first
    : { errMessage: first.errMessage };
}

/** Null during the first second, and until the first item is done. */
export function estimateProgress(done: number, total: number, elapsedMs: number) {
  if (done <= 0 || elapsedMs < 1000) return null;
  const perSecond = done / (elapsedMs / 1000);
  return { perSecond, secondsLeft: Math.ceil((total - done) / perSecond) };
}

/** "42 s", "3 min", "1 h 5 min". */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
