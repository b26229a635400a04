// The server's clock. Only tests may move it, and only forward (docs/rules/start-and-configuration.md#clock).

export type Clock = ReturnType<typeof createClock>;

/** Real time plus an offset that only grows. */
export function createClock() {
  let offset = 0;
  const now = () => Date.now() + offset;
  return {
    /** Milliseconds since 1970, UTC. */
    now,
    date: () => new Date(now()),
    /** Moves the clock forward; earlier instants are ignored. For the test clock only. */
    moveTo(ms: number) {
      offset = Math.max(offset, ms - Date.now());
    },
  };
}

export const daysAgo = ({ clock }: { clock: Pick<Clock, "now"> }, days: number): Date =>
  new Date(clock.now() - days * 86_400_000);
