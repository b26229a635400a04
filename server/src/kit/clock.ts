// The product's clock. Tests may move it forward; no one else may, and it never goes back (docs/rules/start-and-configuration.md#clock).

export type Clock = ReturnType<typeof createClock>;

/** Real time plus an offset that only grows. */
export function createClock() {
  let offset = 0;
  const now = () => Date.now() + offset;
  return {
    /** Milliseconds since 1970, UTC. */
    now,
    /** The same as a Date. */
    date: () => new Date(now()),
    /** Moves the clock forward to an instant; an earlier one is ignored. Test clock only. */
    moveTo(ms: number) {
      offset = Math.max(offset, ms - Date.now());
    },
  };
}

/** So many days ago. */
export const before = ({ clock }: { clock: Pick<Clock, "now"> }, days: number): Date =>
  new Date(clock.now() - days * 86_400_000);
