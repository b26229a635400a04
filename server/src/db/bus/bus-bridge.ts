// Carries messages between processes that share a database, and tells them of commits
// (docs/rules/start-and-configuration.md#events-between-processes).
import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { type AnnouncementName, announcementNames, type Bus, type Message } from "../../kit/bus.ts";
import type { Metrics } from "../../kit/metrics.ts";

/** NOTIFY refuses payloads of 8,000 bytes and more. */
const maxPayload = 7_500;

/** A connection that carries payloads to all other processes, and perhaps to this one. */
export type Wire = {
  /** Throws while there is no connection. */
  publish(payload: string): Promise<void>;
  stop(): Promise<void>;
};
export type OpenWire = (listeners: {
  onPayload(payload: string): void;
  /** There is a connection again; payloads may have been lost meanwhile. */
  onReturn(): void;
}) => Promise<Wire>;

/** `isLossy`: the sender could not send some messages before this one. `names`: of announcements that it committed. */
type Notification = { origin: string; messages?: Message[]; isLossy?: true; names?: AnnouncementName[] };

export type BridgeListeners = {
  /** Another process committed announcements of these names. */
  onCommit(names: readonly AnnouncementName[]): void;
  /** Messages may have been lost. */
  onLoss(): void;
};

/** Makes `bus.send` reach all processes. The returned `notify` tells the others that this process committed announcements. */
export async function bridgeBus(
  bus: Bus,
  openWire: OpenWire,
  { log, metrics }: { log: Logger; metrics: Metrics },
  { onCommit, onLoss }: BridgeListeners,
): Promise<{ notify(names: readonly AnnouncementName[]): void; stop(): Promise<void> }> {
  const origin = randomUUID();
  let stopped = false;
  let isLossy = false;
  let committed = new Set<AnnouncementName>();
  /** Messages of one turn of the event loop, which are sent together. */
  let gathered: string[] = [];
  let isPlanned = false;
  let unsent = 0;
  let queue: Promise<void> = Promise.resolve();
  const wire = await openWire({
    onPayload: (payload) => receive(JSON.parse(payload) as Notification | null),
    onReturn() {
      metrics.busDisconnects.inc();
      onCommit(announcementNames);
      onLoss();
      if (isLossy) plan();
    },
  });

  function receive(notification: Notification | null) {
    if (!notification || notification.origin === origin) return;
    if (notification.isLossy) onLoss();
    notification.messages?.forEach(bus.emit);
    if (notification.names) onCommit(notification.names);
  }

  function plan() {
    if (isPlanned) return;
    isPlanned = true;
    // Waits for running notifications, so that a busy process sends few and full ones.
    queue = queue.then(flush).catch((error: unknown) => {
      isLossy = true;
      metrics.messagesLost.inc({ reason: "not sent" }, unsent);
      if (!stopped) log.warn({ err: error }, "messages did not reach the other processes");
    });
  }

  async function flush() {
    isPlanned = false;
    const parts = packed(gathered).map((part) => `"messages":[${part}]`);
    unsent = gathered.length;
    gathered = [];
    if (committed.size > 0 || parts.length === 0) parts.unshift(`"names":${JSON.stringify([...committed])}`);
    committed = new Set();
    for (const part of parts) {
      const payload = `{"origin":"${origin}",${isLossy ? `"isLossy":true,` : ""}${part}}`;
      await wire.publish(payload);
      isLossy = false;
    }
  }

  bus.send = (message) => {
    bus.emit(message);
    const text = JSON.stringify(message);
    if (Buffer.byteLength(text) > maxPayload) {
      metrics.messagesLost.inc({ reason: "too long" });
      return log.warn({ message: message.name }, "a message is too long for other processes");
    }
    gathered.push(text);
    plan();
  };

  return {
    notify(names) {
      committed = committed.union(new Set(names));
      plan();
    },
    async stop() {
      stopped = true;
      await queue;
      await wire.stop();
    },
  };
}

/** Combines messages in order, as many per notification as fit. */
function packed(texts: readonly string[]): string[] {
  const parts: string[] = [];
  let open = "";
  for (const text of texts) {
    if (open !== "" && Buffer.byteLength(open) + Buffer.byteLength(text) < maxPayload) open += `,${text}`;
    else {
      if (open !== "") parts.push(open);
      open = text;
    }
  }
  return open === "" ? parts : [...parts, open];
}
