// Heavy work one at a time: a short line of those who wait, nobody twice in it, and a refusal when it is full.
import { tooMany } from "../kit/app-error.ts";

export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** At most `most` wait in all and `mostPerKey` of one key, the one at work included; beyond that 429. */
export function createTurns({ most, mostPerKey }: { most: number; mostPerKey: number }): Turns {
  const present = new Map<string, number>();
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (key, work) => {
    const own = present.get(key) ?? 0;
    if (waiting >= most || own >= mostPerKey) throw tooMany(30);
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
