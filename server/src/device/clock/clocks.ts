// Follows the clocks of connected sensors, and writes what people and monitoring need to know of them.
import type { Birth } from "@psp/contract/device/device-messages.ts";
import { clockAfter, clockAtBirth, type ClockState, isWrong, unknownClock } from "./clock.rules.ts";

/** As the database keeps it. */
export type KnownClock = { offMs: number | null; isSynced: boolean | null };

type Entry = { state: ClockState; written: KnownClock | null };

/** Changes below this are no news of a clock that is wrong anyway. */
const newsMs = 60_000;

/** Live records end about when they are sent; those further in the past may have waited in the device. */
const wildMs = 10 * 365 * 86_400_000;

export type Clocks = ReturnType<typeof createClocks>;

/** `write` is called when it becomes known whether a clock is right, and when a wrong one changes by a minute or more. */
export function createClocks(now: () => number, write: (sensorId: string, clock: KnownClock) => void) {
  const entries = new Map<string, Entry>();

  function note(sensorId: string, state: ClockState) {
    const written = entries.get(sensorId)?.written ?? null;
    const known = { offMs: state.offMs, isSynced: state.isSynced };
    const isNews = written === null || isOther(written, known);
    entries.set(sensorId, { state, written: isNews ? known : written });
    if (isNews) write(sensorId, known);
  }

  return {
    birth: (sensorId: string, birth: Birth) => note(sensorId, clockAtBirth(birth.clock, now())),
    /** A live batch, with when it was sent and its records as they came. */
    batch(sensorId: string, sent: number | undefined, records: readonly unknown[]) {
      const atMs = now();
      let { state } = entries.get(sensorId) ?? { state: unknownClock };
      if (sent !== undefined) state = clockAfter(state, sent, atMs);
      const ends = records.flatMap(endOf);
      const latest = ends.length === 0 ? null : ends.reduce((a, b) => Math.max(a, b));
      // Only the future, and the distant past, say something of the clock.
      if (latest !== null && (latest > atMs || (sent === undefined && latest < atMs - wildMs)))
        state = clockAfter(state, latest, atMs);
      if (state !== unknownClock) note(sensorId, state);
    },
    forget: (sensorId: string) => void entries.delete(sensorId),
  };
}

function endOf(record: unknown): number[] {
  if (typeof record !== "object" || record === null || !("e" in record)) return [];
  return typeof record.e === "number" && Number.isSafeInteger(record.e) ? [record.e] : [];
}

function isOther(a: KnownClock, b: KnownClock): boolean {
  if (a.isSynced !== b.isSynced || isWrong(a.offMs) !== isWrong(b.offMs)) return true;
  return isWrong(b.offMs) && Math.abs((a.offMs ?? 0) - (b.offMs ?? 0)) >= newsMs;
}
