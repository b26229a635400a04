// Who receives a change: every open socket whose account may see the object now, and no one else (docs/rules/live-channel.md#visibility).
import type { Watch } from "@psp/contract/live/live.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { EntityChanged } from "../kit/bus.ts";
import type { Context } from "../context.ts";
import type { SessionActor } from "../kit/caller.ts";
import { createChangeLog, type NumberedChange } from "./change-log.ts";
import { type CountedOwners, createCountsFeed } from "./counts-feed.ts";
import { closeFrame, createCursors, openFrame } from "./cursor.ts";
import { createDelivery, resync } from "./delivery.ts";
import { createDeliveryQueue } from "./delivery-queue.ts";

/** One object as the hub needs it. Its wire form is made once per variant, not once per socket. */
export type LiveObject = {
  owner: Owner;
  mayView(actor: SessionActor): boolean;
  /** Names what this actor gets to see of the object; equal names mean equal bytes. */
  variantOf(actor: SessionActor): string;
  render(variant: string): unknown;
};
/** How a noun hands its objects to the hub, many ids in one query. */
export type LiveSource = {
  load(ids: string[]): Promise<Map<string, LiveObject>>;
  /** Was an object of this owner visible? Asked about the former owner, when the object itself is gone. */
  mayViewOwner(actor: SessionActor, owner: Owner, event: EntityChanged): boolean;
};

export type LiveClient = {
  sessionId: string;
  actor: SessionActor;
  /** The counts that it shows; null while it gets all that it may see. */
  watch: Watch | null;
  /** How many messages it was sent. */
  sent: number;
  /** Sends one frame; false when the reader was too slow and is being closed. */
  send(frame: string): boolean;
  close(code: number, reason: string): void;
};

export type Hub = ReturnType<typeof createHub>;

/** A client that received everything up to `since` and comes back. */
type Returning = { client: LiveClient; since: number; gone: boolean };

/** Before everything that is remembered. */
const unknownSince = -1;
const hello = openFrame({ type: "hello" });

// oxlint-disable-next-line max-lines-per-function -- who is a receiver at which instant: joining, leaving and delivering share that state
export function createHub(
  ctx: Context,
  sessions: { byId(sessionId: string): Promise<SessionActor | null> },
  ownersOf: (ids: string[]) => Promise<Map<string, Owner>>,
  countedOwners: CountedOwners,
) {
  const clients = new Set<LiveClient>();
  /** Pages that joined with a number and have not said yet which counts they show. */
  const silent = new WeakMap<LiveClient, number>();
  const log = createChangeLog(ctx.clock.now());
  const cursors = createCursors();
  /** Sends what `openFrame` began; `at` is the number of the last change that the client knows with it. */
  const say = (client: LiveClient, frame: string, at: number): boolean =>
    client.send(closeFrame(frame, (client.sent += 1), cursors.of(client.actor.id, at)));
  const counts = createCountsFeed(ctx, { nextSeq: log.next, say, refresh, ownersOf: countedOwners });
  const delivery = createDelivery(ctx, { ownersOf, refresh, say });
  const queue = createDeliveryQueue<NumberedChange, Returning>(
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
      // What could not be delivered is made good by a reload.
      ctx.log.error({ err: error }, "live delivery failed");
      for (const client of receivers) say(client, resync, log.latest());
    }
  }

  /** Between two deliveries, so that what was missed comes before what happens meanwhile, and neither comes twice. */
  async function catchUp(one: Returning): Promise<void> {
    if (one.gone) return;
    clients.add(one.client);
    const upTo = log.latest();
    await deliverOrResync(log.since(one.since), [one.client]);
    // It may have gone meanwhile.
    if (!clients.has(one.client)) return;
    counts.watch(one.client, one.client.watch);
    await catchUpCounts(one.client, one.since);
    say(one.client, hello, upTo);
  }

  /** Never rejects: what could not be caught up with is made good by a reload. */
  async function catchUpCounts(client: LiveClient, since: number): Promise<void> {
    try {
      await counts.catchUp(client, since);
    } catch (error) {
      ctx.log.error({ err: error }, "missed counts were not announced");
      say(client, resync, log.latest());
    }
  }

  /** Rights are looked at again for every delivery: a message must not outlive the right to it. */
  async function refresh(receivers: LiveClient[]) {
    for (const client of receivers) {
      const actor = await sessions.byId(client.sessionId);
      if (actor) client.actor = actor;
      else {
        clients.delete(client);
        counts.leave(client);
        client.close(4401, "Session ended");
      }
    }
  }

  return {
    register: delivery.register,
    /** The number of the latest event: who joins with it misses nothing that happens from now on. */
    latest: log.latest,
    /** With it the account joins as of this number. */
    cursorOf: (accountId: string, at: number) => cursors.of(accountId, at),
    /** Adds a socket; replays what it missed since this cursor, or has it reload when the cursor is none of the account's. */
    join(client: LiveClient, cursor: string | null) {
      const since = cursor === null ? null : (cursors.read(client.actor.id, cursor) ?? unknownSince);
      const isKnown = since !== null && log.knowsSince(since) && counts.knowsSince(since);
      if (isKnown && client.watch !== null) silent.set(client, since);
      if (isKnown && since < log.latest()) return queue.addReturning({ client, since, gone: false });
      clients.add(client);
      counts.watch(client, client.watch);
      say(client, since === null || isKnown ? hello : resync, log.latest());
    },
    /** From now on the client gets these counts only; the first time also what it missed of them since its number. */
    watch(client: LiveClient, watch: Watch) {
      const since = silent.get(client);
      silent.delete(client);
      if (!clients.has(client)) {
        client.watch = watch;
        return;
      }
      counts.watch(client, watch);
      if (since !== undefined) void catchUpCounts(client, since);
    },
    leave(client: LiveClient) {
      clients.delete(client);
      counts.leave(client);
      for (const one of queue.returning()) if (one.client === client) one.gone = true;
    },
    /** Events of other processes may have been lost: everybody reloads, and sockets whose session ended meanwhile are closed. */
    async missed() {
      const seq = log.next();
      // A client that comes back with an older number must not learn that nothing happened.
      log.forget();
      counts.forget(seq);
      // Nor can those be caught up who are about to be.
      for (const { client, gone } of queue.takeReturning()) {
        if (gone) continue;
        clients.add(client);
        counts.watch(client, client.watch);
      }
      const receivers = [...clients];
      await refresh(receivers);
      for (const client of receivers) say(client, resync, log.latest());
    },
    async stop() {
      await counts.stop();
      await queue.flush();
    },
  };
}
