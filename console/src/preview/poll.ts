// Polls with at most one pending request.

export type Poll = {
  /** Starts or stops polling. A pending response is still delivered after `setActive(false)`. */
  setActive: (active: boolean) => void;
  /** Aborts the pending request. Nothing is delivered afterwards. */
  end: () => void;
};

/** Sends the next request only after the response to the last one. `ask` must handle its errors. */
export function createPoll(everyMs: number, ask: (signal: AbortSignal) => Promise<void>): Poll {
  const ended = new AbortController();
  let isActive = false;
  let isAsking = false;
  let lastAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function plan(): void {
    clearTimeout(timer);
    if (!isActive || isAsking || ended.signal.aborted) return;
    timer = setTimeout(() => void next(), Math.max(0, lastAt + everyMs - performance.now()));
  }
  async function next(): Promise<void> {
    isAsking = true;
    lastAt = performance.now();
    try {
      await ask(ended.signal);
    } finally {
      isAsking = false;
      plan();
    }
  }
  return {
    setActive(active) {
      isActive = active;
      plan();
    },
    end() {
      ended.abort();
      clearTimeout(timer);
    },
  };
}
