// Limits how often something may happen: waiting instead of work without bound.

/** A bucket of tokens that refills with time. `delayMs` returns how long to wait before the next message may pass. */
export type TokenBucket = ReturnType<typeof createTokenBucket>;

export function createTokenBucket(perSecond: number, burst: number) {
  let tokens = burst;
  let last = 0;
  return {
    delayMs(now: number): number {
      tokens = Math.min(burst, tokens + (Math.max(0, now - last) * perSecond) / 1000);
      last = now;
      tokens -= 1;
      return tokens >= 0 ? 0 : Math.ceil((-tokens * 1000) / perSecond);
    },
  };
}
