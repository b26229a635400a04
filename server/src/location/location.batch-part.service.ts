// Processes one part of a location batch: judges each location on its own, writes the permitted ones, and returns the failures.
import { errorCode, errorEntry } from "@psp/contract/errors.ts";
import type { BatchReply } from "@psp/contract/kit/batch.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { refusalDetails } from "@psp/contract/kit/refusal.ts";
import type { LocationBatchChanges, TagsChange } from "@psp/contract/location/location.batch.api.ts";
import { maxTags } from "@psp/contract/location/location.ts";
import { applyTagsChange } from "@psp/contract/location/tags.ts";
import type { Context } from "../context.ts";
import { lockCountersOfLocations, rebuildSumsOfLocation } from "../count/rollup.service.ts";
import type { Tx } from "../db/database.ts";
import type { UnitOfWork } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { checkChange, checkDelete, publishChange, publishDeletion, type OwnerLookUp } from "../owned/change.ts";
import { changedMeanwhile } from "../owned/owned.reasons.ts";
import { findOwners, getOwner, requireNewOwner } from "../owned/owner.ts";
import { removeSensorsFromLocations } from "../sensor/change/assignment.service.ts";
import * as store from "./location.batch.store.ts";
import { locations } from "./location.noun.ts";
import { mergePlace } from "./location.place.rules.ts";
import { locationReasons } from "./location.reasons.ts";
import { findTagKeys } from "./location.store.ts";

export type Failures = BatchReply["fail"];
type Rows = Awaited<ReturnType<typeof store.lockLocations>>;

export async function changePart(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  ids: readonly string[],
  { owner, location, tags, openingHours }: LocationBatchChanges,
): Promise<Failures> {
  const rows = await store.lockLocations(w.tx, caller, filterUuids(ids));
  const owners = await ownersOf(w, rows);
  const tagsAfter = await planTags(w.tx, rows, tags);
  const changed: store.LocationBatchColumns[] = [];
  const fail = await eachOf(ids, async (id) => {
    const { row, to } = await checkChange(locations, w.tx, caller, rows.get(id), { owner }, {}, owners);
    const place = await mergePlace(row, location, ctx.clock.now());
    const { lat, lng, timezone, address, country } = place;
    const owning = to ? { owner_id: to.id, owner_path: to.path } : {};
    const placed = { lat, lng, timezone, address, country };
    const hours = openingHours === undefined ? {} : { opening_hours: openingHours };
    changed.push({ ...columnsOf(row), ...owning, ...placed, tags: tagsAfter(row.tags), ...hours });
  });
  await saveChanged(ctx, w, rows, changed);
  return fail;
}

/** Returns a function that gives a location its new tags, or refuses if they are too many. */
async function planTags(tx: Tx, rows: Rows, change: TagsChange | undefined) {
  if (change === undefined) return (present: string[]) => present;
  const { add = [], remove = [], replace = [] } = change;
  const present = [...rows.values()].flatMap(({ tags }) => tags);
  const keyOf = await findTagKeys(tx, [...present, ...add, ...remove, ...replace]);
  return (before: string[]) => {
    const after = applyTagsChange(before, change, keyOf);
    if (after.length <= maxTags) return after;
    throw new AppError(errorCode.invalidArgument, locationReasons.tooManyTags(after.length, maxTags));
  };
}

/** Restores tags and hours of these locations from before the requests. Locations where they were changed since then fail. */
export async function undoPart(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  ids: readonly string[],
  requestIds: readonly string[],
): Promise<Failures> {
  const rows = await store.lockLocations(w.tx, caller, filterUuids(ids));
  const owners = await ownersOf(w, rows);
  const former = await store.findFormerValues(w.tx, caller, requestIds, ids);
  const changed: store.LocationBatchColumns[] = [];
  const late: Failures = [];
  const fail = await eachOf(ids, async (id) => {
    const { row } = await checkChange(locations, w.tx, caller, rows.get(id), {}, {}, owners);
    const values = former.get(id);
    const restored = values === undefined ? null : restore(row, values);
    if (restored !== null) changed.push({ ...columnsOf(row), ...restored });
    else late.push({ id, errMessage: changedMeanwhile });
  });
  await saveChanged(ctx, w, rows, changed);
  return [...fail, ...late];
}

/** Returns the values that the requests have changed as they were before; null if one was changed again. */
function restore(
  row: store.RestorableValues,
  { before, after }: store.FormerValues,
): Partial<store.RestorableValues> | null {
  const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  const fields = (["tags", "opening_hours"] as const).filter((field) => !isSame(before[field], after[field]));
  if (!fields.every((field) => isSame(after[field], row[field]))) return null;
  return Object.fromEntries(fields.map((field) => [field, before[field]]));
}

function columnsOf(row: store.LocationBatchColumns): store.LocationBatchColumns {
  const { id, owner_id, owner_path, lat, lng, timezone, address, country, tags } = row;
  return { id, owner_id, owner_path, lat, lng, timezone, address, country, tags };
}

async function saveChanged(ctx: Context, w: UnitOfWork, rows: Rows, changed: readonly store.LocationBatchColumns[]) {
  const saved = await store.saveLocations(w.tx, ctx.clock.date(), changed);
  const moved = [...saved].filter(([id, after]) => rows.get(id)?.timezone !== after.timezone).map(([id]) => id);
  await lockCountersOfLocations(w.tx, moved);
  for (const [id, after] of saved) {
    const before = rows.get(id);
    if (!before) continue;
    publishChange(w, locations, before, after);
    if (after.timezone !== before.timezone) await rebuildSumsOfLocation(w.tx, id, before.timezone, ctx.clock.now());
  }
}

export async function deletePart(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  ids: readonly string[],
): Promise<Failures> {
  const rows = await store.lockLocations(w.tx, caller, filterUuids(ids));
  const owners = await ownersOf(w, rows);
  const deleted: string[] = [];
  const fail = await eachOf(ids, async (id) => {
    publishDeletion(w, locations, await checkDelete(locations, w.tx, caller, rows.get(id), undefined, owners));
    deleted.push(id);
  });
  await store.markLocationsDeleted(w.tx, ctx.clock.date(), deleted);
  await removeSensorsFromLocations(ctx, w, caller, deleted);
  return fail;
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
