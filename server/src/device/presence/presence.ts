// Tracks which devices are connected, and which of these do not respond (docs/rules/devices.md#presence).
import type { Birth, Death } from "@psp/contract/device/device-messages.ts";
import type { Context } from "../../context.ts";
import { entityUpdated } from "../../kit/bus.ts";
import { createGroupCommit, type GroupCommit } from "../../db/group-commit.ts";
import { announcing } from "../../db/write.ts";
import { mergeChanges, type PresenceChange, writePresence } from "./presence.store.ts";

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
};

export type PresenceOptions = {
  now: () => number;
  /** Commits a change. The device's acknowledgement waits for the promise. */
  write: (change: PresenceChange) => Promise<void>;
  ping: (sensorId: string) => void;
  check: (sensorId: string) => void;
  askRebirth: (sensorId: string) => void;
  isConnected: (sensorId: string) => boolean | null;
};

export type Presence = ReturnType<typeof createPresence>;

/** Grace time for reconnecting after a lost connection. */
const deathDelayMs = 30_000;
const contactEveryMs = 60_000;
const pingAfterMs = 4 * 60_000;
const pingSpreadMs = 60_000;
const rebirthEveryMs = 60_000;
const failuresUntilSilent = 2;

/** The presence state machine. It keeps connected sensors in memory and writes changes to the database. */
// oxlint-disable-next-line max-lines-per-function -- one state machine: every method is a transition of the same entries
export function createPresence(options: PresenceOptions) {
  const { now, write, ping, check, askRebirth, isConnected } = options;
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
    }));

  function die(sensorId: string, entry: Entry, at: number): Promise<void> {
    entries.delete(sensorId);
    return entry.online ? write({ sensorId, disconAt: at, connected: false, notResponding: false }) : Promise.resolve();
  }

  function setNotResponding(sensorId: string, entry: Entry, value: boolean) {
    if (entry.notResponding === value || !entry.online) return;
    entry.notResponding = value;
    void write({ sensorId, notResponding: value });
  }

  return {
    /** Loads the sensors stored as connected; they have `graceMs` to reconnect. */
    restore(sensors: { id: string; sid: string | null; not_responding: boolean }[], graceMs: number) {
      for (const { id, sid, not_responding } of sensors) {
        const entry = entryOf(id);
        if (entry.online) continue;
        Object.assign(entry, {
          sid,
          online: true,
          notResponding: not_responding,
          seenAt: now(),
          death: { dueAt: now() + graceMs, at: now() },
        });
      }
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
      entry.rebirthRequestedAt = at;
      askRebirth(sensorId);
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
      if (!entry?.online || entry.sid !== death.sid) return Promise.resolve();
      return die(sensorId, entry, now());
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
      const at = now();
      const written: Promise<void>[] = [];
      for (const [sensorId, entry] of entries) {
        if (entry.death && entry.death.dueAt <= at) {
          if (isConnected(sensorId) && at - entry.rebirthRequestedAt >= rebirthEveryMs) {
            entry.rebirthRequestedAt = at;
            entry.death.dueAt = at + deathDelayMs;
            askRebirth(sensorId);
          } else {
            written.push(die(sensorId, entry, entry.death.at));
          }
        } else if (entry.online && entry.nextPingAt <= at) {
          entry.nextPingAt = at + pingAfterMs + spread(sensorId);
          ping(sensorId);
        }
      }
      await Promise.all(written);
    },

    isNewSession: (sensorId: string, sid: string) => entries.get(sensorId)?.sid !== sid,

    isOnline: (sensorId: string) => entries.get(sensorId)?.online ?? false,
  };
}

export function createPresenceWriter(ctx: Context): GroupCommit<PresenceChange> {
  return createGroupCommit<PresenceChange>({
    name: "presence",
    log: ctx.log,
    gatherMs: 100,
    maxWeight: 500,
    async run(items) {
      const folded = mergeChanges(items);
      await announcing(ctx, async (tx, announce) => {
        const owners = new Map((await writePresence(tx, folded)).map((row) => [row.id, row.owner_id]));
        for (const change of folded) {
          const owner = owners.get(change.sensorId);
          // A change of the contact time alone is not shown live.
          const isVisible = Object.keys(change).some((key) => key !== "sensorId" && key !== "contactAt");
          if (owner !== undefined && isVisible) announce(entityUpdated("sensor", change.sensorId, owner));
        }
      });
    },
  });
}

/** A fixed delay per sensor, in ms, which spreads the pings of the fleet evenly over a minute. */
function spread(sensorId: string): number {
  let sum = 0;
  for (let i = 0; i < sensorId.length; i += 1) sum = (sum * 31 + sensorId.charCodeAt(i)) % pingSpreadMs;
  return sum;
}
