// Declares events as an owned noun and a live source. They share the rights of locations.
import type { Event } from "@psp/contract/event/event.ts";
import { canEdit, canView } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { OwnedNoun } from "../owned/noun.ts";
import { createOwnedLiveSource } from "../owned/owned.live.ts";
import { eventReasons } from "./event.reasons.ts";
import { eventTable, findEvent, findEventsForLive } from "./event.store.ts";
import { type EventRow, eventTrail, toEvent } from "./event.wire.ts";

export const events: OwnedNoun<"event", EventRow, Event> = {
  ...eventTable,
  type: "event",
  rights: "measurement",
  reasons: eventReasons,
  find: (_ctx, reader, caller, id) => findEvent(reader, caller, id),
  toWire: toEvent,
  trail: eventTrail,
};

type Variant = { mayEdit: boolean; owners: string[] };

/** Messages go only to those who may view the owner's locations (docs/rules/events.md#visibility). */
export const eventLiveSource = (ctx: Context) =>
  createOwnedLiveSource(ctx, {
    rights: "measurement",
    load: (ids) => findEventsForLive(ctx.db, ids),
    otherOwners: (row) => row.named.map(({ owner }) => owner),
    variantOf(actor, row, owners) {
      const named = [...new Set(row.named.map(({ owner }) => owner))].flatMap((id) => owners.get(id) ?? []);
      const own = owners.get(row.owner_id);
      const variant: Variant = {
        mayEdit:
          (own !== undefined && canEdit(actor, "measurement", own)) ||
          (named.length > 0 && named.every((owner) => canEdit(actor, "measurement", owner))),
        owners: named.filter((owner) => canView(actor, "measurement", owner)).map(({ id }) => id),
      };
      return JSON.stringify(variant);
    },
    render(row, variant) {
      const { mayEdit, owners } = JSON.parse(variant) as Variant;
      const locations = row.named.flatMap(({ owner, ...one }) => (owners.includes(owner) ? [one] : []));
      return toEvent(ctx, { ...row, may_edit: mayEdit, locations });
    },
  });
