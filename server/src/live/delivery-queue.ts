// Runs one delivery at a time; batches changes that arrive meanwhile, and queues reconnecting clients.

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
    // Collects all events of one use case, which arrive within one turn of the event loop.
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
    // No await since the check of the queue, so no change can be left behind.
    delivering = null;
  }

  return {
    /** Delivers at once unless a delivery is running. */
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
