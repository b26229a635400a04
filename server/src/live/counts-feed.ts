// Notifies consoles of stored counts that they show, and notifies scripts of all counts that they may view. Sends batches, so that a
// thousand records a second cause only a few messages (docs/rules/live-channel.md#counts).
import { parseMac } from "@psp/contract/kit/mac.ts";
import type { CountsStoredMessage } from "@psp/contract/live/live-message.ts";
import type { Watch } from "@psp/contract/live/live.ts";
import { canView } from "@psp/contract/permission/can.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { Context } from "../context.ts";
import type { Announcements, Position } from "../db/bus/announcements.ts";
import type { CountsStored } from "../kit/bus.ts";
import { openFrame } from "./cursor.ts";
import type { LiveClient } from "./hub.ts";
import type { Numbers } from "./numbers.ts";
import { repeatWhileUnavailable } from "./repeat.ts";

export type LoadCountOwners = (
  locationIds: string[],
  sensorIds: string[],
) => Promise<{ locations: Map<string, Owner>; sensors: Map<string, Owner> }>;

const batchMs = 200;

type FeedParts = {
  numbers: Pick<Numbers, "latest" | "positionAt">;
  /**
   * Completes a frame from `openFrame` with a cursor that continues after announcement `at`, and sends it. Returns false if the client
   * reads too slowly.
   */
  sendFrame(client: LiveClient, frame: string, at: number): boolean;
  /** Reloads the rights of these clients; disconnects those whose session has ended. */
  refresh(receivers: LiveClient[]): Promise<void>;
  ownersOf: LoadCountOwners;
  /** The announcements of a name between two positions; null if they are not available any more. */
  between: Announcements["between"];
  stopping: AbortSignal;
};

export function createCountsFeed(ctx: Pick<Context, "log" | "metrics">, parts: FeedParts) {
  const { numbers, sendFrame } = parts;
  const deliver = createCountDelivery(ctx, parts);
  const watching = createWatchers();
  let pending = createGathering();
  /** Number of the first pending announcement. */
  let pendingFrom: number | null = null;
  let pendingSince = 0;
  let timer: NodeJS.Timeout | null = null;
  /** Numbers of the first announcements of batches whose delivery has not ended, oldest first. */
  const unsettled: number[] = [];
  /** Clients that have not been sent the counts after this position yet. */
  const behind = new Map<LiveClient, Position>();
  const turns = createTurns(ctx, parts.stopping);

  function flush(): void {
    timer = null;
    const [batch, first, end, since] = [pending.all(), pendingFrom ?? 0, numbers.latest(), pendingSince];
    pending = createGathering();
    pendingFrom = null;
    unsettled.push(first);
    void turns.take(
      () => deliver(batch, { first, end }, watching.receiversOf, watching.satisfiedByOne()),
      () => watching.everyone().forEach(resync),
      () => {
        unsettled.shift();
        if (watching.isEmpty()) return;
        ctx.metrics.liveSeconds.observe({ kind: "counts" }, (performance.now() - since) / 1000);
      },
    );
  }

  const resync = (client: LiveClient) => void sendFrame(client, openFrame({ type: "resync" }), numbers.latest());

  /** Null if the missed counts are not available any more. */
  async function findMissed(from: Position, to: Position | null): Promise<CountsStored[] | null> {
    const events = to && (await parts.between(from, to, "countsStored"));
    if (!events) return null;
    const missed = createGathering();
    for (const { name, event } of events) if (name === "countsStored") missed.add(event.counts);
    return missed.all();
  }

  return {
    /** New counts, with the number of their announcement. `since`: when their commit was noticed (`Batch`). */
    stored(counts: readonly CountsStored[], number: number, since: number): void {
      if (pendingFrom === null) pendingSince = since;
      pendingFrom ??= number;
      pending.add(counts);
      timer ??= setTimeout(flush, batchMs);
    },
    /** Adds a client that has received all counts up to this position. It gets later ones after `catchUp`. */
    join: (client: LiveClient, from: Position) => void behind.set(client, from),
    watch(client: LiveClient, watch: Watch): void {
      watching.leave(client);
      client.watch = normalize(watch);
      if (!behind.has(client)) watching.add(client);
    },
    leave(client: LiveClient): void {
      behind.delete(client);
      watching.leave(client);
    },
    /** All counts up to this number have been sent. */
    settled: () => (unsettled[0] ?? pendingFrom ?? Infinity) - 1,
    /** Sends missed counts, once. Later batches wait, and earlier ones are among the missed. */
    async catchUp(client: LiveClient): Promise<void> {
      const from = behind.get(client);
      if (from === undefined) return;
      const end = pendingFrom === null ? numbers.latest() : pendingFrom - 1;
      const to = numbers.positionAt(end);
      const work = async () => {
        if (!behind.has(client)) return;
        const own = client.watch?.any ? [client] : [];
        const missed = await findMissed(from, to);
        const isFor = (one: CountsStored) => (watching.isFor(client, one) ? [client] : []);
        if (missed) await deliver(missed, { first: 0, end }, isFor, own);
        else resync(client);
      };
      await turns.take(
        work,
        () => resync(client),
        () => {
          if (behind.delete(client)) watching.add(client);
        },
      );
    },
    async stop() {
      if (timer) {
        clearTimeout(timer);
        flush();
      }
      await turns.ended();
    },
  };
}

/** Runs deliveries one after the other. */
function createTurns({ log }: Pick<Context, "log">, stopping: AbortSignal) {
  let last: Promise<void> = Promise.resolve();
  return {
    /** Never rejects. `onFailure` makes clients reload, because their counts are not sent again. `done` runs in either case. */
    take(work: () => Promise<void>, onFailure: () => void, done: () => void): Promise<void> {
      last = last
        .then(() => repeatWhileUnavailable(work, stopping))
        .catch((error: unknown) => {
          log.error({ err: error }, "counts were not announced");
          onFailure();
        })
        .finally(done);
      return last;
    },
    ended: () => last,
  };
}

function createCountDelivery(ctx: Pick<Context, "metrics">, { sendFrame, refresh, ownersOf }: FeedParts) {
  /** `satisfied`: clients that need at most one message per batch. */
  return async function deliver(
    batch: readonly CountsStored[],
    /** Numbers of the first announcement of the batch, and of the last one that is settled with it. */
    { first, end }: { first: number; end: number },
    receiversOf: (one: CountsStored) => Iterable<LiveClient>,
    satisfied: Iterable<LiveClient>,
  ) {
    const onlyOne = new Set(satisfied);
    const wanted = batch.flatMap((one) => {
      const receivers = [...new Set(receiversOf(one))];
      return receivers.length > 0 || onlyOne.size > 0 ? [{ one, receivers }] : [];
    });
    if (wanted.length === 0) return;
    const { locations, sensors } = await ownersOf(
      [...new Set(wanted.flatMap(({ one }) => one.locationId ?? []))],
      [...new Set(wanted.map(({ one }) => one.sensorId))],
    );
    await refresh([...new Set([...wanted.flatMap(({ receivers }) => receivers), ...onlyOne])]);
    const outboxes = new Map<LiveClient, string[]>();
    const put = (client: LiveClient, frame: string) => outboxes.getOrInsertComputed(client, () => []).push(frame);
    for (const { one, receivers } of wanted) {
      const frames = framesOf(
        one,
        one.locationId === null ? undefined : locations.get(one.locationId),
        sensors.get(one.sensorId),
      );
      for (const client of receivers) {
        const frame = frames(client);
        if (frame !== null) put(client, frame);
      }
      for (const client of onlyOne) {
        const frame = frames(client);
        if (frame === null) continue;
        onlyOne.delete(client);
        put(client, frame);
      }
    }
    for (const [client, outbox] of outboxes)
      for (const [n, frame] of outbox.entries()) {
        const at = n === outbox.length - 1 ? end : first - 1;
        (sendFrame(client, frame, at) ? ctx.metrics.liveSent : ctx.metrics.liveDropped).inc();
      }
  };
}

/** Gathers counts per sensor and location. */
function createGathering() {
  const gathered = new Map<string, CountsStored>();
  return {
    add(counts: readonly CountsStored[]): void {
      for (const one of counts) {
        const key = `${one.sensorId}/${one.locationId}`;
        const before = gathered.get(key);
        gathered.set(key, before ? spanning(before, one) : one);
      }
    },
    all: (): CountsStored[] => [...gathered.values()],
  };
}

function spanning(a: CountsStored, b: CountsStored): CountsStored {
  return { ...a, fromMs: Math.min(a.fromMs, b.fromMs), toMs: Math.max(a.toMs, b.toMs) };
}

/**
 * Clients that may view the location get a frame with its id. Clients that may view only the sensor get a frame without the id, if
 * they watch the sensor or the counts have no location.
 */
function framesOf({ locationId, sensorId, fromMs, toMs }: CountsStored, location?: Owner, sensor?: Owner) {
  const made = new Map<string | null, string>();
  const frame = (measID: string | null) =>
    made.getOrInsertComputed(measID, () => {
      const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
      const message: Omit<CountsStoredMessage, "seq" | "cursor"> = {
        type: "datapoint",
        op: "create",
        obj: { measID, sens: sensorId, type: "counting", from, to },
      };
      return openFrame(message);
    });
  return ({ actor, watch }: LiveClient): string | null => {
    if (location && canView(actor, "measurement", location)) return frame(locationId);
    const isShown = locationId === null || watch?.sensorIDs.includes(sensorId) === true;
    return isShown && sensor && canView(actor, "sensor", sensor) ? frame(null) : null;
  };
}

const normalize = (watch: Watch): Watch => ({
  ...watch,
  measIDs: watch.measIDs.map((id) => id.toLowerCase()),
  sensorIDs: watch.sensorIDs.map((id) => parseMac(id) ?? id),
});

function createWatchers() {
  const ofAll = new Set<LiveClient>();
  const byId = new Map<string, Set<LiveClient>>();
  const satisfiedByOne = new Set<LiveClient>();
  const keysOf = ({ watch }: LiveClient) => (watch ? [...watch.measIDs, ...watch.sensorIDs] : []);
  const none: ReadonlySet<LiveClient> = new Set();

  function leave(client: LiveClient): void {
    ofAll.delete(client);
    satisfiedByOne.delete(client);
    for (const key of keysOf(client)) {
      const set = byId.get(key);
      set?.delete(client);
      if (set?.size === 0) byId.delete(key);
    }
  }
  return {
    add(client: LiveClient): void {
      if (client.watch === null) ofAll.add(client);
      if (client.watch?.any) satisfiedByOne.add(client);
      for (const key of keysOf(client)) byId.getOrInsertComputed(key, () => new Set()).add(client);
    },
    leave,
    *receiversOf({ locationId, sensorId }: CountsStored): Iterable<LiveClient> {
      yield* ofAll;
      if (locationId !== null) yield* byId.get(locationId) ?? none;
      yield* byId.get(sensorId) ?? none;
    },
    isFor(client: LiveClient, { locationId, sensorId }: CountsStored): boolean {
      if (client.watch === null) return true;
      const { measIDs, sensorIDs } = client.watch;
      return (locationId !== null && measIDs.includes(locationId)) || sensorIDs.includes(sensorId);
    },
    satisfiedByOne: () => satisfiedByOne,
    isEmpty: () => ofAll.size + satisfiedByOne.size + byId.size === 0,
    everyone: () => new Set([...ofAll, ...satisfiedByOne, ...[...byId.values()].flatMap((set) => [...set])]),
  };
}
