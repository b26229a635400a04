// Time on a busy machine, as this process lived it.
const lookEveryMs = 10;
/** More between two looks means that no one here could have done anything meanwhile. */
const maxMs = 2 * lookEveryMs;

/**
 * Begins to count; returns how many milliseconds it has been. What the machine gave to others between two looks at the
 * clock does not count; who waits for a timer is found out all the same.
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
