// Waits for running work during a shutdown, but not forever.

/** Part of the 9 s available for the shutdown (main.ts). */
const closeTimeoutMs = 2_000;

export async function settleWithTimeout(atWork: Iterable<Promise<unknown>>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, closeTimeoutMs);
  await Promise.race([Promise.allSettled(atWork), late]);
  clearTimeout(timer);
}
