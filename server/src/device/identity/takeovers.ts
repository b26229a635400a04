// Counts the connections of each sensor that end because another device came with the same identity.
import { judgeTakeovers, rememberedMs, type SharedIdentity, type Takeover } from "./takeover.rules.ts";

/** More than this of one sensor say nothing new. */
const maxRemembered = 100;
/** An identity that stays shared is written again after this. */
const writeEveryMs = 60_000;

export type Takeovers = ReturnType<typeof createTakeovers>;

/** `write` is called when two devices are noticed, and every minute while they go on. */
export function createTakeovers(now: () => number, write: (sensorId: string, shared: SharedIdentity) => void) {
  const entries = new Map<string, { takeovers: Takeover[]; writtenAt: number }>();
  return {
    note(sensorId: string, from: string, to: string) {
      const atMs = now();
      const entry = entries.getOrInsertComputed(sensorId, () => ({ takeovers: [], writtenAt: -Infinity }));
      entry.takeovers = [...entry.takeovers, { atMs, from, to }]
        .filter((one) => atMs - one.atMs < rememberedMs)
        .slice(-maxRemembered);
      const shared = judgeTakeovers(entry.takeovers);
      if (!shared || atMs - entry.writtenAt < writeEveryMs) return;
      entry.writtenAt = atMs;
      write(sensorId, shared);
    },
    /** Forgets what is too long ago; call it now and then. */
    tick() {
      const atMs = now();
      for (const [sensorId, { takeovers }] of entries)
        if (atMs - (takeovers.at(-1)?.atMs ?? 0) >= rememberedMs) entries.delete(sensorId);
    },
  };
}
