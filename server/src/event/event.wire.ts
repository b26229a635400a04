// Converts event rows to the API format; no other file does so.
import { dateOfDay } from "@psp/contract/counts/count-range.ts";
import type { Event } from "@psp/contract/event/event.ts";
import type { Selectable } from "kysely";
import type { Tables } from "../db/tables.ts";
import type { Context } from "../context.ts";
import { type OwnerColumns, toOwnerRef } from "../owned/owner.ts";

export type EventScopeKind = "locations" | "tag" | "owner";

type StoredEvent = Pick<
  Selectable<Tables["event"]>,
  | "id"
  | "owner_id"
  | "name"
  | "first_day"
  | "last_day"
  | "scope_kind"
  | "tag"
  | "exclude_from_comparison"
  | "is_deleted"
  | "version"
>;
export type EventRow = OwnerColumns &
  StoredEvent & {
    may_edit: boolean;
    /** The locations that the event names and the viewer may view. */
    locations: { _id: string; name: string }[];
  };

function toScope({ scope_kind: kind, owner_id: owner, tag }: StoredEvent, measIDs: string[]): Event["scope"] {
  if (kind === "locations") return { measIDs };
  return kind === "tag" ? { tag: tag ?? "" } : { owner };
}

export function toEvent(ctx: Context, row: EventRow): Event {
  return {
    _id: row.id,
    name: row.name,
    owner: toOwnerRef(ctx, row),
    from: dateOfDay(row.first_day),
    to: dateOfDay(row.last_day),
    scope: toScope(
      row,
      row.locations.map(({ _id }) => _id),
    ),
    locations: row.locations,
    excludeFromComparison: row.exclude_from_comparison,
    mayEdit: row.may_edit,
    isDeleted: row.is_deleted,
    version: row.version,
  };
}

/** The audited fields: those that users can change. */
export function eventTrail(row: Selectable<Tables["event"]>) {
  return {
    name: row.name,
    owner: row.owner_id,
    from: dateOfDay(row.first_day),
    to: dateOfDay(row.last_day),
    scope: toScope(row, row.location_ids),
    excludeFromComparison: row.exclude_from_comparison,
  };
}
