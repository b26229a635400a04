// Storage acknowledgements: at most one a second per device, the newest state only, and always one after a birth.
import { limits } from "@psp/contract/device/device-topics.ts";
import type { Ack } from "@psp/contract/device/device-messages.ts";
import { acknowledge } from "./received.ts";
import type { Progress } from "./records.ts";

export type Buffered = { sensorId: string; ep: string; firstQ: number };

export type Acks = ReturnType<typeof createAcks>;

type Entry = {
  nextAt: number;
  /** Nothing was sent yet, because no birth is known. */
  isWaiting: boolean;
  due: Map<string, Progress>;
  /** The newest birth, and when it came; records that were being stored then know an older one. */
  birth: (Buffered & { at: number }) | null;
  /** Births that are not stored yet. */
  unstored: number;
};

const restMs = 60_000;
/** No transaction that began before a birth was stored is reported later than this. */
const maxTransactionMs = 60_000;

/** `isKnown`: has the device's birth been received here, or before the last start? */
export function createAcks(
  now: () => number,
  isKnown: (sensorId: string) => boolean,
  send: (sensorId: string, ack: Ack) => void,
) {
  const entries = new Map<string, Entry>();

  const entryOf = (sensorId: string): Entry =>
    entries.getOrInsertComputed(sensorId, () => {
      // An external broker may deliver the records a moment before the birth that came first: it has a second to arrive.
      const isWaiting = !isKnown(sensorId);
      const nextAt = isWaiting ? now() + limits.ackIntervalMs : Number.NEGATIVE_INFINITY;
      return { nextAt, isWaiting, due: new Map(), birth: null, unstored: 0 };
    });

  return {
    /**
     * A birth has arrived: the device is sent nothing before the birth is stored, and no number before its first.
     * Call what is answered when the birth is stored, or was given up; twice does no harm.
     */
    born(birth: Buffered): () => void {
      const entry = entryOf(birth.sensorId);
      entry.birth = { ...birth, at: now() };
      entry.unstored += 1;
      if (entry.isWaiting) Object.assign(entry, { nextAt: Number.NEGATIVE_INFINITY, isWaiting: false });
      let isStored = false;
      return () => {
        if (isStored) return;
        isStored = true;
        entry.unstored -= 1;
      };
    },
    /** Notifies the device soon, unless something newer comes first. */
    note(progress: Progress) {
      const { due } = entryOf(progress.sensorId);
      // Two transactions of one buffer may be reported in the wrong order: the one that knows more is the later.
      const waiting = due.get(progress.ep);
      if (waiting && isLater(waiting, progress)) return;
      due.set(progress.ep, progress);
    },
    /** Call it often; sends what is due. */
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
        Object.assign(entry, { nextAt: at + limits.ackIntervalMs, isWaiting: false });
        const isFresh = birth?.ep === ep && at - birth.at < maxTransactionMs;
        send(sensorId, { ...acknowledge(ep, ranges, isFresh ? birth.firstQ : firstQ), serverTime: at });
      }
    },
    forget: (sensorId: string) => void entries.delete(sensorId),
  };
}

function isLater(one: Progress, other: Progress): boolean {
  return one.generation === other.generation ? sizeOf(one) > sizeOf(other) : one.generation > other.generation;
}

function sizeOf({ ranges }: Progress): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from, 0);
}
