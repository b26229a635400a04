// Commits items of many devices in one transaction every few milliseconds, without loss or duplication.
import type { Logger } from "pino";
import { isDatabaseUnavailable } from "./database.ts";

export type GroupCommit<T> = ReturnType<typeof createGroupCommit<T>>;

export type GroupCommitOptions<T> = {
  name: string;
  log: Logger;
  gatherMs: number;
  /** Maximum weight of a batch. `weigh` returns the weight of an item, 1 by default. */
  maxWeight: number;
  weigh?: (item: T) => number;
  run: (items: T[]) => Promise<void>;
  /** Splits an item that fails alone, so that its good parts are stored. */
  split?: (item: T) => T[];
  /** Returns a replacement for an item that permanently fails alone, or null to drop it. */
  onPoison?: (item: T, error: unknown) => T | null;
};

type Waiting<T> = { item: T; done: () => void };

const firstBackOffMs = 100;
const maxBackOffMs = 5_000;

/**
 * Retries a batch while the database is unavailable, and acknowledges nothing until then. Halves a refused batch until the bad item
 * is alone, so that it does not block the others.
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
      // Stops so that the next batch can fill up, unless enough is queued or `stop` was called.
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
        if (isContentError(error)) return isLastTry ? giveUp(error) : isolate(items, error);
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
    /** Resolves when the item is committed or dropped. Never resolves for an item added after `stop`. */
    add(item: T): Promise<void> {
      return new Promise((done) => {
        if (stopping) return;
        queue.push({ item, done });
        weight += weigh(item);
        wake();
      });
    },
    /** "all" commits everything queued, "current" only the running batch. Senders repeat the rest, because it is not acknowledged. */
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
 * Whether a retry would fail again because of wrong data, broken constraints, or bugs. All other errors (unavailable, restarting,
 * full, too slow, deadlocked) may pass and are retried.
 */
export function isContentError(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (isDatabaseUnavailable(error)) return false;
  if ("code" in error && typeof error.code === "string") return /^(21|22|23|42|P0)\w{3}$/.test(error.code);
  return !/pool|driver has already been destroyed|Connection/i.test(error.message);
}
