// Measures the time during which this process could run, on a busy machine.
const lookEveryMs = 10;
/** A longer gap means that this process could not run. */
const maxMs = 2 * lookEveryMs;

/**
 * Starts a stopwatch; returns a function for the elapsed milliseconds. Gaps in which the machine ran something else do not count; waiting
 * for a timer does.
 */
export function stopwatch(): () => number {
  let lived = 0;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    lived += Math.min(now - last, maxMs);
    last = now;
    return lived;
  };
  setInterval(look, lookEveryMs).unref();
  return look;
}
