// Enforces a client's Receive Maximum: excess QoS 1 messages wait until a PUBACK arrives (MQTT 5, 4.9).

type Packet = { qos: number; topic: string; brokerId?: string | null; brokerCounter?: number };
type Done = (error?: Error | null) => void;

/** Undocumented members of the embedded broker's clients. */
export type BrokerClient = {
  id: string;
  receiveMaximum?: number;
  /** Counter of the last message, by broker id. It ensures that a message that matches two subscriptions is delivered once. */
  duplicates: Record<string, number>;
  subscriptions: Record<string, { qos?: number }>;
  conn: NodeJS.EventEmitter;
  deliverQoS(packet: Packet, done: Done): void;
  close(): void;
};

export type OutgoingWindow = ReturnType<typeof attachOutgoingWindow>;

/**
 * The broker ignores Receive Maximum. `canReceive` and `maxQueued` replicate the broker's rules for dropped messages and slow clients.
 */
export function attachOutgoingWindow(client: BrokerClient, canReceive: (topic: string) => boolean, maxQueued: number) {
  const deliver = client.deliverQoS.bind(client);
  const { duplicates } = client;
  const queue: (() => void)[] = [];
  let inFlight = 0;
  let isClosed = false;

  function flush() {
    while (queue.length > 0 && (isClosed || inFlight < (client.receiveMaximum ?? Infinity))) queue.shift()?.();
  }

  /** The broker drops messages older than the newest delivered one, so a delayed message must appear as the newest. */
  function deliverQueued(packet: Packet, done: Done): void {
    const { topic, brokerId, brokerCounter = 0 } = packet;
    const newest = brokerId ? (duplicates[brokerId] ?? 0) : 0;
    if (brokerId) duplicates[brokerId] = brokerCounter - 1;
    // The client acknowledges no messages of an exact subscription with QoS 0.
    if (canReceive(topic) && client.subscriptions[topic]?.qos !== 0) inFlight += 1;
    deliver(packet, done);
    if (brokerId) duplicates[brokerId] = Math.max(newest, brokerCounter);
  }

  client.deliverQoS = (packet, done) => {
    const { qos, brokerId, brokerCounter = 0 } = packet;
    if (qos === 0) return deliver(packet, done);
    // Drops a duplicate of a message that matches two subscriptions. The broker's own check would drop the queued message instead.
    if (brokerId && (duplicates[brokerId] ?? 0) >= brokerCounter) return void setImmediate(done);
    if (brokerId) duplicates[brokerId] = brokerCounter;
    if (queue.length >= maxQueued) {
      client.close();
      return void setImmediate(done);
    }
    // The publisher must not wait for a slow device.
    let notifyPublisher: Done | null = done;
    queue.push(() => {
      if (!isClosed) deliverQueued(packet, notifyPublisher ?? (() => undefined));
      else if (notifyPublisher) setImmediate(notifyPublisher);
    });
    flush();
    if (queue.length === 0) return;
    notifyPublisher = null;
    setImmediate(done);
  };
  client.conn.once("close", () => {
    isClosed = true;
    flush();
  });

  return {
    /** Waits for a free slot and takes it, for messages that the broker sends itself. */
    acquireSlot: () =>
      new Promise<void>((resolve) => {
        queue.push(() => {
          inFlight += 1;
          resolve();
        });
        flush();
      }),
    onPuback() {
      inFlight = Math.max(0, inFlight - 1);
      flush();
    },
  };
}
