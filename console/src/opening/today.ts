// The current day at a location.
import { dateOfDay } from "@psp/contract/counts/count-range.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";

/** `YYYY-MM-DD`; the user's own day without a zone. */
export function todayIn(timeZone: string | null): string {
  const zone = timeZone ?? new Intl.DateTimeFormat("en").resolvedOptions().timeZone;
  return dateOfDay(zoneOf(zone).dayAt(Date.now()));
}
