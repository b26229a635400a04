// Queues that run one call at a time: a bounded one for all keys, and one for each key.
import pLimit from "p-limit";
import { tooManyRequests } from "../app-error.ts";
import { createKeyedSemaphore } from "./semaphores.ts";

const retryAfterS = 30;

/** At most `max` calls wait in total, and at most `maxPerKey` calls of one key wait or run. Further calls are refused with 429. */
export function createBoundedQueue({ max, maxPerKey }: { max: number; maxPerKey: number }) {
  const slots = createKeyedSemaphore({ max: Infinity, maxPerKey, retryAfterS });
  const inTurn = pLimit(1);
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    if (inTurn.pendingCount >= max) throw tooManyRequests(retryAfterS);
    const leave = slots.take(key);
    return inTurn(work).finally(leave);
  };
}

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
