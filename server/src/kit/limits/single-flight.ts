// The same question asked by many at once, say by every open console after one message, costs one or two reads, not one each.

/** Asks for `key`, or shares the answer with those who ask for the same. `ask` is aborted when all of them have left. */
export type SingleFlight<T> = (key: string, ask: (signal: AbortSignal) => Promise<T>, left?: AbortSignal) => Promise<T>;

type Flight<T> = { now: Promise<T>; next: { answer: Promise<T>; guests: Guests } | null };
type Guests = ReturnType<typeof createGuests>;

/**
 * No one gets an answer that was begun before they asked, so that a caller sees its own changes: one who comes while an
 * answer is on its way shares the next one. A failure is reported to all who share it and not kept.
 */
export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  function begin(key: string, ask: (signal: AbortSignal) => Promise<T>, guests: Guests): Promise<T> {
    const mine: Flight<T> = { now: ask(guests.signal), next: null };
    flights.set(key, mine);
    const end = () => void (mine.next === null && flights.get(key) === mine && flights.delete(key));
    mine.now.then(end, end);
    return mine.now;
  }

  return (key, ask, left) => {
    const open = flights.get(key);
    if (!open) {
      const guests = createGuests();
      guests.join(left);
      return begin(key, ask, guests);
    }
    if (open.next === null) {
      const guests = createGuests();
      const then = () => begin(key, ask, guests);
      open.next = { answer: open.now.then(then, then), guests };
    }
    open.next.guests.join(left);
    return open.next.answer;
  };
}

/** Those who share an answer. One without a signal never leaves. */
function createGuests() {
  const all = new AbortController();
  let staying = 0;
  return {
    signal: all.signal,
    join(left: AbortSignal | undefined) {
      staying += 1;
      const leave = () => {
        staying -= 1;
        if (staying === 0) all.abort(left?.reason);
      };
      if (left?.aborted) leave();
      else left?.addEventListener("abort", leave, { once: true });
    },
  };
}
