// Use cases about locations: right, rule, transaction, announcement, in this order, always.
import { type SortKey, sortKeys } from "@psp/contract/kit/page.ts";
import type { Received } from "@psp/contract/kit/endpoint.ts";
import type * as calls from "@psp/contract/location/location.api.ts";
import type { Location, LocationChange } from "@psp/contract/location/location.ts";
import { canChangeOwner, canCreateFor, canDelete, canEdit, isRoot } from "@psp/contract/permission/can.ts";
import type { IdReply } from "@psp/contract/kit/id-reply.ts";
import { ownerOf, requireNewOwner } from "../owned/owner.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { redrawDaysOfLocation } from "../count/rollup.service.ts";
import type { Tx } from "../db/database.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { bumped, checkVersion, type Write, write } from "../db/write.ts";
import { requireAssignableSensor, unassignSensors } from "../sensor/assignment.service.ts";
import { changedPlace, nowhere, type StoredPlace } from "./location.place.ts";
import { locationReasons } from "./location.reasons.ts";
import * as store from "./location.store.ts";
import { locationTrail, toLocation, toPlace } from "./location.wire.ts";

type ListInput = Received<typeof calls.listLocations>["query"];

/** The list with its total on request, all ids as a ready JSON text, or all places for the map (spec 3 §7). */
export async function listLocations(ctx: Context, caller: Caller, query: ListInput) {
  const {
    skip = 0,
    limit = ctx.config.pageSize,
    includeTotals,
    includeDeleted,
    onlyIDs,
    onlyLocation,
    ...rest
  } = query;
  const { sortBy, sortDesc, ...filter } = rest;
  const conditions = store.locationConditions(caller, filter, includeDeleted);
  if (onlyIDs && onlyLocation) {
    const places = await store.findPlaces(ctx.db, conditions);
    return { page: { objects: places.map((row) => ({ _id: row.id, location: toPlace(row) })) } };
  }
  if (onlyIDs) return { ids: await store.locationIdsJson(ctx.db, conditions) };
  const sort: SortKey[] = sortKeys({ sortBy, sortDesc });
  const unfiltered = !includeDeleted && Object.values(filter).every((value) => value === undefined);
  const [rows, total] = await Promise.all([
    store.findLocationPage(ctx.db, caller, conditions, sort, { skip, limit }),
    includeTotals ? store.countLocations(ctx.db, caller, conditions, unfiltered) : undefined,
  ]);
  const objects = rows.map((row) => toLocation(ctx, row));
  return { page: total === undefined ? { objects } : { objects, total } };
}

/** How many visible locations hold the occupancy licence, and how many do not. */
export async function locationStats(ctx: Context, caller: Caller) {
  const rows = await store.countByOccupancyLicense(ctx.db, caller);
  return { totalByOccupancyLicense: rows.map(({ licensed, n }) => ({ _id: licensed, count: n })) };
}

/** One visible location; what may not be seen is not there (105). */
export async function getLocation(ctx: Context, caller: Caller, id: string): Promise<Location> {
  const row = await store.findLocation(ctx.db, caller, id);
  if (!row) throw new AppError(105);
  return toLocation(ctx, row);
}

/** Makes a location; with `sensorID` that sensor is assigned to it in the same step (decisions 13). */
export async function createLocation(
  ctx: Context,
  caller: Caller,
  input: Received<typeof calls.createLocation>["body"],
): Promise<Location | IdReply> {
  // Before the transaction: the first look-up of a zone reads big files.
  const place = await changedPlace(nowhere, input.location);
  return write(ctx, caller, async (w) => {
    const owner = await requireNewOwner(w.tx, caller, input.owner);
    const sensor =
      input.sensorID === undefined ? null : await requireAssignableSensor(w, caller, input.sensorID, owner);
    if (!canCreateFor(caller, "measurement", owner)) throw new AppError(303, locationReasons.create(caller, owner));
    await sensor?.requireRights();
    const id = uuidv7(ctx.clock.now());
    const made = await w.tx
      .insertInto("location")
      .values({
        id,
        owner_id: owner.id,
        owner_path: owner.path,
        name: input.name,
        tags: [...new Set(input.tags)],
        ...asColumns(place),
        created_at: ctx.clock.date(),
        updated_at: ctx.clock.date(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    w.audit({ action: "create", object: { type: "measurement", _id: id }, owner, after: locationTrail(made) });
    w.announce({
      name: "entityChanged",
      event: { type: "measurement", op: "create", id, ownerBefore: null, ownerAfter: owner.id },
    });
    await sensor?.assignTo(ctx, id);
    return answer(ctx, w.tx, caller, id);
  });
}

/** Changes what a person may change of a location; omitted fields stay, null clears (decisions 3). */
export async function updateLocation(
  ctx: Context,
  caller: Caller,
  id: string,
  change: LocationChange,
): Promise<Location | IdReply> {
  return write(ctx, caller, async (w) => {
    const location = await requireEditable(w.tx, caller, id);
    const before = locationTrail(location);
    const to =
      change.owner !== undefined && change.owner !== location.owner_id
        ? await requireNewOwner(w.tx, caller, change.owner)
        : null;
    const from = to && (await ownerOf(w.tx, location.owner_id));
    if (to && from && !canChangeOwner(caller, "measurement", from, to))
      throw new AppError(302, locationReasons.handOver(caller, from, to));
    checkVersion(caller, location.version);
    const place = await changedPlace(location, change.location);
    const after = await w.tx
      .updateTable("location")
      .set({
        ...bumped(ctx),
        ...(change.name !== undefined ? { name: change.name } : {}),
        ...(to ? { owner_id: to.id, owner_path: to.path } : {}),
        ...(change.location !== undefined ? asColumns(place) : {}),
        ...(change.tags !== undefined ? { tags: [...new Set(change.tags)] } : {}),
      })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (after.timezone !== location.timezone)
      await redrawDaysOfLocation(w.tx, after.id, location.timezone, ctx.clock.now());
    tell(w, "update", after, location.owner_id, before);
    return answer(ctx, w.tx, caller, id);
  });
}

/** Deletes a location: its sensors become unassigned, its datapoints stay under them (decisions 13). */
export async function deleteLocation(ctx: Context, caller: Caller, id: string): Promise<{ _id: string }> {
  return write(ctx, caller, async (w) => {
    const location = await store.lockLocation(w.tx, caller, id);
    if (!location) throw new AppError(105);
    const owner = await ownerOf(w.tx, location.owner_id);
    if (!canDelete(caller, "measurement", owner)) throw new AppError(304, locationReasons.remove(caller, owner));
    checkVersion(caller, location.version);
    await w.tx
      .updateTable("location")
      .set({ ...bumped(ctx), is_deleted: true })
      .where("id", "=", id)
      .execute();
    w.audit({
      action: "delete",
      object: { type: "measurement", _id: location.id },
      owner,
      before: locationTrail(location),
    });
    w.announce({
      name: "entityChanged",
      event: { type: "measurement", op: "delete", id: location.id, ownerBefore: owner.id, ownerAfter: owner.id },
    });
    await unassignSensors(ctx, w, location.id);
    return { _id: location.id };
  });
}

type Licenses = Received<typeof calls.grantLocationLicenses>["body"];

/** The operator grants or withdraws licences; nobody else may (306). */
export async function grantLicenses(
  ctx: Context,
  caller: Caller,
  id: string,
  licenses: Licenses,
): Promise<Location | IdReply> {
  return write(ctx, caller, async (w) => {
    const location = await store.lockLocation(w.tx, caller, id);
    if (!location) throw new AppError(105);
    if (!isRoot(caller)) throw new AppError(306, locationReasons.onlyOperator);
    checkVersion(caller, location.version);
    const { buildings, occupancyMeasurement } = licenses;
    const after = await w.tx
      .updateTable("location")
      .set({
        ...bumped(ctx),
        ...(buildings !== undefined ? { license_buildings: buildings } : {}),
        ...(occupancyMeasurement !== undefined ? { license_occupancy: occupancyMeasurement } : {}),
      })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow();
    tell(w, "grantLicenses", after, location.owner_id, locationTrail(location));
    return answer(ctx, w.tx, caller, id);
  });
}

async function requireEditable(tx: Tx, caller: Caller, id: string) {
  const location = await store.lockLocation(tx, caller, id);
  if (!location) throw new AppError(105);
  const owner = await ownerOf(tx, location.owner_id);
  if (!canEdit(caller, "measurement", owner)) throw new AppError(305, locationReasons.edit(caller, owner));
  return location;
}

function asColumns({ address, ...point }: StoredPlace) {
  return { ...point, address: address && JSON.stringify(address) };
}

type Stored = NonNullable<Awaited<ReturnType<typeof store.lockLocation>>>;

function tell(w: Write, action: string, after: Stored, ownerBefore: string, before: unknown) {
  const owner = { id: after.owner_id, path: after.owner_path };
  w.audit({ action, object: { type: "measurement", _id: after.id }, owner, before, after: locationTrail(after) });
  w.announce({
    name: "entityChanged",
    event: { type: "measurement", op: "update", id: after.id, ownerBefore, ownerAfter: owner.id },
  });
}

/** What the caller gets back: the object if they may see it, at least its id. */
async function answer(ctx: Context, tx: Tx, caller: Caller, id: string): Promise<Location | IdReply> {
  const row = await store.findLocation(tx, caller, id);
  return row ? toLocation(ctx, row) : { _id: id };
}
