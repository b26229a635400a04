// Connection and installation states without zod, because every list loads them.
import type { Presence } from "./sensor.ts";

/** Installation state of the firmware last assigned to a sensor. */
export const installationStates = [
  "waiting",
  "paused",
  "installing",
  "done",
  "failed",
  "canceled",
  "reverted",
] as const;
export type InstallationState = (typeof installationStates)[number];
/** Filter values: minimum time since the last contact. Sensors that were never in contact match only `never`. */
export const lastContactFilters = ["24h", "7d", "never"] as const;
export type LastContactFilter = (typeof lastContactFilters)[number];
/** Every sensor has exactly one of these states. */
export const connectionStates = ["connected", "notResponding", "disconnected"] as const;

/** Limits of the timeout in hours. Without contact for longer than the timeout, a sensor is disconnected. */
export const timeoutHoursLimits = { min: 0.01, max: 87_600 } as const;

/** Returns the connection state at `nowMs` (docs/rules/sensors.md#connection-state). */
export function connectionState(
  presence: Presence,
  nowMs: number,
  timeoutHours: number,
): (typeof connectionStates)[number] {
  if (presence.isConnected && presence.isConnectedButDoesntRespond) return "notResponding";
  if (presence.isConnected) return "connected";
  const last = presence.lastContactAt ? Date.parse(presence.lastContactAt) : Number.NEGATIVE_INFINITY;
  return nowMs - last < timeoutHours * 3_600_000 ? "connected" : "disconnected";
}
