// Sends each change to every open socket whose account may see the object now (docs/rules/live-channel.md#visibility).
import type { Watch } from "@psp/contract/live/live.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { EntityChanged } from "../kit/bus.ts";
import type { Context } from "../context.ts";
import type { SessionActor } from "../kit/caller.ts";
import { createChangeLog, type NumberedChange } from "./change-log.ts";
import { type LoadCountOwners, createCountsFeed } from "./counts-feed.ts";
import { closeFrame, createCursors, openFrame } from "./cursor.ts";
import { createDelivery, resyncFrame } from "./delivery.ts";
import { createDeliveryQueue } from "./delivery-queue.ts";
import { createVehiclesFeed, type LoadChangedVehicles } from "./vehicles-feed.ts";

export type LiveObject = {
  owner: Owner;
  mayView(actor: SessionActor): boolean;
  /** Cache key: actors with the same key may see the same parts of the object and get the same serialized message. */
  variantOf(actor: SessionActor): string;
  render(variant: string): unknown;
};
export type LiveSource = {
  load(ids: string[]): Promise<Map<string, LiveObject>>;
  /** Whether the actor could see the object under this former owner, and so must get a delete. */
  mayViewOwner(actor: SessionActor, owner: Owner, event: EntityChanged): boolean;
};

export type LiveClient = {
  sessionId: string;
  actor: SessionActor;
  /** The counts that the client shows; null for everything visible. */
  watch: Watch | null;
  sent: number;
  /** Returns false if the client reads too slowly and is being disconnected. */
  send(frame: string): boolean;
  close(code: number, reason: string): void;
};

export type Hub = ReturnType<typeof createHub>;

/** For invalid cursors. Lower than any remembered number, so the client reloads. */
const unknownSince = -1;
const hello = openFrame({ type: "hello" });

// oxlint-disable-next-line max-lines-per-function -- who is a receiver at which instant: joining, leaving and delivering share that state
export function createHub(
  ctx: Context,
  sessions: { byId(sessionId: string): Promise<SessionActor | null> },
  ownersOf: (ids: string[]) => Promise<Map<string, Owner>>,
  countedOwners: LoadCountOwners,
  changedVehicles: LoadChangedVehicles,
) {
  const clients = new Set<LiveClient>();
  /** Clients that get missed changes first, with the number from which they resume. */
  const resuming = new Map<LiveClient, number>();
  /** Clients that have not sent their first watch yet. */
  const silent = new WeakSet<LiveClient>();
  const log = createChangeLog(ctx.clock.now());
  const cursors = createCursors();
  const queue = createDeliveryQueue<NumberedChange, LiveClient>(
    (batch) => deliverOrResync(batch, [...clients]),
    catchUp,
  );
  /** `at`: number of the last change that the client has received after this frame. */
  const sendFrame = (client: LiveClient, frame: string, at: number): boolean =>
    client.send(closeFrame(frame, (client.sent += 1), cursors.of(client.actor.id, at)));
  // Changes and counts are delivered independently. A cursor stays before those of the other kind that are still to be sent.
  const sendChange: typeof sendFrame = (client, frame, at) =>
    sendFrame(client, frame, Math.min(at, counts.settledFor(client)));
  const settledChanges = () => (queue.oldest()?.seq ?? Infinity) - 1;
  const counts = createCountsFeed(ctx, {
    nextSeq: log.next,
    sendFrame: (client, frame, at) => sendFrame(client, frame, Math.min(at, settledChanges())),
    refresh,
    ownersOf: countedOwners,
  });
  const vehicles = createVehiclesFeed(ctx, {
    load: changedVehicles,
    sendUnnumbered: (client, frame) => sendChange(client, frame, Math.min(log.latest(), settledChanges())),
    refresh,
  });
  const delivery = createDelivery(ctx, { ownersOf, refresh, sendFrame: sendChange });

  ctx.bus.on("entityChanged", (event) => {
    const change = log.add(event);
    if (clients.size + resuming.size > 0) queue.addChange(change);
  });

  async function deliverOrResync(batch: NumberedChange[], receivers: LiveClient[]): Promise<void> {
    try {
      await delivery.deliver(batch, receivers);
    } catch (error) {
      // Clients reload, because these changes are not sent again.
      ctx.log.error({ err: error }, "live delivery failed");
      for (const client of receivers) sendChange(client, resyncFrame, log.latest());
    }
  }

  /** Must run between two deliveries, so that missed changes arrive first and none arrives twice. */
  async function catchUp(client: LiveClient): Promise<void> {
    const since = resuming.get(client);
    if (since === undefined) return;
    const upTo = log.latest();
    await deliverOrResync(log.since(since), [client]);
    if (!resuming.delete(client)) return;
    clients.add(client);
    // Changes may have been forgotten since the client joined.
    const isComplete = log.canResumeFrom(since);
    await follow(client);
    sendChange(client, isComplete ? hello : resyncFrame, upTo);
  }

  /** Sends missed counts, but not before the first watch. */
  async function follow(client: LiveClient): Promise<void> {
    vehicles.follow(client);
    if (!silent.has(client)) await counts.catchUp(client);
  }

  function unfollow(client: LiveClient): void {
    clients.delete(client);
    resuming.delete(client);
    counts.leave(client);
    vehicles.leave(client);
  }

  /** Checks rights before every delivery, so that no one gets a message after losing the right to it. */
  async function refresh(receivers: LiveClient[]) {
    for (const client of receivers) {
      const actor = await sessions.byId(client.sessionId);
      if (actor) client.actor = actor;
      else {
        unfollow(client);
        client.close(4401, "Session ended");
      }
    }
  }

  return {
    register: delivery.register,
    /** A client that joins with this number misses no later event. */
    latest: log.latest,
    cursorOf: (accountId: string, at: number) => cursors.of(accountId, at),
    /** Adds a socket and replays what it missed since the cursor; an invalid cursor makes it reload. */
    join(client: LiveClient, cursor: string | null) {
      const since = cursor === null ? null : (cursors.read(client.actor.id, cursor) ?? unknownSince);
      const isKnown = since !== null && log.canResumeFrom(since) && counts.canResumeFrom(since);
      if (client.watch !== null) silent.add(client);
      counts.join(client, isKnown ? since : log.latest());
      if (isKnown && since < log.latest()) {
        resuming.set(client, since);
        return queue.addReturning(client);
      }
      clients.add(client);
      void follow(client);
      sendChange(client, since === null || isKnown ? hello : resyncFrame, log.latest());
    },
    /** Restricts the client to these counts. The first call also replays missed counts. */
    watch(client: LiveClient, watch: Watch) {
      silent.delete(client);
      counts.watch(client, watch);
      if (clients.has(client)) void follow(client);
    },
    leave: unfollow,
    /** Call it when events of other processes may have been lost. All clients reload, and sockets of ended sessions are closed. */
    async missed() {
      const seq = log.next();
      log.forget();
      counts.forget(seq);
      const receivers = [...clients];
      await refresh(receivers);
      for (const client of receivers) sendChange(client, resyncFrame, log.latest());
    },
    async stop() {
      await Promise.all([counts.stop(), vehicles.stop()]);
      await queue.flush();
    },
  };
}
