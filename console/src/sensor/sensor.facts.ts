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

export type VpnState = "NOT_CONNECTED" | "PENDING" | "CONNECTED" | "SLEEPING";

/** State of a sensor's VPN from what is asked and what its server reports (spec 2 §4). */
export function vpnState(vpn: Sensor["vpn"]): VpnState {
  const status = vpn?.vpnStatus ?? null;
  const connected = status?.["connected"] === true;
  const requested = vpn?.connect === true;
  if (requested && connected) return "CONNECTED";
  if (requested || connected) return "PENDING";
  return status === null ? "NOT_CONNECTED" : "SLEEPING";
}

/** Where a sensor's monitoring comes from: its own configuration, else its location's, else nowhere (spec 2 §3). */
export function monitoringSource(sensor: Sensor, locationConfig: unknown): "own" | "location" | "none" {
  if (sensor.monitoringConfig !== null) return "own";
  return locationConfig === null || locationConfig === undefined ? "none" : "location";
}
