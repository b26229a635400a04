// Sends each change to every open socket whose account may see the object now (docs/rules/live-channel.md#visibility).
import type { Watch } from "@psp/contract/live/live.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { Context } from "../context.ts";
import type { Announcements, Position } from "../db/bus/announcements.ts";
import type { Announcement, EntityChanged } from "../kit/bus.ts";
import type { SessionActor } from "../kit/caller.ts";
import { type LoadCountOwners, createCountsFeed } from "./counts-feed.ts";
import { closeFrame, createCursors, openFrame } from "./cursor.ts";
import { createDelivery, type NumberedChange, resyncFrame } from "./delivery.ts";
import { createDeliveryQueue } from "./delivery-queue.ts";
import { createNumbers } from "./numbers.ts";
import { repeatWhileUnavailable } from "./repeat.ts";
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
type Source = Pick<Announcements, "between" | "onBatch" | "position" | "pull">;
/** `from`: the position from which a client resumes; null if it starts now. */
type Entry = { from: Position | null; mustReload: boolean };

const liveNames = new Set(["entityChanged", "countsStored", "coachesChanged"] as const);
const hello = openFrame({ type: "hello" });
/** An idle client gets a new cursor after this time, so that it can still resume. */
const idleMs = 60_000;

// oxlint-disable-next-line max-lines-per-function -- who is a receiver at which instant: joining, leaving and delivering share that state
export function createHub(
  ctx: Pick<Context, "config" | "log" | "metrics"> & { announcements: Source },
  sessions: { byIds(sessionIds: Iterable<string>): Promise<Map<string, SessionActor>> },
  ownersOf: (ids: string[]) => Promise<Map<string, Owner>>,
  countedOwners: LoadCountOwners,
  changedVehicles: LoadChangedVehicles,
) {
  const { announcements } = ctx;
  const clients = new Set<LiveClient>();
  /** Clients that get missed changes first. */
  const entering = new Map<LiveClient, Entry>();
  /** Positions of clients that have not received everything that they missed. Their cursors stay there. */
  const held = new WeakMap<LiveClient, Position>();
  /** Clients that have not sent their first watch yet. */
  const silent = new WeakSet<LiveClient>();
  const numbers = createNumbers();
  numbers.mark(announcements.position());
  const cursors = createCursors(ctx.config.secrets.session);
  const stopping = new AbortController();
  const queue = createDeliveryQueue<NumberedChange & { since: number }, LiveClient>(async (batch) => {
    await deliverOrResync(batch, [...clients]);
    const [{ since } = { since: 0 }] = batch;
    ctx.metrics.liveSeconds.observe({ kind: "changes" }, (performance.now() - since) / 1000);
  }, enter);
  /** `at`: number up to which the client has received everything after this frame. */
  function sendFrame(client: LiveClient, frame: string, at: number): boolean {
    const cursor = cursors.of(client.actor.id, held.get(client) ?? numbers.positionAt(at));
    return client.send(closeFrame(frame, (client.sent += 1), cursor));
  }
  // Changes and counts are delivered independently. A cursor stays before those of the other kind that are still to be sent.
  const sendChange: typeof sendFrame = (client, frame, at) => sendFrame(client, frame, Math.min(at, counts.settled()));
  const settledChanges = () => (queue.oldest()?.number ?? Infinity) - 1;
  const sendLatest = (client: LiveClient, frame: string) =>
    sendChange(client, frame, Math.min(numbers.latest(), settledChanges()));
  const counts = createCountsFeed(ctx, {
    numbers,
    sendFrame: (client, frame, at) => sendFrame(client, frame, Math.min(at, settledChanges())),
    refresh,
    ownersOf: countedOwners,
    between: announcements.between,
    stopping: stopping.signal,
  });
  const vehicles = createVehiclesFeed(ctx, {
    load: changedVehicles,
    sendUnnumbered: sendLatest,
    refresh,
    stopping: stopping.signal,
  });
  const delivery = createDelivery(ctx, { ownersOf, refresh, sendFrame: sendChange });

  const offBatch = announcements.onBatch(liveNames, ({ events, position, since }) => {
    for (const item of events) take(item, since);
    numbers.mark(position);
  });
  const sentBefore = new WeakMap<LiveClient, number>();
  const idle = setInterval(() => {
    for (const client of clients) {
      if (sentBefore.get(client) === client.sent) sendLatest(client, hello);
      sentBefore.set(client, client.sent);
    }
  }, idleMs).unref();

  function take({ name, event }: Announcement, since: number): void {
    const number = numbers.next();
    if (name === "countsStored") counts.stored(event.counts, number, since);
    else if (name === "coachesChanged") vehicles.changed(event);
    else if (name === "entityChanged" && clients.size + entering.size > 0) queue.addChange({ ...event, number, since });
  }

  async function deliverOrResync(batch: NumberedChange[], receivers: LiveClient[]): Promise<void> {
    try {
      await repeatWhileUnavailable(() => delivery.deliver(batch, receivers), stopping.signal);
    } catch (error) {
      // Clients reload, because these changes are not sent again.
      ctx.log.error({ err: error }, "live delivery failed");
      for (const client of receivers) sendLatest(client, resyncFrame);
    }
  }

  /** Must run between two deliveries, so that missed changes arrive first and none arrives twice. */
  async function enter(client: LiveClient): Promise<void> {
    const entry = entering.get(client);
    if (!entry) return;
    const { from } = entry;
    const end = numbers.positionAt(numbers.latest()) ?? announcements.position();
    const missed = from && (await findMissed(from, end));
    if (from !== null && missed === null) entry.mustReload = true;
    const start = from === null || entry.mustReload ? end : from;
    held.set(client, start);
    if (missed && !entry.mustReload) await deliverOrResync(missed, [client]);
    if (!entering.delete(client)) return;
    clients.add(client);
    counts.join(client, start);
    const greet = () => sendLatest(client, entry.mustReload ? resyncFrame : hello);
    if (!missed) greet();
    await follow(client);
    if (missed) greet();
  }

  /** Null if the client must reload. */
  async function findMissed(from: Position, to: Position): Promise<NumberedChange[] | null> {
    try {
      const read = () => announcements.between(from, to, "entityChanged");
      const events = await repeatWhileUnavailable(read, stopping.signal);
      return events && events.flatMap(({ name, event }) => (name === "entityChanged" ? [{ ...event, number: 0 }] : []));
    } catch (error) {
      ctx.log.error({ err: error }, "missed changes could not be read");
      return null;
    }
  }

  /** Sends missed counts, but not before the first watch. The client's cursor may move once it has received everything. */
  async function follow(client: LiveClient): Promise<void> {
    vehicles.follow(client);
    if (silent.has(client)) return;
    await counts.catchUp(client);
    held.delete(client);
  }

  function unfollow(client: LiveClient): void {
    clients.delete(client);
    entering.delete(client);
    counts.leave(client);
    vehicles.leave(client);
  }

  /** Checks rights before every delivery, so that no one gets a message after losing the right to it. */
  async function refresh(receivers: LiveClient[]) {
    const actors = await sessions.byIds(receivers.map(({ sessionId }) => sessionId));
    for (const client of receivers) {
      const actor = actors.get(client.sessionId);
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
    latest: numbers.latest,
    cursorOf: (accountId: string, at: number) => cursors.of(accountId, numbers.positionAt(at)),
    /** Adds a socket and replays what it missed since the cursor; an invalid cursor makes it reload. */
    join(client: LiveClient, cursor: string | null) {
      const from = cursor === null ? null : cursors.read(client.actor.id, cursor);
      if (client.watch !== null) silent.add(client);
      entering.set(client, { from, mustReload: cursor !== null && from === null });
      // Changes from before are delivered first: a new client gets none of them, a returning one gets them as missed ones.
      void announcements.pull().then(() => queue.addReturning(client));
    },
    /** Restricts the client to these counts. The first call also replays missed counts. */
    watch(client: LiveClient, watch: Watch) {
      silent.delete(client);
      counts.watch(client, watch);
      if (clients.has(client)) void follow(client);
    },
    leave: unfollow,
    /** Call it when announcements may have been lost. All clients reload, and sockets of ended sessions are closed. */
    async missed() {
      numbers.restart(announcements.position());
      for (const entry of entering.values()) entry.mustReload = true;
      const receivers = [...clients];
      await repeatWhileUnavailable(() => refresh(receivers), stopping.signal).catch((error: unknown) =>
        ctx.log.error({ err: error }, "sessions were not checked after announcements were lost"),
      );
      for (const client of receivers) sendLatest(client, resyncFrame);
    },
    async stop() {
      stopping.abort();
      clearInterval(idle);
      offBatch();
      await Promise.all([counts.stop(), vehicles.stop()]);
      await queue.flush();
    },
  };
}
