// Who receives a change: every open socket whose account may see the object now, and no one else (docs/rules/live-channel.md#visibility).
import type { LiveOp, Watch } from "@psp/contract/live/live.ts";
import { canView } from "@psp/contract/permission/can.ts";
import { ownableTypes } from "@psp/contract/permission/permissions.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { EntityChanged } from "../kit/bus.ts";
import type { Context } from "../context.ts";
import type { SessionActor } from "../kit/caller.ts";
import { type CountedOwners, createCountsFeed } from "./counts-feed.ts";
import { closeFrame, createCursors, openFrame } from "./cursor.ts";

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

type Numbered = EntityChanged & { seq: number };
/** A client that received everything up to `since` and comes back. */
type Returning = { client: LiveClient; since: number; gone: boolean };

const remembered = 20_000;
/** Before everything that is remembered. */
const unknownSince = -1;
const hello = openFrame({ type: "hello" });
const resync = openFrame({ type: "resync" });

export function createHub(
  ctx: Context,
  sessions: { byId(sessionId: string): Promise<SessionActor | null> },
  ownersOf: (ids: string[]) => Promise<Map<string, Owner>>,
  countedOwners: CountedOwners,
) {
  const sources = new Map<string, LiveSource>();
  const clients = new Set<LiveClient>();
  const history: Numbered[] = [];
  const returning: Returning[] = [];
  /** Pages that joined with a number and have not said yet which counts they show. */
  const silent = new WeakMap<LiveClient, number>();
  let pending: Numbered[] = [];
  // Numbers of an earlier process, or of a sibling, must not be taken for our own: a client that comes with one reloads.
  let seq = ctx.clock.now() * 10;
  let delivering: Promise<void> | null = null;
  const nextSeq = () => (seq += 1);
  const cursors = createCursors();
  /** Sends what `openFrame` began; `at` is the number of the last change that the client knows with it. */
  const say = (client: LiveClient, frame: string, at: number): boolean =>
    client.send(closeFrame(frame, (client.sent += 1), cursors.of(client.actor.id, at)));
  const counts = createCountsFeed(ctx, { nextSeq, say, refresh, ownersOf: countedOwners });

  ctx.bus.on("entityChanged", (event) => {
    const numbered = { ...event, seq: nextSeq() };
    history.push(numbered);
    if (history.length > remembered * 1.5) history.splice(0, history.length - remembered);
    if (clients.size === 0) return;
    pending.push(numbered);
    // A single change is delivered at once; while one delivery runs, all that comes is gathered for the next.
    if (!delivering) void flush();
  });

  function flush(): Promise<void> {
    delivering ??= drain();
    return delivering;
  }

  async function drain(): Promise<void> {
    // What one use case announces comes within one turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    while (pending.length > 0 || returning.length > 0) {
      const batch = pending;
      pending = [];
      if (batch.length > 0) await deliverOrResync(batch, [...clients]);
      else await catchUp(returning.shift());
    }
    // In the same turn as the last look at what is pending: nothing can slip in between and wait forever.
    delivering = null;
  }

  async function deliverOrResync(batch: Numbered[], receivers: LiveClient[]): Promise<void> {
    try {
      await deliver(batch, receivers);
    } catch (error) {
      // What could not be delivered is made good by a reload.
      ctx.log.error({ err: error }, "live delivery failed");
      for (const client of receivers) say(client, resync, seq);
    }
  }

  /** Between two deliveries, so that what was missed comes before what happens meanwhile, and neither comes twice. */
  async function catchUp(one: Returning | undefined): Promise<void> {
    if (!one || one.gone) return;
    clients.add(one.client);
    const upTo = seq;
    await deliverOrResync(
      history.filter((event) => event.seq > one.since),
      [one.client],
    );
    // It may have gone meanwhile.
    if (!clients.has(one.client)) return;
    counts.watch(one.client, one.client.watch);
    await counts.catchUp(one.client, one.since);
    say(one.client, hello, upTo);
  }

  function catchUpCounts(client: LiveClient, since: number): void {
    counts.catchUp(client, since).catch((error: unknown) => {
      ctx.log.error({ err: error }, "missed counts were not announced");
      say(client, resync, seq);
    });
  }

  async function deliver(batch: Numbered[], receivers: LiveClient[]): Promise<void> {
    const newest = lastPerObject(batch);
    const ownerIds = [...new Set(newest.flatMap((event) => [event.ownerBefore, event.ownerAfter]))];
    const [owners, objects] = await Promise.all([ownersOf(ownerIds.filter((id) => id !== null)), loadAll(newest)]);
    await refresh(receivers);
    for (const event of newest) {
      const object = objects.get(event.type)?.get(event.id) ?? null;
      const source = sources.get(event.type);
      if (!source) continue;
      const frames = new Map<string, string>();
      for (const client of receivers) {
        for (const frame of [
          frameFor(client.actor, event, object, source, owners, frames),
          isReloadNeeded(client.actor, event, owners) ? resync : null,
        ])
          if (frame) (say(client, frame, event.seq) ? ctx.metrics.liveSent : ctx.metrics.liveDropped).inc();
      }
    }
  }

  async function loadAll(events: Numbered[]) {
    const byType = Map.groupBy(
      events.filter((event) => event.op !== "delete"),
      (event) => event.type,
    );
    const loaded = new Map<string, Map<string, LiveObject>>();
    for (const [type, list] of byType) {
      const source = sources.get(type);
      if (source) loaded.set(type, await source.load(list.map((event) => event.id)));
    }
    return loaded;
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
    register: (type: EntityChanged["type"], source: LiveSource) => void sources.set(type, source),
    /** The number of the latest event: who joins with it misses nothing that happens from now on. */
    latest: () => seq,
    /** With it the account joins as of this number. */
    cursorOf: (accountId: string, at: number) => cursors.of(accountId, at),
    /** Adds a socket; replays what it missed since this cursor, or has it reload when the cursor is none of the account's. */
    join(client: LiveClient, cursor: string | null) {
      const since = cursor === null ? null : (cursors.read(client.actor.id, cursor) ?? unknownSince);
      const oldest = history[0]?.seq ?? seq + 1;
      const isKnown = since !== null && since <= seq && since >= oldest - 1 && counts.knowsSince(since);
      if (isKnown && client.watch !== null) silent.set(client, since);
      if (isKnown && since < seq) {
        returning.push({ client, since, gone: false });
        void flush();
        return;
      }
      clients.add(client);
      counts.watch(client, client.watch);
      say(client, since === null || isKnown ? hello : resync, seq);
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
      if (since !== undefined) catchUpCounts(client, since);
    },
    leave(client: LiveClient) {
      clients.delete(client);
      counts.leave(client);
      for (const one of returning) if (one.client === client) one.gone = true;
    },
    /** Events of other processes may have been lost: everybody reloads, and sockets whose session ended meanwhile are closed. */
    async missed() {
      seq += 1;
      // A client that comes back with an older number must not learn that nothing happened.
      history.length = 0;
      counts.forget(seq);
      // Nor can those be caught up who are about to be.
      for (const { client, gone } of returning.splice(0)) {
        if (gone) continue;
        clients.add(client);
        counts.watch(client, client.watch);
      }
      const receivers = [...clients];
      await refresh(receivers);
      for (const client of receivers) say(client, resync, seq);
    },
    async stop() {
      await counts.stop();
      await flush();
    },
  };
}

/** Several changes of one object within a batch are delivered once, with the first former owner and the last new one. */
function lastPerObject(batch: Numbered[]): Numbered[] {
  const latest = new Map<string, Numbered>();
  for (const event of batch) {
    const key = `${event.type}/${event.id}`;
    const earlier = latest.get(key);
    latest.delete(key);
    const op: LiveOp = earlier?.op === "create" && event.op === "update" ? "create" : event.op;
    const wasOpenToChildren = Boolean(earlier?.wasOpenToChildren ?? event.wasOpenToChildren);
    const roleBefore = earlier?.roleBefore === undefined ? event.roleBefore : earlier.roleBefore;
    const kept = {
      ...event,
      op,
      ownerBefore: earlier?.ownerBefore ?? event.ownerBefore,
      wasOpenToChildren,
      ...(roleBefore === undefined ? {} : { roleBefore }),
    };
    latest.set(key, earlier ? kept : event);
  }
  return [...latest.values()];
}

/** Whether an account got another role, and what it owns became visible by that, or ceased to be. */
function isReloadNeeded(actor: SessionActor, { id, roleBefore }: Numbered, owners: Map<string, Owner>): boolean {
  const owner = owners.get(id);
  if (roleBefore === undefined || !owner) return false;
  const before = { ...owner, roleId: roleBefore };
  return ownableTypes.some((type) => canView(actor, type, before) !== canView(actor, type, owner));
}

function frameFor(
  actor: SessionActor,
  event: Numbered,
  object: LiveObject | null,
  source: LiveSource,
  owners: Map<string, Owner>,
  frames: Map<string, string>,
): string | null {
  if (object?.mayView(actor)) {
    return frames.getOrInsertComputed(object.variantOf(actor), (variant) =>
      openFrame({ type: event.type, op: event.op, obj: object.render(variant) }),
    );
  }
  const before = event.ownerBefore === null ? undefined : owners.get(event.ownerBefore);
  if (!before || !source.mayViewOwner(actor, before, event)) return null;
  // It was visible and is no more: gone, or handed to somebody not visible.
  return openFrame({ type: event.type, op: "delete", obj: { _id: event.id } });
}
