// Bounds of work that is done at the same time: places by key, places by rank with a queue for each, amounts.
import { tooMany } from "../kit/app-error.ts";

/** A refused caller may come back after this. */
const queueFullRetryS = 5;

type Limits = { max: number; maxPerKey: number; retryAfterS?: number };

/** Each key has its bound within that of all: who finds no place left is refused. */
export function createKeyedSemaphore({ max, maxPerKey, retryAfterS = 10 }: Limits) {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    /** Takes a place for this key and returns the function that releases it; 429 when the key, or everybody together, has all of theirs. */
    take(key: string): () => void {
      const own = taken.get(key) ?? 0;
      if (all >= max || own >= maxPerKey) throw tooMany(retryAfterS);
      taken.set(key, own + 1);
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
