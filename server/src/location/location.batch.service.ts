// Changes or deletes many locations in parts, each in its own transaction with its audit rows, and undoes changed tags (ADR 0015).
import { errorCode } from "@psp/contract/errors.ts";
import type { BatchReply } from "@psp/contract/kit/batch.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import type {
  LocationBatchChanges,
  LocationBatchTarget,
  TagsChange,
} from "@psp/contract/location/location.batch.api.ts";
import { findContradiction } from "@psp/contract/location/tags.ts";
import pLimit from "p-limit";
import type { Context } from "../context.ts";
import { requireFreshKey, type UnitOfWork, write } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { resolveReplay } from "../owned/change.ts";
import { requireNewOwner } from "../owned/owner.ts";
import { reloadCaller } from "../role/rights.service.ts";
import { changePart, deletePart, type Failures, undoPart } from "./location.batch-part.service.ts";
import * as store from "./location.batch.store.ts";
import { mergePlace, emptyPlace } from "./location.place.rules.ts";
import { locationReasons } from "./location.reasons.ts";
import { findTagKeys, locationConditions } from "./location.store.ts";

/** Locations per transaction; limits how long locks are held. */
const partSize = 200;
/** Locations per transaction for position changes. Smaller, because all daily sums of a moved location may have to be recomputed. */
const placedPartSize = 50;
const maxLocations = 100_000;
/** Concurrent parts per process. Kept below the pool size so that other queries are not starved. */
const inTurn = pLimit(2);
/** How long changed tags can be restored. */
const undoWindowMs = 3_600_000;

type Part = (w: UnitOfWork, caller: Caller, ids: readonly string[]) => Promise<Failures>;

export async function updateLocations(
  ctx: Context,
  caller: Caller,
  target: LocationBatchTarget,
  changes: LocationBatchChanges,
  closing: AbortSignal,
): Promise<BatchReply & { undoID?: string }> {
  await requireFreshKey(ctx, caller);
  if (changes.tags !== undefined) await requireConsistentTags(ctx, changes.tags);
  if (changes.owner !== undefined) await requireOwner(ctx, caller, changes.owner);
  if (changes.location) await mergePlace(emptyPlace, { ...changes.location, timezone: null }, ctx.clock.now());
  const size = changes.location === undefined ? partSize : placedPartSize;
  const by = changes.tags === undefined ? caller : await asFirstRequest(ctx, caller);
  const more = changes.tags === undefined ? {} : { undoID: by.request.id };
  const select = () => choose(ctx, by, target);
  const work: Part = (w, now, ids) => changePart(ctx, w, now, ids, changes);
  return runBatch(ctx, by, select, { closing, size, more }, work);
}

export async function deleteLocations(
  ctx: Context,
  caller: Caller,
  target: LocationBatchTarget,
  closing: AbortSignal,
): Promise<BatchReply> {
  await requireFreshKey(ctx, caller);
  const select = () => choose(ctx, caller, target);
  return runBatch(ctx, caller, select, { closing, size: partSize }, (w, by, ids) => deletePart(ctx, w, by, ids));
}

/** Restores the tags that the caller's batches have changed, unless they were changed again (docs/rules/locations.md#undo-of-tags). */
export async function undoTags(
  ctx: Context,
  caller: Caller,
  undoIds: readonly string[],
  closing: AbortSignal,
): Promise<BatchReply> {
  await requireFreshKey(ctx, caller);
  const since = new Date(ctx.clock.now() - undoWindowMs);
  const find = async () => requireFew(await store.selectTaggedIds(ctx.db, caller, undoIds, since, maxLocations + 1));
  const select = () => keepSelection(ctx, caller, find);
  return runBatch(ctx, caller, select, { closing, size: partSize }, (w, by, ids) => undoPart(ctx, w, by, ids, undoIds));
}

async function requireConsistentTags(ctx: Context, change: TagsChange): Promise<void> {
  const keyOf = await findTagKeys(ctx.db, [...(change.add ?? []), ...(change.remove ?? [])]);
  const tag = findContradiction(change, keyOf);
  if (tag !== undefined) throw new AppError(errorCode.invalidArgument, locationReasons.addedAndRemoved(tag));
}

/** A repeat after a crash continues under the id of the first request, so that one undo covers all parts. */
async function asFirstRequest(ctx: Context, caller: Caller): Promise<Caller> {
  if (!caller.request.idempotency) return caller;
  const id = await resolveReplay(write(ctx, under(caller, "request"), async () => caller.request.id));
  return { ...caller, request: { ...caller.request, id } };
}

/** A missing or invisible owner fails the whole batch (103). */
function requireOwner(ctx: Context, caller: Caller, owner: string): Promise<unknown> {
  return ctx.db.transaction().execute((tx) => requireNewOwner(tx, caller, owner));
}

type Run<More> = { closing: AbortSignal; size: number; more?: More };

async function runBatch<More extends object>(
  ctx: Context,
  caller: Caller,
  select: () => Promise<readonly string[]>,
  { closing, size, more }: Run<More>,
  work: Part,
): Promise<BatchReply & More> {
  const ids = await select();
  const fail: Failures = [];
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
    fail.push(...(await inTurn(() => resolveReplay(write(ctx, under(caller, `${from} to ${from + size}`), step)))));
  }
  const reply = { success: ids.length - fail.length, fail, ...(more as More) };
  return caller.request.idempotency ? resolveReplay(write(ctx, caller, async () => reply)) : reply;
}

async function partOf(w: UnitOfWork, caller: Caller, ids: readonly string[], work: Part): Promise<Failures> {
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

/** Returns distinct ids. */
async function choose(
  ctx: Context,
  caller: Caller,
  { measIDs, measQuery = {}, expectedCount }: LocationBatchTarget,
): Promise<readonly string[]> {
  const asExpected = (ids: readonly string[]) => {
    requireFew(ids);
    const details = { field: "expectedCount", count: ids.length, ...locationReasons.selectionChanged(ids.length) };
    if (expectedCount !== undefined && expectedCount !== ids.length)
      throw new AppError(errorCode.invalidArgument, details, { status: 409 });
    return ids;
  };
  if (measIDs) return asExpected([...new Set(measIDs.map((id) => id.toLowerCase()))]);
  const { exclude = [], ...filter } = measQuery;
  const conditions = locationConditions(caller, filter);
  const found = () => store.selectLocationIds(ctx.db, conditions, filterUuids(exclude), maxLocations + 1);
  return keepSelection(ctx, caller, async () => asExpected(await found()));
}

function requireFew(ids: readonly string[]): readonly string[] {
  if (ids.length > maxLocations) throw new AppError(errorCode.invalidArgument, locationReasons.tooMany(maxLocations));
  return ids;
}

/** Stores the found ids with the idempotency key, because a repeated query could find others. */
async function keepSelection(
  ctx: Context,
  caller: Caller,
  find: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  return caller.request.idempotency ? resolveReplay(write(ctx, under(caller, "selection"), find)) : find();
}
