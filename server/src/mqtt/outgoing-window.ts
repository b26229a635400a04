// Keeps a client's Receive Maximum: no more QoS 1 messages without a PUBACK than it takes, the others wait here (MQTT 5, 4.9).

type Packet = { qos: number; topic: string; brokerId?: string | null; brokerCounter?: number };
type Done = (error?: Error | null) => void;

/** What the embedded broker's clients have beside their typings. */
export type Receiver = {
  id: string;
  receiveMaximum?: number;
  /** Counter of the last message of each broker: what two subscriptions match is delivered once. */
  duplicates: Record<string, number>;
  subscriptions: Record<string, { qos?: number }>;
  conn: NodeJS.EventEmitter;
  deliverQoS(packet: Packet, done: Done): void;
  close(): void;
};

export type OutgoingWindow = ReturnType<typeof fitOutgoingWindow>;

/** The broker writes as fast as it can; `mayReceive` and `maxWaiting` are its own rules for what it drops and whom it ends. */
export function fitOutgoingWindow(client: Receiver, mayReceive: (topic: string) => boolean, maxWaiting: number) {
  const deliver = client.deliverQoS.bind(client);
  const { duplicates } = client;
  const waiting: (() => void)[] = [];
  let inFlight = 0;
  let isClosed = false;

  function flush() {
    while (waiting.length > 0 && (isClosed || inFlight < (client.receiveMaximum ?? Infinity))) waiting.shift()?.();
  }

  /** The broker drops what is older than the newest that it delivered: what has waited is to pass for the newest. */
  function deliverLate(packet: Packet, done: Done): void {
    const { topic, brokerId, brokerCounter = 0 } = packet;
    const newest = brokerId ? (duplicates[brokerId] ?? 0) : 0;
    if (brokerId) duplicates[brokerId] = brokerCounter - 1;
    // With QoS 0, which an exact subscription may ask for, no PUBACK comes.
    if (mayReceive(topic) && client.subscriptions[topic]?.qos !== 0) inFlight += 1;
    deliver(packet, done);
    if (brokerId) duplicates[brokerId] = Math.max(newest, brokerCounter);
  }

  client.deliverQoS = (packet, done) => {
    const { qos, brokerId, brokerCounter = 0 } = packet;
    if (qos === 0) return deliver(packet, done);
    // Another subscription matches, too. The broker would forget some message that waits instead.
    if (brokerId && (duplicates[brokerId] ?? 0) >= brokerCounter) return void setImmediate(done);
    if (brokerId) duplicates[brokerId] = brokerCounter;
    if (waiting.length >= maxWaiting) {
      client.close();
      return void setImmediate(done);
    }
    // Who published it does not wait for a device that is slow.
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
    /** For what the broker writes by itself: resolves when there is room, and takes it. */
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
