// When the count begins again: once a day at a local time, also on days on which clocks change.
import { dayMs, hourMs, zoneOf } from "@psp/contract/kit/zone.ts";

export type ResetTime = { hour: number; minute: number };

/** A zone that skips a date has no reset on it: one day each side is not always enough. */
const daysAround = [-2, -1, 0, 1, 2];

/**
 * The last reset that is not after an instant, and the next one. Where clocks go forward over the reset time, it comes as long
 * after midnight as on other days; where they go back over it, the first of both counts: each day has one reset.
 */
export function resetsAround(
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
