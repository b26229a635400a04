// Estimates the clock offset of a sensor from its timestamps and their arrival times.

export const maxOffsetMs = 60_000;

/** `offMs` is positive if the device's clock is ahead, and null if unknown. */
export type ClockState = {
  offMs: number | null;
  /** Whether the device has set its clock; null if it does not report that. */
  isSynced: boolean | null;
  /** A lower estimate that still needs confirmation by a second message. */
  lower: { offMs: number; atMs: number } | null;
};

export const unknownClock: ClockState = { offMs: null, isSynced: null, lower: null };

const toleranceMs = 5_000;
const agreementMs = 2_000;

export function estimateAtBirth(clock: { now: number; synced: boolean } | undefined, atMs: number): ClockState {
  return { offMs: clock ? clock.now - atMs : null, isSynced: clock?.synced ?? null, lower: null };
}

/**
 * Updates the estimate with the timestamp of a message. Messages can be late but never early, so the clock is ahead by at least the
 * difference. A higher estimate is therefore accepted at once. A lower one needs a second message that agrees and arrives at least
 * five seconds later. Queued messages do not agree with each other.
 */
export function estimateAfterMessage(state: ClockState, stampMs: number, atMs: number): ClockState {
  const offMs = stampMs - atMs;
  if (state.offMs === null || offMs > state.offMs) return { ...state, offMs, lower: null };
  if (state.offMs - offMs <= toleranceMs) return { ...state, lower: null };
  const { lower } = state;
  const agrees = lower !== null && Math.abs(lower.offMs - offMs) <= agreementMs;
  if (agrees && atMs - lower.atMs >= toleranceMs) return { ...state, offMs, lower: null };
  return agrees ? state : { ...state, lower: { offMs, atMs } };
}

export const isClockWrong = (offMs: number | null): boolean => offMs !== null && Math.abs(offMs) > maxOffsetMs;
