// One delivery at a time: changes that come meanwhile are gathered for the next one, and clients that come back wait for their turn.

export function createDeliveryQueue<Change, Returning>(
  deliver: (batch: Change[]) => Promise<void>,
  catchUp: (one: Returning) => Promise<void>,
) {
  let changes: Change[] = [];
  const returning: Returning[] = [];
  let delivering: Promise<void> | null = null;

  function flush(): Promise<void> {
    delivering ??= drain();
    return delivering;
  }

  async function drain(): Promise<void> {
    // What one use case announces comes within one turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    while (changes.length > 0 || returning.length > 0) {
      const batch = changes;
      changes = [];
      if (batch.length > 0) await deliver(batch);
      else {
        const one = returning.shift();
        if (one) await catchUp(one);
      }
    }
    // In the same turn as the last look at what waits: nothing can slip in between and wait forever.
    delivering = null;
  }

  return {
    /** A single change is delivered at once; while one delivery runs, all that comes is gathered for the next. */
    addChange(change: Change) {
      changes.push(change);
      if (!delivering) void flush();
    },
    addReturning(one: Returning) {
      returning.push(one);
      void flush();
    },
    returning: (): readonly Returning[] => returning,
    takeReturning: () => returning.splice(0),
    flush,
  };
}
