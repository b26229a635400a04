// What the embedded broker remembers for its sessions, made safe: only allowed filters, short queues, retained messages found by name.
import { Readable } from "node:stream";
import aedesPersistence from "aedes-persistence";
import { maySubscribe } from "./device-access.ts";
import type { OutgoingWindow } from "./outgoing-window.ts";

type Named = { topic: string };
type Retained = Named & { payload: Buffer | string };
type Stored = { messageExpiry?: number };
/** A client of the broker as it comes back, or just the id of one. */
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

/** Its typings know neither the function that the package is, nor that what is called without a callback answers with a promise. */
const createStore = aedesPersistence as unknown as () => Store;

/** Unacknowledged messages per device. Beyond it, the broker ends the connection of a device that never acknowledges. */
export const maxQueue = 64;

/**
 * The memory to give to the broker; `windowOf` says how much a client takes. Left alone, it keeps filters that were refused, queues without bound, and walks through
 * all retained messages at every SUBSCRIBE. With ten thousand devices each of these is fatal.
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
      filters.filter((one) => maySubscribe(client.id, one.topic)),
    );

  store.outgoingEnqueueCombi = (receivers, packet) => {
    // Once for each, also where two of its subscriptions match.
    const unique = [...new Map(receivers.map((one) => [one.clientId, one])).values()];
    const open = unique.filter(({ clientId }) => (queued.get(clientId) ?? 0) < maxQueue);
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
  store.outgoingStream = (client) => Readable.from(inTurn(client, outgoing(client)));
  /** What a kept session has in store is sent as its client takes it, and before what comes meanwhile. */
  async function* inTurn(client: Reconnecting, packets: AsyncIterable<Stored>) {
    const isSent = ({ messageExpiry = Infinity }: Stored) =>
      // The broker drops the others by itself.
      !client.clean && !client._cleanStart && messageExpiry > Date.now();
    const turns = (await Array.fromAsync(packets)).map((packet) => ({
      packet,
      turn: isSent(packet) ? windowOf(client)?.turn() : undefined,
    }));
    for (const one of turns) {
      await one.turn;
      // Expired while it waited: it is dropped, too, and takes no room.
      if (one.turn && !isSent(one.packet)) windowOf(client)?.acknowledged();
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
    /** Drops filters and queue of a session, as if it had never been. */
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
