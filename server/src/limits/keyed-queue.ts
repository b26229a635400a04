// Work one after the other: by key, or all of it in one short queue that refuses when it is full.
import { tooMany } from "../kit/app-error.ts";

export type BoundedQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** At most `max` wait in all and `maxPerKey` of one key, the one at work included; beyond that 429. */
export function createBoundedQueue({ max, maxPerKey }: { max: number; maxPerKey: number }): BoundedQueue {
  const present = new Map<string, number>();
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (key, work) => {
    const own = present.get(key) ?? 0;
    if (waiting >= max || own >= maxPerKey) throw tooMany(30);
    present.set(key, own + 1);
    waiting += 1;
    const before = last;
    const mine = (async () => {
      await before;
      waiting -= 1;
      return work();
    })();
    last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      const left = (present.get(key) ?? 1) - 1;
      if (left > 0) present.set(key, left);
      else present.delete(key);
    }
  };
}

/** Work under the same key runs one after the other. */
export function createKeyedQueue() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = mine.catch(() => undefined);
    last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (last.get(key) === settled) last.delete(key);
    }
  };
}
