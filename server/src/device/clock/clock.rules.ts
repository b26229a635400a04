// How far the clock of a sensor is off, estimated from what it says and when that arrives.

/** A clock that is off by more than this is wrong. */
export const wrongMs = 60_000;

/** `offMs`: ahead of ours, negative behind; null while nothing is known. */
export type ClockState = {
  offMs: number | null;
  /** Whether the device has set its clock; null if it does not say. */
  isSynced: boolean | null;
  /** A lower estimate that is believed once another one confirms it. */
  lower: { offMs: number; atMs: number } | null;
};

export const unknownClock: ClockState = { offMs: null, isSynced: null, lower: null };

const toleranceMs = 5_000;
const agreementMs = 2_000;

/** What a birth says of the clock, at its arrival: the estimate starts over. */
export function clockAtBirth(clock: { now: number; synced: boolean } | undefined, atMs: number): ClockState {
  return { offMs: clock ? clock.now - atMs : null, isSynced: clock?.synced ?? null, lower: null };
}

/**
 * A time that the device stamped on what arrives now. Messages may have waited, but none arrives before it was sent: the clock
 * is ahead by at least the difference. So a higher estimate is believed at once. A lower one is believed when a second message, at least
 * five seconds later, agrees with it: messages that waited in a queue disagree.
 */
export function clockAfter(state: ClockState, stampMs: number, atMs: number): ClockState {
  const offMs = stampMs - atMs;
  if (state.offMs === null || offMs > state.offMs) return { ...state, offMs, lower: null };
  if (state.offMs - offMs <= toleranceMs) return { ...state, lower: null };
  const { lower } = state;
  const agrees = lower !== null && Math.abs(lower.offMs - offMs) <= agreementMs;
  if (agrees && atMs - lower.atMs >= toleranceMs) return { ...state, offMs, lower: null };
  return agrees ? state : { ...state, lower: { offMs, atMs } };
}

export const isWrong = (offMs: number | null): boolean => offMs !== null && Math.abs(offMs) > wrongMs;
