// Bounds of work that is done at the same time: places by key, places by rank with a queue for each, amounts.
import { tooMany } from "../app-error.ts";

/** A refused caller may come back after this. */
const queueFullRetryS = 5;

type Limits = { max: number; maxPerKey: number; retryAfterS?: number };

/** Each key has its bound within that of all: who finds no place left is refused. */
export function createKeyedSemaphore({ max, maxPerKey, retryAfterS = 10 }: Limits) {
  const taken = new Map<string, number>();
  let all = 0;
  const hasRoom = (key: string) => all < max && (taken.get(key) ?? 0) < maxPerKey;
  return {
    hasRoom,
    /** Takes a place for this key and returns the function that releases it; 429 when the key, or everybody together, has all of theirs. */
    take(key: string): () => void {
      if (!hasRoom(key)) throw tooMany(retryAfterS);
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
  /** How many may wait, of one key and in all; who finds both full is refused. */
  maxWaiting: number;
  maxWaitingPerKey: number;
};
type Waiting = { key: string; go: () => void };

/**
 * Like the keyed one, but a few wait for their slot, in the order in which they came, without holding up those of other keys; one
 * that is aborted waits no more.
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
    /** Returns the function that releases the slot. Throws 429, or the reason for which `signal` was aborted. */
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

/** Callers queue by rank. `lines`: how many may wait in each queue, those of higher rank first; a caller whose line is full is refused (429). */
export function createPrioritySemaphore<Line extends string>(max: number, lines: Readonly<Record<Line, number>>) {
  const waiting = new Map(Object.keys(lines).map((line): [string, (() => void)[]] => [line, []]));
  let running = 0;
  return async <T>(line: Line, work: () => Promise<T>): Promise<T> => {
    if (running >= max) {
      const mine = waiting.get(line) ?? [];
      if (mine.length >= lines[line]) throw tooMany(queueFullRetryS);
      await new Promise<void>((resolve) => void mine.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      // The place is passed on rather than freed, so no one slips in between.
      const next = [...waiting.values()].find((one) => one.length > 0)?.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** Counts what is held. A caller without room is queued, and holds as soon as it may go on. */
export type WeightedSemaphore = ReturnType<typeof createWeightedSemaphore>;

export function createWeightedSemaphore(limit: number) {
  let held = 0;
  let line: { amount: number; go: () => void }[] = [];
  return {
    get held() {
      return held;
    },
    /** Null when there is room now, so that the usual case costs no promise. */
    acquire(amount: number): Promise<void> | null {
      if (held < limit && line.length === 0) {
        held += amount;
        return null;
      }
      return new Promise((go) => line.push({ amount, go }));
    },
    /** Holds without asking: for what is too small to wait behind others. */
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
