// Combines calls into one statement, because thousands of devices or consoles connect within a second after an outage.

/** Runs once for all calls of `gatherMs`, or of one turn of the event loop by default. Every call gets the result of the run. */
export function createBatcher<T, R>(run: (items: T[]) => Promise<R>, gatherMs = 0): (item: T) => Promise<R> {
  let gathering: { items: T[]; done: Promise<R> } | null = null;
  return (item) => {
    if (!gathering) {
      const items: T[] = [];
      const gathered = new Promise<void>((go) => void (gatherMs === 0 ? setImmediate(go) : setTimeout(go, gatherMs)));
      const done = gathered.then(() => {
        gathering = null;
        return run(items);
      });
      gathering = { items, done };
    }
    gathering.items.push(item);
    return gathering.done;
  };
}
