// Session storage of the embedded broker with allowed filters only, short queues, and fast lookup of retained messages.
import { Readable } from "node:stream";
import aedesPersistence from "aedes-persistence";
import { canSubscribe } from "./device-access.ts";
import type { OutgoingWindow } from "./outgoing-window.ts";

type Named = { topic: string };
type Retained = Named & { payload: Buffer | string };
type Stored = { messageExpiry?: number };
type Reconnecting = { id: string; clean?: boolean; _cleanStart?: boolean };
type Store = {
  addSubscriptions(client: { id: string }, filters: Named[]): Promise<void>;
  cleanSubscriptions(client: { id: string }): Promise<void>;
  outgoingEnqueueCombi(receivers: { clientId: string }[], packet: unknown): Promise<void>;
  outgoingClearMessageId(client: { id: string }, packet: unknown): Promise<unknown>;
  outgoingStream(client: Reconnecting): Readable;
  storeRetained(packet: Retained): Promise<void>;
  createRetainedStreamCombi(filters: string[]): Readable;
};

/** The type definitions lack the function export and the promises returned without a callback. */
const createStore = aedesPersistence as unknown as () => Store;

/** Unacknowledged messages per device; beyond it, the broker disconnects the device. */
export const maxQueuedMessages = 64;

/**
 * `windowOf` returns a client's Receive Maximum window. By default, aedes keeps refused filters, does not limit queues, and scans all
 * retained messages at every SUBSCRIBE. Each of these is fatal with ten thousand devices.
 */
export function createSessionMemory(windowOf: (client: object) => OutgoingWindow | undefined): {
  persistence: object;
  forget(wireId: string): Promise<void>;
} {
  const store = createStore();
  const queued = new Map<string, number>();
  const retained = new Map<string, Map<string, Retained>>();
  const add = store.addSubscriptions.bind(store);
  const enqueue = store.outgoingEnqueueCombi.bind(store);
  const clear = store.outgoingClearMessageId.bind(store);

  store.addSubscriptions = (client, filters) =>
    add(
      client,
      filters.filter((one) => canSubscribe(client.id, one.topic)),
    );

  store.outgoingEnqueueCombi = (receivers, packet) => {
    // Queues a message once per client, even if two of its subscriptions match.
    const unique = [...new Map(receivers.map((one) => [one.clientId, one])).values()];
    const open = unique.filter(({ clientId }) => (queued.get(clientId) ?? 0) < maxQueuedMessages);
    for (const { clientId } of open) queued.set(clientId, (queued.get(clientId) ?? 0) + 1);
    return open.length === 0 ? Promise.resolve() : enqueue(open, packet);
  };
  store.outgoingClearMessageId = async (client, packet) => {
    const cleared = await clear(client, packet);
    const left = (queued.get(client.id) ?? 0) - 1;
    if (cleared !== undefined && left > 0) queued.set(client.id, left);
    else if (cleared !== undefined) queued.delete(client.id);
    return cleared;
  };

  const outgoing = store.outgoingStream.bind(store);
  store.outgoingStream = (client) =>
    queued.has(client.id) ? Readable.from(inTurn(client, outgoing(client))) : outgoing(client);
  /** Sends the queue of a persistent session only as fast as the client accepts it, and before newer messages. */
  async function* inTurn(client: Reconnecting, packets: AsyncIterable<Stored>) {
    const isSent = ({ messageExpiry = Infinity }: Stored) =>
      // The broker itself drops all other messages.
      !client.clean && !client._cleanStart && messageExpiry > Date.now();
    const turns = (await Array.fromAsync(packets)).map((packet) => ({
      packet,
      turn: isSent(packet) ? windowOf(client)?.acquireSlot() : undefined,
    }));
    for (const one of turns) {
      await one.turn;
      // The broker drops a message that expired while it waited, so its slot becomes free.
      if (one.turn && !isSent(one.packet)) windowOf(client)?.onPuback();
      yield one.packet;
    }
  }

  store.storeRetained = async (packet) => {
    const parent = parentOf(packet.topic);
    const siblings = retained.get(parent) ?? new Map<string, Retained>();
    if (packet.payload.length > 0) retained.set(parent, siblings.set(packet.topic, { ...packet }));
    else if (siblings.delete(packet.topic) && siblings.size === 0) retained.delete(parent);
  };
  store.createRetainedStreamCombi = (filters) =>
    Readable.from(
      filters.flatMap((filter) => {
        const siblings = retained.get(parentOf(filter));
        if (!siblings) return [];
        if (/\/[#+]$/.test(filter)) return [...siblings.values()];
        const exact = siblings.get(filter);
        return exact ? [exact] : [];
      }),
    );

  return {
    persistence: store,
    async forget(wireId) {
      await store.cleanSubscriptions({ id: wireId });
      for await (const packet of store.outgoingStream({ id: wireId })) {
        await store.outgoingClearMessageId({ id: wireId }, packet);
      }
    },
  };
}

function parentOf(topic: string): string {
  return topic.slice(0, topic.lastIndexOf("/"));
}
