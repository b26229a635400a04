// Use cases of events; each checks rights and rules, writes in a transaction and publishes.
import { dateOfDay, parseDay } from "@psp/contract/counts/count-range.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type * as calls from "@psp/contract/event/event.api.ts";
import { type EventChange, findPeriodFault, maxEventsPerOwner } from "@psp/contract/event/event.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { countRows } from "../db/list.ts";
import { write } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { uuidv7 } from "../kit/uuid.ts";
import {
  changeOwned,
  checkCreate,
  checkDelete,
  createOwned,
  deleteOwned,
  lockForChange,
  toOwnedResponse,
} from "../owned/change.ts";
import { lockOwned } from "../owned/owned.store.ts";
import { getOwner, type OwnerWithPath } from "../owned/owner.ts";
import { events } from "./event.noun.ts";
import { eventReasons } from "./event.reasons.ts";
import { placeEvents } from "./event.rules.ts";
import * as store from "./event.store.ts";
import { toEvent } from "./event.wire.ts";

export async function listEvents(
  ctx: Context,
  caller: Caller,
  { skip = 0, limit = ctx.config.pageSize, ...query }: HandlerInput<typeof calls.listEvents>["query"],
) {
  const { includeTotals, includeDeleted, sortBy, sortDesc, ...filter } = query;
  const conditions = store.eventConditions(caller, filter, includeDeleted);
  const [rows, total] = await Promise.all([
    store.findEventPage(ctx.db, caller, conditions, sortKeys({ sortBy, sortDesc }), { skip, limit }),
    includeTotals ? countRows(ctx.db, "event", conditions) : undefined,
  ]);
  const objects = rows.map((row) => toEvent(ctx, row));
  return total === undefined ? { objects } : { objects, total };
}

type Scope = NonNullable<EventChange["scope"]>;
/** The named locations that a change refers to; null if it names none. */
type Named = { mayEdit: boolean }[] | null;

export async function createEvent(ctx: Context, caller: Caller, input: HandlerInput<typeof calls.createEvent>["body"]) {
  return write(ctx, caller, async (w) => {
    const ownerId = input.scope.owner ?? input.owner ?? caller.id;
    const { owner } = await checkCreate(events, w.tx, caller, ownerId, {
      refer: () => requireLocations(w.tx, caller, input.scope),
      mayCreate(owner, named) {
        // Otherwise anyone could flood another account with events.
        const isOwn = owner.id === caller.id && maysEditAll(named);
        if (!isOwn && !canEdit(caller, "measurement", owner))
          throw new AppError(errorCode.noCreate, eventReasons.create(caller, owner));
      },
      demand: (owner) => requireRoom(w.tx, owner),
    });
    const { id } = await createOwned(ctx, w, events, owner, {
      id: uuidv7(ctx.clock.now()),
      name: input.name,
      first_day: dayOf(input.from),
      last_day: dayOf(input.to),
      exclude_from_comparison: input.excludeFromComparison ?? false,
      ...scopeColumns(input.scope),
    });
    await store.nameLocations(w.tx, id, input.scope.measIDs ?? []);
    return toOwnedResponse(ctx, w.tx, events, caller, id);
  });
}

/** Omitted fields keep their values. */
export async function updateEvent(ctx: Context, caller: Caller, id: string, change: EventChange) {
  const { name, scope, excludeFromComparison } = change;
  return write(ctx, caller, async (w) => {
    const judged = await lockForChange(
      events,
      w.tx,
      caller,
      id,
      { owner: scope?.owner ?? change.owner },
      {
        mayEdit: (row, owner) => requireEditable(w.tx, caller, row.id, owner),
        refer: () => (scope ? requireLocations(w.tx, caller, scope) : Promise.resolve(null)),
        mayHandOver(_from, to) {
          if (!canEdit(caller, "measurement", to))
            throw new AppError(errorCode.noChangeOwner, eventReasons.handOverTo(caller, to));
        },
        demand: (row, named, to) => demandChange(w.tx, caller, { ownerId: row.owner_id, scope, named, to }),
      },
    );
    const { row } = judged;
    const from = change.from ?? dateOfDay(row.first_day);
    const to = change.to ?? dateOfDay(row.last_day);
    const fault = findPeriodFault(from, to);
    if (fault !== null) throw new AppError(errorCode.invalidArgument, { field: "to", reason: `${fault}.` });
    if (scope) await store.nameLocations(w.tx, id, scope.measIDs ?? []);
    await changeOwned(ctx, w, events, judged, {
      ...(name !== undefined ? { name } : {}),
      first_day: dayOf(from),
      last_day: dayOf(to),
      ...(scope !== undefined ? scopeColumns(scope) : {}),
      ...(excludeFromComparison !== undefined ? { exclude_from_comparison: excludeFromComparison } : {}),
    });
    return toOwnedResponse(ctx, w.tx, events, caller, id);
  });
}

export async function deleteEvent(ctx: Context, caller: Caller, id: string) {
  return write(ctx, caller, async (w) => {
    const row = await lockOwned(w.tx, events, caller, id);
    const judged = await checkDelete(events, w.tx, caller, row, (event, owner) =>
      requireEditable(w.tx, caller, event.id, owner),
    );
    return deleteOwned(ctx, w, events, judged);
  });
}

const dayOf = (date: string): number => parseDay(date) ?? 0;

function scopeColumns({ measIDs, tag }: Scope) {
  const kind = measIDs ? "locations" : tag === undefined ? "owner" : "tag";
  return { scope_kind: kind, location_ids: measIDs ?? [], tag: tag ?? null } as const;
}

const maysEditAll = (named: Named) => named?.every(({ mayEdit }) => mayEdit) ?? false;

/** Throws 105 unless all named locations are visible. */
async function requireLocations(tx: Tx, caller: Caller, { measIDs }: Scope): Promise<Named> {
  if (!measIDs) return null;
  const found = await store.lockLocations(tx, caller, measIDs);
  if (found.length < measIDs.length) throw new AppError(errorCode.notFound, { field: "scope.measIDs" });
  return found;
}

async function requireEditable(tx: Tx, caller: Caller, id: string, owner: OwnerWithPath): Promise<void> {
  if (canEdit(caller, "measurement", owner) || (await store.isEditable(tx, caller, id))) return;
  throw new AppError(errorCode.noEdit, eventReasons.edit(caller, owner));
}

/** The right to edit named locations is not enough to change the event to other locations (305). */
async function demandChange(
  tx: Tx,
  caller: Caller,
  { ownerId, scope, named, to }: { ownerId: string; scope: Scope | undefined; named: Named; to: OwnerWithPath | null },
): Promise<void> {
  if (to) return requireRoom(tx, to);
  if (!scope || maysEditAll(named)) return;
  const owner = await getOwner(tx, ownerId);
  if (!canEdit(caller, "measurement", owner)) throw new AppError(errorCode.noEdit, eventReasons.edit(caller, owner));
}

/** Throws 102 if the account has the maximum number of events. */
async function requireRoom(tx: Tx, owner: OwnerWithPath): Promise<void> {
  if ((await store.countEventsForLimit(tx, owner.id)) >= maxEventsPerOwner)
    throw new AppError(errorCode.invalidArgument, { field: "owner", ...eventReasons.tooMany });
}

export type LocationEvent = store.PlacedEvent;

/**
 * Returns the events of each location with at least one day of the range, in order of their first days. Days count from 1970.
 * Locations that the caller may not view, and those without events, are missing. Takes 3 queries for any number of locations.
 */
export async function findEventsOfLocations(
  ctx: Context,
  caller: Caller,
  locationIds: readonly string[],
  firstDay: number,
  lastDay: number,
): Promise<Map<string, readonly LocationEvent[]>> {
  const days = { first: firstDay, last: lastDay };
  const places = await store.findEventPlaces(ctx.db, caller, locationIds);
  if (places.length === 0) return new Map();
  const owners = new Set(places.flatMap(({ ownerId, ancestorIds }) => [ownerId, ...ancestorIds]));
  const [including, naming] = await Promise.all([
    store.findIncludingEvents(ctx.db, [...owners], days),
    store.findNamingEvents(
      ctx.db,
      places.map(({ id }) => id),
      days,
    ),
  ]);
  return placeEvents(places, including, naming);
}
