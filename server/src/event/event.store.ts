// Queries for events.
import { parseDay } from "@psp/contract/counts/count-range.ts";
import type { eventListQuery } from "@psp/contract/event/event.query.ts";
import { maxEventDays } from "@psp/contract/event/event.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { type Expression, sql } from "kysely";
import type { z } from "zod";
import type { Reader, Tx } from "../db/database.ts";
import { type Condition, conjunction, limitClause, nameSortKeys, orderBy, type PageSlice } from "../db/list.ts";
import { whereEditable, whereViewable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";
import { ownedConditions, ownerColumns } from "../owned/owned.store.ts";
import { applies, editsEvent, isStillNamed, seesEvent, whereAppliesTo } from "./event.rights.ts";
import type { EventRow } from "./event.wire.ts";

type EventFilter = Pick<z.output<typeof eventListQuery>, "ids" | "name" | "ownerID" | "measID" | "from" | "to">;

export const eventTable = { table: "event", sees: seesEvent } as const;

const sortable = {
  from: [sql.ref("event.first_day")],
  to: [sql.ref("event.last_day")],
  name: nameSortKeys("event"),
  owner: nameSortKeys("owner"),
  createdAt: [sql.ref("event.created_at")],
  _id: [sql.ref("event.id")],
};

/** Days since 1970, inclusive. Null is unlimited. */
type Days = { first: number | null; last: number | null };

/** The maximum length of events bounds the first day from below, which the indexes need. */
function overlaps({ first, last }: Days): Condition[] {
  return [
    ...(first === null
      ? []
      : [sql<boolean>`event.last_day >= ${first}`, sql<boolean>`event.first_day > ${first - maxEventDays}`]),
    ...(last === null ? [] : [sql<boolean>`event.first_day <= ${last}`]),
  ];
}

export function eventConditions(caller: Caller, filter: EventFilter, includeDeleted?: boolean): Condition[] {
  const { measID, from, to, ...others } = filter;
  const all = ownedConditions(eventTable, caller, others, includeDeleted);
  if (measID) {
    const isOne = sql<boolean>`l.id = any(${filterUuids(measID)}::uuid[])`;
    all.push(whereAppliesTo(conjunction([isOne, whereViewable(caller, "measurement", "l")])));
  }
  return [
    ...all,
    ...overlaps({ first: from === undefined ? null : parseDay(from), last: to === undefined ? null : parseDay(to) }),
  ];
}

/** Joins owner and locations only for the rows of the page. */
function rowQuery(caller: Caller, page: Expression<unknown>) {
  return sql<EventRow>`
    select event.*, ${ownerColumns}, ${editsEvent(caller)} as may_edit, named.locations
    from (${page}) event join account owner on owner.id = event.owner_id
    cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object('_id', l.id, 'name', l.name) order by l.name_sort, l.id), '[]') as locations
      from event_location n join location l on l.id = n.location_id
      where n.event_id = event.id and ${isStillNamed} and ${whereViewable(caller, "measurement", "l")}) named`;
}

export async function findEventPage(
  db: Reader,
  caller: Caller,
  conditions: Condition[],
  sort: SortKey[],
  part: PageSlice,
): Promise<EventRow[]> {
  const order = orderBy(sort.length > 0 ? sort : [{ field: "from", descending: true }], sortable, "event.id");
  const byOwner = sort.some(({ field }) => field === "owner");
  const owner = byOwner ? sql`join account owner on owner.id = event.owner_id` : sql``;
  const page = sql`select event.* from event ${owner} where ${conjunction(conditions)} order by ${order} ${limitClause(part)}`;
  const { rows } = await sql<EventRow>`${rowQuery(caller, page)} order by ${order}`.execute(db);
  return rows;
}

export async function findEvent(db: Reader, caller: Caller, id: string): Promise<EventRow | null> {
  const page = sql`select event.* from event where event.id = ${id} and ${conjunction(eventConditions(caller, {}))}`;
  const { rows } = await rowQuery(caller, page).execute(db);
  return rows[0] ?? null;
}

type OwnedLocation = { _id: string; name: string; owner: string };

/** Does not check rights, because the live hub does. */
export async function findEventsForLive(db: Reader, ids: string[]) {
  const { rows } = await sql<Omit<EventRow, "may_edit" | "locations"> & { named: OwnedLocation[] }>`
    select event.*, ${ownerColumns}, (
      select coalesce(jsonb_agg(jsonb_build_object('_id', l.id, 'name', l.name, 'owner', l.owner_id)
        order by l.name_sort, l.id), '[]')
      from event_location n join location l on l.id = n.location_id where n.event_id = event.id and ${isStillNamed}) as named
    from event join account owner on owner.id = event.owner_id
    where event.id = any(${ids}::uuid[]) and not event.is_deleted`.execute(db);
  return rows;
}

export async function isEditable(db: Reader, caller: Caller, id: string): Promise<boolean> {
  const { rows } = await sql`select from event where event.id = ${id} and ${editsEvent(caller)}`.execute(db);
  return rows.length > 0;
}

/** Finds the visible ones of these locations, and locks them against a change until the commit. */
export async function lockLocations(tx: Tx, caller: Caller, ids: readonly string[]): Promise<{ mayEdit: boolean }[]> {
  const { rows } = await sql<{ mayEdit: boolean }>`
    select ${whereEditable(caller, "measurement", "l")} as "mayEdit" from location l
    where l.id = any(${ids}::uuid[]) and not l.is_deleted and ${whereViewable(caller, "measurement", "l")} order by l.id for share`.execute(
    tx,
  );
  return rows;
}

/** Replaces the locations that an event names. They must be locked. */
export async function nameLocations(tx: Tx, eventId: string, ids: readonly string[]): Promise<void> {
  await tx.deleteFrom("event_location").where("event_id", "=", eventId).execute();
  if (ids.length === 0) return;
  await sql`
    insert into event_location (event_id, location_id, owner_id)
    select ${eventId}, id, owner_id from location where id = any(${ids}::uuid[])`.execute(tx);
}

/** The first key of the advisory locks. */
const limitLock = 7_305_142;

/** Counts events of an owner. Concurrent counts for this owner wait for the commit. */
export async function countEventsForLimit(tx: Tx, ownerId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(${limitLock}, hashtext(${ownerId}))`.execute(tx);
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from event where owner_id = ${ownerId} and not is_deleted`.execute(tx);
  return rows[0]?.n ?? 0;
}

export type EventPlace = { id: string; ownerId: string; ancestorIds: string[]; tags: string };
export type PlacedEvent = {
  id: string;
  name: string;
  first: number;
  last: number;
  excludeFromComparison: boolean;
};

const placedColumns = sql`event.id, event.name, event.first_day as first, event.last_day as last,
  event.exclude_from_comparison as "excludeFromComparison"`;

export async function findEventPlaces(db: Reader, caller: Caller, ids: readonly string[]): Promise<EventPlace[]> {
  const { rows } = await sql<EventPlace>`
    select l.id, l.owner_id as "ownerId", a.ancestor_ids as "ancestorIds", l.tags_search as tags
    from location l join account a on a.id = l.owner_id
    where l.id = any(${filterUuids(ids)}::uuid[]) and not l.is_deleted and ${whereViewable(caller, "measurement", "l")}`.execute(
    db,
  );
  return rows;
}

export type IncludingEvent = PlacedEvent & { ownerId: string; tag: string | null };

/** Finds events of these owners that apply to all their locations, or to those with a tag. */
export async function findIncludingEvents(
  db: Reader,
  ownerIds: readonly string[],
  days: Days,
): Promise<IncludingEvent[]> {
  const conditions = [sql<boolean>`event.owner_id = any(${ownerIds}::uuid[])`, applies, ...overlaps(days)];
  const { rows } = await sql<IncludingEvent>`
    select ${placedColumns}, event.owner_id as "ownerId", event.tag_search as tag
    from event where event.scope_kind <> 'locations' and ${conjunction(conditions)}`.execute(db);
  return rows;
}

export type NamingEvent = PlacedEvent & { locationId: string };

/** Finds events that name one of these locations, with the location. */
export async function findNamingEvents(db: Reader, locationIds: readonly string[], days: Days) {
  const conditions = [sql<boolean>`l.id = any(${locationIds}::uuid[])`, isStillNamed, applies, ...overlaps(days)];
  const { rows } = await sql<NamingEvent>`
    select ${placedColumns}, l.id as "locationId"
    from event_location n join location l on l.id = n.location_id join event on event.id = n.event_id
    where ${conjunction(conditions)}`.execute(db);
  return rows;
}
