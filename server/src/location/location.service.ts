// Use cases of locations; each checks rights and rules, writes in a transaction and publishes.
import { maxLimit, sortKeys } from "@psp/contract/kit/page.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import type * as calls from "@psp/contract/location/location.api.ts";
import type { LocationChange } from "@psp/contract/location/location.ts";
import {
  toOwnedResponse,
  changeOwned,
  createOwned,
  checkCreate,
  lockForChange,
  deleteOwnedById,
} from "../owned/change.ts";
import { distinctTags } from "@psp/contract/location/tags.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { rebuildSumsOfLocation } from "../count/rollup.service.ts";
import type { Tx } from "../db/database.ts";
import { readIdsAsJson } from "../db/list.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { write } from "../db/write.ts";
import { requireKnownCalendar } from "../opening/opening.service.ts";
import { requireAssignableSensor, removeSensorsFromLocations } from "../sensor/change/assignment.service.ts";
import { computeCurrentContactCutoff } from "../sensor/sensor.rights.ts";
import { checkApplications, notifySensors } from "./applications/location.applications.service.ts";
import { mergePlace, emptyPlace, type StoredPlace } from "./location.place.rules.ts";
import { locations } from "./location.noun.ts";
import * as store from "./location.store.ts";
import { toLocation, toPlace } from "./location.wire.ts";
import { toJsonb, toJsonbOrNull } from "../db/storable.ts";

/**
 * Returns a page of the list. With `onlyIDs` it returns all ids as JSON text; with `onlyLocation` in addition, all positions for the
 * map.
 */
export async function listLocations(
  ctx: Context,
  caller: Caller,
  { onlyIDs, onlyLocation, ...query }: HandlerInput<typeof calls.listLocations>["query"],
) {
  if (!onlyIDs) return { page: await locationPage(ctx, caller, query) };
  const { skip: _s, limit: _l, includeTotals: _t, sortBy: _b, sortDesc: _d, includeDeleted, ...filter } = query;
  const conditions = store.locationConditions(caller, filter, includeDeleted);
  if (!onlyLocation) return { ids: await readIdsAsJson(ctx.db, "location", conditions) };
  const places = await store.findPositions(ctx.db, conditions);
  return { page: { objects: places.map((row) => ({ _id: row.id, location: toPlace(row) })) } };
}

/** Returns an array, or a page if the query requests a total. A query by ids is not paged. */
export async function findLocations(
  ctx: Context,
  caller: Caller,
  query: HandlerInput<typeof calls.findLocations>["query"],
) {
  const limit = query.limit ?? (query.ids ? maxLimit : ctx.config.pageSize);
  const page = await locationPage(ctx, caller, { ...query, limit });
  return query.includeTotals ? page : page.objects;
}

async function locationPage(
  ctx: Context,
  caller: Caller,
  { skip = 0, limit = ctx.config.pageSize, ...query }: HandlerInput<typeof calls.findLocations>["query"],
) {
  const { includeTotals, includeDeleted, sortBy, sortDesc, ...filter } = query;
  const conditions = store.locationConditions(caller, filter, includeDeleted);
  const sort = sortKeys({ sortBy, sortDesc });
  const unfiltered = !includeDeleted && Object.values(filter).every((value) => value === undefined);
  const [rows, total] = await Promise.all([
    store.findLocationPage(ctx.db, caller, conditions, sort, { skip, limit }, computeCurrentContactCutoff(ctx)),
    includeTotals ? store.countLocations(ctx.db, caller, conditions, unfiltered) : undefined,
  ]);
  const objects = rows.map((row) => toLocation(ctx, row));
  return total === undefined ? { objects } : { objects, total };
}

export type { LocationFilter, NamedLocation } from "./location.store.ts";
export { taggedLocations } from "./location.store.ts";

export function findNamedLocations(ctx: Context, caller: Caller, filter: store.LocationFilter, limit: number) {
  return store.findLocationNames(ctx.db, store.locationConditions(caller, filter), null, limit);
}

/** Returns the next `limit` matching visible locations after the id `after`, in the order of their ids. */
export function findLocationsAfter(
  ctx: Context,
  caller: Caller,
  after: string | null,
  limit: number,
  filter: store.LocationFilter = {},
) {
  return store.findLocationNames(ctx.db, store.locationConditions(caller, filter), after, limit);
}

export async function getLocationStats(ctx: Context, caller: Caller) {
  const rows = await ctx.replica.read((db) => store.countByOccupancyLicense(db, caller));
  return { totalByOccupancyLicense: rows.map(({ licensed, n }) => ({ _id: licensed, count: n })) };
}

/** Lists the tags of visible locations. Spellings that differ only in case or accents are one tag. */
export function listTags(
  ctx: Context,
  caller: Caller,
  { skip = 0, limit = maxLimit }: HandlerInput<typeof calls.listLocationTags>["query"],
) {
  return store.countTags(ctx.db, caller, { skip, limit });
}

/** If `sensorID` is given, that sensor is assigned in the same transaction. */
export async function createLocation(
  ctx: Context,
  caller: Caller,
  input: HandlerInput<typeof calls.createLocation>["body"],
) {
  // Runs before the transaction, because the first zone lookup reads big files.
  const place = await mergePlace(emptyPlace, input.location, ctx.clock.now());
  return write(ctx, caller, async (w) => {
    const { owner, refs: sensor } = await checkCreate(locations, w.tx, caller, input.owner, {
      refer: async (owner) =>
        input.sensorID === undefined ? null : requireAssignableSensor(w, caller, input.sensorID, owner),
      demand: (_, sensor) => sensor?.requireRights(),
    });
    const coming = { id: null, timezone: place.timezone, ...noLicense, sensor };
    const columns = {
      name: input.name,
      tags: await withoutRepeats(w.tx, input.tags),
      external_id: input.externalID ?? null,
      ...asColumns(place),
      ...(await configColumns(w.tx, coming, input)),
    };
    const { id } = await createOwned(ctx, w, locations, owner, { id: uuidv7(ctx.clock.now()), ...columns });
    await sensor?.assignTo(ctx, id);
    return toOwnedResponse(ctx, w.tx, locations, caller, id);
  });
}

/** Omitted fields keep their values, and null clears them. */
export async function updateLocation(ctx: Context, caller: Caller, id: string, change: LocationChange) {
  return write(ctx, caller, async (w) => {
    const judged = await lockForChange(locations, w.tx, caller, id, change);
    const { row } = judged;
    const place = await mergePlace(row, change.location, ctx.clock.now());
    const after = await changeOwned(ctx, w, locations, judged, {
      ...(change.name !== undefined ? { name: change.name } : {}),
      ...(change.location !== undefined ? asColumns(place) : {}),
      ...(change.externalID !== undefined ? { external_id: change.externalID } : {}),
      ...(change.tags !== undefined ? { tags: await withoutRepeats(w.tx, change.tags) } : {}),
      ...(await configColumns(w.tx, { ...row, timezone: place.timezone }, change)),
    });
    await notifySensors(w, id, row.applications, after.applications);
    if (after.timezone !== row.timezone) await rebuildSumsOfLocation(w.tx, id, row.timezone, ctx.clock.now());
    return toOwnedResponse(ctx, w.tx, locations, caller, id);
  });
}

/** The location's sensors become unassigned and keep their datapoints (docs/rules/locations.md#deletion). */
export function deleteLocation(ctx: Context, caller: Caller, id: string) {
  return deleteOwnedById(ctx, caller, locations, id, (w) => removeSensorsFromLocations(ctx, w, caller, [id]));
}

/** Of tags that differ only in case or accents, the first is kept. */
const withoutRepeats = async (tx: Tx, tags: readonly string[] | null = []) =>
  distinctTags(tags ?? [], await store.findTagKeys(tx, tags ?? []));

/** The operator grants licenses later. */
const noLicense = { license_buildings: false, license_occupancy: false };

/** Null removes the apps, the monitoring configuration or the own opening hours. Throws 102 for an unknown calendar. */
async function configColumns(
  tx: Tx,
  place: Parameters<typeof checkApplications>[1],
  {
    applications,
    monitoringConfig,
    openingHours,
  }: Pick<LocationChange, "applications" | "monitoringConfig" | "openingHours">,
) {
  requireKnownCalendar(openingHours);
  return {
    ...(applications !== undefined ? { applications: toJsonb(await checkApplications(tx, place, applications)) } : {}),
    ...(monitoringConfig !== undefined ? { monitoring_config: monitoringConfig && toJsonb(monitoringConfig) } : {}),
    ...(openingHours !== undefined ? { opening_hours: toJsonbOrNull(openingHours) } : {}),
  };
}

function asColumns({ address, ...point }: StoredPlace) {
  return { ...point, address: address && toJsonb(address) };
}
