// Semaphores that limit concurrency by key, with fair queues, by priority, or by weight.
import { tooManyRequests } from "../app-error.ts";

/** Retry-After of a refused caller, in seconds. */
const queueFullRetryS = 5;

type Limits = { max: number; maxPerKey: number; retryAfterS?: number };

export function createKeyedSemaphore({ max, maxPerKey, retryAfterS = 10 }: Limits) {
  const taken = new Map<string, number>();
  let all = 0;
  const hasRoom = (key: string) => all < max && (taken.get(key) ?? 0) < maxPerKey;
  return {
    hasRoom,
    /** Takes a slot and returns a function that frees it. Throws 429 if the limit of the key or the total limit is reached. */
    take(key: string): () => void {
      if (!hasRoom(key)) throw tooManyRequests(retryAfterS);
      taken.set(key, (taken.get(key) ?? 0) + 1);
      all += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        all -= 1;
        const rest = (taken.get(key) ?? 1) - 1;
        if (rest > 0) taken.set(key, rest);
        else taken.delete(key);
      };
    },
  };
}

type FairLimits = Limits & {
  maxWaiting: number;
  maxWaitingPerKey: number;
};
type Waiting = { key: string; go: () => void };

/**
 * Like the keyed semaphore, but callers wait in a queue per key, first in, first out. A full key does not delay other keys. Aborted
 * callers leave the queue.
 */
export function createFairSemaphore({ max, maxPerKey, maxWaiting, maxWaitingPerKey, retryAfterS = 5 }: FairLimits) {
  const slots = createKeyedSemaphore({ max, maxPerKey, retryAfterS });
  const waits = createKeyedSemaphore({ max: maxWaiting, maxPerKey: maxWaitingPerKey, retryAfterS });
  const line = new Set<Waiting>();

  function releasing(release: () => void): () => void {
    return () => {
      release();
      for (const one of line) if (slots.hasRoom(one.key)) one.go();
    };
  }

  return {
    /** Waits for a slot and returns a function that frees it. Throws 429 if too many callers wait, or the reason of the abort. */
    async enter(key: string, signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted();
      if (slots.hasRoom(key)) return releasing(slots.take(key));
      const leaveLine = waits.take(key);
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const waiting = { key, go: () => (line.delete(waiting), resolve(releasing(slots.take(key)))) };
      const abort = () => (line.delete(waiting), reject(signal.reason as Error));
      line.add(waiting);
      signal.addEventListener("abort", abort, { once: true });
      return promise.finally(() => {
        leaveLine();
        signal.removeEventListener("abort", abort);
      });
    },
  };
}

/** Callers queue by priority. `lines` are the maximum queue lengths, highest priority first. Throws 429 if the queue is full. */
export function createPrioritySemaphore<Line extends string>(max: number, lines: Readonly<Record<Line, number>>) {
  const waiting = new Map(Object.keys(lines).map((line): [string, (() => void)[]] => [line, []]));
  let running = 0;
  return async <T>(line: Line, work: () => Promise<T>): Promise<T> => {
    if (running >= max) {
      const mine = waiting.get(line) ?? [];
      if (mine.length >= lines[line]) throw tooManyRequests(queueFullRetryS);
      await new Promise<void>((resolve) => void mine.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      // The slot is handed to the next caller instead of being freed, so that a new caller can't jump the queue.
      const next = [...waiting.values()].find((one) => one.length > 0)?.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** Limits a total weight; while the limit is reached, callers wait in a queue. */
export type WeightedSemaphore = ReturnType<typeof createWeightedSemaphore>;

export function createWeightedSemaphore(limit: number) {
  let held = 0;
  let line: { amount: number; go: () => void }[] = [];
  return {
    get held() {
      return held;
    },
    /** Null if there is room, which avoids a promise in the common case. */
    acquire(amount: number): Promise<void> | null {
      if (held < limit && line.length === 0) {
        held += amount;
        return null;
      }
      return new Promise((go) => line.push({ amount, go }));
    },
    /** Takes weight without waiting, even beyond the limit; for small items. */
    take(amount: number) {
      held += amount;
    },
    release(amount: number) {
      held -= amount;
      let next = 0;
      for (; held < limit && next < line.length; next += 1) {
        const first = line[next];
        held += first?.amount ?? 0;
        first?.go();
      }
      if (next > 0) line = line.slice(next);
    },
  };
}
