// A typed event bus. Announcements are events of transactions, messages are sent without one.
import type { LiveOp, LiveType } from "@psp/contract/live/live-message.ts";
import type { LiveReport } from "@psp/contract/device/live-level.ts";
import type { Logger } from "pino";
import type { AccountSockets } from "./presences.ts";

/** An owned object changed. Its owners determine who receives the event; they differ if the owner changed. */
export type EntityChanged = {
  type: LiveType;
  op: LiveOp;
  id: string;
  ownerBefore: string | null;
  ownerAfter: string | null;
  /** Firmware only: descendants of the former owner could see it until now. */
  wasOpenToChildren?: boolean;
  /** Accounts only: the former role. Scopes that name roles may no longer include the account. */
  roleBefore?: string | null;
  /** Only the account's presence changed, not its rights. */
  presence?: true;
  /** The account that changed it; missing for the server itself. */
  by?: string;
};

/** Counts of one sensor and location were stored together; `fromMs` to `toMs` is the period of their records. */
export type CountsStored = { locationId: string | null; sensorId: string; fromMs: number; toMs: number };

/** Sent by `announcing` and `write`. They reach all processes if the transaction commits (db/bus/announcements.ts). */
export type AnnouncedEvents = {
  entityChanged: EntityChanged;
  /** Sessions that must end: REST refuses their next call, and the live socket closes with 4401. */
  sessionsEnded: { sessionIds: string[] };
  /** Rights of these accounts, or of all accounts, changed. */
  rightsChanged: { accountIds: string[] | "all"; viewScopeChanged: boolean };
  countsStored: { counts: CountsStored[] };
  /** New levels of coaches were stored, or (`moved`) their places in vehicles changed. `left`: the vehicle in which they were before. */
  coachesChanged: { sensorIds: string[]; moved: boolean; left?: { ownerId: string; vehicleId: string } };
  sightChanged: { sensorIds: string[] };
  /** The occupancy of these locations was corrected manually; their displays update. */
  occupancyCorrected: { locationIds: string[] };
  displaysRevoked: { locationIds: string[] };
  desiredChanged: { sensorIds: string[] };
  /** These sensors must be disconnected; their credential may be revoked already. */
  sensorsDropped: { sensorIds: string[] };
  /** A settings section of a sensor was changed and must be read again. */
  sectionSet: { sensorId: string; section: string };
  /** Sessions on device pages have ended; their requests are aborted. */
  remoteSessionsEnded: { ids: string[] };
  mailQueued: Record<string, never>;
};

/** Sent by `bus.send`. Processes that are disconnected from the bus at that time do not receive them. */
export type SentEvents = {
  /** A device reported its current level; displays and the feed keep the newest one. */
  liveLevel: { sensorId: string; level: LiveReport };
  /** A sensor opened a tunnel: its older tunnels in all processes are outdated. Sent at once, because the last one wins. */
  tunnelOpened: { sensorId: string; tunnelId: string };
  /** Devices connected to a gateway that were connected to another one before, with the numbers of their connections. */
  sensorsConnected: { gatewayId: string; connections: { sensorId: string; number: number; address: string | null }[] };
  /** Presences that a gateway stored, for the other ones at an external broker, which sends each message to one gateway only. */
  presencesChanged: {
    gatewayId: string;
    changes: { sensorId: string; sid?: string; isConnected?: boolean; notResponding?: boolean }[];
  };
  /** A request to the process that can reach the sensor, in parts from 1 (`open/peer-requests.ts`). `to`: only that gateway responds. */
  asked: {
    callId: string;
    topic: "command" | "tunnel";
    sensorId: string;
    to?: string;
    part: number;
    parts: number;
    text: string;
  };
  /** Part 0 acknowledges the request; the response follows in parts from 1. */
  responded: { callId: string; part: number; parts: number; text: string };
  /** A password was wrong (or right, which ends the count); `key` is a hash. See `shareTries`. */
  passwordTried: { process: string; kind: string; key: string; isWrong: boolean };
  /** Live sockets of accounts in a process. `isNew`: it has just started and asks the others for theirs. */
  presence: { process: string; sockets: AccountSockets[]; isNew: boolean };
  /** Demo: people walk through the door of a simulated sensor. */
  demoWalk: { sensorId: string; in: number; out: number };
  /** Demo: starts a fault of a simulated sensor, written like the simulator's `--faults`. Null ends its faults. */
  demoFault: { sensorId: string; fault: string | null };
};

export type BusEvents = AnnouncedEvents & SentEvents;
type Item<Events> = { [K in keyof Events]: { name: K; event: Events[K] } }[keyof Events];
export type Announcement = Item<AnnouncedEvents>;
export type AnnouncementName = keyof AnnouncedEvents;

const allNames: Record<AnnouncementName, true> = {
  entityChanged: true,
  sessionsEnded: true,
  rightsChanged: true,
  countsStored: true,
  coachesChanged: true,
  sightChanged: true,
  occupancyCorrected: true,
  displaysRevoked: true,
  desiredChanged: true,
  sensorsDropped: true,
  sectionSet: true,
  remoteSessionsEnded: true,
  mailQueued: true,
};
export const announcementNames = Object.keys(allNames) as AnnouncementName[];
export type Message = Item<SentEvents>;

export const entityUpdated = (type: LiveType, id: string, owner: string): Announcement => ({
  name: "entityChanged",
  event: { type, op: "update", id, ownerBefore: owner, ownerAfter: owner },
});

type Listener<K extends keyof BusEvents> = (event: BusEvents[K]) => void;

export type Bus = {
  on<K extends keyof BusEvents>(name: K, listener: Listener<K>): () => void;
  /** Whether this process has listeners of this event. */
  hasListeners(name: keyof BusEvents): boolean;
  /** Calls the listeners of this process. */
  emit(item: Announcement | Message): void;
  /** Calls the listeners of all processes. */
  send(message: Message): void;
};

/** Listeners run synchronously in order of registration; one that throws is logged and does not stop the others. */
export function createBus(log: Logger): Bus {
  const listeners = new Map<string, Set<(event: never) => void>>();
  const bus: Bus = {
    on(name, listener) {
      const set = listeners.getOrInsertComputed(name, () => new Set());
      set.add(listener);
      return () => set.delete(listener);
    },
    hasListeners: (name) => (listeners.get(name)?.size ?? 0) > 0,
    emit({ name, event }) {
      for (const listener of listeners.get(name) ?? []) {
        try {
          listener(event as never);
        } catch (error) {
          log.error({ err: error, event: name }, "a listener failed");
        }
      }
    },
    send: (message) => bus.emit(message),
  };
  return bus;
}
