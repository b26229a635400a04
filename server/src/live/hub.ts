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

type Reconnecting = { client: LiveClient; since: number; gone: boolean };

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
  /** Resumed clients that have not sent their watch yet, with the number from which they resume. */
  const silent = new WeakMap<LiveClient, number>();
  /** Number of the last change that each client has received. */
  const reached = new WeakMap<LiveClient, number>();
  const log = createChangeLog(ctx.clock.now());
  const cursors = createCursors();
  /** `at`: number of the last change that the client has received after this frame. */
  const sendFrame = (client: LiveClient, frame: string, at: number): boolean => {
    reached.set(client, at);
    return client.send(closeFrame(frame, (client.sent += 1), cursors.of(client.actor.id, at)));
  };
  const counts = createCountsFeed(ctx, { nextSeq: log.next, sendFrame, refresh, ownersOf: countedOwners });
  const vehicles = createVehiclesFeed(ctx, {
    load: changedVehicles,
    sendUnnumbered: (client, frame) => sendFrame(client, frame, reached.get(client) ?? log.latest()),
    refresh,
  });
  const delivery = createDelivery(ctx, { ownersOf, refresh, sendFrame });
  const queue = createDeliveryQueue<NumberedChange, Reconnecting>(
    (batch) => deliverOrResync(batch, [...clients]),
    catchUp,
  );

  ctx.bus.on("entityChanged", (event) => {
    const change = log.add(event);
    if (clients.size > 0) queue.addChange(change);
  });

  async function deliverOrResync(batch: NumberedChange[], receivers: LiveClient[]): Promise<void> {
    try {
      await delivery.deliver(batch, receivers);
    } catch (error) {
      // Clients reload, because these changes are not sent again.
      ctx.log.error({ err: error }, "live delivery failed");
      for (const client of receivers) sendFrame(client, resyncFrame, log.latest());
    }
  }

  /** Must run between two deliveries, so that missed changes arrive first and none arrives twice. */
  async function catchUp(one: Reconnecting): Promise<void> {
    if (one.gone) return;
    clients.add(one.client);
    const upTo = log.latest();
    await deliverOrResync(log.since(one.since), [one.client]);
    if (!clients.has(one.client)) return;
    follow(one.client);
    await catchUpCounts(one.client, one.since);
    sendFrame(one.client, hello, upTo);
  }

  function follow(client: LiveClient): void {
    counts.watch(client, client.watch);
    vehicles.follow(client);
  }

  function unfollow(client: LiveClient): void {
    clients.delete(client);
    counts.leave(client);
    vehicles.leave(client);
  }

  /** Never rejects: after a failure the client reloads. */
  async function catchUpCounts(client: LiveClient, since: number): Promise<void> {
    try {
      await counts.catchUp(client, since);
    } catch (error) {
      ctx.log.error({ err: error }, "missed counts were not announced");
      sendFrame(client, resyncFrame, log.latest());
    }
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
      if (isKnown && client.watch !== null) silent.set(client, since);
      if (isKnown && since < log.latest()) {
        // Levels of vehicles that arrive before the missed changes must not move the cursor past them.
        reached.set(client, since);
        return queue.addReturning({ client, since, gone: false });
      }
      clients.add(client);
      follow(client);
      sendFrame(client, since === null || isKnown ? hello : resyncFrame, log.latest());
    },
    /** Restricts the client to these counts. The first call after a resume also replays missed counts. */
    watch(client: LiveClient, watch: Watch) {
      const since = silent.get(client);
      silent.delete(client);
      if (!clients.has(client)) {
        client.watch = watch;
        return;
      }
      counts.watch(client, watch);
      vehicles.follow(client);
      if (since !== undefined) void catchUpCounts(client, since);
    },
    leave(client: LiveClient) {
      unfollow(client);
      for (const one of queue.returning()) if (one.client === client) one.gone = true;
    },
    /** Call it when events of other processes may have been lost. All clients reload, and sockets of ended sessions are closed. */
    async missed() {
      const seq = log.next();
      log.forget();
      counts.forget(seq);
      // Clients that are waiting to resume reload instead.
      for (const { client, gone } of queue.takeReturning()) {
        if (gone) continue;
        clients.add(client);
        follow(client);
      }
      const receivers = [...clients];
      await refresh(receivers);
      for (const client of receivers) sendFrame(client, resyncFrame, log.latest());
    },
    async stop() {
      await Promise.all([counts.stop(), vehicles.stop()]);
      await queue.flush();
    },
  };
}
