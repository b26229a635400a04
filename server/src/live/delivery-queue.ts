// Runs one delivery at a time; batches changes that arrive meanwhile, and queues reconnecting clients.

export function createDeliveryQueue<Change, Returning>(
  deliver: (batch: Change[]) => Promise<void>,
  catchUp: (one: Returning) => Promise<void>,
) {
  let changes: Change[] = [];
  let inDelivery: Change[] = [];
  const returning: Returning[] = [];
  let delivering: Promise<void> | null = null;

  function flush(): Promise<void> {
    delivering ??= drain();
    return delivering;
  }

  async function drain(): Promise<void> {
    // Waits one turn of the event loop, in which all events of a use case arrive, to deliver them together.
    await new Promise((resolve) => setImmediate(resolve));
    while (changes.length > 0 || returning.length > 0) {
      if (changes.length > 0) {
        inDelivery = changes;
        changes = [];
        await deliver(inDelivery);
        inDelivery = [];
      } else {
        const one = returning.shift();
        if (one) await catchUp(one);
      }
    }
    // There was no await since the loop's last check, so no change is missed.
    delivering = null;
  }

  return {
    addChange(change: Change) {
      changes.push(change);
      if (!delivering) void flush();
    },
    addReturning(one: Returning) {
      returning.push(one);
      void flush();
    },
    /** The first change whose delivery has not ended. */
    oldest: (): Change | undefined => inDelivery[0] ?? changes[0],
    flush,
  };
}
