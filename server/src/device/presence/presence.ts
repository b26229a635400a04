// Who is there: births and deaths by session, contact, and devices that are connected but do not answer (docs/rules/devices.md#presence).
import type { Birth, Death } from "@psp/contract/device/device-messages.ts";
import type { Context } from "../../context.ts";
import { updated } from "../../kit/bus.ts";
import { createGroupCommit, type GroupCommit } from "../../db/group-commit.ts";
import { foldChanges, type PresenceChange, writePresence } from "./presence.store.ts";

type Entry = {
  sid: string | null;
  online: boolean;
  /** Last packet, and the one the database knows of. */
  seenAt: number;
  writtenAt: number;
  /** When a lost connection counts as death, and when it was lost. */
  death: { dueAt: number; at: number } | null;
  notResponding: boolean;
  failedRequests: number;
  nextPingAt: number;
  rebirthRequestedAt: number;
};

export type PresenceOptions = {
  now: () => number;
  /** Commits a change; the promise holds the device's acknowledgement. */
  write: (change: PresenceChange) => Promise<void>;
  ping: (sensorId: string) => void;
  /** A ping that settles soon whether a device answers at all. */
  check: (sensorId: string) => void;
  askRebirth: (sensorId: string) => void;
  isConnected: (sensorId: string) => boolean | null;
};

export type Presence = ReturnType<typeof createPresence>;

/** A lost connection is believed only after this: networks blink. */
const deathDelayMs = 30_000;
const contactEveryMs = 60_000;
const pingAfterMs = 4 * 60_000;
const pingSpreadMs = 60_000;
const rebirthEveryMs = 60_000;
/** This many requests of people in a row without an answer mean that the device is not listening. */
const failuresUntilSilent = 2;

/** The state machine of presence. It lives in memory for those connected; the database gets what changes. */
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
    /** What the database said was connected when this process started; it has `graceMs` to come back. */
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

    /** Any packet proves that the device is there, and that it talks. */
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
      // It talks, but its birth is unknown here: after a restart of ours, or a session that was resumed.
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

    /** A death that the device announced itself, or that a broker announced after its own delay. */
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

    /** Forgets a sensor that was deleted or handed over; the database is somebody else's business then. */
    drop(sensorId: string): Promise<void> {
      const entry = entries.get(sensorId);
      return entry ? die(sensorId, entry, now()) : Promise.resolve();
    },

    /**
     * A request that stayed unanswered. One ping or two requests with a long timeout in a row mean that it is not listening; two
     * with a short one only that a ping should ask: a mere viewer of a sensor must not make it look dead.
     */
    unanswered(sensorId: string, question: "ping" | "long" | "short") {
      const entry = entries.get(sensorId);
      if (!entry) return;
      entry.failedRequests += 1;
      const isSilent = question === "ping" || entry.failedRequests >= failuresUntilSilent;
      if (isSilent && question !== "short") setNotResponding(sensorId, entry, true);
      else if (entry.failedRequests === failuresUntilSilent) check(sensorId);
    },

    /** Believes deaths whose time has come, and pings who has been silent for minutes. Call it about every second. */
    async tick(): Promise<void> {
      const at = now();
      const written: Promise<void>[] = [];
      for (const [sensorId, entry] of entries) {
        if (entry.death && entry.death.dueAt <= at) {
          // Connected again, but it forgot to say so: remind it once, and wait once more.
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

    /** Whether this session is another one than the newest known. */
    isNewSession: (sensorId: string, sid: string) => entries.get(sensorId)?.sid !== sid,

    isOnline: (sensorId: string) => entries.get(sensorId)?.online ?? false,
  };
}

/** Gathers what devices say about themselves, writes it for many at a time, and announces what people can see of it. */
export function createPresenceChanges(ctx: Context): GroupCommit<PresenceChange> {
  return createGroupCommit<PresenceChange>({
    name: "presence",
    log: ctx.log,
    gatherMs: 100,
    maxWeight: 500,
    async run(items) {
      const folded = foldChanges(items);
      const living = await ctx.db.transaction().execute((tx) => writePresence(tx, folded));
      const owners = new Map(living.map((row) => [row.id, row.owner_id]));
      for (const change of folded) {
        const owner = owners.get(change.sensorId);
        // Contact alone is no news to anybody's screen.
        const isVisible = Object.keys(change).some((key) => key !== "sensorId" && key !== "contactAt");
        if (owner !== undefined && isVisible) ctx.bus.emit(updated("sensor", change.sensorId, owner));
      }
    },
  });
}

/** The same sensor at the same second of the minute, the fleet evenly over it. */
function spread(sensorId: string): number {
  let sum = 0;
  for (let i = 0; i < sensorId.length; i += 1) sum = (sum * 31 + sensorId.charCodeAt(i)) % pingSpreadMs;
  return sum;
}
