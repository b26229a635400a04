// Writes the newest value of each key in batches, with a minimum interval, and retries failures.
import type { Logger } from "pino";
import { isContentError } from "./group-commit.ts";

export type NewestWriterOptions<T> = {
  name: string;
  log: Logger;
  everyMs?: number;
  write: (values: T[]) => Promise<void>;
};

const retryMs = 1000;

/**
 * A new value replaces the pending value of its key. Failures are retried until a newer value replaces them, and one bad value does
 * not block others.
 */
export function createNewestWriter<T>({ name, log, everyMs = 0, write }: NewestWriterOptions<T>) {
  let pending = new Map<string, T>();
  /** Keys that were dropped while the current batch runs. They are not retried. */
  const dropped = new Set<string>();
  let working: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function wake(): void {
    if (!stopped && timer === null && pending.size > 0) working ??= work();
  }

  async function work(): Promise<void> {
    // Collects values of the same turn of the event loop into one batch.
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

  async function writeOrKeep(batch: [string, T][]): Promise<[string, T][]> {
    if (batch.length === 0) return [];
    try {
      await write(batch.map(([, value]) => value));
      return [];
    } catch (error) {
      if (!isContentError(error)) {
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
      // Moves the key to the end, so that batches are in the order of the newest values.
      pending.delete(key);
      pending.set(key, value);
      wake();
    },
    drop(key: string): void {
      pending.delete(key);
      if (working) dropped.add(key);
    },
    /** Stops after one more attempt to write pending values. */
    async stop(): Promise<void> {
      stopped = true;
      if (timer) clearTimeout(timer);
      timer = null;
      await working;
      if (pending.size > 0) await work();
    },
  };
}
