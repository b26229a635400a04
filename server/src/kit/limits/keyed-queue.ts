// Work one after the other: by key, or all of it in one short queue that refuses when it is full.
import { tooMany } from "../app-error.ts";
import { createKeyedSemaphore } from "./semaphores.ts";

const retryAfterS = 30;

/** At most `max` wait in all and `maxPerKey` of one key, the one at work included; beyond that 429. */
export function createBoundedQueue({ max, maxPerKey }: { max: number; maxPerKey: number }) {
  const places = createKeyedSemaphore({ max: Infinity, maxPerKey, retryAfterS });
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    if (waiting >= max) throw tooMany(retryAfterS);
    const leave = places.take(key);
    waiting += 1;
    const mine = last.then(() => {
      waiting -= 1;
      return work();
    });
    last = mine.catch(() => undefined);
    return mine.finally(leave);
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
