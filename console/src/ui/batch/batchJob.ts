// A running batch, independent of the dialog that started it, so that leaving the page doesn't stop it.
import type { BatchResult, BatchState } from "./batchRun.ts";

/** Runs the batch. `onlyIds` is set for "Retry failed". A rejection means that the whole call failed. */
export type BatchRun = (control: {
  onlyIds?: readonly string[] | undefined;
  onProgress: (done: number) => void;
  signal: AbortSignal;
}) => Promise<BatchResult>;

/** Thrown before any change if the selection is no longer the one that the user confirmed. */
export class ConfirmAgainError extends Error {
  constructor() {
    super("The selection has changed.");
    this.name = "ConfirmAgainError";
  }
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.message !== "" ? thrown.message : "The request failed.";
}

const idle: BatchState = { step: "idle" };

export function createBatchJob(total: number, run: BatchRun) {
  let state: BatchState = idle;
  let abort: AbortController | null = null;
  const listeners = new Set<() => void>();
  const move = (next: BatchState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const work = async (before: BatchResult, onlyIds?: readonly string[]) => {
    if (abort !== null) return;
    const controller = new AbortController();
    abort = controller;
    move({ step: "saving", done: 0, total: onlyIds?.length ?? total, startedAt: Date.now() });
    const onProgress = (done: number) => {
      if (state.step === "saving") move({ ...state, done });
    };
    try {
      const result = await run({ onlyIds, onProgress, signal: controller.signal });
      move({ step: "done", result: { success: before.success + result.success, fail: result.fail } });
    } catch (thrown) {
      if (thrown instanceof ConfirmAgainError) return move({ step: "idle" });
      // Keeps the earlier result, so that its failures can still be retried.
      move({ step: "done", result: before, general: controller.signal.aborted ? "Canceled." : reasonOf(thrown) });
    } finally {
      abort = null;
    }
  };
  return {
    getState: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Does nothing unless the job is idle. */
    start: () => {
      if (state.step === "idle") void work({ success: 0, fail: [] });
    },
    /** Retries only the failed objects and adds the successes to the result. */
    retry: () => {
      if (state.step === "done")
        void work(
          state.result,
          state.result.fail.map((each) => each.id),
        );
    },
    cancel: () => abort?.abort(),
  };
}

export type BatchJob = ReturnType<typeof createBatchJob>;

/** For `useSyncExternalStore` before there is a job. */
export const idleJob: Pick<BatchJob, "getState" | "subscribe"> = {
  getState: () => idle,
  subscribe: () => () => undefined,
};
