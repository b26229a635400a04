// Ends that wait for what is at work, and not for longer than a process has before it is killed.

/** Of the 4.5 s that stopping may take. */
const closeTimeoutMs = 2_000;

/** Waits for all of it; what takes longer is left to itself. */
export async function settleInTime(atWork: Iterable<Promise<unknown>>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, closeTimeoutMs);
  await Promise.race([Promise.allSettled(atWork), late]);
  clearTimeout(timer);
}
