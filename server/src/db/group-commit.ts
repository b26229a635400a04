// Gathers what many devices say within some milliseconds into one transaction, and never loses or doubles any of it.
import type { Logger } from "pino";
import { isDatabaseAway } from "./database.ts";

export type GroupCommit<T> = ReturnType<typeof createGroupCommit<T>>;

export type GroupCommitOptions<T> = {
  name: string;
  log: Logger;
  gatherMs: number;
  /** A batch is full at this many; `weigh` says how many an item counts for. */
  maxWeight: number;
  weigh?: (item: T) => number;
  run: (items: T[]) => Promise<void>;
  /** Takes an item apart that fails alone, so that its good parts are stored. */
  split?: (item: T) => T[];
  /** What to store instead of an item that fails alone, for a reason that repeating won't cure; null, or without it nothing. */
  onPoison?: (item: T, error: unknown) => T | null;
};

type Waiting<T> = { item: T; done: () => void };

const firstBackOffMs = 100;
const maxBackOffMs = 5_000;

/**
 * While the database is unavailable the batch waits and is retried; no one gets an answer meanwhile. One bad item must not
 * hold up its neighbors: a batch that is refused is halved until the culprit is alone.
 */
export function createGroupCommit<T>(options: GroupCommitOptions<T>) {
  const { log, name, gatherMs, maxWeight, weigh = () => 1, run, split, onPoison } = options;
  let queue: Waiting<T>[] = [];
  let weight = 0;
  let working: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let stopping = false;

  function wake() {
    if (working) return;
    if (weight >= maxWeight || stopping) return start();
    timer ??= setTimeout(start, gatherMs);
  }
  function start() {
    if (timer) clearTimeout(timer);
    timer = null;
    working ??= drain().finally(() => {
      working = null;
      if (queue.length > 0 && !stopping) wake();
    });
  }

  async function drain() {
    while (queue.length > 0) {
      const batch = take();
      await commit(batch.map(({ item }) => item));
      if (stopping && gaveUp) return;
      for (const { done } of batch) done();
      // A short pause lets the next batch fill up, when there is no hurry.
      if (weight < maxWeight && !stopping) return;
    }
  }

  function take(): Waiting<T>[] {
    let taken = 0;
    let n = 0;
    for (; n < queue.length && (n === 0 || taken < maxWeight); n += 1) taken += weigh((queue[n] as Waiting<T>).item);
    weight -= taken;
    return queue.splice(0, n);
  }

  let gaveUp = false;
  async function commit(items: T[], isLastTry = false): Promise<void> {
    for (let wait = firstBackOffMs; ; wait = Math.min(maxBackOffMs, wait * 2)) {
      try {
        return await run(items);
      } catch (error) {
        if (isAboutContent(error)) return isLastTry ? giveUp(error) : isolate(items, error);
        log.warn({ err: error, waiting: queue.length }, `${name}: the database can't take it now, trying again`);
        if (stopping) {
          gaveUp = true;
          return;
        }
        await new Promise((go) => setTimeout(go, wait));
      }
    }
  }

  async function isolate(items: T[], error: unknown): Promise<void> {
    const [only] = items;
    const parts = items.length === 1 && only !== undefined ? (split?.(only) ?? [only]) : items;
    if (parts.length > 1) {
      const half = Math.ceil(parts.length / 2);
      await commit(parts.slice(0, half));
      await commit(parts.slice(half));
      return;
    }
    if (only === undefined) return;
    const instead = onPoison?.(only, error) ?? null;
    return instead === null ? giveUp(error) : commit([instead], true);
  }

  const giveUp = (error: unknown) => log.error({ err: error }, `${name}: an item was refused and is lost`);

  return {
    /** Resolves when the item is committed (or was given up as poison). */
    add(item: T): Promise<void> {
      return new Promise((done) => {
        if (stopping) return;
        queue.push({ item, done });
        weight += weigh(item);
        wake();
      });
    },
    /**
     * Ends: with "all" after committing what waits, with "current" after the batch at work. The rest stays
     * unacknowledged, so that the sender sends it again.
     */
    async stop(how: "all" | "current") {
      stopping = true;
      if (how === "current") queue = [];
      while (!gaveUp && (queue.length > 0 || working)) {
        start();
        await working;
      }
      queue = [];
    },
  };
}

/**
 * Would the same again fail for what it says? Wrong data and broken constraints do, and mistakes of our own code.
 * Everything else (unavailable, restarting, full, too slow, deadlocked) may pass, and until then nothing is given up.
 */
export function isAboutContent(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (isDatabaseAway(error)) return false;
  if ("code" in error && typeof error.code === "string") return /^(21|22|23|42|P0)\w{3}$/.test(error.code);
  return !/pool|driver has already been destroyed|Connection/i.test(error.message);
}
