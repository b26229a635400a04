// Seeds the demo's occupancy app: a third of the locations has the license, and one of them a working display.
import { occupancyTypes, occupancyVersion } from "@psp/contract/occupancy/occupancy-defaults.ts";
import { toJsonb } from "../db/storable.ts";

/** A location of Harbour Stores whose sensors have no faults; a small demo has only the first. */
const displayed = { number: 27, sensors: 112 };

const app = {
  version: occupancyVersion,
  type: occupancyTypes[0],
  enabled: true,
  settings: {
    maxObjects: 30,
    resetTime: { interval: "daily", timeOfDay: { hour: 4, minute: 0, second: 0 } },
    frontend: { showNumberOfPeople: true },
  },
};

/** License and apps of a location by its index in a demo of this many sensors. */
export function demoLicenseAndApps(
  number: number,
  sensors: number,
): { license_occupancy: boolean; applications: string } {
  const isDisplayed = number === (sensors >= displayed.sensors ? displayed.number : 0);
  return { license_occupancy: number % 3 === 0, applications: toJsonb(isDisplayed ? [app] : []) };
}
