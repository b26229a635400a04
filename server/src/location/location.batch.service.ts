// Changes or deletes many locations in parts, each in its own transaction with its audit rows (ADR 0015).
import { errorCode, errorEntry } from "@psp/contract/errors.ts";
import type { BatchReply } from "@psp/contract/kit/batch.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { refusalDetails } from "@psp/contract/kit/refusal.ts";
import type {
  FormerHours,
  LocationBatchChanges,
  LocationBatchReply,
  LocationBatchTarget,
} from "@psp/contract/location/location.batch.api.ts";
import pLimit from "p-limit";
import type { Context } from "../context.ts";
import { lockCountersOfLocations, rebuildSumsOfLocation } from "../count/rollup.service.ts";
import { requireFreshKey, type UnitOfWork, write } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import {
  checkChange,
  checkDelete,
  publishChange,
  publishDeletion,
  type OwnerLookUp,
  resolveReplay,
} from "../owned/change.ts";
import { requireKnownCalendar } from "../opening/opening.service.ts";
import { findOwners, getOwner, requireNewOwner } from "../owned/owner.ts";
import { reloadCaller } from "../role/rights.service.ts";
import { removeSensorsFromLocations } from "../sensor/change/assignment.service.ts";
import * as store from "./location.batch.store.ts";
import { locations } from "./location.noun.ts";
import { formerHoursOf, mergeFormerHours } from "./location.hours.rules.ts";
import { mergePlace, emptyPlace } from "./location.place.rules.ts";
import { locationReasons } from "./location.reasons.ts";
import { locationConditions } from "./location.store.ts";

/** Locations per transaction; limits how long locks are held. */
const partSize = 200;
/** Locations per transaction for position changes. Smaller, because all daily sums of a moved location may have to be recomputed. */
const placedPartSize = 50;
const maxLocations = 100_000;
/** Concurrent parts per process. Kept below the pool size so that other queries are not starved. */
const inTurn = pLimit(2);

type Failures = BatchReply["fail"];
type Outcome = { fail: Failures; formerHours?: FormerHours };
type Part = (w: UnitOfWork, caller: Caller, ids: readonly string[]) => Promise<Outcome>;

export async function updateLocations(
  ctx: Context,
  caller: Caller,
  target: LocationBatchTarget,
  changes: LocationBatchChanges,
  closing: AbortSignal,
): Promise<LocationBatchReply> {
  await requireFreshKey(ctx, caller);
  if (changes.owner !== undefined) await requireOwner(ctx, caller, changes.owner);
  requireKnownCalendar(changes.openingHours);
  if (changes.location) await mergePlace(emptyPlace, { ...changes.location, timezone: null }, ctx.clock.now());
  const size = changes.location === undefined ? partSize : placedPartSize;
  return runBatch(ctx, caller, target, { closing, size }, (w, by, ids) => changePart(ctx, w, by, ids, changes));
}

export async function deleteLocations(
  ctx: Context,
  caller: Caller,
  target: LocationBatchTarget,
  closing: AbortSignal,
): Promise<BatchReply> {
  await requireFreshKey(ctx, caller);
  return runBatch(ctx, caller, target, { closing, size: partSize }, (w, by, ids) => deletePart(ctx, w, by, ids));
}

/** A missing or invisible owner fails the whole batch (103). */
function requireOwner(ctx: Context, caller: Caller, owner: string): Promise<unknown> {
  return ctx.db.transaction().execute((tx) => requireNewOwner(tx, caller, owner));
}

async function runBatch(
  ctx: Context,
  caller: Caller,
  target: LocationBatchTarget,
  { closing, size }: { closing: AbortSignal; size: number },
  work: Part,
): Promise<LocationBatchReply> {
  const ids = await choose(ctx, caller, target);
  const outcomes: Outcome[] = [];
  for (let from = 0; from < ids.length; from += size) {
    if (closing.aborted) {
      const reason = "The server is restarting. Try the remaining items again";
      throw new AppError(
        errorCode.internalError,
        { reason, done: from },
        { status: 503, headers: { "retry-after": "10" } },
      );
    }
    const part = ids.slice(from, from + size);
    const step = (w: UnitOfWork) => partOf(w, caller, part, work);
    outcomes.push(await inTurn(() => resolveReplay(write(ctx, under(caller, `${from} to ${from + size}`), step))));
  }
  const fail = outcomes.flatMap((one) => one.fail);
  const reply = { success: ids.length - fail.length, fail, ...mergeFormerHours(outcomes) };
  return caller.request.idempotency ? resolveReplay(write(ctx, caller, async () => reply)) : reply;
}

async function partOf(w: UnitOfWork, caller: Caller, ids: readonly string[], work: Part): Promise<Outcome> {
  // Rights are read per part, because they may be revoked during the batch. If-Match is meant for single objects.
  const by = await reloadCaller(w.tx, { ...caller, request: { ...caller.request, ifMatch: null } });
  return work(w, by, ids);
}

/** Gives each step its own idempotency key, so that a repeat after a crash continues where the batch stopped. */
function under(caller: Caller, step: string): Caller {
  const { idempotency } = caller.request;
  if (!idempotency) return caller;
  // Headers can't contain a line break, so no request has such a key.
  const own = { key: `${idempotency.key}\n${step}`, hash: idempotency.hash };
  return { ...caller, request: { ...caller.request, idempotency: own } };
}

/** Returns distinct ids. Ids from a query are stored with the idempotency key, because a repeated query could find others. */
async function choose(
  ctx: Context,
  caller: Caller,
  { measIDs, measQuery = {}, expectedCount }: LocationBatchTarget,
): Promise<readonly string[]> {
  const asExpected = (ids: readonly string[]) => {
    if (ids.length > maxLocations) throw new AppError(errorCode.invalidArgument, locationReasons.tooMany(maxLocations));
    const details = { field: "expectedCount", count: ids.length, ...locationReasons.selectionChanged(ids.length) };
    if (expectedCount !== undefined && expectedCount !== ids.length)
      throw new AppError(errorCode.invalidArgument, details, { status: 409 });
    return ids;
  };
  if (measIDs) return asExpected([...new Set(measIDs.map((id) => id.toLowerCase()))]);
  const { exclude = [], ...filter } = measQuery;
  const conditions = locationConditions(caller, filter);
  const found = () => store.selectLocationIds(ctx.db, conditions, filterUuids(exclude), maxLocations + 1);
  if (!caller.request.idempotency) return asExpected(await found());
  return resolveReplay(write(ctx, under(caller, "selection"), async () => asExpected(await found())));
}

async function changePart(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  ids: readonly string[],
  { owner, location, openingHours }: LocationBatchChanges,
): Promise<Outcome> {
  const rows = await store.lockLocations(w.tx, caller, filterUuids(ids));
  const owners = await ownersOf(w, rows);
  const changed: store.LocationBatchColumns[] = [];
  const fail = await eachOf(ids, async (id) => {
    const { row, to } = await checkChange(locations, w.tx, caller, rows.get(id), { owner }, {}, owners);
    const place = await mergePlace(row, location, ctx.clock.now());
    const { lat, lng, timezone, address, country } = place;
    const owning = to
      ? { owner_id: to.id, owner_path: to.path }
      : { owner_id: row.owner_id, owner_path: row.owner_path };
    changed.push({ id, ...owning, lat, lng, timezone, address, country });
  });
  const saved = await store.saveLocations(w.tx, ctx.clock.date(), changed, openingHours);
  const moved = [...saved].filter(([id, after]) => rows.get(id)?.timezone !== after.timezone).map(([id]) => id);
  await lockCountersOfLocations(w.tx, moved);
  for (const [id, after] of saved) {
    const before = rows.get(id);
    if (!before) continue;
    publishChange(w, locations, before, after);
    if (after.timezone !== before.timezone) await rebuildSumsOfLocation(w.tx, id, before.timezone, ctx.clock.now());
  }
  return openingHours === undefined ? { fail } : { fail, formerHours: formerHoursOf(changed, rows) };
}

async function deletePart(ctx: Context, w: UnitOfWork, caller: Caller, ids: readonly string[]): Promise<Outcome> {
  const rows = await store.lockLocations(w.tx, caller, filterUuids(ids));
  const owners = await ownersOf(w, rows);
  const deleted: string[] = [];
  const fail = await eachOf(ids, async (id) => {
    publishDeletion(w, locations, await checkDelete(locations, w.tx, caller, rows.get(id), undefined, owners));
    deleted.push(id);
  });
  await store.markLocationsDeleted(w.tx, ctx.clock.date(), deleted);
  await removeSensorsFromLocations(ctx, w, caller, deleted);
  return { fail };
}

/** Loads the current owners of all rows in one query. The new owner is checked and locked only once. */
async function ownersOf(w: UnitOfWork, rows: ReadonlyMap<string, { owner_id: string }>): Promise<OwnerLookUp> {
  const found = await findOwners(w.tx, [...new Set([...rows.values()].map((row) => row.owner_id))]);
  let newOwner: ReturnType<typeof requireNewOwner> | undefined;
  return {
    ownerOf: async (reader, id) => found.get(id) ?? getOwner(reader, id),
    requireNewOwner: (...asked) => (newOwner ??= requireNewOwner(...asked)),
  };
}

async function eachOf(ids: readonly string[], judge: (id: string) => Promise<void>): Promise<Failures> {
  const fail: Failures = [];
  for (const id of ids)
    try {
      await judge(id);
    } catch (error) {
      if (!(error instanceof AppError) || error.code === errorCode.internalError) throw error;
      const details = refusalDetails.safeParse(error.details);
      const errMessage = errorEntry(error.code).message;
      fail.push({ id, errMessage, ...(details.success ? { details: details.data } : {}) });
    }
  return fail;
}
