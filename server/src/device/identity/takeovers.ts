// Tracks session takeovers per sensor.
import { detectSharedIdentity, takeoverWindowMs, type SharedIdentity, type Takeover } from "./takeover.rules.ts";

/** Bounds memory; more takeovers do not change the result. */
const maxRemembered = 100;
const writeEveryMs = 60_000;

export type TakeoverTracker = ReturnType<typeof createTakeoverTracker>;

/** `write` is called when two devices are detected, and every minute while the conflict lasts. */
export function createTakeoverTracker(now: () => number, write: (sensorId: string, shared: SharedIdentity) => void) {
  const entries = new Map<string, { takeovers: Takeover[]; writtenAt: number }>();
  return {
    note(sensorId: string, from: string, to: string) {
      const atMs = now();
      const entry = entries.getOrInsertComputed(sensorId, () => ({ takeovers: [], writtenAt: -Infinity }));
      entry.takeovers = [...entry.takeovers, { atMs, from, to }]
        .filter((one) => atMs - one.atMs < takeoverWindowMs)
        .slice(-maxRemembered);
      const shared = detectSharedIdentity(entry.takeovers);
      if (!shared || atMs - entry.writtenAt < writeEveryMs) return;
      entry.writtenAt = atMs;
      write(sensorId, shared);
    },
    tick() {
      const atMs = now();
      for (const [sensorId, { takeovers }] of entries)
        if (atMs - (takeovers.at(-1)?.atMs ?? 0) >= takeoverWindowMs) entries.delete(sensorId);
    },
  };
}
