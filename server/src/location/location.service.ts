// Use cases about locations: right, rule, transaction, announcement, in this order, always.
import { type SortKey, sortKeys } from "@psp/contract/kit/page.ts";
import type { Received } from "@psp/contract/kit/endpoint.ts";
import type * as calls from "@psp/contract/location/location.api.ts";
import type { Location, LocationChange } from "@psp/contract/location/location.ts";
import { isRoot } from "@psp/contract/permission/can.ts";
import type { IdReply } from "@psp/contract/kit/id-reply.ts";
import {
  answerOwned,
  changeOwned,
  createOwned,
  deleteOwned,
  getOwned,
  judgeChange,
  judgeDelete,
  judgeNew,
} from "../owned/change.ts";
import { lockOwned } from "../owned/owned.store.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { redrawDaysOfLocation } from "../count/rollup.service.ts";
import { idsJson } from "../db/list.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { checkVersion, write } from "../db/write.ts";
import { requireAssignableSensor, unassignSensors } from "../sensor/change/assignment.service.ts";
import { changedPlace, nowhere, type StoredPlace } from "./location.place.rules.ts";
import { locations } from "./location.noun.ts";
import { locationReasons } from "./location.reasons.ts";
import * as store from "./location.store.ts";
import { toLocation, toPlace } from "./location.wire.ts";

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
  if (onlyIDs) return { ids: await idsJson(ctx.db, "location", conditions) };
  const sort: SortKey[] = sortKeys({ sortBy, sortDesc });
  const unfiltered = !includeDeleted && Object.values(filter).every((value) => value === undefined);
  const [rows, total] = await Promise.all([
    store.findLocationPage(ctx.db, caller, conditions, sort, { skip, limit }),
    includeTotals ? store.countLocations(ctx.db, caller, conditions, unfiltered) : undefined,
  ]);
  const objects = rows.map((row) => toLocation(ctx, row));
  return { page: total === undefined ? { objects } : { objects, total } };
}

/** How many visible locations hold the occupancy license, and how many do not. */
export async function locationStats(ctx: Context, caller: Caller) {
  const rows = await store.countByOccupancyLicense(ctx.db, caller);
  return { totalByOccupancyLicense: rows.map(({ licensed, n }) => ({ _id: licensed, count: n })) };
}

export async function getLocation(ctx: Context, caller: Caller, id: string): Promise<Location> {
  return getOwned(ctx, locations, caller, id);
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
    const { owner, refs: sensor } = await judgeNew(locations, w.tx, caller, input.owner, {
      refer: async (owner) =>
        input.sensorID === undefined ? null : requireAssignableSensor(w, caller, input.sensorID, owner),
      demand: (_, sensor) => sensor?.requireRights(),
    });
    const columns = { name: input.name, tags: [...new Set(input.tags)], ...asColumns(place) };
    const { id } = await createOwned(ctx, w, locations, owner, { id: uuidv7(ctx.clock.now()), ...columns });
    await sensor?.assignTo(ctx, id);
    return answerOwned(ctx, w.tx, locations, caller, id);
  });
}

/** Changes what a person may change of a location; omitted fields stay, null clears (decisions 3). */
export async function updateLocation(ctx: Context, caller: Caller, id: string, change: LocationChange) {
  return write(ctx, caller, async (w) => {
    const judged = await judgeChange(locations, w.tx, caller, await lockOwned(w.tx, locations, caller, id), change);
    const { row } = judged;
    const place = await changedPlace(row, change.location);
    const after = await changeOwned(ctx, w, locations, judged, {
      ...(change.name !== undefined ? { name: change.name } : {}),
      ...(change.location !== undefined ? asColumns(place) : {}),
      ...(change.tags !== undefined ? { tags: [...new Set(change.tags)] } : {}),
    });
    if (after.timezone !== row.timezone) await redrawDaysOfLocation(w.tx, id, row.timezone, ctx.clock.now());
    return answerOwned(ctx, w.tx, locations, caller, id);
  });
}

/** Deletes a location: its sensors become unassigned, its datapoints stay under them (decisions 13). */
export async function deleteLocation(ctx: Context, caller: Caller, id: string): Promise<{ _id: string }> {
  return write(ctx, caller, async (w) => {
    const judged = await judgeDelete(locations, w.tx, caller, await lockOwned(w.tx, locations, caller, id));
    const deleted = await deleteOwned(ctx, w, locations, judged);
    await unassignSensors(ctx, w, caller, id);
    return deleted;
  });
}

type Licenses = Received<typeof calls.grantLocationLicenses>["body"];

/** The operator grants or withdraws licenses; no one else may (306). */
export async function grantLicenses(
  ctx: Context,
  caller: Caller,
  id: string,
  { buildings, occupancyMeasurement }: Licenses,
): Promise<Location | IdReply> {
  return write(ctx, caller, async (w) => {
    const row = await lockOwned(w.tx, locations, caller, id);
    if (!row) throw new AppError(105);
    if (!isRoot(caller)) throw new AppError(306, locationReasons.onlyOperator);
    checkVersion(caller, row.version);
    const columns = {
      ...(buildings !== undefined ? { license_buildings: buildings } : {}),
      ...(occupancyMeasurement !== undefined ? { license_occupancy: occupancyMeasurement } : {}),
    };
    await changeOwned(ctx, w, locations, { row, to: null }, columns, "grantLicenses");
    return answerOwned(ctx, w.tx, locations, caller, id);
  });
}

function asColumns({ address, ...point }: StoredPlace) {
  return { ...point, address: address && JSON.stringify(address) };
}
