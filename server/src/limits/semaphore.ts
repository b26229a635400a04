// Lets so many of one kind of work run at a time; the others wait, first come, first served.

/** Runs `work` when a place is free, and answers what it answers. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

export function createSemaphore(places: number): Semaphore {
  let taken = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (taken >= places) await new Promise<void>((resolve) => waiting.push(resolve));
    else taken += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else taken -= 1;
    }
  };
}
