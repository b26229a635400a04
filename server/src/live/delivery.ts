// Loads each changed object once and sends every client the parts that it may view now.
import type { LiveOp } from "@psp/contract/live/live-message.ts";
import { canView } from "@psp/contract/permission/can.ts";
import { ownableTypes } from "@psp/contract/permission/permissions.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { Context } from "../context.ts";
import type { EntityChanged } from "../kit/bus.ts";
import type { SessionActor } from "../kit/caller.ts";
import { openFrame } from "./cursor.ts";
import type { LiveClient, LiveObject, LiveSource } from "./hub.ts";

/** `number`: of its announcement in this process. */
export type NumberedChange = EntityChanged & { number: number };

export const resyncFrame = openFrame({ type: "resync" });

type DeliveryParts = {
  ownersOf(ids: string[]): Promise<Map<string, Owner>>;
  /** Reloads the rights of these clients; disconnects those whose session has ended. */
  refresh(receivers: LiveClient[]): Promise<void>;
  /**
   * Completes a frame from `openFrame` with a cursor that continues after announcement `at`, and sends it. Returns false if the client
   * reads too slowly.
   */
  sendFrame(client: LiveClient, frame: string, at: number): boolean;
};

export function createDelivery({ metrics }: Pick<Context, "metrics">, { ownersOf, refresh, sendFrame }: DeliveryParts) {
  const sources = new Map<string, LiveSource>();

  async function deliver(batch: NumberedChange[], receivers: LiveClient[]): Promise<void> {
    const newest = mergePerObject(batch);
    const objects = await loadAll(newest);
    const owners = await loadOwners(newest, objects);
    await refresh(receivers);
    const frames = new Map(newest.map((event) => [event, new Map<string, string>()]));
    const collect = (actor: SessionActor) =>
      newest.flatMap((event) => {
        const source = sources.get(event.type);
        if (!source) return [];
        const object = objects.get(event.type)?.get(event.id) ?? null;
        const frame = frameFor(actor, event, object, source, owners, frames.get(event) ?? new Map());
        return [frame, isReloadNeeded(actor, event, owners) ? resyncFrame : null].flatMap((one) =>
          one === null ? [] : [{ frame: one, settled: event.settled }],
        );
      });
    // All sessions of an account have the same rights.
    const outboxes = new Map<string, ReturnType<typeof collect>>();
    const end = batch.at(-1)?.number ?? 0;
    for (const client of receivers) {
      const outbox = outboxes.getOrInsertComputed(client.actor.id, () => collect(client.actor));
      for (const [n, { frame, settled }] of outbox.entries()) {
        const isLast = n === outbox.length - 1;
        (sendFrame(client, frame, isLast ? end : settled) ? metrics.liveSent : metrics.liveDropped).inc();
      }
    }
  }

  async function loadAll(events: NumberedChange[]) {
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

  /** Owners before and after the changes. Most came with the objects. */
  async function loadOwners(events: NumberedChange[], objects: Map<string, Map<string, LiveObject>>) {
    const loaded = [...objects.values()].flatMap((some) =>
      [...some.values()].map(({ owner }) => [owner.id, owner] as const),
    );
    const owners = new Map<string, Owner>(loaded);
    const others = new Set(
      events.flatMap((event) => [event.ownerBefore, event.ownerAfter]).filter((id) => id !== null),
    ).difference(owners);
    return others.size === 0 ? owners : new Map([...(await ownersOf([...others])), ...owners]);
  }

  return {
    register: (type: EntityChanged["type"], source: LiveSource) => void sources.set(type, source),
    deliver,
  };
}

/**
 * Merges the changes of each object, keeping the first former owner and the last new owner. `settled`: number up to which all changes
 * are sent once this one is; none that was merged into a later one.
 */
function mergePerObject(batch: NumberedChange[]) {
  const latest = new Map<string, NumberedChange & { first: number }>();
  for (const event of batch) {
    const key = `${event.type}/${event.id}`;
    const earlier = latest.get(key);
    latest.delete(key);
    const op: LiveOp = earlier?.op === "create" && event.op === "update" ? "create" : event.op;
    const wasOpenToChildren = Boolean(earlier?.wasOpenToChildren ?? event.wasOpenToChildren);
    const roleBefore = earlier?.roleBefore === undefined ? event.roleBefore : earlier.roleBefore;
    const first = earlier?.first ?? event.number;
    const kept = {
      ...event,
      first,
      op,
      ownerBefore: earlier?.ownerBefore ?? event.ownerBefore,
      wasOpenToChildren,
      ...(roleBefore === undefined ? {} : { roleBefore }),
    };
    latest.set(key, earlier ? kept : { ...event, first });
  }
  let unsent = Infinity;
  const fromLast = [...latest.values()].toReversed().map((event) => {
    const settled = Math.min(event.number, unsent - 1);
    unsent = Math.min(unsent, event.first);
    return { ...event, settled };
  });
  return fromLast.toReversed();
}

/** Whether an account's role changed such that its objects became visible or invisible. */
function isReloadNeeded(actor: SessionActor, { id, roleBefore }: NumberedChange, owners: Map<string, Owner>): boolean {
  const owner = owners.get(id);
  if (roleBefore === undefined || !owner) return false;
  const before = { ...owner, roleId: roleBefore };
  return ownableTypes.some((type) => canView(actor, type, before) !== canView(actor, type, owner));
}

function frameFor(
  actor: SessionActor,
  event: NumberedChange,
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
  // The object is no longer visible: deleted, or given to an account that the actor can't see.
  return openFrame({ type: event.type, op: "delete", obj: { _id: event.id } });
}
