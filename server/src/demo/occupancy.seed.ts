// The occupancy app of the demo: a third of the locations has the license, and one of them a display that works at once.
import { occupancyTypes, occupancyVersion } from "@psp/contract/occupancy/occupancy-defaults.ts";
import { toJsonb } from "../db/storable.ts";

/** One of Harbour Stores whose sensors have no faults; a small demo has the first only. */
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

/** License and apps of a location by its place in the demo of so many sensors. */
export function demoApp(number: number, sensors: number): { license_occupancy: boolean; applications: string } {
  const isDisplayed = number === (sensors >= displayed.sensors ? displayed.number : 0);
  return { license_occupancy: number % 3 === 0, applications: toJsonb(isDisplayed ? [app] : []) };
}
