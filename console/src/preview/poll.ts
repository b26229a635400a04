// Asks one thing again and again, never two at a time, while it is wanted.

export type Poll = {
  /** What is being asked when it is not wanted any more is still heard. */
  want: (is: boolean) => void;
  /** Nothing is asked and nothing comes any more. */
  end: () => void;
};

/** `ask` takes care of its own failures: the next question comes at its usual time. A slow answer is waited for. */
export function pollOf(everyMs: number, ask: (signal: AbortSignal) => Promise<void>): Poll {
  const ended = new AbortController();
  let isWanted = false;
  let isAsking = false;
  let lastAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function plan(): void {
    clearTimeout(timer);
    if (!isWanted || isAsking || ended.signal.aborted) return;
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
    want(is) {
      isWanted = is;
      plan();
    },
    end() {
      ended.abort();
      clearTimeout(timer);
    },
  };
}
