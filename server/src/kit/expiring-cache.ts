// A cache with a bounded number of entries, each of which expires.

export type ExpiringCache<T> = {
  get(key: string, nowMs: number): T | undefined;
  set(key: string, value: T, nowMs: number): void;
};

/** Beyond `max` entries, the oldest ones are dropped. */
export function createExpiringCache<T>({ max, ttlMs }: { max: number; ttlMs: number }): ExpiringCache<T> {
  /** In the order of their age. */
  const entries = new Map<string, { value: T; atMs: number }>();
  return {
    get(key, nowMs) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      // A clock that was set back must not keep entries for longer.
      if (nowMs - entry.atMs < ttlMs && nowMs >= entry.atMs) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value, nowMs) {
      entries.delete(key);
      entries.set(key, { value, atMs: nowMs });
      for (const oldest of entries.keys()) {
        if (entries.size <= max) break;
        entries.delete(oldest);
      }
    },
  };
}
