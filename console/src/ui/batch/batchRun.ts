// State of a batch as a value: idle, saving with progress, then an outcome. Separate from the dialog so that it can be tested.

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

/** `success` all changed, `partial` some, `failed` none (also when the call itself failed). */
export function batchOutcome(state: BatchState & { step: "done" }): "success" | "partial" | "failed" {
  if (state.general !== undefined) return state.result.success > 0 ? "partial" : "failed";
  if (state.result.fail.length === 0) return "success";
  return state.result.success === 0 ? "failed" : "partial";
}

/** Message and reason of a failure. */
export function failureMessage({ errMessage, details }: BatchFailure): string {
  return details === undefined ? errMessage : `${errMessage} ${details.reason}`;
}

/** The message that all failures share, with the reason if they share that, too; otherwise undefined. */
export function sharedFailure(fail: readonly BatchFailure[]): Omit<BatchFailure, "id"> | undefined {
  const [first] = fail;
  if (first === undefined || first.errMessage === "") return undefined;
  if (!fail.every((each) => each.errMessage === first.errMessage)) return undefined;
  return fail.every((each) => failureMessage(each) === failureMessage(first))
    ? first
    : { errMessage: first.errMessage };
}

/** Items per second and seconds left; available after one second and one item. */
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
