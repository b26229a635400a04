// Notifies consoles of stored counts that they show, and notifies scripts of all counts that they may view. Sends batches, so that a
// thousand records a second cause only a few messages (docs/rules/live-channel.md#counts).
import { parseMac } from "@psp/contract/kit/mac.ts";
import type { CountsStoredMessage } from "@psp/contract/live/live-message.ts";
import type { Watch } from "@psp/contract/live/live.ts";
import { canView } from "@psp/contract/permission/can.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { CountsStored } from "../kit/bus.ts";
import type { Context } from "../context.ts";
import { openFrame } from "./cursor.ts";
import type { LiveClient } from "./hub.ts";

export type LoadCountOwners = (
  locationIds: string[],
  sensorIds: string[],
) => Promise<{ locations: Map<string, Owner>; sensors: Map<string, Owner> }>;

type Numbered = CountsStored & { seq: number };

const batchMs = 200;
const remembered = 20_000;

type FeedParts = {
  nextSeq(): number;
  /** Completes a frame from `openFrame` with the cursor of change `at` and sends it. Returns false if the client reads too slowly. */
  sendFrame(client: LiveClient, frame: string, at: number): boolean;
  /** Reloads the rights of these clients; disconnects those whose session has ended. */
  refresh(receivers: LiveClient[]): Promise<void>;
  ownersOf: LoadCountOwners;
};

export function createCountsFeed(ctx: Context, parts: FeedParts) {
  const { nextSeq, sendFrame } = parts;
  const deliver = createCountDelivery(ctx, parts);
  const watching = createWatchers();
  const history: Numbered[] = [];
  /** Events up to this number may have been dropped. */
  let forgotten = 0;
  let pending = new Map<string, CountsStored>();
  let timer: NodeJS.Timeout | null = null;
  /** Batches whose delivery has not ended, oldest first. */
  const unsettled: (readonly Numbered[])[] = [];
  /** Clients that have not been sent the counts after this number yet. */
  const behind = new Map<LiveClient, number>();
  let delivering: Promise<void> = Promise.resolve();

  ctx.bus.on("countsStored", ({ counts }) => {
    for (const one of counts) {
      const key = `${one.sensorId}/${one.locationId}`;
      const before = pending.get(key);
      pending.set(key, before ? spanning(before, one) : one);
    }
    timer ??= setTimeout(flush, batchMs);
  });

  function flush(): void {
    timer = null;
    const batch = [...pending.values()].map((one) => ({ ...one, seq: nextSeq() }));
    pending = new Map();
    for (const one of batch) history.push(one);
    if (history.length > remembered * 1.5) {
      const dropped = history.splice(0, history.length - remembered);
      forgotten = dropped.at(-1)?.seq ?? forgotten;
    }
    unsettled.push(batch);
    void inTurn(
      () => deliver(batch, watching.receiversOf, watching.satisfiedByOne()),
      () => watching.everyone(),
    ).then(() => unsettled.shift());
  }

  /** Never rejects: after a failure these clients reload, because the counts are not sent again. */
  function inTurn(work: () => Promise<void>, receivers: () => Iterable<LiveClient>): Promise<void> {
    delivering = delivering.then(work).catch((error: unknown) => {
      ctx.log.error({ err: error }, "counts were not announced");
      for (const client of receivers()) resync(client);
    });
    return delivering;
  }

  const resync = (client: LiveClient) => sendFrame(client, openFrame({ type: "resync" }), nextSeq());

  return {
    /** Adds a client that has received all counts up to this number. It gets later ones after `catchUp`. */
    join: (client: LiveClient, since: number) => void behind.set(client, since),
    watch(client: LiveClient, watch: Watch): void {
      watching.leave(client);
      client.watch = normalize(watch);
      if (!behind.has(client)) watching.add(client);
    },
    leave(client: LiveClient): void {
      behind.delete(client);
      watching.leave(client);
    },
    canResumeFrom: (since: number) => since >= forgotten,
    /** Number up to which the client has been sent all counts. */
    settledFor: (client: LiveClient) =>
      Math.min(behind.get(client) ?? Infinity, (unsettled[0]?.[0]?.seq ?? Infinity) - 1),
    /** Sends missed counts, once. Later batches wait, and earlier ones are among the missed. */
    async catchUp(client: LiveClient): Promise<void> {
      const since = behind.get(client);
      if (since === undefined) return;
      const missed = history.filter(({ seq }) => seq > since);
      const isComplete = since >= forgotten;
      const work = async () => {
        if (!behind.has(client)) return;
        const own = client.watch?.any ? [client] : [];
        try {
          if (isComplete) await deliver(missed, (one) => (watching.isFor(client, one) ? [client] : []), own);
          else resync(client);
        } finally {
          if (behind.delete(client)) watching.add(client);
        }
      };
      await inTurn(work, () => [client]);
    },
    /** Call it when events were lost: clients can't resume from numbers below `seq` any more. */
    forget(seq: number) {
      history.length = 0;
      forgotten = seq;
      for (const client of behind.keys()) behind.set(client, seq);
    },
    async stop() {
      if (timer) {
        clearTimeout(timer);
        flush();
      }
      await delivering;
    },
  };
}

function createCountDelivery(ctx: Context, { sendFrame, refresh, ownersOf }: FeedParts) {
  function send(client: LiveClient, frame: string | null, at: number): void {
    if (frame !== null) (sendFrame(client, frame, at) ? ctx.metrics.liveSent : ctx.metrics.liveDropped).inc();
  }

  /** `satisfied`: clients that need at most one message per batch. */
  return async function deliver(
    batch: readonly Numbered[],
    receiversOf: (one: Numbered) => Iterable<LiveClient>,
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
    for (const { one, receivers } of wanted) {
      const frames = framesOf(
        one,
        one.locationId === null ? undefined : locations.get(one.locationId),
        sensors.get(one.sensorId),
      );
      for (const client of receivers) send(client, frames(client), one.seq);
      for (const client of onlyOne) {
        const frame = frames(client);
        if (frame === null) continue;
        onlyOne.delete(client);
        send(client, frame, one.seq);
      }
    }
  };
}

function spanning(a: CountsStored, b: CountsStored): CountsStored {
  return { ...a, fromMs: Math.min(a.fromMs, b.fromMs), toMs: Math.max(a.toMs, b.toMs) };
}

/**
 * Clients that may view the location get a frame with its id. Clients that may view only the sensor get a frame without the id, if
 * they watch the sensor or the counts have no location.
 */
function framesOf({ locationId, sensorId, fromMs, toMs }: Numbered, location?: Owner, sensor?: Owner) {
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
    everyone: () => new Set([...ofAll, ...satisfiedByOne, ...[...byId.values()].flatMap((set) => [...set])]),
  };
}
