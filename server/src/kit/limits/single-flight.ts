// Deduplicates concurrent requests, e.g. of all open consoles after one event, into one or two runs.

/** Runs `ask` for the key, or shares a run that has not started yet. The run is aborted when all its callers have left. */
export type SingleFlight<T> = (key: string, ask: (signal: AbortSignal) => Promise<T>, left?: AbortSignal) => Promise<T>;

type Flight<T> = { now: Promise<T>; next: { answer: Promise<T>; guests: Callers } | null };
type Callers = ReturnType<typeof createCallers>;

/**
 * A request never gets the result of a run that started before it, so that callers see their own changes: it shares the next
 * run instead. Failures are shared, too, but not cached.
 */
export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  function begin(key: string, ask: (signal: AbortSignal) => Promise<T>, guests: Callers): Promise<T> {
    const mine: Flight<T> = { now: ask(guests.signal), next: null };
    flights.set(key, mine);
    const end = () => void (mine.next === null && flights.get(key) === mine && flights.delete(key));
    mine.now.then(end, end);
    return mine.now;
  }

  return (key, ask, left) => {
    const open = flights.get(key);
    if (!open) {
      const guests = createCallers();
      guests.join(left);
      return begin(key, ask, guests);
    }
    if (open.next === null) {
      const guests = createCallers();
      const then = () => begin(key, ask, guests);
      open.next = { answer: open.now.then(then, then), guests };
    }
    open.next.guests.join(left);
    return open.next.answer;
  };
}

/** Callers that share a run. A caller without a signal never leaves. */
function createCallers() {
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
