// Acknowledges stored records: at most once per second and device, with the latest state, and always after a birth.
import { protocolLimits } from "@psp/contract/device/device-topics.ts";
import type { Ack } from "@psp/contract/device/device-messages.ts";
import { toAcknowledgement } from "./received.ts";
import type { StoredProgress } from "./records.ts";

export type BufferStart = { sensorId: string; ep: string; firstQ: number };

export type AckScheduler = ReturnType<typeof createAckScheduler>;

type Entry = {
  nextAt: number;
  isWaiting: boolean;
  due: Map<string, StoredProgress>;
  /** The latest stored birth, and when it was stored. Records that are being stored may still refer to an older birth. */
  birth: (BufferStart & { at: number }) | null;
  unstored: number;
};

const restMs = 60_000;
/** A transaction that began before a birth is reported at most this long after the birth. */
const maxTransactionMs = 60_000;

/** `isKnown`: whether the device counts as connected, because its birth was received by this process or before its start. */
export function createAckScheduler(
  now: () => number,
  isKnown: (sensorId: string) => boolean,
  send: (sensorId: string, ack: Ack) => void,
) {
  const entries = new Map<string, Entry>();

  const entryOf = (sensorId: string): Entry =>
    entries.getOrInsertComputed(sensorId, () => {
      // An external broker may deliver records shortly before their birth; wait a second for it.
      const isWaiting = !isKnown(sensorId);
      const nextAt = isWaiting ? now() + protocolLimits.ackIntervalMs : Number.NEGATIVE_INFINITY;
      return { nextAt, isWaiting, due: new Map(), birth: null, unstored: 0 };
    });

  return {
    /**
     * Holds acknowledgements back until the birth is stored. Call the returned function then, or with false if the birth was outdated or
     * could not be stored; only the first call counts.
     */
    born(birth: BufferStart): (isAccepted: boolean) => void {
      const entry = entryOf(birth.sensorId);
      entry.unstored += 1;
      if (entry.isWaiting) Object.assign(entry, { nextAt: Number.NEGATIVE_INFINITY, isWaiting: false });
      let isStored = false;
      return (isAccepted) => {
        if (isStored) return;
        isStored = true;
        entry.unstored -= 1;
        if (isAccepted) entry.birth = { ...birth, at: now() };
      };
    },
    /**
     * Schedules an acknowledgement; newer progress replaces it. While a birth is awaited there is none: the gateway that stores the birth
     * acknowledges these records, too.
     */
    note(progress: StoredProgress) {
      if (progress.isBirthAwaited) return;
      const { due } = entryOf(progress.sensorId);
      // Two transactions of one buffer may be reported out of order; the one with more progress is the later one.
      const waiting = due.get(progress.ep);
      if (waiting && isLater(waiting, progress)) return;
      due.set(progress.ep, progress);
    },
    tick() {
      const at = now();
      for (const [sensorId, entry] of entries) {
        const { birth } = entry;
        if (entry.unstored > 0 || at < entry.nextAt) continue;
        const [first] = entry.due;
        if (!first) {
          if (at - entry.nextAt > restMs) entries.delete(sensorId);
          continue;
        }
        const [ep, { ranges, firstQ }] = first;
        entry.due.delete(ep);
        Object.assign(entry, { nextAt: at + protocolLimits.ackIntervalMs, isWaiting: false });
        const isFresh = birth?.ep === ep && at - birth.at < maxTransactionMs;
        send(sensorId, { ...toAcknowledgement(ep, ranges, isFresh ? birth.firstQ : firstQ), serverTime: at });
      }
    },
    forget: (sensorId: string) => void entries.delete(sensorId),
  };
}

function isLater(one: StoredProgress, other: StoredProgress): boolean {
  return one.generation === other.generation ? sizeOf(one) > sizeOf(other) : one.generation > other.generation;
}

function sizeOf({ ranges }: StoredProgress): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from, 0);
}
