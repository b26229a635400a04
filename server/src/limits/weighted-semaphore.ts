// Limits how much may be held at a time: waiting instead of memory without bound.

/** Counts what is held. A caller without room is queued, and holds as soon as it may go on. */
export type WeightedSemaphore = ReturnType<typeof createWeightedSemaphore>;

export function createWeightedSemaphore(limit: number) {
  let held = 0;
  let line: { amount: number; go: () => void }[] = [];
  return {
    get held() {
      return held;
    },
    /** Null when there is room now, so that the usual case costs no promise. */
    acquire(amount: number): Promise<void> | null {
      if (held < limit && line.length === 0) {
        held += amount;
        return null;
      }
      return new Promise((go) => line.push({ amount, go }));
    },
    /** Holds without asking: for what is too small to wait behind others. */
    take(amount: number) {
      held += amount;
    },
    release(amount: number) {
      held -= amount;
      let next = 0;
      for (; held < limit && next < line.length; next += 1) {
        const first = line[next];
        held += first?.amount ?? 0;
        first?.go();
      }
      if (next > 0) line = line.slice(next);
    },
  };
}
