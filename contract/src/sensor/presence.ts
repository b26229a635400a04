// Connection states and installation words of the API, without schemas, because every list loads them.
import type { Presence } from "./sensor.ts";

/**
 * How far the firmware last assigned to a sensor has come, in a word: not begun, held back until it is resumed,
 * being fetched or installed, reported with its version, ended without it, or reported once and replaced by another since.
 */
export const installations = ["waiting", "paused", "installing", "done", "failed", "canceled", "reverted"] as const;
export type Installation = (typeof installations)[number];
/** How long a sensor has been out of contact; those that never were in contact are in none of the others. */
export const lastContacts = ["24h", "7d", "never"] as const;
export type LastContact = (typeof lastContacts)[number];
/** Each sensor is in exactly one of them. */
export const connectionStates = ["connected", "notResponding", "disconnected"] as const;

/** How long after its last contact a sensor may count as connected, in hours and parts of them. */
export const timeoutHours = { min: 0.01, max: 87_600 } as const;

/** The connection state at `nowMs` (docs/rules/sensors.md#connection-state). */
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
