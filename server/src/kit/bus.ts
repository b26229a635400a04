// The event bus with typed events: what happened, published after the commit to all subscribers, within this process and to its siblings.
import type { LiveOp, LiveType } from "@psp/contract/live/live-message.ts";
import type { LiveLevel } from "@psp/contract/device/live-level.ts";
import type { Logger } from "pino";

/** An owned object changed. Owners decide who receives it; `before` differs from `after` when it was handed over. */
export type EntityChanged = {
  type: LiveType;
  op: LiveOp;
  id: string;
  ownerBefore: string | null;
  ownerAfter: string | null;
  /** Firmware only: descendants of the former owner could see it until now. */
  wasOpenToChildren?: boolean;
  /** Accounts only: the role it held until now; who saw the account by that role alone sees it no more. */
  roleBefore?: string | null;
  /** Only the account's presence: no rights can have changed by it. */
  presence?: true;
};

/** Counts of a sensor that were stored together, at the location that they belong to; the span of their records. */
export type CountsStored = { locationId: string | null; sensorId: string; fromMs: number; toMs: number };

export type BusEvents = {
  entityChanged: EntityChanged;
  /** Sessions that must stop at once: on REST at the next call, on the socket with 4401. */
  sessionsEnded: { sessionIds: string[] };
  /** Rights of these accounts (or of everybody below them) changed. */
  rightsChanged: { accountIds: string[] | "all"; viewScopeChanged: boolean };
  countsStored: { counts: CountsStored[] };
  /** A device reported its current level, for displays and the feed, which keep the newest. */
  liveLevel: { sensorId: string; level: LiveLevel };
  /** Sensors came, went, were obstructed or see again: displays that count with them look again. */
  sightChanged: { sensorIds: string[] };
  /** What displays of these locations show was set by hand. */
  occupancyCorrected: { locationIds: string[] };
  /** The tokens of these locations' displays are worth nothing any more. */
  displaysRevoked: { locationIds: string[] };
  /** What the device should do changed: desired state is published again. */
  desiredChanged: { sensorIds: string[] };
  /** These sensors must be disconnected; their credential may be revoked already. */
  sensorsDropped: { sensorIds: string[] };
  /** A section of a sensor's configuration was set: who works with it reads it again. */
  sectionSet: { sensorId: string; section: string };
  /** A sensor opened a tunnel: any other one of it, in whichever process, is an old one. */
  tunnelOpened: { sensorId: string; tunnelId: string };
  /** Sessions on sensors' own pages are over: what they have under way is broken off. */
  remoteSessionsEnded: { ids: string[] };
  /** A process asks the one that can reach the sensor, in parts from 1 (`open/ask.ts`). */
  asked: { callId: string; topic: "command" | "tunnel"; sensorId: string; part: number; parts: number; text: string };
  /** Part 0 says that the request was accepted; the response follows in parts from 1. */
  responded: { callId: string; part: number; parts: number; text: string };
  /** Somebody tries the demo: people walk through the door of a simulated sensor. */
  demoWalk: { sensorId: string; in: number; out: number };
  /** The same with a fault of a simulated sensor, in the simulator's words; null ends what was asked for so. */
  demoFault: { sensorId: string; fault: string | null };
  /** Something waits in the mail outbox. */
  mailQueued: Record<string, never>;
};
export type BusEvent = { [K in keyof BusEvents]: { name: K; event: BusEvents[K] } }[keyof BusEvents];

/** An object changed that stays with its owner. */
export const updated = (type: LiveType, id: string, owner: string): BusEvent => ({
  name: "entityChanged",
  event: { type, op: "update", id, ownerBefore: owner, ownerAfter: owner },
});

type Listener<K extends keyof BusEvents> = (event: BusEvents[K]) => void;

export type Bus = {
  on<K extends keyof BusEvents>(name: K, listener: Listener<K>): () => void;
  emit(item: BusEvent): void;
};

/** Listeners run synchronously in order of registration; one that throws is logged and does not stop the others. */
export function createBus(log: Logger): Bus {
  const listeners = new Map<string, Set<(event: never) => void>>();
  return {
    on(name, listener) {
      const set = listeners.getOrInsertComputed(name, () => new Set());
      set.add(listener);
      return () => set.delete(listener);
    },
    emit({ name, event }) {
      for (const listener of listeners.get(name) ?? []) {
        try {
          listener(event as never);
        } catch (error) {
          log.error({ err: error, event: name }, "a listener failed");
        }
      }
    },
  };
}
