// Storage acknowledgements: at most one a second per device, the newest state only, and always one after a birth.
import { type Ack, limits } from "@psp/contract/sensor/sensor.device.ts";
import { acknowledge } from "./sensor.received.ts";
import type { Progress } from "./sensor.records.ts";

export type Acks = {
  /** Tells the device soon, unless something newer comes first. */
  note(progress: Progress): void;
  /** Call it often; sends what is due. */
  tick(): void;
  forget(sensorId: string): void;
};

type Entry = { sentAt: number; due: Map<string, Progress> };

const restMs = 60_000;

export function createAcks(now: () => number, send: (sensorId: string, ack: Ack) => void): Acks {
  const entries = new Map<string, Entry>();
  return {
    note(progress) {
      const entry = entries.get(progress.sensorId) ?? {
        sentAt: Number.NEGATIVE_INFINITY,
        due: new Map<string, Progress>(),
      };
      // Two transactions of one buffer may be heard of in the wrong order: the one that knows more is the later.
      const waiting = entry.due.get(progress.ep);
      if (waiting && sizeOf(waiting) > sizeOf(progress)) return;
      entry.due.set(progress.ep, progress);
      entries.set(progress.sensorId, entry);
    },
    tick() {
      const at = now();
      for (const [sensorId, entry] of entries) {
        if (at - entry.sentAt < limits.ackIntervalMs) continue;
        const [first] = entry.due;
        if (!first) {
          if (at - entry.sentAt > restMs) entries.delete(sensorId);
          continue;
        }
        const [ep, { ranges, firstQ }] = first;
        entry.due.delete(ep);
        entry.sentAt = at;
        send(sensorId, { ...acknowledge(ep, ranges, firstQ), serverTime: at });
      }
    },
    forget: (sensorId) => void entries.delete(sensorId),
  };
}

function sizeOf({ ranges }: Progress): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from, 0);
}
