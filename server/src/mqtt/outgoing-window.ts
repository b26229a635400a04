// Enforces a client's Receive Maximum: excess QoS 1 messages wait until a PUBACK arrives (MQTT 5, 4.9).

type Packet = { qos: number; topic: string; brokerId?: string | null; brokerCounter?: number };
type Done = (error?: Error | null) => void;

/** Undocumented members of the embedded broker's clients. */
export type Receiver = {
  id: string;
  receiveMaximum?: number;
  /** Counter of the last message per broker: a message that matches two subscriptions is delivered once. */
  duplicates: Record<string, number>;
  subscriptions: Record<string, { qos?: number }>;
  conn: NodeJS.EventEmitter;
  deliverQoS(packet: Packet, done: Done): void;
  close(): void;
};

export type OutgoingWindow = ReturnType<typeof attachOutgoingWindow>;

/** The broker itself ignores Receive Maximum; `mayReceive` and `maxWaiting` repeat its rules for dropped messages and slow clients. */
export function attachOutgoingWindow(client: Receiver, mayReceive: (topic: string) => boolean, maxWaiting: number) {
  const deliver = client.deliverQoS.bind(client);
  const { duplicates } = client;
  const waiting: (() => void)[] = [];
  let inFlight = 0;
  let isClosed = false;

  function flush() {
    while (waiting.length > 0 && (isClosed || inFlight < (client.receiveMaximum ?? Infinity))) waiting.shift()?.();
  }

  /** The broker drops messages older than the newest delivered one, so a delayed message must appear as the newest. */
  function deliverLate(packet: Packet, done: Done): void {
    const { topic, brokerId, brokerCounter = 0 } = packet;
    const newest = brokerId ? (duplicates[brokerId] ?? 0) : 0;
    if (brokerId) duplicates[brokerId] = brokerCounter - 1;
    // An exact subscription with QoS 0 gets no PUBACK.
    if (mayReceive(topic) && client.subscriptions[topic]?.qos !== 0) inFlight += 1;
    deliver(packet, done);
    if (brokerId) duplicates[brokerId] = Math.max(newest, brokerCounter);
  }

  client.deliverQoS = (packet, done) => {
    const { qos, brokerId, brokerCounter = 0 } = packet;
    if (qos === 0) return deliver(packet, done);
    // Matches another subscription, too. The broker would drop a waiting message instead.
    if (brokerId && (duplicates[brokerId] ?? 0) >= brokerCounter) return void setImmediate(done);
    if (brokerId) duplicates[brokerId] = brokerCounter;
    if (waiting.length >= maxWaiting) {
      client.close();
      return void setImmediate(done);
    }
    // The publisher must not wait for a slow device.
    let tell: Done | null = done;
    waiting.push(() => {
      if (!isClosed) deliverLate(packet, tell ?? (() => undefined));
      else if (tell) setImmediate(tell);
    });
    flush();
    if (waiting.length === 0) return;
    tell = null;
    setImmediate(done);
  };
  client.conn.once("close", () => {
    isClosed = true;
    flush();
  });

  return {
    /** For messages that the broker sends itself: resolves with a free slot. */
    turn: () =>
      new Promise<void>((go) => {
        waiting.push(() => {
          inFlight += 1;
          go();
        });
        flush();
      }),
    acknowledged() {
      inFlight = Math.max(0, inFlight - 1);
      flush();
    },
  };
}
