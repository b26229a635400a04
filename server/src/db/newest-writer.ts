// Writes down the newest value of each key, of many keys in one batch and no more often than asked for; what fails waits for later.
import type { Logger } from "pino";
import { isAboutContent } from "./group-commit.ts";

export type NewestWriterOptions<T> = {
  name: string;
  log: Logger;
  /** At least so long between a batch and the next one. */
  everyMs?: number;
  write: (values: T[]) => Promise<void>;
};

const retryMs = 1000;

/**
 * A value that was put replaces the one of its key that was not written yet. As in group commits: what the database can't take now
 * is tried again until something newer takes its place, and one bad value holds up no other.
 */
export function createNewestWriter<T>({ name, log, everyMs = 0, write }: NewestWriterOptions<T>) {
  let pending = new Map<string, T>();
  /** While a batch is at work: not to be tried again. */
  const dropped = new Set<string>();
  let working: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function wake(): void {
    if (!stopped && timer === null && pending.size > 0) working ??= work();
  }

  async function work(): Promise<void> {
    // What many say at once is one batch.
    await new Promise((resolve) => setImmediate(resolve));
    const batch = [...pending];
    pending = new Map();
    dropped.clear();
    const failed = await writeOrKeep(batch);
    pending = new Map([...failed.filter(([key]) => !dropped.has(key)), ...pending]);
    working = null;
    if (stopped) return;
    const pauseMs = failed.length > 0 ? Math.max(everyMs, retryMs) : everyMs;
    timer = setTimeout(() => {
      timer = null;
      wake();
    }, pauseMs).unref();
  }

  /** Returns what may be taken later. */
  async function writeOrKeep(batch: [string, T][]): Promise<[string, T][]> {
    if (batch.length === 0) return [];
    try {
      await write(batch.map(([, value]) => value));
      return [];
    } catch (error) {
      if (!isAboutContent(error)) {
        log.warn({ err: error, waiting: batch.length }, `${name}: the database can't take it now, trying again`);
        return batch;
      }
      if (batch.length === 1) {
        log.error({ err: error }, `${name}: a value was refused and is lost`);
        return [];
      }
      const half = Math.ceil(batch.length / 2);
      return [...(await writeOrKeep(batch.slice(0, half))), ...(await writeOrKeep(batch.slice(half)))];
    }
  }

  return {
    put(key: string, value: T): void {
      // Batches are in the order of the newest word.
      pending.delete(key);
      pending.set(key, value);
      wake();
    },
    /** Its value is forgotten, unless it is being written already. */
    drop(key: string): void {
      pending.delete(key);
      if (working) dropped.add(key);
    },
    /** Ends after one more try to write what waits. */
    async stop(): Promise<void> {
      stopped = true;
      if (timer) clearTimeout(timer);
      timer = null;
      await working;
      if (pending.size > 0) await work();
    },
  };
}
