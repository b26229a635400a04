// Events of transactions for all processes: stored with the transaction, and read by each process in the order of commits
// (docs/rules/start-and-configuration.md#events-between-processes).
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { type Announcement, type AnnouncementName, announcementNames, type Bus } from "../../kit/bus.ts";
import type { Metrics } from "../../kit/metrics.ts";
import type { Database, Tx } from "../database.ts";
import {
  appendTrail,
  type AuditRow,
  type Entry,
  openLog,
  type Position,
  readAnnouncements,
} from "./announcement.store.ts";
import { createReadMeter } from "./read-meter.ts";

export type { Position } from "./announcement.store.ts";

/**
 * Announcements of all processes that were committed since the last batch. `position` is after them. `since`: when this process noticed
 * the first commit, or began the read before if it noticed none; on the clock of `performance.now()`.
 */
export type Batch = { events: readonly Announcement[]; position: Position; since: number };

export type Announcements = ReturnType<typeof createAnnouncements>;

/** Minimum time from one read to the next. */
const paceMs = 4;
/** Finds announcements of processes that were killed before they could notify others. */
const lookEveryMs = 500;
/** A process that is further behind than this loads everything again. */
const maxEvents = 50_000;

const toEvents = ({ name, events }: Entry) => events.map((event) => ({ name, event }) as Announcement);

type Dependencies = { db: Database; bus: Bus; log: Logger; metrics: Metrics };

/** Announcements of this process reach its own bus at once after the commit, those of others when they are read. */
export function createAnnouncements({ db, bus, log, metrics }: Dependencies) {
  const origin = randomUUID();
  const listeners = new Map<(batch: Batch) => void, ReadonlySet<AnnouncementName>>();
  let end: Position | null = null;
  let clock: NodeJS.Timeout | null = null;
  let notifyOthers: (names: readonly AnnouncementName[]) => void = () => undefined;
  let onGap = (): void => undefined;
  const meter = createReadMeter(metrics);

  /** Other announcements are not read, so that a gateway does not read the counts of other gateways. */
  const isOfInterest = (name: AnnouncementName): boolean =>
    bus.hasListeners(name) || listeners.values().some((names) => names.has(name));

  async function readOn(): Promise<void> {
    if (end === null) return;
    const names = announcementNames.filter(isOfInterest);
    const { since, failed, done } = meter.begin();
    const read = await readAnnouncements(db, { from: end, to: null, names, most: maxEvents }).catch(
      (error: unknown) => {
        failed();
        throw error;
      },
    );
    if (read === null) {
      end = await openLog(db);
      metrics.announcementsGaps.inc();
      return onGap();
    }
    ({ end } = read);
    for (const entry of read.entries) if (entry.origin !== origin) toEvents(entry).forEach(bus.emit);
    const all = read.entries.flatMap(toEvents);
    for (const [listener, wanted] of listeners)
      listener({ events: all.filter(({ name }) => wanted.has(name)), position: end, since });
    done(all.length);
  }

  const reading = createPacedWork(readOn, (error) => log.warn({ err: error }, "announcements were not read"));

  return {
    /** Stores announcements and audit rows of a transaction. Call `committed` with the same announcements after the commit. */
    append: (tx: Tx, events: readonly Announcement[], audited: readonly AuditRow[] = []): Promise<void> => {
      const byName = [...Map.groupBy(events, ({ name }) => name)];
      const announced = byName.map(([name, list]) => ({ name, events: list.map(({ event }) => event) }));
      return appendTrail(tx, origin, announced, audited);
    },
    committed(events: readonly Announcement[]): void {
      if (events.length === 0) return;
      events.forEach(bus.emit);
      notifyOthers([...new Set(events.map(({ name }) => name))]);
      meter.noticed();
      if (listeners.size > 0) reading.soon();
    },
    /** Begins to read. `missed` runs if announcements can't be read any more, so that everything must be loaded again. */
    async start(missed: () => void): Promise<void> {
      onGap = missed;
      end = await openLog(db);
      clock = setInterval(reading.soon, lookEveryMs).unref();
    },
    /** Sets how other processes are notified of a commit. */
    onCommit: (notify: typeof notifyOthers) => void (notifyOthers = notify),
    /** Another process committed announcements of these names. */
    noticed(names: readonly AnnouncementName[]): void {
      if (!names.some(isOfInterest)) return;
      meter.noticed();
      reading.soon();
    },
    /** Resolves after a read that began after the call, even if it failed. */
    pull: reading.now,
    /** Position of the last batch. Throws before the start. */
    position(): Position {
      if (end === null) throw new Error("Announcements are not read yet");
      return end;
    },
    /** Announcements of these names, also of this process, in the order of commits. */
    onBatch(names: ReadonlySet<AnnouncementName>, listener: (batch: Batch) => void): () => void {
      listeners.set(listener, names);
      return () => void listeners.delete(listener);
    },
    /** Returns the announcements of a name between two positions of any process, or null if they are not available any more. */
    async between(from: Position, to: Position, name: AnnouncementName): Promise<readonly Announcement[] | null> {
      if (from.epoch === to.epoch && from.snapshot === to.snapshot) return [];
      const read = await readAnnouncements(db, { from, to, names: [name], most: maxEvents });
      return read && read.entries.flatMap(toEvents);
    },
    async stop(): Promise<void> {
      if (clock) clearInterval(clock);
      end = null;
      await reading.stop();
    },
  };
}

/**
 * Runs `work` once at a time. `now` resolves after a run that began after the call. `soon` pauses before the next run, so that slow
 * runs take at most a quarter of the time: while a transaction runs for minutes, all later announcements are looked through each time.
 */
function createPacedWork(work: () => Promise<void>, onError: (error: unknown) => void) {
  // A run serves all, so that it belongs to no trace of the call that caused it.
  const outside = AsyncLocalStorage.snapshot();
  let running: Promise<void> = Promise.resolve();
  let queued: Promise<void> | null = null;
  let isRunning = false;
  let isWanted = false;
  let dueAt = 0;
  let timer: NodeJS.Timeout | null = null;

  async function run(): Promise<void> {
    isRunning = true;
    const begunAt = performance.now();
    await outside(work).catch(onError);
    const endedAt = performance.now();
    dueAt = Math.max(begunAt + paceMs, endedAt + Math.min(3 * (endedAt - begunAt), lookEveryMs));
    isRunning = false;
    if (isWanted) soon();
  }

  function now(): Promise<void> {
    queued ??= running.then(() => {
      queued = null;
      isWanted = false;
      running = run();
      return running;
    });
    return queued;
  }

  function soon(): void {
    isWanted = true;
    if (timer !== null || isRunning) return;
    const wait = dueAt - performance.now();
    if (wait <= 0) return void now();
    timer = setTimeout(() => {
      timer = null;
      void now();
    }, wait);
  }

  return {
    now,
    soon,
    async stop(): Promise<void> {
      await Promise.all([running, queued]);
      if (timer) clearTimeout(timer);
    },
  };
}
