// Small readings of a sensor that several of its pages share.
import { installProgress } from "@psp/contract/sensor/install-progress.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";

/** Version that the sensor runs: as known by the platform, else as reported, else null. */
export function runningVersion(sensor: Sensor): string | null {
  if (sensor.artifactRunning !== null) return sensor.artifactRunning.name;
  const software = sensor.info?.["software"] as { firmware?: { version?: unknown } } | undefined;
  const version = software?.firmware?.version;
  return typeof version === "string" ? version : null;
}

/** Is a firmware on its way? (spec 2 §4) */
export function isInstalling(sensor: Sensor): boolean {
  return installProgress(sensor).word === "INSTALLING";
}
