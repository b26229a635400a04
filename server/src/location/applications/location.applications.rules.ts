// Rules of the occupancy app: its stored form, and what a location needs to enable it (OC-04).
import { type NewOccupancyApp, findOccupancyApp } from "@psp/contract/occupancy/occupancy-app.ts";
import { occupancyAppTypes, occupancyAppVersion } from "@psp/contract/occupancy/occupancy-defaults.ts";

export const canCountInside = (type: string): boolean => type.startsWith("APS");

/** Sets the app's current version and type, and removes duplicate sensors. */
export function toStoredApp({ settings, ...app }: NewOccupancyApp): NewOccupancyApp {
  const sensors = settings?.sensors && [...new Set(settings.sensors)];
  return {
    ...app,
    version: occupancyAppVersion,
    type: occupancyAppTypes[0],
    ...(settings === undefined ? {} : { settings: { ...settings, ...(sensors ? { sensors } : {}) } }),
  };
}

/** Returns a list that contains only the occupancy app, with defaults for its missing fields; empty if there is none. */
export function toCompleteApps(applications: readonly unknown[]): unknown[] {
  const app = findOccupancyApp(applications);
  return app === null ? [] : [app];
}

export const isAppEnabled = (applications: readonly unknown[]): boolean =>
  findOccupancyApp(applications)?.enabled === true;

export type Prerequisites = { timezone: string | null; licensed: boolean; countingSensors: readonly string[] };

export function findMissingPrerequisite({ settings }: NewOccupancyApp, place: Prerequisites): string | null {
  if (place.timezone === null)
    return "The location has no time zone. Add an address so that the count is reset at the right time.";
  if (place.countingSensors.length === 0) return "No APS sensor is assigned to this location.";
  if (settings?.sensors?.length === 0) return "Choose at least one APS sensor of this location.";
  if (!place.licensed) return "The location doesn't have a PS.Buildings/PS.Occupancy license.";
  return null;
}

export function findForeignSensor({ settings }: NewOccupancyApp, countingSensors: readonly string[]): string | null {
  return settings?.sensors?.find((id) => !countingSensors.includes(id)) ?? null;
}
