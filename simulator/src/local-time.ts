// Local time as simulated sensors need it: weekday and minute of the day, and clock changes.
import { dayMs, zoneOf } from "@psp/contract/kit/zone.ts";

export type LocalMoment = { weekday: number; minute: number; dayNumber: number };

/** Weekday (0 = Sunday), minute of the day and local day since 1970. */
export function localMoment(zone: string, at: number): LocalMoment {
  const local = zoneOf(zone).localMs(at);
  const dayNumber = Math.floor(local / dayMs);
  return { weekday: (dayNumber + 4) % 7, minute: (local - dayNumber * dayMs) / 60_000, dayNumber };
}

/**
 * Returns the instant of a local time: the first one if the local time is repeated, null if it is skipped. `local` is
 * in ms, as if the local time were UTC.
 */
export function instantOfLocal(zone: string, local: number): number | null {
  const { instantOf, localMs } = zoneOf(zone);
  const at = instantOf(local);
  return localMs(at) === local ? at : null;
}

/** The last clock change before an instant, looking back 400 days; null if there was none. */
export function lastChangeBefore(zone: string, at: number): number | null {
  const { from } = zoneOf(zone).spanAt(Math.floor(at) - 1);
  return from > at - 400 * dayMs ? from : null;
}
