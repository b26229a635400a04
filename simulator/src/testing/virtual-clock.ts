// A clock that only advances when a test moves it.
import { createTimerQueue, type Clock } from "../clock.ts";

export type VirtualClock = Clock & {
  /** Advances by `ms`, and runs each due callback at its scheduled time. */
  pass(ms: number): void;
  passTo(time: number): void;
};

export function createVirtualClock(start: number): VirtualClock {
  const queue = createTimerQueue();
  let now = start;
  const passTo = (time: number): void => {
    for (let entry = queue.take(time); entry; entry = queue.take(time)) {
      now = Math.max(now, entry.time);
      entry.run?.();
    }
    now = Math.max(now, time);
  };
  return { now: () => now, at: (time, run) => queue.add(time, run), passTo, pass: (ms) => passTo(now + ms) };
}

/** Polls until `holds`; fails after `withinMs`. */
export async function waitUntil(what: string, holds: () => boolean, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
