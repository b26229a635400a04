// Makes independent calls of a test several at a time, because hundreds in a row mostly wait for the database.

/**
 * Calls `work` for every item, several at a time. After a failure it begins no more, and rejects when the running ones have ended.
 * An account may read at most two streams at once.
 */
export async function forEachAtOnce<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = 6,
): Promise<void> {
  const waiting = items.values();
  let failure: { reason: unknown } | null = null;
  async function lane(): Promise<void> {
    for (const item of waiting) {
      if (failure) return;
      await work(item).catch((reason: unknown) => void (failure ??= { reason }));
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane));
  if (failure) throw (failure as { reason: unknown }).reason;
}
