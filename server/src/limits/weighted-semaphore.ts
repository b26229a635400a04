// Limits how much may be held at a time: waiting instead of memory without bound.

/** Counts what is held. A caller without room is queued, and holds as soon as it may go on. */
export type WeightedSemaphore = {
  readonly held: number;
  /** Null when there is room now, so that the usual case costs no promise. */
  acquire(amount: number): Promise<void> | null;
  /** Holds without asking: for what is too small to wait behind others. */
  take(amount: number): void;
  release(amount: number): void;
};

export function createWeightedSemaphore(limit: number): WeightedSemaphore {
  let held = 0;
  let line: { amount: number; go: () => void }[] = [];
  return {
    get held() {
      return held;
    },
    acquire(amount) {
      if (held < limit && line.length === 0) {
        held += amount;
        return null;
      }
      return new Promise((go) => line.push({ amount, go }));
    },
    take(amount) {
      held += amount;
    },
    release(amount) {
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
