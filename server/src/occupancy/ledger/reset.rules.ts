// Computes the daily reset at a local time, also on days with clock changes.
import { dayMs, hourMs, zoneOf } from "@psp/contract/kit/zone.ts";

export type ResetTime = { hour: number; minute: number };

/** One day in each direction is not enough, because a zone that skips a date has no reset on that date. */
const daysAround = [-2, -1, 0, 1, 2];

/**
 * Returns the last reset at or before `ms`, and the next one. If clocks skip the reset time, the reset comes as long after midnight as
 * on other days. If clocks repeat it, only the first occurrence is a reset.
 */
export function findResetsAround(
  zoneName: string,
  { hour, minute }: ResetTime,
  ms: number,
): { lastMs: number; nextMs: number } {
  const zone = zoneOf(zoneName);
  const today = Math.floor(zone.localMs(ms) / dayMs);
  const resets = daysAround.map((days) => zone.instantOf((today + days) * dayMs + hour * hourMs + minute * 60_000));
  return {
    lastMs: Math.max(...resets.filter((reset) => reset <= ms)),
    nextMs: Math.min(...resets.filter((reset) => reset > ms)),
  };
}
