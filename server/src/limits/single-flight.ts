// The same question asked by many at once, say by every open console after one message, costs one or two reads, not one each.

/** Asks for `key`, or shares the answer with those who ask for the same. */
export type SingleFlight<T> = (key: string, ask: () => Promise<T>) => Promise<T>;

type Flight<T> = { now: Promise<T>; next: Promise<T> | null };

/**
 * No one gets an answer that was begun before they asked, so that a caller sees its own changes: one who comes while an
 * answer is on its way shares the next one. A failure is reported to all who share it and not kept.
 */
export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  function begin(key: string, ask: () => Promise<T>): Promise<T> {
    const mine: Flight<T> = { now: ask(), next: null };
    flights.set(key, mine);
    const end = () => void (mine.next === null && flights.get(key) === mine && flights.delete(key));
    mine.now.then(end, end);
    return mine.now;
  }

  return (key, ask) => {
    const open = flights.get(key);
    if (!open) return begin(key, ask);
    const then = () => begin(key, ask);
    open.next ??= open.now.then(then, then);
    return open.next;
  };
}
