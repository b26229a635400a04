// Changing or deleting many locations: chosen once, then part by part, each part one transaction with its audit rows (ADR 0015).
import { errorCode, errorEntry } from "@psp/contract/errors.ts";
import type { BatchReply } from "@psp/contract/kit/batch.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { refusalDetails } from "@psp/contract/kit/refusal.ts";
import type { LocationBatchChanges, LocationBatchTarget } from "@psp/contract/location/location.batch.api.ts";
import pLimit from "p-limit";
import type { Context } from "../context.ts";
import { holdDaysOfLocations, redrawDaysOfLocation } from "../count/rollup.service.ts";
import { requireFreshKey, type Write, write } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { judgeChange, judgeDelete, noteChange, noteDeletion, type OwnerLookUp, orReplayed } from "../owned/change.ts";
import { findOwners, ownerOf, requireNewOwner } from "../owned/owner.ts";
import { refreshed } from "../role/rights.service.ts";
import { unassignSensors } from "../sensor/change/assignment.service.ts";
import * as store from "./location.batch.store.ts";
import { locations } from "./location.noun.ts";
import { changedPlace, nowhere } from "./location.place.rules.ts";
import { locationReasons } from "./location.reasons.ts";
import { locationConditions } from "./location.store.ts";

/** Locations per transaction: no one waits long for their locks. */
const partSize = 200;
/** A place that changes may redraw all days ever counted there. */
const placedPartSize = 50;
const maxLocations = 100_000;
/** Parts at work at the same time in this process; everything else goes on over the other connections. */
const inTurn = pLimit(2);

type Failures = BatchReply["fail"];
/** Does one part: what it could not do is the answer. */
type Part = (w: Write, caller: Caller, ids: readonly string[]) => Promise<Failures>;

/** Gives many locations an owner or an address; each is judged on its own. */
export async function updateLocations(
  ctx: Context,
  caller: Caller,
  target: LocationBatchTarget,
  changes: LocationBatchChanges,
  closing: AbortSignal,
): Promise<BatchReply> {
  await requireFreshKey(ctx, caller);
  if (changes.owner !== undefined) await requireOwner(ctx, caller, changes.owner);
  // Coordinates off the earth are wrong for all of them.
  if (changes.location) await changedPlace(nowhere, { ...changes.location, timezone: null }, ctx.clock.now());
  const size = changes.location === undefined ? partSize : placedPartSize;
  return runBatch(ctx, caller, target, { closing, size }, (w, by, ids) => changePart(ctx, w, by, ids, changes));
}

/** Deletes many locations; their sensors stay, unassigned. */
export async function deleteLocations(
  ctx: Context,
  caller: Caller,
  target: LocationBatchTarget,
  closing: AbortSignal,
): Promise<BatchReply> {
  await requireFreshKey(ctx, caller);
  return runBatch(ctx, caller, target, { closing, size: partSize }, (w, by, ids) => deletePart(ctx, w, by, ids));
}

/** An owner that is missing or may not be seen is wrong for all of them (103). */
function requireOwner(ctx: Context, caller: Caller, owner: string): Promise<unknown> {
  return ctx.db.transaction().execute((tx) => requireNewOwner(tx, caller, owner));
}

async function runBatch(
  ctx: Context,
  caller: Caller,
  target: LocationBatchTarget,
  { closing, size }: { closing: AbortSignal; size: number },
  work: Part,
): Promise<BatchReply> {
  const ids = await choose(ctx, caller, target);
  const fail: Failures = [];
  for (let from = 0; from < ids.length; from += size) {
    if (closing.aborted) {
      const reason = "The server is stopping: what is left can be asked for again";
      throw new AppError(
        errorCode.internalError,
        { reason, done: from },
        { status: 503, headers: { "retry-after": "10" } },
      );
    }
    const part = ids.slice(from, from + size);
    const step = (w: Write) => partOf(w, caller, part, work);
    fail.push(...(await inTurn(() => orReplayed(write(ctx, under(caller, `${from} to ${from + size}`), step)))));
  }
  const reply = { success: ids.length - fail.length, fail };
  return caller.request.idempotency ? orReplayed(write(ctx, caller, async () => reply)) : reply;
}

async function partOf(w: Write, caller: Caller, ids: readonly string[], work: Part): Promise<Failures> {
  // A batch may last: rights that are taken away meanwhile are gone for the rest of it. A version is that of one object.
  const by = await refreshed(w.tx, { ...caller, request: { ...caller.request, ifMatch: null } });
  return work(w, by, ids);
}

/** The caller with a key of their own for one step: after a crash a repeat finds what was done, and goes on from there. */
function under(caller: Caller, step: string): Caller {
  const { idempotency } = caller.request;
  if (!idempotency) return caller;
  // No header carries a line break: no request can have a key like this one.
  const own = { key: `${idempotency.key}\n${step}`, hash: idempotency.hash };
  return { ...caller, request: { ...caller.request, idempotency: own } };
}

/** The locations that are meant, each once. What a query chose is kept with the key: later it would choose others. */
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
  const found = () => store.chooseLocations(ctx.db, conditions, filterUuids(exclude), maxLocations + 1);
  if (!caller.request.idempotency) return asExpected(await found());
  return orReplayed(write(ctx, under(caller, "selection"), async () => asExpected(await found())));
}

async function changePart(
  ctx: Context,
  w: Write,
  caller: Caller,
  ids: readonly string[],
  { owner, location }: LocationBatchChanges,
): Promise<Failures> {
  const rows = await store.lockLocations(w.tx, caller, filterUuids(ids));
  const owners = await ownersOf(w, rows);
  const changed: store.Changed[] = [];
  const fail = await eachOf(ids, async (id) => {
    const { row, to } = await judgeChange(locations, w.tx, caller, rows.get(id), { owner }, {}, owners);
    const place = await changedPlace(row, location, ctx.clock.now());
    const { lat, lng, timezone, address, country } = place;
    const owning = to
      ? { owner_id: to.id, owner_path: to.path }
      : { owner_id: row.owner_id, owner_path: row.owner_path };
    changed.push({ id, ...owning, lat, lng, timezone, address, country });
  });
  const saved = await store.saveLocations(w.tx, ctx.clock.date(), changed);
  const moved = [...saved].filter(([id, after]) => rows.get(id)?.timezone !== after.timezone).map(([id]) => id);
  await holdDaysOfLocations(w.tx, moved);
  for (const [id, after] of saved) {
    const before = rows.get(id);
    if (!before) continue;
    noteChange(w, locations, before, after);
    if (after.timezone !== before.timezone) await redrawDaysOfLocation(w.tx, id, before.timezone, ctx.clock.now());
  }
  return fail;
}

async function deletePart(ctx: Context, w: Write, caller: Caller, ids: readonly string[]): Promise<Failures> {
  const rows = await store.lockLocations(w.tx, caller, filterUuids(ids));
  const owners = await ownersOf(w, rows);
  const deleted: string[] = [];
  const fail = await eachOf(ids, async (id) => {
    noteDeletion(w, locations, await judgeDelete(locations, w.tx, caller, rows.get(id), undefined, owners));
    deleted.push(id);
  });
  await store.markDeleted(w.tx, ctx.clock.date(), deleted);
  await unassignSensors(ctx, w, caller, deleted);
  return fail;
}

/** All owners of a part by one question, and the new one, locked, by another. */
async function ownersOf(w: Write, rows: ReadonlyMap<string, { owner_id: string }>): Promise<OwnerLookUp> {
  const found = await findOwners(w.tx, [...new Set([...rows.values()].map((row) => row.owner_id))]);
  let newOwner: ReturnType<typeof requireNewOwner> | undefined;
  return {
    ownerOf: async (reader, id) => found.get(id) ?? ownerOf(reader, id),
    requireNewOwner: (...asked) => (newOwner ??= requireNewOwner(...asked)),
  };
}

/** Judges one after the other; what is refused is noted, what breaks ends the part. */
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
