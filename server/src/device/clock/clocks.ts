// Tracks the clocks of connected sensors and stores relevant changes.
import type { Birth } from "@psp/contract/device/device-messages.ts";
import { estimateAfterMessage, estimateAtBirth, type ClockState, isClockWrong, unknownClock } from "./clock.rules.ts";

export type StoredClock = { offMs: number | null; isSynced: boolean | null };

type Entry = { state: ClockState; written: StoredClock | null };

/** A wrong clock is stored again only if its offset changed by at least this. */
const newsMs = 60_000;

/** A live record that is older than this proves a slow clock. Younger records may just have waited in the device's queue. */
const wildMs = 10 * 365 * 86_400_000;

export type ClockTracker = ReturnType<typeof createClockTracker>;

/** `write` is called when the state of a clock changes, and when the offset of a wrong clock changes by a minute or more. */
export function createClockTracker(now: () => number, write: (sensorId: string, clock: StoredClock) => void) {
  const entries = new Map<string, Entry>();

  function note(sensorId: string, state: ClockState) {
    const written = entries.get(sensorId)?.written ?? null;
    const known = { offMs: state.offMs, isSynced: state.isSynced };
    const isNews = written === null || isOther(written, known);
    entries.set(sensorId, { state, written: isNews ? known : written });
    if (isNews) write(sensorId, known);
  }

  return {
    birth: (sensorId: string, birth: Birth) => note(sensorId, estimateAtBirth(birth.clock, now())),
    batch(sensorId: string, sent: number | undefined, records: readonly unknown[]) {
      const atMs = now();
      let { state } = entries.get(sensorId) ?? { state: unknownClock };
      if (sent !== undefined) state = estimateAfterMessage(state, sent, atMs);
      const ends = records.flatMap(endOf);
      const latest = ends.length === 0 ? null : ends.reduce((a, b) => Math.max(a, b));
      // Only end times in the future or in the distant past are evidence of a wrong clock.
      if (latest !== null && (latest > atMs || (sent === undefined && latest < atMs - wildMs)))
        state = estimateAfterMessage(state, latest, atMs);
      if (state !== unknownClock) note(sensorId, state);
    },
    forget: (sensorId: string) => void entries.delete(sensorId),
  };
}

function endOf(record: unknown): number[] {
  if (typeof record !== "object" || record === null || !("e" in record)) return [];
  return typeof record.e === "number" && Number.isSafeInteger(record.e) ? [record.e] : [];
}

function isOther(a: StoredClock, b: StoredClock): boolean {
  if (a.isSynced !== b.isSynced || isClockWrong(a.offMs) !== isClockWrong(b.offMs)) return true;
  return isClockWrong(b.offMs) && Math.abs((a.offMs ?? 0) - (b.offMs ?? 0)) >= newsMs;
}
