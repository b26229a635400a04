// The product's clock. Tests may move it forward; no one else may, and it never goes back (decisions 13).

export type Clock = {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** The same as a Date. */
  date(): Date;
  /** Moves the clock forward to an instant; an earlier one is ignored. Test clock only. */
  moveTo(ms: number): void;
};

/** Real time plus an offset that only grows. */
export function createClock(): Clock {
  let offset = 0;
  const now = () => Date.now() + offset;
  return {
    now,
    date: () => new Date(now()),
    moveTo(ms) {
      offset = Math.max(offset, ms - Date.now());
    },
  };
}
