// Seeds the demo's occupancy app: a third of the locations have the license, and one of them has a working display.
import { occupancyAppTypes, occupancyAppVersion } from "@psp/contract/occupancy/occupancy-defaults.ts";
import { toJsonb } from "../db/storable.ts";

/** The location with the display, whose sensors have no faults. A demo with fewer sensors uses its first location. */
const displayed = { number: 27, sensors: 112 };

const app = {
  version: occupancyAppVersion,
  type: occupancyAppTypes[0],
  enabled: true,
  settings: {
    maxObjects: 30,
    resetTime: { interval: "daily", timeOfDay: { hour: 4, minute: 0, second: 0 } },
    frontend: { showNumberOfPeople: true },
  },
};

/** License and apps of the location at this index (`number`), in a demo with this many sensors. */
export function chooseLicenseAndApps(
  number: number,
  sensors: number,
): { license_occupancy: boolean; applications: string } {
  const isDisplayed = number === (sensors >= displayed.sensors ? displayed.number : 0);
  return { license_occupancy: number % 3 === 0, applications: toJsonb(isDisplayed ? [app] : []) };
}
