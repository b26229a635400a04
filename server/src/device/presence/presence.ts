// Tracks which devices are connected, and which of these do not respond (docs/rules/devices.md#presence).
import type { Birth, Death } from "@psp/contract/device/device-messages.ts";
import type { PresenceChange } from "./presence.store.ts";

type Entry = {
  sid: string | null;
  online: boolean;
  /** Time of the last packet; `writtenAt` is when it was last written to the database. */
  seenAt: number;
  writtenAt: number;
  /** `dueAt` is when a lost connection becomes a death, and `at` is when the connection was lost. */
  death: { dueAt: number; at: number } | null;
  notResponding: boolean;
  failedRequests: number;
  nextPingAt: number;
  rebirthRequestedAt: number;
  /** When a sensor that sends without a known birth is asked for one. */
  rebirthDueAt: number | null;
};

export type PresenceOptions = {
  now: () => number;
  /** Commits a change. The device's acknowledgement waits for the promise. */
  write: (change: PresenceChange) => Promise<void>;
  ping: (sensorId: string) => void;
  check: (sensorId: string) => void;
  askRebirth: (sensorId: string) => void;
  isConnected: (sensorId: string) => boolean | null;
  /** Set if all gateways share an external broker, so that any of them receives a message. */
  shared?: SharedPresence;
};

export type SharedPresence = {
  /** Whether this gateway checks the sensor. */
  isResponsible: (sensorId: string) => boolean;
  hasOthers: () => boolean;
  /** Whether the broker can be reached; without it, silence proves nothing. */
  isReady: () => boolean;
  /** Times of the last contact with any gateway. Must not reject. */
  findLastContacts: (sensorIds: readonly string[]) => Promise<Map<string, number>>;
};

/** What another gateway stored. */
export type FollowedChange = { sensorId: string; sid?: string; isConnected?: boolean; notResponding?: boolean };

export type Presence = ReturnType<typeof createPresence>;

/** Grace time for reconnecting after a lost connection. */
export const deathDelayMs = 30_000;
/** Another gateway may have received the birth and not announced it yet. */
const sharedBirthMs = 2_000;
const contactEveryMs = 60_000;
const pingAfterMs = 4 * 60_000;
const pingSpreadMs = 60_000;
const rebirthEveryMs = 60_000;
/** How soon a gateway notices that it has become responsible for a silent sensor. */
const recheckMs = 10_000;
const failuresUntilSilent = 2;

/** The presence state machine. It keeps connected sensors in memory and writes changes to the database. */
// oxlint-disable-next-line max-lines-per-function -- one state machine: every method is a transition of the same entries
export function createPresence(options: PresenceOptions) {
  const { now, write, ping, check, askRebirth, isConnected, shared } = options;
  const entries = new Map<string, Entry>();

  const entryOf = (sensorId: string): Entry =>
    entries.getOrInsertComputed(sensorId, () => ({
      sid: null,
      online: false,
      seenAt: 0,
      writtenAt: 0,
      death: null,
      notResponding: false,
      failedRequests: 0,
      nextPingAt: now() + pingAfterMs + spread(sensorId),
      rebirthRequestedAt: 0,
      rebirthDueAt: null,
    }));

  function die(sensorId: string, entry: Entry, at: number): Promise<void> {
    entries.delete(sensorId);
    return entry.online ? writeDeath(sensorId, at, shared ? entry.sid : null) : Promise.resolve();
  }

  function writeDeath(sensorId: string, at: number, sid: string | null, announced: { deadSid?: string } = {}) {
    const death = { sensorId, disconAt: at, connected: false, notResponding: false, ...announced };
    return write(sid === null ? death : { ...death, deathOf: sid });
  }

  function requestRebirth(sensorId: string, entry: Entry) {
    entry.rebirthDueAt = null;
    entry.rebirthRequestedAt = now();
    askRebirth(sensorId);
  }

  /** Pings the sensors that no gateway has heard from lately. */
  async function pingSilent(sensorIds: readonly string[]): Promise<void> {
    const contacts = shared?.hasOthers() ? await shared.findLastContacts(sensorIds) : new Map<string, number>();
    for (const sensorId of sensorIds) {
      const entry = entries.get(sensorId);
      const dueAt = (contacts.get(sensorId) ?? 0) + pingAfterMs + spread(sensorId);
      if (entry && dueAt > now()) entry.nextPingAt = dueAt;
      else if (entry) ping(sensorId);
    }
  }

  function isPingDue(sensorId: string, entry: Entry, at: number): boolean {
    if (!entry.online || entry.nextPingAt > at) return false;
    entry.nextPingAt = at + pingAfterMs + spread(sensorId);
    if (!shared || shared.isResponsible(sensorId)) return true;
    entry.nextPingAt = at + recheckMs;
    return false;
  }

  function setNotResponding(sensorId: string, entry: Entry, value: boolean) {
    if (entry.notResponding === value || !entry.online) return;
    entry.notResponding = value;
    void write({ sensorId, notResponding: value });
  }

  return {
    /** Loads sensors stored as connected. They have `graceMs` to reconnect, or are connected to another gateway if it is null. */
    restore(sensors: readonly { id: string; sid: string | null; notResponding: boolean }[], graceMs: number | null) {
      for (const { id, sid, notResponding } of sensors) {
        const entry = entryOf(id);
        if (entry.online) continue;
        Object.assign(entry, {
          sid,
          online: true,
          notResponding,
          seenAt: now(),
          death: graceMs === null ? null : { dueAt: now() + graceMs, at: now() },
        });
      }
    },

    /** Gives lost sensors at least this time to reconnect, because they could not reach the broker until now. */
    extendGrace(graceMs: number) {
      for (const { death } of entries.values()) if (death) death.dueAt = Math.max(death.dueAt, now() + graceMs);
    },

    /** The sensor belongs to another gateway now. */
    forget: (sensorId: string) => void entries.delete(sensorId),

    /** Called when notifications of other gateways may have been lost. */
    resync(stored: readonly { id: string; sid: string | null; notResponding: boolean }[]) {
      const connected = new Set(stored.map(({ id }) => id));
      for (const [id, entry] of entries) if (entry.online && !connected.has(id)) entries.delete(id);
      for (const { id, sid, notResponding } of stored)
        this.follow({ sensorId: id, isConnected: true, notResponding, ...(sid === null ? {} : { sid }) });
    },

    follow({ sensorId, sid, isConnected: isOnline, notResponding }: FollowedChange) {
      const entry = isOnline ? entryOf(sensorId) : entries.get(sensorId);
      if (!entry) return;
      if (isOnline) Object.assign(entry, { sid: sid ?? entry.sid, online: true, death: null, rebirthDueAt: null });
      else if (isOnline === false && (sid === undefined || sid === entry.sid)) entries.delete(sensorId);
      if (notResponding !== undefined) entry.notResponding = notResponding;
    },

    /** Any packet proves that the device is connected. */
    contact(sensorId: string, isState: boolean) {
      const entry = entryOf(sensorId);
      const at = now();
      entry.seenAt = at;
      entry.failedRequests = 0;
      entry.nextPingAt = at + pingAfterMs + spread(sensorId);
      if (entry.notResponding) setNotResponding(sensorId, entry, false);
      if (at - entry.writtenAt >= contactEveryMs) {
        entry.writtenAt = at;
        void write({ sensorId, contactAt: at });
      }
      if (isState || (entry.online && entry.death === null)) return;
      // This process has not seen the birth: it restarted, or the session was resumed.
      if (at - entry.rebirthRequestedAt < rebirthEveryMs) return;
      if (shared) entry.rebirthDueAt ??= at + sharedBirthMs;
      else requestRebirth(sensorId, entry);
    },

    /** Records of this session arrived from an external broker, but its birth is not stored yet. */
    missBirth(sensorId: string, sid: string) {
      const entry = entryOf(sensorId);
      const isReceived = entry.online && entry.sid === sid;
      if (isReceived || now() - entry.rebirthRequestedAt < rebirthEveryMs) return;
      entry.rebirthDueAt ??= now() + sharedBirthMs;
    },

    birth(sensorId: string, birth: Birth): Promise<void> {
      const entry = entryOf(sensorId);
      const at = now();
      const isNew = !entry.online || entry.sid !== birth.sid;
      Object.assign(entry, {
        sid: birth.sid,
        online: true,
        death: null,
        notResponding: false,
        failedRequests: 0,
        seenAt: at,
        writtenAt: at,
        rebirthDueAt: null,
      });
      return write({
        sensorId,
        contactAt: at,
        connected: true,
        notResponding: false,
        ...(isNew ? { conAt: at } : {}),
        birth: { sid: birth.sid, epoch: birth.ep, caps: birth.caps },
        ...(birth.fw === undefined ? {} : { version: birth.fw }),
      });
    },

    /** A death announced by the device, or by a broker after its own delay. */
    death(sensorId: string, death: Death): Promise<void> {
      const entry = entries.get(sensorId);
      const isKnown = entry?.online === true && entry.sid === death.sid;
      if (isKnown) entries.delete(sensorId);
      if (shared) return writeDeath(sensorId, now(), death.sid, { deadSid: death.sid });
      return isKnown ? writeDeath(sensorId, now(), null) : Promise.resolve();
    },

    lost(sensorId: string) {
      const entry = entries.get(sensorId);
      if (!entry) return;
      if (!entry.online) entries.delete(sensorId);
      else entry.death ??= { dueAt: now() + deathDelayMs, at: now() };
    },

    /** Ends the presence of a deleted or handed-over sensor without a grace time. */
    drop(sensorId: string): Promise<void> {
      const entry = entries.get(sensorId);
      return entry ? die(sensorId, entry, now()) : Promise.resolve();
    },

    /**
     * Called when a request fails. A ping, or a long request after another failure, marks the device as not responding. Two short
     * requests only trigger a ping, because watching a sensor must not make it look dead.
     */
    unanswered(sensorId: string, question: "ping" | "long" | "short") {
      const entry = entries.get(sensorId);
      if (!entry) return;
      entry.failedRequests += 1;
      const isSilent = question === "ping" || entry.failedRequests >= failuresUntilSilent;
      if (isSilent && question !== "short") setNotResponding(sensorId, entry, true);
      else if (entry.failedRequests === failuresUntilSilent) check(sensorId);
    },

    /** Applies due deaths and pings silent devices. Call it about every second. */
    async tick(): Promise<void> {
      if (shared && !shared.isReady()) return;
      const at = now();
      const written: Promise<void>[] = [];
      const silent: string[] = [];
      for (const [sensorId, entry] of entries) {
        if (entry.rebirthDueAt !== null && entry.rebirthDueAt <= at) requestRebirth(sensorId, entry);
        if (entry.death && entry.death.dueAt <= at) {
          if (isConnected(sensorId) && at - entry.rebirthRequestedAt >= rebirthEveryMs) {
            entry.death.dueAt = at + deathDelayMs;
            requestRebirth(sensorId, entry);
          } else {
            written.push(die(sensorId, entry, entry.death.at));
          }
        } else if (isPingDue(sensorId, entry, at)) {
          silent.push(sensorId);
        }
      }
      if (silent.length > 0) written.push(pingSilent(silent));
      await Promise.all(written);
    },

    /** Whether a retained state of the device differs from what is known. */
    isNews(sensorId: string, { online, sid }: { online: boolean; sid: string }): boolean {
      const entry = entries.get(sensorId);
      const isKnown = entry?.online === true && entry.sid === sid;
      return online ? !isKnown || entry.death !== null : isKnown;
    },

    isNewSession: (sensorId: string, sid: string) => entries.get(sensorId)?.sid !== sid,

    isOnline: (sensorId: string) => entries.get(sensorId)?.online ?? false,
  };
}

/** A fixed delay per sensor, in ms, which spreads the pings of the fleet evenly over a minute. */
function spread(sensorId: string): number {
  let sum = 0;
  for (let i = 0; i < sensorId.length; i += 1) sum = (sum * 31 + sensorId.charCodeAt(i)) % pingSpreadMs;
  return sum;
}
