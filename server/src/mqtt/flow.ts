// Limits on what one device and all devices together may have in the air: waiting instead of memory without bound.

/** A bucket that refills with time. `delayMs` answers how long to wait before the next message may pass. */
export type Pace = { delayMs(now: number): number };

export function createPace(perSecond: number, burst: number): Pace {
  let tokens = burst;
  let last = 0;
  return {
    delayMs(now) {
      tokens = Math.min(burst, tokens + (Math.max(0, now - last) * perSecond) / 1000);
      last = now;
      tokens -= 1;
      return tokens >= 0 ? 0 : Math.ceil((-tokens * 1000) / perSecond);
    },
  };
}

/** Counts what is held. Who finds no room waits in line, and holds as soon as it is told to go on. */
export type Gauge = {
  readonly held: number;
  /** Null when there is room now, so that the usual case costs no promise. */
  acquire(amount: number): Promise<void> | null;
  /** Holds without asking: for what is too small to wait behind others. */
  take(amount: number): void;
  release(amount: number): void;
};

export function createGauge(limit: number): Gauge {
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
