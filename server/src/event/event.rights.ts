// To which locations an event applies, and who may see or edit it, as SQL (docs/rules/events.md#visibility). The event's table has no
// alias.
import { resolveEditScope, resolveViewScope } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { sql } from "kysely";
import { isAtOrBelow } from "../db/account-path.ts";
import type { Condition } from "../db/list.ts";
import { coversEverything, whereOwnerIn, whereViewable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";

const ownersOfEvents = { id: "event.owner_id", path: "event.owner_path" };
const ownersOfLocations = { id: "l.owner_id", path: "l.owner_path" };

/** An event whose owner is deleted applies to nothing. */
export const applies = sql<boolean>`(not event.is_deleted
  and exists (select from account a where a.id = event.owner_id and not a.is_deleted))`;

const isWithinOwner = isAtOrBelow("l.owner_path", sql.ref("event.owner_path"));

/** For rows `n` of event_location and `l` of location: whether the location was not handed over to an unrelated account. */
export const isStillNamed = sql<boolean>`(not l.is_deleted and (n.owner_id = l.owner_id or ${isWithinOwner}))`;

/** Whether the tag or account of an event includes location `l`. */
const isIncluded = sql<boolean>`(event.scope_kind <> 'locations' and not l.is_deleted and ${isWithinOwner}
  and (event.scope_kind = 'owner' or strpos(l.tags_search, event.tag_search) > 0))`;

const namedLocations = sql`event_location n join location l on l.id = n.location_id`;

/** Selects events that apply to a location `l` for which `condition` holds. */
export function whereAppliesTo(condition: Condition): Condition {
  return sql<boolean>`(${applies} and (
    exists (select from ${namedLocations} where n.event_id = event.id and ${isStillNamed} and ${condition})
    or exists (select from location l where ${isIncluded} and ${condition})))`;
}

/**
 * Selects events of owners whose locations the caller may view, and events that apply to a location that the caller may view. The
 * second part looks only at events that name such a location, or belong to an account above one: those are few, and indexed.
 */
export function seesEvent(caller: Caller): Condition {
  const view = resolveViewScope(caller, "measurement");
  if (isEmptySet(view)) return sql<boolean>`false`;
  if (coversEverything(view, caller)) return sql<boolean>`true`;
  const seen = whereViewable(caller, "measurement", "l");
  const above = [...caller.parentAccounts, caller.id];
  const aboveRoles =
    view.withRole.length === 0
      ? sql``
      : sql`or event.owner_id = any(array(
          select distinct unnest(ancestor_ids) from account where role_id = any(${view.withRole}::uuid[])))`;
  return sql<boolean>`(${whereOwnerIn(view, caller, ownersOfEvents)}
    or ((event.id = any(array(select distinct n.event_id from ${namedLocations} where not l.is_deleted and ${seen}))
      or event.owner_id = any(${above}::uuid[]) ${aboveRoles}) and ${whereAppliesTo(seen)}))`;
}

/** The caller may edit the owner's locations, or all locations that the event names (docs/rules/events.md#rights). */
export function editsEvent(caller: Caller): Condition {
  const edit = resolveEditScope(caller, "measurement");
  return sql<boolean>`(${whereOwnerIn(edit, caller, ownersOfEvents)} or coalesce(
    (select bool_and(${whereOwnerIn(edit, caller, ownersOfLocations)}) from ${namedLocations}
      where n.event_id = event.id and ${isStillNamed}), false))`;
}
