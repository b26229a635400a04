// Clock abstraction: the simulator never reads the system clock directly, so that tests can skip time.

export type Cancel = () => void;
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs once at or after `time`; the returned function cancels it. */
  at(time: number, run: () => void): Cancel;
};

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.at(clock.now() + ms, resolve));
}

type Entry = { time: number; order: number; run: (() => void) | null };

/** Queue ordered by time. All sensors of a fleet share one queue, and so a single system timer. */
export function createTimerQueue() {
  const heap: Entry[] = [];
  let order = 0;
  const before = (a: Entry, b: Entry): boolean => a.time < b.time || (a.time === b.time && a.order < b.order);

  function pop(): Entry | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || first === last) return first;
    let index = 0;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      const child = right && left && before(right, left) ? right : left;
      if (!child || !before(child, last)) break;
      heap[index] = child;
      index = child === left ? 2 * index + 1 : 2 * index + 2;
    }
    heap[index] = last;
    return first;
  }

  function dropCancelled(): void {
    while (heap[0] && heap[0].run === null) pop();
  }

  return {
    add(time: number, run: () => void): Cancel {
      const entry: Entry = { time, order: order++, run };
      let index = heap.push(entry) - 1;
      while (index > 0) {
        const parentIndex = (index - 1) >> 1;
        const parent = heap[parentIndex];
        if (!parent || !before(entry, parent)) break;
        heap[index] = parent;
        index = parentIndex;
      }
      heap[index] = entry;
      return () => void (entry.run = null);
    },
    /** Time of the next entry, Infinity if there is none. */
    next(): number {
      dropCancelled();
      return heap[0]?.time ?? Infinity;
    },
    take(time: number): Entry | null {
      dropCancelled();
      return heap[0] && heap[0].time <= time ? (pop() ?? null) : null;
    },
  };
}

/** Maximum delay of the system timer, because the system clock may be changed in the meantime. */
const maxNapMs = 1000;
const minNapMs = 5;

export type RunningClock = Clock & { stop(): void };

/**
 * The system clock. With `from`, starts in the past and runs `speed` times as fast until it has caught up. Never runs ahead of
 * real time, because servers exclude future records from their sums.
 */
export function createRealClock({ from, speed = 1 }: { from?: number; speed?: number } = {}): RunningClock {
  const queue = createTimerQueue();
  const startedAt = Date.now();
  let timer: NodeJS.Timeout | null = null;
  let wakeAt = Infinity;
  let stopped = false;
  const now = (): number => {
    const real = Date.now();
    return from === undefined ? real : Math.min(real, Math.round(from + (real - startedAt) * speed));
  };
  const pace = from === undefined ? 1 : speed;

  function arm(): void {
    const next = queue.next();
    if (stopped || next === Infinity || (timer && wakeAt <= next)) return;
    if (timer) clearTimeout(timer);
    wakeAt = next;
    timer = setTimeout(wake, Math.min(maxNapMs, Math.max(minNapMs, (next - now()) / pace)));
  }
  function wake(): void {
    timer = null;
    wakeAt = Infinity;
    const until = now();
    for (let entry = queue.take(until); entry && !stopped; entry = queue.take(until)) entry.run?.();
    arm();
  }
  return {
    now,
    at(time, run) {
      const cancel = queue.add(time, run);
      arm();
      return cancel;
    },
    stop() {
      stopped = true;
      if (timer) clearTimeout(timer);
    },
  };
}
