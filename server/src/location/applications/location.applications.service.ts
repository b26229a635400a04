// Validates the apps of a location, and notifies its sensors when the occupancy app is enabled or disabled.
import { errorCode } from "@psp/contract/errors.ts";
import type { NewOccupancyApp } from "@psp/contract/occupancy/occupancy-app.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import type { Context } from "../../context.ts";
import type { Reader, Tx } from "../../db/database.ts";
import type { UnitOfWork } from "../../db/write.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { toJsonb } from "../../db/storable.ts";
import { changeOwned, getOwned } from "../../owned/change.ts";
import { lockOwned } from "../../owned/owned.store.ts";
import { getOwner } from "../../owned/owner.ts";
import {
  canCountInside,
  findForeignSensor,
  isAppEnabled,
  findMissingPrerequisite,
  toStoredApp,
} from "./location.applications.rules.ts";
import { findSensorsAtLocation } from "./location.applications.store.ts";
import { locations } from "../location.noun.ts";

/** The location as it will be after the change. */
type Place = {
  id: string | null;
  timezone: string | null;
  license_buildings: boolean;
  license_occupancy: boolean;
  sensor?: { id: string; type: string } | null;
};

/**
 * Returns the apps in their stored form. Throws 102 for a sensor that is not an APS of the location, or if an enabled app lacks a
 * prerequisite.
 */
export async function checkApplications(
  reader: Reader,
  place: Place,
  applications: readonly NewOccupancyApp[] | null,
): Promise<NewOccupancyApp[]> {
  if (!applications || applications.length === 0) return [];
  const here = place.id === null ? [] : await findSensorsAtLocation(reader, place.id);
  const all = place.sensor ? [...here, place.sensor] : here;
  const countingSensors = all.filter(({ type }) => canCountInside(type)).map(({ id }) => id);
  return applications.map((app) => {
    const foreign = findForeignSensor(app, countingSensors);
    if (foreign !== null) {
      const reason = `${foreign} is not an APS sensor of this location.`;
      throw new AppError(errorCode.invalidArgument, { field: "applications.0.settings.sensors", reason });
    }
    const licensed = place.license_buildings || place.license_occupancy;
    const missing = app.enabled === true ? findMissingPrerequisite(app, { ...place, licensed, countingSensors }) : null;
    if (missing !== null)
      throw new AppError(errorCode.invalidArgument, { field: "applications.0.enabled", reason: missing });
    return toStoredApp(app);
  });
}

/** Sensors send live flows only for an enabled app, so they are notified when that changes. */
export async function notifySensors(
  w: UnitOfWork,
  locationId: string,
  before: readonly unknown[],
  after: readonly unknown[],
) {
  if (isAppEnabled(before) === isAppEnabled(after)) return;
  const sensorIds = (await findSensorsAtLocation(w.tx, locationId)).map(({ id }) => id);
  if (sensorIds.length > 0) w.announce({ name: "desiredChanged", event: { sensorIds } });
}

type App = { settings?: { sensors?: readonly string[] | null } };
const sensorsOf = (app: unknown) => (app as App).settings?.sensors ?? [];

/** Whether an app of the location names the sensor, and whether the caller may edit the location; null if none does. */
export async function findNamingApp(tx: Tx, caller: Caller, locationId: string, sensorId: string) {
  const row = await lockOwned(tx, locations, caller, locationId, "share");
  if (!row?.applications.some((app) => sensorsOf(app).includes(sensorId))) return null;
  return { isEditable: canEdit(caller, "measurement", await getOwner(tx, row.owner_id)) };
}

/** Replaces a sensor in the apps of a location. The caller has checked the right to edit the location. */
export async function renameCountingSensor(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  locationId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const row = await lockOwned(w.tx, locations, caller, locationId);
  if (!row?.applications.some((app) => sensorsOf(app).includes(from))) return;
  const applications = row.applications.map((app) => {
    const sensors = [...new Set(sensorsOf(app).map((id) => (id === from ? to : id)))];
    return sensorsOf(app).includes(from) ? { ...(app as App), settings: { ...(app as App).settings, sensors } } : app;
  });
  await changeOwned(ctx, w, locations, { row, to: null }, { applications: toJsonb(applications) });
}

/** Throws 105 if the location is not visible. */
export async function requireVisibleLocation(ctx: Context, caller: Caller, id: string): Promise<void> {
  await getOwned(ctx, locations, caller, id);
}

/** Locks the location until the commit. Throws 105 if it is not visible, 305 if it is not editable. */
export async function requireEditableLocation(tx: Tx, caller: Caller, id: string) {
  const row = await lockOwned(tx, locations, caller, id);
  if (!row) throw new AppError(errorCode.notFound);
  const owner = await getOwner(tx, row.owner_id);
  if (!canEdit(caller, "measurement", owner))
    throw new AppError(errorCode.noEdit, locations.reasons.edit(caller, owner));
  return { id: row.id, owner };
}
